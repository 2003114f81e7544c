import * as E from 'fp-ts/lib/Either.js';
import type { EngineFault } from './engine-fault.ts';
import type { ProcessLimits } from './run-process.ts';
import { awaitWithinLimits } from './within-limits.ts';

/** A stage of the engine's work, such as `probing`, and its wall-clock limit within the render's budget. */
export type StageLimit = { readonly stage: string; readonly limit_ms: number };

/** A late stage fails with `over_budget`. Its work is aborted, and abandoned if it ignores the signal. */
export const withStageLimit = async <A>(
  { stage, limit_ms }: StageLimit,
  limits: ProcessLimits,
  work: (limits: ProcessLimits) => Promise<E.Either<EngineFault, A>>,
): Promise<E.Either<EngineFault, A>> => {
  const own = new AbortController();
  const { signal } = own;
  const stop = (): void => own.abort();
  limits.signal.addEventListener('abort', stop, { once: true });
  if (limits.signal.aborted) stop();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    stop();
  }, limit_ms);
  try {
    const working = work({ ...limits, signal });
    const done = E.flatten(await awaitWithinLimits(working, { signal, budget_ms: limits.budget_ms }));
    const message = `exceeded the limit of ${limit_ms / 1_000} s for ${stage}`;
    return late && E.isLeft(done) ? E.left({ tag: 'over_budget', message }) : done;
  } finally {
    clearTimeout(timer);
    limits.signal.removeEventListener('abort', stop);
    // Stops work that was abandoned at the end of the budget.
    stop();
  }
};
