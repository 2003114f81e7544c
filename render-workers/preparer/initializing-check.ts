import type { RenderStatus } from '../../domain/render/render.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retryUntilAnswered } from '../../platform/read-store/until-answered.ts';

/**
 * Whether a render still has to be prepared, so that a restart does not prepare it again. Waits without limit during an
 * outage, because the preparation needs the store too.
 */
export const needsPreparationCheck = (
  statusOf: (render_id: string) => Promise<RenderStatus | null>,
  logger: Logger,
  clock: Clock,
) => {
  const message = 'could not read which renders are prepared; trying again';
  const answered = retryUntilAnswered(logger, clock, message);
  return async (render_id: string, signal: AbortSignal): Promise<boolean> => {
    const status = await answered(() => statusOf(render_id), signal);
    return status === null || status === 'initializing';
  };
};
