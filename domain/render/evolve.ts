import { actorKind } from '../event/meta.ts';
import type { RenderErased, RenderEvent, RenderFailed, RenderRequested } from './events.ts';
import {
  type Attempt,
  isFinal,
  openAttempt,
  type Render,
  type RenderStatus,
  STATUSES,
  type Transition,
} from './render.ts';

export type IgnoredReason =
  | 'already_requested'
  | 'not_requested'
  | 'already_final'
  | 'already_prepared'
  | 'not_prepared'
  | 'attempt_open'
  | 'attempt_not_open'
  | 'wrong_attempt_number'
  | 'attempt_id_taken'
  | 'already_progressed'
  | 'not_progressed'
  | 'already_finished'
  | 'not_finished'
  | 'no_master'
  | 'too_many_outputs'
  | 'too_many_attempts'
  | 'not_from_preparer_or_dispatcher'
  | 'already_erased'
  | 'not_final';

export type WorkEvent = Exclude<RenderEvent, RenderErased>;

export type Verdict =
  | { readonly tag: 'accepted'; readonly render: Render; readonly transition: Transition | null }
  | { readonly tag: 'ignored'; readonly reason: IgnoredReason };

const ignored = (reason: IgnoredReason): Verdict => ({ tag: 'ignored', reason });

const accepted = (render: Render, transition: Transition | null = null): Verdict => ({
  tag: 'accepted',
  render,
  transition,
});

/** Limits on the size of one render's document, far above those of a dispatcher or a project. */
const MAX_ATTEMPTS = 100;
const MAX_OUTPUTS = 32;

/** The status never goes back. The broker's clock may go back, but the times of a render never do. */
export const moveStatus = (render: Render, to: RenderStatus, appended_at: number): Verdict => {
  if (STATUSES.indexOf(to) <= STATUSES.indexOf(render.status)) return accepted(render);
  const at = Math.max(appended_at, render.updated_at ?? render.created_at);
  const seq = render.seq + 1;
  return accepted({ ...render, status: to, updated_at: at, seq }, { seq, from: render.status, to, at });
};

/** A stored request that is older than seals lacks the member. */
const sealKeyOf = ({ sealed = null }: Partial<Pick<RenderRequested, 'sealed'>>): Render['sealed'] =>
  sealed === null ? null : { tree: sealed.tree, leaf: sealed.leaf };

const created = (event: RenderRequested, at: number): Verdict =>
  accepted(
    {
      id: event.render_id,
      fold_version: event.fold_version,
      name: event.name,
      account_id: event.account_id,
      team_id: event.team_id,
      project_id: event.project_id,
      project_version: event.project_version,
      template_id: event.template_id,
      type: event.render_type,
      created_by: event.created_by,
      created_at: at,
      updated_at: null,
      status: 'initializing',
      seq: 1,
      request: event.request,
      request_hash: event.request_hash,
      correlation_id: event.meta.correlation_id,
      reserved_credits: event.reserved_credits,
      prepared: null,
      attempts: [],
      outputs: [],
      poster: null,
      charged_credits: 0,
      failure: null,
      erased_at: null,
      sealed: sealKeyOf(event),
    },
    { seq: 1, from: null, to: 'initializing', at },
  );

const withLastAttempt = (render: Render, change: Partial<Attempt>): Render => ({
  ...render,
  attempts: render.attempts.map((attempt, i) =>
    i === render.attempts.length - 1 ? { ...attempt, ...change } : attempt,
  ),
});

/**
 * Without an attempt, only two actors may fail a render: the preparer before `RenderPrepared`, and the dispatcher
 * between attempts.
 */
const faultOfFailure = (render: Render, event: RenderFailed): IgnoredReason | null => {
  const open = openAttempt(render);
  if (event.attempt_id !== null) return open?.id === event.attempt_id ? null : 'attempt_not_open';
  const by = actorKind(event.meta.actor);
  if (by === 'preparer') return render.status === 'initializing' ? null : 'already_prepared';
  if (by === 'dispatcher') return open === null ? null : 'attempt_open';
  return 'not_from_preparer_or_dispatcher';
};

/**
 * Version 1 of the fold: pure and total. Its behaviour for known events never changes, because it folds every render
 * with `fold_version` 1 forever.
 *
 * @param render the state before the event; null if no event was accepted yet
 * @param event the next record of this render, in log order
 * @param at the append time of that record, ms
 */
export const evolveV1 = (render: Render | null, event: WorkEvent, at: number): Verdict => {
  if (event.type === 'RenderRequested') return render === null ? created(event, at) : ignored('already_requested');
  if (render === null) return ignored('not_requested');
  if (isFinal(render.status)) return ignored('already_final');
  const open = openAttempt(render);

  switch (event.type) {
    case 'RenderPrepared': {
      if (render.prepared !== null) return ignored('already_prepared');
      const { composition, price_credits, width, height, fps_num, fps_den, frames } = event;
      const prepared = { composition, price_credits, width, height, fps_num, fps_den, frames };
      return moveStatus({ ...render, prepared }, 'ready', at);
    }
    case 'RenderAssigned': {
      if (render.prepared === null) return ignored('not_prepared');
      if (open !== null) return ignored('attempt_open');
      if (event.n !== render.attempts.length + 1) return ignored('wrong_attempt_number');
      if (event.n > MAX_ATTEMPTS) return ignored('too_many_attempts');
      if (render.attempts.some((attempt) => attempt.id === event.attempt_id)) return ignored('attempt_id_taken');
      const { attempt_id: id, n, worker_id } = event;
      const attempt: Attempt = { id, n, worker_id, progressed: false, finished: false, lost: null };
      return moveStatus({ ...render, attempts: [...render.attempts, attempt] }, 'queued', at);
    }
    case 'RenderFailed': {
      const fault = faultOfFailure(render, event);
      if (fault !== null) return ignored(fault);
      const { stage, code, message, field } = event;
      return moveStatus({ ...render, failure: { stage, code, message, field } }, 'failed', at);
    }
    case 'AttemptLost':
      if (open?.id !== event.attempt_id) return ignored('attempt_not_open');
      return accepted(withLastAttempt(render, { lost: event.reason }));
    case 'RenderProgressed':
      if (open?.id !== event.attempt_id) return ignored('attempt_not_open');
      if (open.progressed) return ignored('already_progressed');
      return moveStatus(withLastAttempt(render, { progressed: true }), 'processing', at);
    case 'RenderingFinished':
      if (open?.id !== event.attempt_id) return ignored('attempt_not_open');
      if (!open.progressed) return ignored('not_progressed');
      if (open.finished) return ignored('already_finished');
      return moveStatus(withLastAttempt(render, { finished: true }), 'finalizing', at);
    case 'RenderCompleted': {
      if (open?.id !== event.attempt_id) return ignored('attempt_not_open');
      if (!open.finished) return ignored('not_finished');
      if (event.outputs[0]?.variant !== 'master') return ignored('no_master');
      if (event.outputs.length > MAX_OUTPUTS) return ignored('too_many_outputs');
      const { outputs, poster } = event;
      const charged_credits = render.prepared?.price_credits ?? 0;
      return moveStatus({ ...render, outputs, poster, charged_credits }, 'complete', at);
    }
  }
};
