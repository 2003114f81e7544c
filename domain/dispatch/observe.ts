import { isCancelled } from '../render/cancellation.ts';
import { type Attempt, isFinal, openAttempt, type Render } from '../render/render.ts';
import { backOffMs } from './attempt-limits.ts';
import type {
  AttemptWatch,
  FinishedAttempt,
  KnownWorker,
  Observation,
  OpenRender,
  PendingDecision,
  StopRequest,
} from './dispatch.ts';
import { attemptsLostToEnvironment, type EnvironmentWait, environmentPauseMs } from './environment-wait.ts';
import type { WorkerBeat } from './heartbeats.ts';
import { clockAfterOwnHeartbeat, type SilenceClock } from './liveness.ts';
import { machineOf } from './machine.ts';
import { incompatibleEngines } from './placement.ts';
import { addLoss, countsAgainstMachine, type LossStreak } from './set-aside.ts';

const NOT_ASSIGNED_PAUSE_MS = 5_000;

export type MutableDispatchState = {
  readonly renders: ReadonlyMap<string, OpenRender>;
  readonly workers: Map<string, KnownWorker>;
  readonly ended: Map<string, FinishedAttempt>;
  readonly stopping: StopRequest[];
  readonly streaks: Map<string, LossStreak>;
  clock: SilenceClock;
  improved_at: number;
  loaded: boolean;
  /** All changes of renders go through this function; undefined removes the render. */
  readonly put: (render_id: string, open: OpenRender | undefined) => void;
};

/** An append is no longer pending if the render shows it, or shows that another event came first. */
const stillPending = (pending: PendingDecision | null, render: Render): PendingDecision | null => {
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

/**
 * When a heartbeat of the worker last showed the attempt; null if none did. A heartbeat may arrive before the
 * assignment is read.
 */
const shownBy = (workers: ReadonlyMap<string, KnownWorker>, worker_id: string, attempt_id: string): number | null => {
  const worker = workers.get(worker_id);
  return worker?.attempts.some((running) => running.attempt_id === attempt_id) ? worker.last_heartbeat_at : null;
};

const watchOf = (
  render: Render,
  before: AttemptWatch | null,
  workers: ReadonlyMap<string, KnownWorker>,
): AttemptWatch | null => {
  const open = openAttempt(render);
  if (open === null) return null;
  if (before?.attempt_id === open.id) return open.progressed && !before.shown ? { ...before, shown: true } : before;
  const seen_at = shownBy(workers, open.worker_id, open.id);
  return { attempt_id: open.id, command: 'due', seen_at, shown: seen_at !== null || open.progressed };
};

const forgetEndedByWorker = (
  draft: MutableDispatchState,
  attempt_id: string,
  worker_id: string,
  actor: string | null,
): void => {
  const worker = draft.workers.get(worker_id);
  if (worker === undefined || actor !== `worker:${worker_id}`) return;
  const attempts = worker.attempts.filter((running) => running.attempt_id !== attempt_id);
  draft.workers.set(worker_id, { ...worker, attempts });
};

const newlyLost = (render: Render, before: OpenRender): readonly Attempt[] =>
  render.attempts.filter(({ lost }, i) => lost !== null && (before.render.attempts[i]?.lost ?? null) === null);

const seeMachines = (
  draft: MutableDispatchState,
  render: Render,
  before: OpenRender | undefined,
  now: number,
): void => {
  for (const { worker_id, lost } of before === undefined ? [] : newlyLost(render, before)) {
    const machine = machineOf(worker_id);
    if (lost !== null && countsAgainstMachine(lost))
      draft.streaks.set(
        machine,
        addLoss(draft.streaks.get(machine), { render_id: render.id, worker_id, reason: lost }, now),
      );
  }
  const last = render.attempts.at(-1);
  // A failed render also clears the streak: a worker that found a fault of the render did its work. A cancelled render
  // does not, because its worker may have been at fault.
  if (isFinal(render.status) && last?.lost === null && !isCancelled(render))
    draft.streaks.delete(machineOf(last.worker_id));
};

const waitAfter = (seen: RenderSeen, before: OpenRender | undefined, now: number): EnvironmentWait | null => {
  const { attempts } = seen.render;
  const first = attemptsLostToEnvironment(attempts)[0];
  const last = attempts.findLast(({ lost }) => lost !== null);
  if (first === undefined || last === undefined) return null;
  const known = before?.wait ?? null;
  if (known !== null && before !== undefined && newlyLost(seen.render, before).length === 0) return known;
  const lostAt = ({ id }: Attempt): number => now - (seen.lost_ago?.get(id) ?? 0);
  return { since: known?.since ?? lostAt(first), lost_at: lostAt(last) };
};

const afterLoss = (
  seen: RenderSeen,
  before: OpenRender | undefined,
  now: number,
): Pick<OpenRender, 'not_before' | 'wait'> => {
  const { attempts } = seen.render;
  const wait = waitAfter(seen, before, now);
  const nothing_new = before !== undefined && newlyLost(seen.render, before).length === 0;
  if (nothing_new || (attempts.at(-1)?.lost ?? null) === null) return { not_before: before?.not_before ?? now, wait };
  const pause = Math.max(backOffMs(attempts), environmentPauseMs(attempts));
  return { not_before: (wait?.lost_at ?? now) + pause, wait };
};

type RenderSeen = Extract<Observation, { tag: 'render_seen' }>;

const seeRender = (draft: MutableDispatchState, seen: RenderSeen, now: number): void => {
  const { render, offset, event_id } = seen;
  const before = draft.renders.get(render.id);
  if (before !== undefined && offset <= before.offset) return;

  seeMachines(draft, render, before, now);
  const open = openAttempt(render);
  for (const { id: attempt_id, worker_id, lost } of render.attempts) {
    if (attempt_id === open?.id || draft.ended.has(attempt_id)) continue;
    const is_cancelled = lost === null && isCancelled(render);
    draft.ended.set(attempt_id, { at: now, is_cancelled });
    if (is_cancelled) draft.stopping.push({ tag: 'stop', worker_id, render_id: render.id, attempt_id, is_cancelled });
    forgetEndedByWorker(draft, attempt_id, worker_id, seen.actor);
  }
  if (isFinal(render.status)) {
    draft.put(render.id, undefined);
    return;
  }
  if (render.prepared === null) return;

  const next: OpenRender = {
    render,
    offset,
    cause: event_id ?? before?.cause ?? null,
    pending: stillPending(before?.pending ?? null, render),
    watch: watchOf(render, before?.watch ?? null, draft.workers),
    ...afterLoss(seen, before, now),
    unreadable_by: before?.unreadable_by ?? [],
    put_off: false,
  };
  const versions = render.attempts.some(({ lost }) => lost === 'environment_version');
  draft.put(render.id, versions ? { ...next, unreadable_by: [...incompatibleEngines(next, draft.workers)] } : next);
};

const observeHeartbeat = (draft: MutableDispatchState, beat: WorkerBeat, now: number): void => {
  const before = draft.workers.get(beat.worker_id);
  if (before !== undefined && beat.beat <= before.beat) return;
  const { worker_id, slots, draining, attempts, engines, impediments } = beat;
  if (impediments.length === 0 && (before === undefined || before.impediments.length > 0)) draft.improved_at = now;
  draft.workers.set(worker_id, {
    worker_id,
    machine: before?.machine ?? machineOf(worker_id),
    beat: beat.beat,
    slots,
    draining,
    attempts,
    engines,
    impediments,
    last_heartbeat_at: now,
    unread: true,
  });
  for (const { render_id, attempt_id } of attempts) {
    const open = draft.renders.get(render_id);
    if (open === undefined || open.watch?.attempt_id !== attempt_id) continue;
    draft.put(render_id, { ...open, watch: { ...open.watch, seen_at: now, shown: true } });
  }
};

const seeCommandSent = (draft: MutableDispatchState, render_id: string, attempt_id: string, now: number): void => {
  const open = draft.renders.get(render_id);
  if (open === undefined || open.watch?.attempt_id !== attempt_id) return;
  const seen_at = Math.max(now, open.watch.seen_at ?? now);
  draft.put(render_id, { ...open, watch: { ...open.watch, command: 'sent', seen_at } });
};

/**
 * The append of an assignment failed, perhaps because the render's partition has no leader. The render waits, and other
 * renders get the slot for now.
 */
const seeNotAssigned = (draft: MutableDispatchState, render_id: string, attempt_id: string, now: number): void => {
  const open = draft.renders.get(render_id);
  if (open?.pending?.kind !== 'assign' || open.pending.attempt_id !== attempt_id) return;
  draft.put(render_id, { ...open, pending: null, put_off: true, not_before: now + NOT_ASSIGNED_PAUSE_MS });
};

/**
 * Late, repeated and contradictory observations are harmless: a render never goes back to an earlier offset, and a
 * worker never to an earlier heartbeat.
 *
 * @param now monotonic clock, ms
 */
export const applyObservation = (draft: MutableDispatchState, observation: Observation, now: number): void => {
  switch (observation.tag) {
    case 'render_seen':
      seeRender(draft, observation, now);
      return;
    case 'loaded':
      draft.loaded = true;
      return;
    case 'worker_heartbeat':
      observeHeartbeat(draft, observation.beat, now);
      return;
    case 'own_heartbeat':
      draft.clock = clockAfterOwnHeartbeat(draft.clock, observation.sent_at, now);
      return;
    case 'command_sent':
      seeCommandSent(draft, observation.render_id, observation.attempt_id, now);
      return;
    case 'not_assigned':
      seeNotAssigned(draft, observation.render_id, observation.attempt_id, now);
  }
};
