import { abortableWork } from '../../platform/process/abortable.ts';
import type { Clock } from '../../platform/process/clock.ts';

/** Stages of a render's work that use the blob store and have a time limit. */
export const STAGES = {
  composition: 'downloading the composition',
  values: 'downloading the values',
  download: 'downloading the media',
  upload: 'storing the files',
} as const;

export type Stage = keyof typeof STAGES;

/** A stage exceeded its time limit. A later retry may succeed. */
export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed';
  readonly stage: Stage;

  constructor(stage: Stage, limit_ms: number) {
    super(`${STAGES[stage]} took longer than ${limit_ms / 1_000} s`);
    this.stage = stage;
  }
}

export type StageOptions = { readonly limit_ms: number; readonly signal: AbortSignal; readonly clock: Clock };

/**
 * Runs a stage with its retries and pauses. Rejects with `DeadlinePassed` at the time limit, and with the reason of
 * `signal` as soon as it aborts. Both abort the signal of the work.
 */
export const withinDeadline = async <A>(
  stage: Stage,
  { limit_ms, signal, clock }: StageOptions,
  work: (signal: AbortSignal) => Promise<A>,
): Promise<A> => {
  const deadline = new AbortController();
  const cancel = clock.after(limit_ms, () => deadline.abort(new DeadlinePassed(stage, limit_ms)));
  try {
    return await abortableWork(AbortSignal.any([signal, deadline.signal]), clock, work);
  } finally {
    cancel();
  }
};
