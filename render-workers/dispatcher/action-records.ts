import { STOP_REASONS, type StartAttempt, type StopAttempt } from '../../domain/dispatch/commands.ts';
import type { DispatchAction } from '../../domain/dispatch/dispatch.ts';
import type { AttemptLost, PreparedRender, RenderAssigned, RenderFailed } from '../../domain/render/events.ts';
import type { CreateMeta } from '../log/record-author.ts';

type ActionOf<T extends DispatchAction['tag']> = Extract<DispatchAction, { tag: T }>;

export const assignmentRecord = (
  by: CreateMeta,
  { render, attempt_id, n, worker_id, cause }: ActionOf<'assign'>,
): RenderAssigned => ({
  type: 'RenderAssigned',
  meta: by(cause, render.correlation_id),
  render_id: render.id,
  attempt_id,
  n,
  worker_id,
});

export const lossRecord = (by: CreateMeta, { render, attempt_id, reason, cause }: ActionOf<'lose'>): AttemptLost => ({
  type: 'AttemptLost',
  meta: by(cause, render.correlation_id),
  render_id: render.id,
  attempt_id,
  reason,
  detail: reason === 'crashed' ? 'worker_silent' : 'not_taken_up',
});

export const failureRecord = (by: CreateMeta, { render, code, message, cause }: ActionOf<'fail'>): RenderFailed => ({
  type: 'RenderFailed',
  meta: by(cause, render.correlation_id),
  render_id: render.id,
  attempt_id: null,
  stage: 'dispatch',
  code,
  message,
  field: null,
});

export const startCommand = (by: CreateMeta, action: ActionOf<'start'>, prepared: PreparedRender): StartAttempt => {
  const { render, worker_id, attempt_id, n, cause } = action;
  return {
    type: 'StartAttempt',
    meta: by(cause, render.correlation_id),
    worker_id,
    render_id: render.id,
    attempt_id,
    n,
    account_id: render.account_id,
    project_id: render.project_id,
    composition: prepared.composition,
    frames: prepared.frames,
  };
};

export const stopCommand = (
  by: CreateMeta,
  { worker_id, render_id, attempt_id, is_cancelled }: ActionOf<'stop'>,
): StopAttempt => ({
  type: 'StopAttempt',
  meta: by(null, null),
  worker_id,
  render_id,
  attempt_id,
  reason: is_cancelled ? STOP_REASONS.cancelled : STOP_REASONS.over,
});
