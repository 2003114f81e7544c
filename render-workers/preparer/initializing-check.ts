import type { RenderStatus } from '../../domain/render/render.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { untilAnswered } from '../../platform/read-store/until-answered.ts';

/**
 * False if the read model shows that the render is prepared or final; true if the read model does not have the render.
 * Waits for the store without a limit, because the preparation needs it too. This avoids repeated work after a restart.
 */
export const initializingCheck = (
  statusOf: (render_id: string) => Promise<RenderStatus | null>,
  logger: Logger,
  clock: Clock,
) => {
  const message = 'the read model could not be asked what is prepared; trying again';
  const answered = untilAnswered(logger, clock, message);
  return async (render_id: string, signal: AbortSignal): Promise<boolean> => {
    const status = await answered(() => statusOf(render_id), signal);
    return status === null || status === 'initializing';
  };
};
