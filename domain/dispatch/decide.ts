import { openAttempt } from '../render/render.ts';
import type { Action, Dispatch, OpenRender, Pending, Watch, Worker } from './dispatch.ts';
import { failureOf } from './failure.ts';
import { isSilent } from './liveness.ts';
import { type Offer, offersOf } from './placement.ts';
import { fairOrder, type Waiting } from './queue.ts';
import { remembered } from './set-aside.ts';
import { hasTaker, takerOf } from './turn.ts';

/** What is appended and not read back for this long is looked up in the read model, and again after as long. */
const LOOK_UP_AFTER_MS = 30_000;
const WORKER_FORGOTTEN_MS = 60_000;
const ENDED_FORGOTTEN_MS = 600_000;

export type DispatchLimits = {
  /** Attempts of one account at the same time. */
  readonly account_cap: number;
  /** How long the environment may keep a render waiting before it fails. */
  readonly environment_timeout_ms: number;
};

/** Whether a worker takes attempts at all does not depend on its load. */
const NOTHING_TAKEN: ReadonlyMap<string, ReadonlySet<string>> = new Map();

export type Decided = { readonly dispatch: Dispatch; readonly actions: readonly Action[] };

type Step = { readonly open: OpenRender; readonly actions: readonly Action[] };

const quiet = (open: OpenRender): Step => ({ open, actions: [] });

const decidePending = (open: OpenRender, pending: Pending, now: number): Step =>
  now - pending.since < LOOK_UP_AFTER_MS
    ? quiet(open)
    : {
        open: { ...open, pending: { ...pending, since: now } },
        actions: [{ tag: 'look_up', render_id: open.render.id }],
      };

/** One thing at a time for each render: start what is assigned, give up what is silent, fail what is exhausted. */
const decideRender = (
  dispatch: Dispatch,
  open: OpenRender,
  offers: readonly Offer[],
  limits: DispatchLimits,
  now: number,
): Step => {
  const { render, cause, watch } = open;
  if (open.pending !== null) return decidePending(open, open.pending, now);
  const attempt = openAttempt(render);
  if (attempt === null || watch === null) {
    const failure = failureOf(dispatch, open, offers, limits.environment_timeout_ms, now);
    if (failure === null) return quiet(open);
    const pending: Pending = { kind: 'fail', attempts: render.attempts.length, since: now };
    return { open: { ...open, pending }, actions: [{ tag: 'fail', render, ...failure, cause }] };
  }
  const { id: attempt_id, n, worker_id } = attempt;
  if (watch.command === 'due') {
    const sending: Watch = { ...watch, command: 'sending' };
    const start: Action = { tag: 'start', render, attempt_id, n, worker_id, cause };
    return { open: { ...open, watch: sending }, actions: [start] };
  }
  if (watch.seen_at === null || !isSilent(dispatch.clock, watch.seen_at, now)) return quiet(open);
  const reason = watch.shown ? 'crashed' : 'never_started';
  return {
    open: { ...open, pending: { kind: 'lose', attempt_id, since: now } },
    actions: [{ tag: 'lose', render, attempt_id, reason, cause }],
  };
};

/** Stops attempts that are over but still running. Attempts that are not known here yet are looked up. */
const decideShown = (dispatch: Dispatch, worker: Worker): readonly Action[] =>
  worker.attempts.flatMap(({ render_id, attempt_id }): readonly Action[] => {
    if (dispatch.renders.get(render_id)?.watch?.attempt_id === attempt_id) return [];
    if (!dispatch.ended.has(attempt_id)) return [{ tag: 'look_up', render_id }];
    return [{ tag: 'stop', worker_id: worker.worker_id, render_id, attempt_id }];
  });

type Load = {
  /** Attempts that take a slot of each worker: open, on their way to be assigned, or still shown by it. */
  readonly by_worker: ReadonlyMap<string, ReadonlySet<string>>;
  readonly by_account: ReadonlyMap<string, number>;
};

const loadOf = (dispatch: Dispatch): Load => {
  const by_worker = new Map<string, Set<string>>();
  const by_account = new Map<string, number>();
  const take = (worker_id: string, attempt_id: string) => {
    const taken = by_worker.get(worker_id);
    if (taken === undefined) by_worker.set(worker_id, new Set([attempt_id]));
    else taken.add(attempt_id);
  };
  for (const { render, pending } of dispatch.renders.values()) {
    const attempt = openAttempt(render);
    if (attempt !== null) take(attempt.worker_id, attempt.id);
    if (pending?.kind === 'assign') take(pending.worker_id, pending.attempt_id);
    if (attempt !== null || pending?.kind === 'assign') {
      by_account.set(render.account_id, (by_account.get(render.account_id) ?? 0) + 1);
    }
  }
  for (const worker of dispatch.workers.values()) {
    for (const { attempt_id } of worker.attempts) take(worker.worker_id, attempt_id);
  }
  return { by_worker, by_account };
};

const waitingOf = (
  dispatch: Dispatch,
  offers: readonly Offer[],
  limits: DispatchLimits,
  now: number,
): readonly Waiting[] =>
  [...dispatch.renders.values()].flatMap((open) => {
    const { render, pending } = open;
    if (pending !== null || openAttempt(render) !== null) return [];
    if (!hasTaker(dispatch, open, offers, limits.environment_timeout_ms, now)) return [];
    return [{ render_id: render.id, account_id: render.account_id, created_at: render.created_at }];
  });

/** Fills free slots. */
const assign = (dispatch: Dispatch, limits: DispatchLimits, mintAttemptId: () => string, now: number): Decided => {
  const load = loadOf(dispatch);
  const offers = offersOf(dispatch, load.by_worker, now);
  const count = offers.reduce((sum, offer) => sum + offer.slots, 0);
  if (count === 0) return { dispatch, actions: [] };

  const shares = { running: load.by_account, last_turn: dispatch.last_turn, account_cap: limits.account_cap };
  const renders = new Map(dispatch.renders);
  const last_turn = new Map(dispatch.last_turn);
  let turns = dispatch.turns;
  const actions: Action[] = [];
  for (const { render_id, account_id } of fairOrder(waitingOf(dispatch, offers, limits, now), shares, count)) {
    const open = renders.get(render_id);
    const worker = open === undefined ? undefined : takerOf(dispatch, open, offers, limits.environment_timeout_ms, now);
    // Another render has just got the only worker that may have this one: at the next turn it is not in the order.
    if (open === undefined || worker === undefined) continue;
    worker.slots -= 1;
    turns += 1;
    last_turn.set(account_id, turns);
    const { worker_id } = worker;
    const n = open.render.attempts.length + 1;
    const attempt_id = mintAttemptId();
    renders.set(render_id, { ...open, pending: { kind: 'assign', attempt_id, n, worker_id, since: now } });
    actions.push({ tag: 'assign', render: open.render, attempt_id, n, worker_id, cause: open.cause });
  }
  return { dispatch: { ...dispatch, renders, last_turn, turns }, actions };
};

/**
 * What is to be done now. Nothing is decided twice: what is on its way is kept as pending until it is read back.
 *
 * @param mintAttemptId gives a fresh `att_` id at each call
 * @param now monotonic clock, ms
 */
export const decide = (before: Dispatch, limits: DispatchLimits, mintAttemptId: () => string, now: number): Decided => {
  if (!before.loaded) return { dispatch: before, actions: [] };
  const actions: Action[] = [];

  const offers = offersOf(before, NOTHING_TAKEN, now);
  const renders = new Map<string, OpenRender>();
  for (const [id, open] of before.renders) {
    const step = decideRender(before, open, offers, limits, now);
    renders.set(id, step.open);
    actions.push(...step.actions);
  }
  const workers = new Map<string, Worker>();
  for (const [id, worker] of before.workers) {
    if (worker.unread) actions.push(...decideShown(before, worker));
    if (now - worker.last_heartbeat_at <= WORKER_FORGOTTEN_MS) workers.set(id, { ...worker, unread: false });
  }
  const ended = new Map([...before.ended].filter(([, at]) => now - at <= ENDED_FORGOTTEN_MS));

  const streaks = remembered(before.streaks, now);

  const assigned = assign({ ...before, renders, workers, ended, streaks }, limits, mintAttemptId, now);
  return { dispatch: assigned.dispatch, actions: [...actions, ...assigned.actions] };
};
