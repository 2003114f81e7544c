import { dueAtOfQueuePosition } from '../../read-models/deliveries/waiting.ts';
import {
  addStoredSeconds,
  type DueSecond,
  lowerPosition,
  NO_STORED_DELIVERIES,
  type QueuedDelivery,
  queuePositionAfter,
  type StoredDeliveries,
  secondOf,
  splitStoredSeconds,
} from './queued-delivery.ts';

export type EndpointQueue = { readonly partition: number; readonly endpoint_id: string };

export type QueuedAttempt = { readonly queued: QueuedDelivery; readonly has_ended: boolean };

export type DuePage = { readonly seconds: readonly DueSecond[] };

/**
 * Each delivery is in one place: `waiting`, `under_way`, or only in the store (`stored` or `page`). Only `queueAfter`
 * changes the state.
 */
export type QueueState = {
  readonly waiting: readonly QueuedDelivery[];
  readonly stored: StoredDeliveries;
  readonly under_way: ReadonlyMap<string, QueuedAttempt>;
  readonly page: DuePage | null;
  /** After a failed read, the next read waits until this time. */
  readonly read_not_before: number;
  /** After an attempt that could not be prepared, the next attempt waits until this time. */
  readonly begin_not_before: number;
};

export type QueueEvent =
  /** Keeps at most `max` deliveries in memory; others stay in the store. */
  | { readonly tag: 'offered'; readonly queued: QueuedDelivery; readonly max: number }
  | { readonly tag: 'trimmed'; readonly max: number }
  | { readonly tag: 'found_in_store'; readonly seconds: readonly DueSecond[] }
  /** Requests a page with about `wanted` deliveries, from seconds up to `until`. */
  | { readonly tag: 'page_wanted'; readonly wanted: number; readonly until: number }
  | { readonly tag: 'page_read' }
  | { readonly tag: 'page_failed'; readonly retry_at: number }
  | { readonly tag: 'attempt_begun'; readonly queued: QueuedDelivery }
  /** The request has ended, so the next transition of the render may be sent. */
  | { readonly tag: 'attempt_ended'; readonly delivery_id: string }
  | { readonly tag: 'attempt_postponed'; readonly until: number }
  | { readonly tag: 'attempt_closed'; readonly delivery_id: string }
  | { readonly tag: 'released' };

export type QueueAction =
  /** After this action, the event `page_read` or `page_failed` must follow. */
  {
    readonly tag: 'read_page';
    readonly page: DuePage;
    readonly from_position: string;
    readonly due_before: number;
    readonly limit: number;
  };

export const EMPTY_QUEUE: QueueState = {
  waiting: [],
  stored: NO_STORED_DELIVERIES,
  under_way: new Map(),
  page: null,
  read_not_before: 0,
  begin_not_before: 0,
};

/** Drops deliveries beyond `max` from memory. They remain in the store. */
const trimmed = (state: QueueState, waiting: readonly QueuedDelivery[], max: number): QueueState => {
  if (waiting.length <= max) return { ...state, waiting };
  const left_out = waiting
    .slice(max)
    .map(({ due_at, position }) => ({ second: secondOf(due_at), first_position: position, count: 1 }));
  return { ...state, waiting: waiting.slice(0, max), stored: addStoredSeconds(state.stored, left_out) };
};

const inserted = (waiting: readonly QueuedDelivery[], queued: QueuedDelivery): readonly QueuedDelivery[] => {
  const index = waiting.findLastIndex(({ position }) => position < queued.position) + 1;
  return waiting.toSpliced(index, 0, queued);
};

const without = <K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> => {
  const rest = new Map(map);
  rest.delete(key);
  return rest;
};

type Step = readonly [QueueState, readonly QueueAction[]];

const requestPage = (state: QueueState, wanted: number, until: number): Step => {
  const { taken, rest } = splitStoredSeconds(state.stored, wanted, until);
  const [first, last] = [taken[0], taken.at(-1)];
  if (first === undefined || last === undefined) return [state, []];
  const page = { seconds: taken };
  // The limit allows for deliveries that are already in memory, which the page may include.
  const limit = wanted + state.waiting.length + state.under_way.size;
  const range = { from_position: first.first_position, due_before: (last.second + 1) * 1_000 };
  return [{ ...state, stored: rest, page }, [{ tag: 'read_page', page, ...range, limit }]];
};

export const queueAfter = (state: QueueState, event: QueueEvent): Step => {
  switch (event.tag) {
    case 'offered':
      return [trimmed(state, inserted(state.waiting, event.queued), event.max), []];
    case 'trimmed':
      return [trimmed(state, state.waiting, event.max), []];
    case 'found_in_store':
      return [{ ...state, stored: addStoredSeconds(state.stored, event.seconds) }, []];
    case 'page_wanted':
      return requestPage(state, event.wanted, event.until);
    case 'page_read':
      return [{ ...state, page: null }, []];
    case 'page_failed': {
      const stored = addStoredSeconds(state.stored, state.page?.seconds ?? []);
      return [{ ...state, page: null, stored, read_not_before: event.retry_at }, []];
    }
    case 'attempt_begun': {
      const { queued } = event;
      const { _id } = queued.delivery;
      const waiting = state.waiting.filter(({ delivery }) => delivery._id !== _id);
      const under_way = new Map(state.under_way).set(_id, { queued, has_ended: false });
      return [{ ...state, waiting, under_way }, []];
    }
    case 'attempt_ended': {
      const before = state.under_way.get(event.delivery_id);
      if (before === undefined) return [state, []];
      const under_way = new Map(state.under_way).set(event.delivery_id, { ...before, has_ended: true });
      return [{ ...state, under_way }, []];
    }
    case 'attempt_postponed':
      return [{ ...state, begin_not_before: event.until }, []];
    case 'attempt_closed':
      return [{ ...state, under_way: without(state.under_way, event.delivery_id) }, []];
    case 'released':
      return [{ ...EMPTY_QUEUE, under_way: state.under_way }, []];
  }
};

export const countPending = ({ waiting, under_way, stored, page }: QueueState): number =>
  (page?.seconds ?? []).reduce((sum, { count }) => sum + count, waiting.length + under_way.size + stored.count);

export const isIdle = ({ waiting, stored, under_way, page }: QueueState): boolean =>
  waiting.length === 0 && stored.seconds.length === 0 && under_way.size === 0 && page === null;

/**
 * The lowest position of deliveries that are only in the store; null without any. Only deliveries before it may begin,
 * because others might overtake one in the store.
 */
const horizonOf = ({ stored, page }: QueueState): string | null => {
  const [first_stored, first_of_page] = [stored.seconds[0]?.first_position, page?.seconds[0]?.first_position];
  if (first_stored === undefined || first_of_page === undefined) return first_stored ?? first_of_page ?? null;
  return lowerPosition(first_stored, first_of_page);
};

const beforeHorizon = (queue: QueueState): readonly QueuedDelivery[] => {
  const horizon = horizonOf(queue);
  return horizon === null ? queue.waiting : queue.waiting.filter(({ position }) => position < horizon);
};

const isFirst = ({ delivery }: QueuedDelivery): boolean => delivery.attempts.length === 0;

/**
 * Whether the delivery must wait for earlier transitions of its render. Retries, and repeats by operators, do not wait.
 */
const isChained = (queued: QueuedDelivery): boolean => isFirst(queued) && queued.delivery.repeats === null;

/** For each render, the earliest transition whose first attempt has not ended. */
const earliestOpen = (queue: QueueState): ReadonlyMap<string, number> => {
  const open = new Map<string, number>();
  const note = (queued: QueuedDelivery): void => {
    const { render_id, seq } = queued.delivery;
    if (isChained(queued)) open.set(render_id, Math.min(seq, open.get(render_id) ?? seq));
  };
  for (const queued of queue.waiting) note(queued);
  for (const { queued, has_ended } of queue.under_way.values()) if (!has_ended) note(queued);
  return open;
};

/**
 * The current time for due times. A due time more than `furthest_ms` ahead comes from a wrong clock, so it counts as
 * reached.
 */
export type SchedulingTime = { readonly now: number; readonly furthest_ms: number };

const isReached = (at: number, { now, furthest_ms }: SchedulingTime): boolean => at <= now || at > now + furthest_ms;

/** The delivery to begin, and when to look again if no event comes first. */
export type NextDelivery = { readonly begin: QueuedDelivery | null; readonly wake_at: number | null };

const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** When to read the next page; null if it can be read now or is being read, because an event then follows. */
const readAt = ({ stored, page, read_not_before }: QueueState, moment: SchedulingTime): number | null => {
  const second = stored.seconds[0]?.second;
  if (second === undefined || page !== null) return null;
  if (moment.now < read_not_before) return read_not_before;
  return isReached(second * 1_000, moment) ? null : second * 1_000;
};

/**
 * The next delivery of a queue. A first attempt waits for the first attempt of the render's former transition. First
 * attempts are due at once, even if the planner's clock was ahead.
 */
export const nextDeliveryOf = (queue: QueueState, moment: SchedulingTime): NextDelivery => {
  if (moment.now < queue.begin_not_before) return { begin: null, wake_at: queue.begin_not_before };
  const open = earliestOpen(queue);
  let wake_at: number | null = null;
  for (const queued of beforeHorizon(queue)) {
    const { render_id, seq } = queued.delivery;
    const is_due = isFirst(queued) || isReached(queued.due_at, moment);
    if (is_due && !(isChained(queued) && seq > (open.get(render_id) ?? seq))) return { begin: queued, wake_at: null };
    if (!is_due) wake_at = earlier(wake_at, queued.due_at);
  }
  return { begin: null, wake_at: earlier(wake_at, readAt(queue, moment)) };
};

/** Deliveries that the next page should add; 0 if no stored delivery is due, or enough are in memory. */
export const wantedPageSize = (queue: QueueState, moment: SchedulingTime, max: number): number => {
  const second = queue.stored.seconds[0]?.second;
  if (queue.page !== null || second === undefined || moment.now < queue.read_not_before) return 0;
  if (!isReached(second * 1_000, moment)) return 0;
  const in_memory = beforeHorizon(queue).length;
  return in_memory * 2 < max ? max - in_memory : 0;
};

/**
 * Seconds for which the store has more deliveries than the queue.
 *
 * @param shown the number of deliveries in the store, by second
 */
export const secondsToLoad = (queue: QueueState, shown: ReadonlyMap<number, number>): readonly number[] => {
  const in_memory = new Map<number, number>();
  const note = ({ due_at }: QueuedDelivery): void => {
    const second = secondOf(due_at);
    in_memory.set(second, (in_memory.get(second) ?? 0) + 1);
  };
  for (const queued of queue.waiting) note(queued);
  for (const { queued } of queue.under_way.values()) note(queued);
  const known = new Set([...queue.stored.seconds, ...(queue.page?.seconds ?? [])].map(({ second }) => second));
  return [...shown].flatMap(([second, count]) =>
    known.has(second) || count <= (in_memory.get(second) ?? 0) ? [] : [second],
  );
};

/**
 * Seconds of a page that may have further deliveries in the store.
 *
 * @param last_position the last position of a full page; null if the page had all deliveries
 * @param added the deliveries of the page that were not in memory before
 */
export const remainingSeconds = (
  { seconds }: DuePage,
  last_position: string | null,
  added: readonly QueuedDelivery[],
): readonly DueSecond[] => {
  if (last_position === null) return [];
  const last_second = secondOf(dueAtOfQueuePosition(last_position));
  const known = seconds.find(({ second }) => second === last_second)?.count ?? 0;
  const shown = added.filter(({ due_at }) => secondOf(due_at) === last_second).length;
  const rest = {
    second: last_second,
    first_position: queuePositionAfter(last_position),
    count: Math.max(1, known - shown),
  };
  return [rest, ...seconds.filter(({ second }) => second > last_second)];
};
