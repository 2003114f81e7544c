import { type DispatchLimits, decideRenderActions, decideReportedAttempts } from './decide.ts';
import type { DispatchAction, DispatchState, FinishedAttempt, KnownWorker, Observation } from './dispatch.ts';
import { mayRenderFail } from './failure.ts';
import { STOPPED_CLOCK } from './liveness.ts';
import { applyObservation, type MutableDispatchState } from './observe.ts';
import { createOpenRenders, type OpenRenders, queuedRenderOf } from './open-renders.ts';
import { type AvailableWorker, availableWorkers } from './placement.ts';
import { type LossStreak, withoutForgottenStreaks } from './set-aside.ts';
import { assignableWorker, isDispatchDue } from './turn.ts';
import { takeNextMembers, visitCount } from './visits.ts';

const WORKER_FORGOTTEN_MS = 60_000;
const ENDED_FORGOTTEN_MS = 600_000;
const STREAKS_LOOK_MS = 60_000;
/** The maximum number of renders with an earlier loss in a turn, because each one is compared with all workers. */
const MAX_COMPARED = 20;

/** The core of the active dispatcher: observations go in, actions come out. It does no I/O and reads no clock. */
export type Dispatcher = {
  /**
   * Processes observations in order.
   *
   * @param now monotonic clock, ms
   */
  readonly observe: (observations: readonly Observation[], now: number) => void;
  /** The actions to take now. A decision is not repeated: it stays pending until its event is read back. */
  readonly decide: (now: number) => readonly DispatchAction[];
  readonly state: () => DispatchState;
};

type Core = {
  readonly open_renders: OpenRenders;
  readonly workers: Map<string, KnownWorker>;
  readonly ended: Map<string, FinishedAttempt>;
  readonly state: MutableDispatchState & DispatchState;
  readonly limits: DispatchLimits;
  readonly mintAttemptId: () => string;
};

const slotsOf = (offers: readonly AvailableWorker[]): number => offers.reduce((sum, { slots }) => sum + slots, 0);

/** Decides about one render. If a worker may take a held render now, the render enters the queue. */
const lookAt = (
  core: Core,
  render_id: string,
  offers: readonly AvailableWorker[],
  now: number,
): readonly DispatchAction[] => {
  const { state, limits } = core;
  const { renders, queue, held, changed, put } = core.open_renders;
  changed.delete(render_id);
  const open = renders.get(render_id);
  if (open === undefined) return [];
  const step = decideRenderActions(state, open, offers, limits, now);
  if (step.open !== open) put(render_id, step.open);
  changed.delete(render_id);
  if (step.open !== open || !held.has(render_id) || queue.has(render_id)) return step.actions;
  const taker = assignableWorker(state, open, offers, limits.environment_timeout_ms, now);
  if (taker !== undefined) queue.add(queuedRenderOf(open));
  return step.actions;
};

/** True if a held render needs a comparison with the workers; otherwise it only waits. */
const isToBeCompared = (core: Core, render_id: string, has_slots: boolean, now: number): boolean => {
  const { renders, queue } = core.open_renders;
  const open = renders.get(render_id);
  if (open === undefined) return false;
  const looks = has_slots && !queue.has(render_id) ? isDispatchDue : mayRenderFail;
  return looks(core.state, open, core.limits.environment_timeout_ms, now);
};

const assign = (core: Core, offers: readonly AvailableWorker[], now: number): readonly DispatchAction[] => {
  const { state, limits } = core;
  const { renders, load, queue, changed, put } = core.open_renders;
  let slots = slotsOf(offers);
  const actions: DispatchAction[] = [];
  let compared = 0;
  while (slots > 0 && compared < MAX_COMPARED) {
    const next = queue.take((account_id) => load.openAttemptsOf(account_id) < limits.account_cap);
    if (next === null) break;
    const { render_id } = next;
    const open = renders.get(render_id);
    if (open === undefined) continue;
    if (open.render.attempts.length > 0) compared += 1;
    const offer = assignableWorker(state, open, offers, limits.environment_timeout_ms, now);
    // Another render took the only worker that may take this one, so the render stays held.
    if (offer === undefined) continue;
    offer.slots -= 1;
    slots -= 1;
    queue.recordTurn(next);
    const { worker_id } = offer;
    const n = open.render.attempts.length + 1;
    const attempt_id = core.mintAttemptId();
    put(render_id, { ...open, pending: { kind: 'assign', attempt_id, n, worker_id, since: now, look_ups: 0 } });
    changed.delete(render_id);
    actions.push({ tag: 'assign', render: open.render, attempt_id, n, worker_id, cause: open.cause });
  }
  return actions;
};

const forgetSilentWorkers = (workers: Map<string, KnownWorker>, now: number): void => {
  for (const [worker_id, { last_heartbeat_at }] of workers)
    if (now - last_heartbeat_at > WORKER_FORGOTTEN_MS) workers.delete(worker_id);
};

const forgetEnded = (ended: Map<string, FinishedAttempt>, now: number): void => {
  for (const [attempt_id, { at }] of ended) {
    if (now - at <= ENDED_FORGOTTEN_MS) break;
    ended.delete(attempt_id);
  }
};

const forgetStreaks = (streaks: Map<string, LossStreak>, now: number): void => {
  const kept = withoutForgottenStreaks(streaks, now);
  for (const machine of [...streaks.keys()]) if (!kept.has(machine)) streaks.delete(machine);
};

/**
 * A turn looks at changed renders and at a share of the busy and held ones. It takes only as many renders from the
 * queue as there are slots. The cost of a turn is therefore independent of the number of renders.
 *
 * @param mintAttemptId returns a new `att_` id on each call
 */
export const createDispatcher = (limits: DispatchLimits, mintAttemptId: () => string): Dispatcher => {
  const open_renders = createOpenRenders(limits.account_cap);
  const { renders, load, busy, held: deferred, changed, put } = open_renders;
  const workers = new Map<string, KnownWorker>();
  const ended = new Map<string, FinishedAttempt>();
  const streaks = new Map<string, LossStreak>();
  const state: MutableDispatchState & DispatchState = {
    ...{ renders, workers, ended, put, stopping: [], streaks },
    ...{ clock: STOPPED_CLOCK, improved_at: Number.NEGATIVE_INFINITY, loaded: false },
  };
  const core: Core = { open_renders, workers, ended, state, limits, mintAttemptId };
  /** Workers with a new heartbeat whose attempts no turn has compared yet with the open renders. */
  const unread = new Set<string>();
  let streaks_looked_at = Number.NEGATIVE_INFINITY;
  let turned_at = Number.NEGATIVE_INFINITY;

  const forgetOld = (now: number): void => {
    forgetSilentWorkers(workers, now);
    forgetEnded(ended, now);
    if (now - streaks_looked_at < STREAKS_LOOK_MS) return;
    streaks_looked_at = now;
    forgetStreaks(streaks, now);
  };

  return {
    observe: (observations, now) => {
      for (const observation of observations) {
        applyObservation(state, observation, now);
        if (observation.tag === 'worker_heartbeat') unread.add(observation.beat.worker_id);
      }
    },
    decide: (now) => {
      if (!state.loaded) return [];
      // Stops go out at once, without waiting for the worker's next heartbeat.
      const actions: DispatchAction[] = state.stopping.splice(0);
      const offers = availableWorkers(state, load.usedSlotsOf, now);
      const has_slots = slotsOf(offers) > 0;
      for (const render_id of [...changed]) actions.push(...lookAt(core, render_id, offers, now));
      const passed_ms = now - turned_at;
      turned_at = now;
      for (const render_id of takeNextMembers(busy, visitCount(busy, passed_ms), Number.POSITIVE_INFINITY, () => true))
        actions.push(...lookAt(core, render_id, offers, now));
      const isWanted = (one: string): boolean => isToBeCompared(core, one, has_slots, now);
      for (const render_id of takeNextMembers(deferred, visitCount(deferred, passed_ms), MAX_COMPARED, isWanted))
        actions.push(...lookAt(core, render_id, offers, now));
      for (const worker_id of unread) {
        const worker = workers.get(worker_id);
        if (worker?.unread === true) actions.push(...decideReportedAttempts(state, worker));
        if (worker !== undefined) workers.set(worker_id, { ...worker, unread: false });
      }
      unread.clear();
      forgetOld(now);
      return [...actions, ...assign(core, offers, now)];
    },
    state: () => state,
  };
};
