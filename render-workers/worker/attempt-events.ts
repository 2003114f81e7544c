import type { StartAttempt } from '../../domain/dispatch/commands.ts';
import type { LossReason } from '../../domain/dispatch/loss-reasons.ts';
import type {
  AttemptLost,
  Output,
  RenderCompleted,
  RenderFailed,
  RenderingFinished,
  RenderProgressed,
} from '../../domain/render/events.ts';
import { namingField } from '../../engine/process/engine-fault.ts';
import type { Author } from '../log/record-author.ts';

export type Progress = { readonly frames_done: number; readonly frames_total: number };

export type AttemptEvents = {
  readonly progressed: (progress: Progress) => RenderProgressed;
  readonly finished: (made: Pick<RenderingFinished, 'frames' | 'engine_ms' | 'frames_cached'>) => RenderingFinished;
  readonly completed: (outputs: readonly Output[], poster: Output) => RenderCompleted;
  readonly failed: (fault: {
    readonly code: string;
    readonly message: string;
    readonly field?: string;
  }) => RenderFailed;
  readonly lost: (reason: LossReason, detail: string | null) => AttemptLost;
};

export const attemptEvents = (by: Author, { render_id, attempt_id, meta }: StartAttempt): AttemptEvents => {
  // The cause is the assignment, because the command topic keeps records only for hours.
  const own = () => ({ meta: by(meta.causation_id ?? meta.event_id, meta.correlation_id), render_id, attempt_id });
  return {
    progressed: (progress) => ({ type: 'RenderProgressed', ...own(), ...progress }),
    finished: (made) => ({ type: 'RenderingFinished', ...own(), ...made }),
    completed: (outputs, poster) => ({ type: 'RenderCompleted', ...own(), outputs: [...outputs], poster }),
    failed: ({ code, message, field }) => ({
      type: 'RenderFailed',
      ...own(),
      stage: 'rendering',
      code,
      message: namingField(field, message),
      field: field ?? null,
    }),
    lost: (reason, detail) => ({ type: 'AttemptLost', ...own(), reason, detail }),
  };
};
