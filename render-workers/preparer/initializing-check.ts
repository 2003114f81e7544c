import type { RenderStatus } from '../../domain/render/render.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { sparingWarnings } from '../../platform/logging/sparing-warnings.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { isProgrammingError } from '../../platform/process/programming-error.ts';
import { retry } from '../../platform/process/retry.ts';

/**
 * False where the read model shows that the render is prepared, or over; true for one that it does not have. It waits for
 * a store that is away without a limit, as the preparation needs it too: so nothing is done twice after a restart.
 */
export const initializingCheck = (
  statusOf: (render_id: string) => Promise<RenderStatus | null>,
  logger: Logger,
  clock: Clock,
) => {
  const warn = sparingWarnings(logger);
  return async (render_id: string, signal: AbortSignal): Promise<boolean> => {
    const status = await retry(() => statusOf(render_id), {
      ...{ clock, signal, isTransient: (error) => !isProgrammingError(error) },
      onFailure: (error) => warn({ error }, 'the read model could not be asked what is prepared; trying again'),
    });
    signal.throwIfAborted();
    return status === null || status === 'initializing';
  };
};
