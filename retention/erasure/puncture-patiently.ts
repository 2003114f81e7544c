import type { Logger } from '../../platform/logging/logger.ts';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retry } from '../../platform/process/retry.ts';
import type { UnpuncturedSeal, UnpuncturedSeals } from '../../read-models/retention/unpunctured-seals.ts';
import { retryErasure } from './erase-patiently.ts';
import type { Puncture } from './puncture.ts';

export type PuncturePatientlyDependencies = {
  readonly puncture: Puncture;
  readonly unpunctured: Pick<UnpuncturedSeals, 'add'>;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly logger: Logger;
  readonly warn: Warn;
};

/**
 * Punctures the keys of erased texts. After many failures, it stores a row of the key, and the sweep tries again. When
 * it resolves, the position in the log may pass the erasure. Rejects only when the signal aborts.
 */
export type PuncturePatiently = (seals: readonly UnpuncturedSeal[], signal: AbortSignal) => Promise<void>;

export const createPuncturePatiently = (deps: PuncturePatientlyDependencies): PuncturePatiently => {
  const { puncture, unpunctured, clock, logger, warn } = deps;

  /** Whether the key is punctured. */
  const punctureOne = async (seal: UnpuncturedSeal, signal: AbortSignal): Promise<boolean> => {
    const onFailure = (error: unknown): void => warn({ error }, 'the key of an erased text is not punctured yet');
    try {
      await retryErasure(() => puncture(seal), { clock, signal, onFailure });
      return true;
    } catch (error) {
      signal.throwIfAborted();
      logger.error({ ...seal, error }, 'the key of an erased text cannot be punctured: the sweep tries again');
      return false;
    }
  };

  return async (seals, signal) => {
    const done = await Promise.all(seals.map(async (seal) => ((await punctureOne(seal, signal)) ? [] : [seal])));
    const failed = done.flat();
    if (failed.length === 0) return;
    const onFailure = (error: unknown): void => warn({ error }, 'keys that must be punctured are not noted yet');
    await retry(() => unpunctured.add(failed, new Date(clock.now())), { clock, signal, onFailure });
    signal.throwIfAborted();
  };
};
