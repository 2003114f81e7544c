import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import { type EngineFault, exceptionFault } from './engine-fault.ts';
import type { ProcessLimits } from './run-process.ts';

export type ProcessTask = (limits: ProcessLimits) => Promise<E.Either<EngineFault, unknown>>;

const runTask = async (task: ProcessTask, limits: ProcessLimits): Promise<E.Either<EngineFault, unknown>> => {
  try {
    return await task(limits);
  } catch (cause) {
    return E.left(exceptionFault(cause));
  }
};

/** The first failure aborts the other tasks. Never rejects; no task is running when it resolves. */
export const runAll = async (
  tasks: readonly ProcessTask[],
  at_once: number,
  limits: () => ProcessLimits,
): Promise<E.Either<EngineFault, void>> => {
  const failed = new AbortController();
  const faults: EngineFault[] = [];
  const turn = pLimit(at_once);
  const runInTurn = async (task: ProcessTask): Promise<void> => {
    const { signal, ...left } = limits();
    if (faults.length > 0) return;
    const done = await runTask(task, { ...left, signal: AbortSignal.any([signal, failed.signal]) });
    if (E.isRight(done)) return;
    faults.push(done.left);
    failed.abort();
  };
  await Promise.all(tasks.map((task) => turn(runInTurn, task)));
  return faults[0] === undefined ? E.right(undefined) : E.left(faults[0]);
};
