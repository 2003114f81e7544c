import * as E from 'fp-ts/lib/Either.js';
import { abortable } from './abortable.ts';
import type { EngineFault } from './engine-fault.ts';
import type { ProcessLimits } from './run-process.ts';

/** A stage of the engine's work: `probing` and so on, and the wall clock that it may take of the render's budget. */
export type StageLimit = { readonly stage: string; readonly limit_ms: number };

/**
 * Runs a stage; over budget where it takes longer than it may, however many programs it starts. Work that is given up is
 * aborted, and abandoned where it does not hear of it.
 */
export const withinStage = async <A>(
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
    const done = E.flatten(await abortable(working, { signal, budget_ms: limits.budget_ms }));
    const message = `took longer than the ${limit_ms / 1_000} s that ${stage} may take`;
    return late && E.isLeft(done) ? E.left({ tag: 'over_budget', message }) : done;
  } finally {
    clearTimeout(timer);
    limits.signal.removeEventListener('abort', stop);
    // What was abandoned at the end of the budget.
    stop();
  }
};
