import type { RenderStatus } from '../../domain/render/render.ts';

/** Spares work that was done before a restart. Where the answer is not to be had, the work is done again: harmless. */
export const initializingCheck =
  (statusOf: (render_id: string) => Promise<RenderStatus | null>) =>
  async (render_id: string): Promise<boolean> => {
    const status = await statusOf(render_id).catch(() => null);
    return status === null || status === 'initializing';
  };
