import * as E from 'fp-ts/lib/Either.js';
import type { EngineFault } from './engine-fault.ts';
import type { ProcessLimits } from './run-process.ts';

/** Abandons the promise when the render is cancelled or over budget. */
export const awaitWithinLimits = async <A>(
  promise: Promise<A>,
  { signal, budget_ms }: Pick<ProcessLimits, 'signal' | 'budget_ms'>,
): Promise<E.Either<EngineFault, A>> => {
  const { promise: stopped, resolve } = Promise.withResolvers<E.Either<EngineFault, A>>();
  const cancel = (): void => resolve(E.left({ tag: 'cancelled' }));
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const late = (): void => resolve(E.left({ tag: 'over_budget', message: 'exceeded its time limit' }));
  const timer = setTimeout(late, Math.max(0, budget_ms));
  try {
    return await Promise.race([stopped, promise.then((value) => E.right<EngineFault, A>(value))]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
};

const STOPPED_MS = 1_000;

/** Like `awaitWithinLimits`, for work that writes files: aborts the work and waits up to a second until it stops. */
export const runWithinLimits = async <A>(
  work: (signal: AbortSignal) => Promise<A>,
  limits: Pick<ProcessLimits, 'signal' | 'budget_ms'>,
): Promise<E.Either<EngineFault, A>> => {
  const stop = new AbortController();
  const working = work(stop.signal);
  const done = await awaitWithinLimits(working, limits);
  if (E.isRight(done)) return done;
  stop.abort();
  const { signal } = new AbortController();
  await awaitWithinLimits(working, { signal, budget_ms: STOPPED_MS }).catch(() => undefined);
  return done;
};
