import * as E from 'fp-ts/lib/Either.js';
import type { Clock } from '../platform/process/clock.ts';

/**
 * A service goes on for a second at most with a key that it looked up, and with the generation of the read model that
 * it looked it up in.
 */
const IN_FORCE_AFTER_MS = 2_000;

/**
 * Returns a change that takes something away when it is in force everywhere: shown by the read model, as it is when it
 * comes here, and out of every cache. Of what was refused nothing is waited for.
 */
export const untilInForce = async <F, A>(
  { clock }: { readonly clock: Clock },
  change: Promise<E.Either<F, A>>,
): Promise<E.Either<F, A>> => {
  const changed = await change;
  if (E.isRight(changed)) await clock.sleep(IN_FORCE_AFTER_MS);
  return changed;
};
