import * as E from 'fp-ts/lib/Either.js';
import type { Clock } from '../platform/process/clock.ts';

/** A service may use a cached key, and the generation that it was read from, for one second each. */
const IN_FORCE_AFTER_MS = 2_000;

/**
 * Delays a change that takes something away until it is in effect everywhere: shown by the read model, which it is when
 * this is called, and out of every cache. A refused change is not delayed.
 */
export const untilInForce = async <F, A>(
  { clock }: { readonly clock: Clock },
  change: Promise<E.Either<F, A>>,
): Promise<E.Either<F, A>> => {
  const changed = await change;
  if (E.isRight(changed)) await clock.sleep(IN_FORCE_AFTER_MS);
  return changed;
};
