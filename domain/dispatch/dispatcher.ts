import { openAttempt } from '../render/render.ts';
import { type DispatchLimits, decideRender, decideShown } from './decide.ts';
import type { Action, Dispatch, Ended, Observation, OpenRender, Worker } from './dispatch.ts';
import { mayFail } from './failure.ts';
import { createFairQueue, type Waiting } from './fair-queue.ts';
import { STOPPED_CLOCK } from './liveness.ts';
import { createLoad } from './load.ts';
import { type Observed, observe } from './observe.ts';
import { type Offer, offersOf } from './placement.ts';
import { remembered, type Streak } from './set-aside.ts';
import { isDue, takerOf } from './turn.ts';

const WORKER_FORGOTTEN_MS = 60_000;
const ENDED_FORGOTTEN_MS = 600_000;
const STREAKS_LOOK_MS = 60_000;
/**
 * A turn looks at the changed renders. It also looks at a share of the busy and held renders, so that each has its turn
 * once a second.
 */
const ALL_WITHIN_MS = 1_000;
const FEWEST_LOOKED_AT = 50;
const MAX_LOOKED_AT = 1_000;
/** Renders with an earlier loss per turn: each one is compared with all workers. */
const MAX_COMPARED = 20;

/**
 * The core of the active dispatcher: observations go in, actions come out. It does no I/O and reads no clock.
 */
export type Dispatcher = {
  /**
   * Processes observations in order.
   *
   * @param now monotonic clock, ms
   */
  readonly observe: (observations: readonly Observation[], now: number) => void;
  /** The actions to take now. A decision is not repeated: it stays pending until its event is read back. */
  readonly decide: (now: number) => readonly Action[];
  readonly state: () => Dispatch;
};

const slotsOf = (offers: readonly Offer[]): number => offers.reduce((sum, { slots }) => sum + slots, 0);

const waitingOf = ({ render }: OpenRender): Waiting => ({
  render_id: render.id,
  account_id: render.account_id,
  team_id: render.team_id,
  created_at: render.created_at,
});

const shareOf = ({ size }: Set<string>, passed_ms: number): number =>
  Math.min(MAX_LOOKED_AT, Math.max(FEWEST_LOOKED_AT, Math.ceil((size * passed_ms) / ALL_WITHIN_MS)));

/**
 * Continues through a set after the last visited member, until it has seen or found enough. All members therefore have
 * their turn.
 */
const nextOf = (
  members: Set<string>,
  most_seen: number,
  most_found: number,
  isWanted: (member: string) => boolean,
): readonly string[] => {
  const seen: string[] = [];
  const found: string[] = [];
  for (const member of members) {
    if (seen.length >= most_seen || found.length >= most_found) break;
    seen.push(member);
    if (isWanted(member)) found.push(member);
  }
  for (const member of seen) {
    members.delete(member);
    members.add(member);
  }
  return found;
};

/**
 * Each render is in one of three places: `busy`, the queue, or `held`. A busy render has an attempt, or an append that
 * was not read back. A queued render waits for a slot. A held render has a lost attempt or a failed assignment, and
 * waits for a worker that may take it. A turn looks at changed renders and at a share of the busy and held ones. It
 * takes only as many renders from the queue as there are slots. The cost of a turn is therefore independent of the
 * number of renders.
 *
 * @param mintAttemptId returns a new `att_` id on each call
 */
export const createDispatcher = (limits: DispatchLimits, mintAttemptId: () => string): Dispatcher => {
  const renders = new Map<string, OpenRender>();
  const queue = createFairQueue();
  const load = createLoad();
  const busy = new Set<string>();
  const held = new Set<string>();
  const changed = new Set<string>();
  const unread = new Set<string>();
  let streaks_looked_at = Number.NEGATIVE_INFINITY;
  let turned_at = Number.NEGATIVE_INFINITY;

  const isBusy = ({ render, pending }: OpenRender): boolean => pending !== null || openAttempt(render) !== null;

  const move = (render_id: string, open: OpenRender | undefined): void => {
    const is_busy = open !== undefined && isBusy(open);
    const is_held = open !== undefined && !is_busy && (open.render.attempts.length > 0 || open.put_off);
    if (is_busy) busy.add(render_id);
    else busy.delete(render_id);
    if (is_held) held.add(render_id);
    else held.delete(render_id);
    // A held render enters the queue when a worker may take it.
    if (open === undefined || is_busy || is_held) queue.remove(render_id);
    else queue.add(waitingOf(open));
    if (is_busy) changed.add(render_id);
    else changed.delete(render_id);
  };

  const put = (render_id: string, open: OpenRender | undefined): void => {
    const before = renders.get(render_id);
    if (open === undefined) renders.delete(render_id);
    else renders.set(render_id, open);
    load.change(before, open);
    move(render_id, open);
    const account_id = (open ?? before)?.render.account_id;
    if (account_id !== undefined && load.runningOf(account_id) < limits.account_cap) queue.letIn(account_id);
  };

  const workers = new Map<string, Worker>();
  const ended = new Map<string, Ended>();
  const state: Observed & Dispatch = {
    ...{ renders, workers, ended, put, stopping: [], streaks: new Map<string, Streak>() },
    ...{ clock: STOPPED_CLOCK, improved_at: Number.NEGATIVE_INFINITY, loaded: false },
  };

  const lookAt = (render_id: string, offers: readonly Offer[], now: number): readonly Action[] => {
    changed.delete(render_id);
    const open = renders.get(render_id);
    if (open === undefined) return [];
    const step = decideRender(state, open, offers, limits, now);
    if (step.open !== open) put(render_id, step.open);
    changed.delete(render_id);
    if (step.open !== open || !held.has(render_id) || queue.has(render_id)) return step.actions;
    const taker = takerOf(state, open, offers, limits.environment_timeout_ms, now);
    if (taker !== undefined) queue.add(waitingOf(open));
    return step.actions;
  };

  /** True if a held render needs a comparison with the workers; otherwise it only waits. */
  const isToBeCompared = (render_id: string, has_slots: boolean, now: number): boolean => {
    const open = renders.get(render_id);
    if (open === undefined) return false;
    const looks = has_slots && !queue.has(render_id) ? isDue : mayFail;
    return looks(state, open, limits.environment_timeout_ms, now);
  };

  const forgetWhatIsOld = (now: number): void => {
    for (const [worker_id, { last_heartbeat_at }] of workers)
      if (now - last_heartbeat_at > WORKER_FORGOTTEN_MS) workers.delete(worker_id);
    for (const [attempt_id, { at }] of ended) {
      if (now - at <= ENDED_FORGOTTEN_MS) break;
      ended.delete(attempt_id);
    }
    if (now - streaks_looked_at < STREAKS_LOOK_MS) return;
    streaks_looked_at = now;
    const kept = remembered(state.streaks, now);
    for (const machine of [...state.streaks.keys()]) if (!kept.has(machine)) state.streaks.delete(machine);
  };

  const assign = (offers: readonly Offer[], now: number): readonly Action[] => {
    let slots = slotsOf(offers);
    const actions: Action[] = [];
    let compared = 0;
    while (slots > 0 && compared < MAX_COMPARED) {
      const next = queue.take((account_id) => load.runningOf(account_id) < limits.account_cap);
      if (next === null) break;
      const { render_id } = next;
      const open = renders.get(render_id);
      if (open === undefined) continue;
      if (open.render.attempts.length > 0) compared += 1;
      const offer = takerOf(state, open, offers, limits.environment_timeout_ms, now);
      // Another render took the only worker that may take this one, so the render stays held.
      if (offer === undefined) continue;
      offer.slots -= 1;
      slots -= 1;
      queue.served(next);
      const { worker_id } = offer;
      const n = open.render.attempts.length + 1;
      const attempt_id = mintAttemptId();
      put(render_id, { ...open, pending: { kind: 'assign', attempt_id, n, worker_id, since: now, look_ups: 0 } });
      changed.delete(render_id);
      actions.push({ tag: 'assign', render: open.render, attempt_id, n, worker_id, cause: open.cause });
    }
    return actions;
  };

  return {
    observe: (observations, now) => {
      for (const observation of observations) {
        observe(state, observation, now);
        if (observation.tag === 'worker_heartbeat') unread.add(observation.beat.worker_id);
      }
    },
    decide: (now) => {
      if (!state.loaded) return [];
      // Stops go out at once, without waiting for the worker's next heartbeat.
      const actions: Action[] = state.stopping.splice(0);
      const offers = offersOf(state, load.takenOf, now);
      const has_slots = slotsOf(offers) > 0;
      for (const render_id of [...changed]) actions.push(...lookAt(render_id, offers, now));
      const passed_ms = now - turned_at;
      turned_at = now;
      for (const render_id of nextOf(busy, shareOf(busy, passed_ms), Number.POSITIVE_INFINITY, () => true))
        actions.push(...lookAt(render_id, offers, now));
      const isWanted = (one: string): boolean => isToBeCompared(one, has_slots, now);
      for (const render_id of nextOf(held, shareOf(held, passed_ms), MAX_COMPARED, isWanted))
        actions.push(...lookAt(render_id, offers, now));
      for (const worker_id of unread) {
        const worker = workers.get(worker_id);
        if (worker?.unread === true) actions.push(...decideShown(state, worker));
        if (worker !== undefined) workers.set(worker_id, { ...worker, unread: false });
      }
      unread.clear();
      forgetWhatIsOld(now);
      return [...actions, ...assign(offers, now)];
    },
    state: () => state,
  };
};
