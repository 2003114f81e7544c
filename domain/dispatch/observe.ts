import { isFinal, openAttempt, type Render } from '../render/render.ts';
import { backOffMs, countedLosses } from './attempt-limits.ts';
import type { Dispatch, Observation, OpenRender, Pending, Watch, Worker } from './dispatch.ts';
import type { WorkerBeat } from './heartbeats.ts';
import { ownHeartbeatReturned } from './liveness.ts';

/** The maps of one call, copied once and then written: a batch of observations costs one copy. */
type Draft = {
  readonly renders: Map<string, OpenRender>;
  readonly workers: Map<string, Worker>;
  readonly ended: Map<string, number>;
};

/** What was appended is settled when the render shows it, or shows that something else came before it. */
const stillPending = (pending: Pending | null, render: Render): Pending | null => {
  switch (pending?.kind) {
    case undefined:
      return null;
    case 'assign':
      return render.attempts.length >= pending.n ? null : pending;
    case 'lose':
      return openAttempt(render)?.id === pending.attempt_id ? pending : null;
    case 'fail':
      return render.attempts.length > pending.attempts ? null : pending;
  }
  return null;
};

/** A heartbeat may have shown the attempt before its assignment was read here. */
const shownBy = (workers: ReadonlyMap<string, Worker>, worker_id: string, attempt_id: string): number | null => {
  const worker = workers.get(worker_id);
  return worker?.attempts.some((running) => running.attempt_id === attempt_id) ? worker.last_heartbeat_at : null;
};

const watchOf = (render: Render, before: Watch | null, workers: ReadonlyMap<string, Worker>): Watch | null => {
  const open = openAttempt(render);
  if (open === null) return null;
  if (before?.attempt_id === open.id) return open.progressed && !before.shown ? { ...before, shown: true } : before;
  const seen_at = shownBy(workers, open.worker_id, open.id);
  return { attempt_id: open.id, command: 'due', seen_at, shown: seen_at !== null || open.progressed };
};

/** The worker that ended its attempt by itself has its slot back now, not at its next heartbeat. */
const forgetEndedByWorker = (draft: Draft, attempt_id: string, worker_id: string, actor: string | null): void => {
  const worker = draft.workers.get(worker_id);
  if (worker === undefined || actor !== `worker:${worker_id}`) return;
  const attempts = worker.attempts.filter((running) => running.attempt_id !== attempt_id);
  draft.workers.set(worker_id, { ...worker, attempts });
};

type RenderSeen = Extract<Observation, { tag: 'render_seen' }>;

const seeRender = (draft: Draft, seen: RenderSeen, now: number): void => {
  const { render, offset, event_id } = seen;
  const before = draft.renders.get(render.id);
  if (before !== undefined && offset <= before.offset) return;

  const open = openAttempt(render);
  for (const attempt of render.attempts) {
    if (attempt.id === open?.id || draft.ended.has(attempt.id)) continue;
    draft.ended.set(attempt.id, now);
    forgetEndedByWorker(draft, attempt.id, attempt.worker_id, seen.actor);
  }
  if (isFinal(render.status)) {
    draft.renders.delete(render.id);
    return;
  }
  if (render.prepared === null) return;

  const lossesBefore = before === undefined ? 0 : countedLosses(before.render.attempts);
  const counted = countedLosses(render.attempts) > lossesBefore;
  draft.renders.set(render.id, {
    render,
    offset,
    cause: event_id ?? before?.cause ?? null,
    pending: stillPending(before?.pending ?? null, render),
    not_before: counted ? now + backOffMs(render.attempts) : (before?.not_before ?? now),
    watch: watchOf(render, before?.watch ?? null, draft.workers),
  });
};

const observeHeartbeat = (draft: Draft, beat: WorkerBeat, now: number): void => {
  const before = draft.workers.get(beat.worker_id);
  if (before !== undefined && beat.beat <= before.beat) return;
  const { worker_id, slots, draining, attempts } = beat;
  draft.workers.set(worker_id, {
    worker_id,
    beat: beat.beat,
    slots,
    draining,
    attempts,
    last_heartbeat_at: now,
    unread: true,
  });
  for (const { render_id, attempt_id } of attempts) {
    const open = draft.renders.get(render_id);
    if (open === undefined || open.watch?.attempt_id !== attempt_id) continue;
    draft.renders.set(render_id, { ...open, watch: { ...open.watch, seen_at: now, shown: true } });
  }
};

const seeCommandSent = (draft: Draft, render_id: string, attempt_id: string, now: number): void => {
  const open = draft.renders.get(render_id);
  if (open === undefined || open.watch?.attempt_id !== attempt_id) return;
  const seen_at = Math.max(now, open.watch.seen_at ?? now);
  draft.renders.set(render_id, { ...open, watch: { ...open.watch, command: 'sent', seen_at } });
};

/**
 * Takes in what happened, in order. Late, repeated and contradictory observations are harmless: a render never goes
 * back behind the offset it was seen at, a worker never behind its heartbeat.
 *
 * @param now monotonic clock, ms
 */
export const observe = (dispatch: Dispatch, observations: readonly Observation[], now: number): Dispatch => {
  const draft: Draft = {
    renders: new Map(dispatch.renders),
    workers: new Map(dispatch.workers),
    ended: new Map(dispatch.ended),
  };
  let { clock, loaded } = dispatch;
  for (const observation of observations) {
    switch (observation.tag) {
      case 'render_seen':
        seeRender(draft, observation, now);
        break;
      case 'loaded':
        loaded = true;
        break;
      case 'worker_heartbeat':
        observeHeartbeat(draft, observation.beat, now);
        break;
      case 'own_heartbeat':
        clock = ownHeartbeatReturned(clock, observation.sent_at, now);
        break;
      case 'command_sent':
        seeCommandSent(draft, observation.render_id, observation.attempt_id, now);
        break;
    }
  }
  return { ...dispatch, ...draft, clock, loaded };
};
