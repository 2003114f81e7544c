import { abortWithGracePeriod } from '../../platform/process/abortable.ts';
import type { Clock } from '../../platform/process/clock.ts';

export const STAGES = {
  composition: 'downloading the composition',
  values: 'downloading the values',
  download: 'downloading the media',
  upload: 'storing the files',
} as const;

export type Stage = keyof typeof STAGES;

export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed';
  readonly stage: Stage;

  constructor(stage: Stage, limit_ms: number) {
    super(`${STAGES[stage]} took longer than ${limit_ms / 1_000} s`);
    this.stage = stage;
  }
}

export type StageOptions = { readonly limit_ms: number; readonly signal: AbortSignal; readonly clock: Clock };

/** Rejects with `DeadlinePassed` at the limit, and with the reason of `signal`. Both abort the signal of the work. */
export const withinDeadline = async <A>(
  stage: Stage,
  { limit_ms, signal, clock }: StageOptions,
  work: (signal: AbortSignal) => Promise<A>,
): Promise<A> => {
  const deadline = new AbortController();
  const cancel = clock.after(limit_ms, () => deadline.abort(new DeadlinePassed(stage, limit_ms)));
  try {
    return await abortWithGracePeriod(AbortSignal.any([signal, deadline.signal]), clock, work);
  } finally {
    cancel();
  }
};
