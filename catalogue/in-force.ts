import * as E from 'fp-ts/lib/Either.js';
import type { Clock } from '../platform/process/clock.ts';

/** A service caches a key for up to one second, and the number of the serving generation for one more. */
const IN_FORCE_AFTER_MS = 2_000;

/**
 * Returns an accepted change after all caches have expired, so that it is in effect everywhere. Returns a refused
 * change at once.
 */
export const waitUntilEffective = async <F, A>(
  { clock }: { readonly clock: Clock },
  change: Promise<E.Either<F, A>>,
): Promise<E.Either<F, A>> => {
  const changed = await change;
  if (E.isRight(changed)) await clock.sleep(IN_FORCE_AFTER_MS);
  return changed;
};
