import type { RenderStatus } from '../../domain/render/render.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { untilAnswered } from '../../platform/read-store/until-answered.ts';

/**
 * False where the read model shows that the render is prepared, or over; true for one that it does not have. It waits for
 * a store that is away without a limit, as the preparation needs it too: so nothing is done twice after a restart.
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
