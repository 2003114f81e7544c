import type { RenderStatus } from '../../domain/render/render.ts';

/** Avoids repeating work that was done before a restart. Without an answer the work is repeated, which is harmless. */
export const initializingCheck =
  (statusOf: (render_id: string) => Promise<RenderStatus | null>) =>
  async (render_id: string): Promise<boolean> => {
    const status = await statusOf(render_id).catch(() => null);
    return status === null || status === 'initializing';
  };
