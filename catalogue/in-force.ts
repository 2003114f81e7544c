import * as E from 'fp-ts/lib/Either.js';
import type { Clock } from '../platform/process/clock.ts';

/** A service may cache a key for one second, and the generation that it was read from for one more. */
const IN_FORCE_AFTER_MS = 2_000;

/**
 * Delays a change that removes access until it is in effect everywhere. The read model already shows the change, so
 * this waits until all caches have expired. A refused change is not delayed.
 */
export const untilInForce = async <F, A>(
  { clock }: { readonly clock: Clock },
  change: Promise<E.Either<F, A>>,
): Promise<E.Either<F, A>> => {
  const changed = await change;
  if (E.isRight(changed)) await clock.sleep(IN_FORCE_AFTER_MS);
  return changed;
};
