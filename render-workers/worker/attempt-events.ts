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
import { withFieldPrefix } from '../../engine/process/engine-fault.ts';
import type { CreateMeta } from '../log/record-author.ts';

export type FrameProgress = { readonly frames_done: number; readonly frames_total: number };

export type AttemptEvents = {
  readonly progressed: (progress: FrameProgress) => RenderProgressed;
  readonly finished: (result: Pick<RenderingFinished, 'frames' | 'engine_ms' | 'frames_cached'>) => RenderingFinished;
  readonly completed: (outputs: readonly Output[], poster: Output) => RenderCompleted;
  readonly failed: (fault: {
    readonly code: string;
    readonly message: string;
    readonly field?: string;
  }) => RenderFailed;
  readonly lost: (reason: LossReason, detail: string | null) => AttemptLost;
};

export const attemptEvents = (by: CreateMeta, { render_id, attempt_id, meta }: StartAttempt): AttemptEvents => {
  // The cause is the assignment, because the command topic keeps records only for hours.
  const own = () => ({ meta: by(meta.causation_id ?? meta.event_id, meta.correlation_id), render_id, attempt_id });
  return {
    progressed: (progress) => ({ type: 'RenderProgressed', ...own(), ...progress }),
    finished: (result) => ({ type: 'RenderingFinished', ...own(), ...result }),
    completed: (outputs, poster) => ({ type: 'RenderCompleted', ...own(), outputs: [...outputs], poster }),
    failed: ({ code, message, field }) => ({
      type: 'RenderFailed',
      ...own(),
      stage: 'rendering',
      code,
      message: withFieldPrefix(field, message),
      field: field ?? null,
    }),
    lost: (reason, detail) => ({ type: 'AttemptLost', ...own(), reason, detail }),
  };
};
