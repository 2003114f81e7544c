import { dueAtOfQueuePosition } from '../../read-models/deliveries/waiting.ts';
import { type HeldDelivery, queuePositionAfter } from './held-delivery.ts';
import {
  type DeliveriesDueInSecond,
  lower,
  type StoredDeliveries,
  secondOf,
  storedDeliveries,
} from './stored-deliveries.ts';

/** A delivery whose attempt was begun, until what became of it is stored. */
export type UnderWay = { readonly held: HeldDelivery; dialled: boolean };

/** A page of the store that was asked for, and what may be on it, in order of time. */
export type Loading = { readonly asked: readonly DeliveriesDueInSecond[] };

/**
 * The deliveries of one partition to one endpoint that are not ended. Each is in one of three states: `waiting`,
 * `under_way`, or only in the store (`stored`, and what is being loaded).
 */
export type EndpointQueue = {
  readonly partition: number;
  readonly endpoint_id: string;
  /** In order of their positions. */
  waiting: readonly HeldDelivery[];
  readonly stored: StoredDeliveries;
  readonly under_way: Map<string, UnderWay>;
  loading: Loading | null;
  /** After a page that could not be loaded, ms. */
  load_not_before: number;
  /** After an attempt that could not even be prepared, ms. */
  begin_not_before: number;
};

export const emptyQueue = (partition: number, endpoint_id: string): EndpointQueue => ({
  partition,
  endpoint_id,
  waiting: [],
  stored: storedDeliveries(),
  under_way: new Map(),
  loading: null,
  load_not_before: 0,
  begin_not_before: 0,
});

/** How many of its deliveries are not ended, about. */
export const openIn = ({ waiting, under_way, stored, loading }: EndpointQueue): number =>
  (loading?.asked ?? []).reduce((sum, { count }) => sum + count, waiting.length + under_way.size + stored.count());

/** Whether there is nothing to be known about it. */
export const isIdle = (queue: EndpointQueue): boolean =>
  queue.waiting.length === 0 && queue.stored.count() === 0 && queue.under_way.size === 0 && queue.loading === null;

const askedFirst = (queue: EndpointQueue): string | null => queue.loading?.asked[0]?.first_position ?? null;

/** Only what stands before this position may begin: behind it something that comes first may still be in the store. */
const horizonOf = (queue: EndpointQueue): string | null => {
  const [stored, asked] = [queue.stored.first(), askedFirst(queue)];
  if (stored === null || asked === null) return stored ?? asked;
  return lower(stored, asked);
};

const beforeHorizon = (queue: EndpointQueue): readonly HeldDelivery[] => {
  const horizon = horizonOf(queue);
  return horizon === null ? queue.waiting : queue.waiting.filter(({ position }) => position < horizon);
};

const isFirst = ({ delivery }: HeldDelivery): boolean => delivery.attempts.length === 0;

/** What is made again by hand comes in no order. */
const isChained = (held: HeldDelivery): boolean => isFirst(held) && held.delivery.repeats === null;

/** For each render the earliest transition whose first attempt has not ended. */
const earliestOpen = (queue: EndpointQueue): ReadonlyMap<string, number> => {
  const open = new Map<string, number>();
  const note = (held: HeldDelivery): void => {
    const { render_id, seq } = held.delivery;
    if (isChained(held)) open.set(render_id, Math.min(seq, open.get(render_id) ?? seq));
  };
  for (const held of queue.waiting) note(held);
  for (const { held, dialled } of queue.under_way.values()) if (!dialled) note(held);
  return open;
};

/** The time, and how far ahead a time that was set by the same clock can be; one that is further ahead has come. */
export type Moment = { readonly now: number; readonly furthest_ms: number };

const hasCome = (at: number, { now, furthest_ms }: Moment): boolean => at <= now || at > now + furthest_ms;

/** What a queue can do now, and when it can do more unless something else happens before. */
export type Next = { readonly begin: HeldDelivery | null; readonly wake_at: number | null };

const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** When the store is to be asked; null if it has been, or could be now: then something else happens first. */
const loadAt = (queue: EndpointQueue, moment: Moment): number | null => {
  const second = queue.stored.firstSecond();
  if (second === null || queue.loading !== null) return null;
  if (moment.now < queue.load_not_before) return queue.load_not_before;
  return hasCome(second * 1_000, moment) ? null : second * 1_000;
};

/**
 * The delivery whose attempt can begin: the first one that is due, and that is no first attempt which has to wait for
 * that of the render's transition before. First attempts are due at once, whatever the clock of their planner said.
 */
export const nextOf = (queue: EndpointQueue, moment: Moment): Next => {
  if (moment.now < queue.begin_not_before) return { begin: null, wake_at: queue.begin_not_before };
  const open = earliestOpen(queue);
  let wake_at: number | null = null;
  for (const held of beforeHorizon(queue)) {
    const { render_id, seq } = held.delivery;
    const isDue = isFirst(held) || hasCome(held.due_at, moment);
    if (isDue && !(isChained(held) && seq > (open.get(render_id) ?? seq))) return { begin: held, wake_at: null };
    if (!isDue) wake_at = earlier(wake_at, held.due_at);
  }
  return { begin: null, wake_at: earlier(wake_at, loadAt(queue, moment)) };
};

/** How many more deliveries a page should bring; 0 while nothing in the store is due, or enough of it is here. */
export const pageWanted = (queue: EndpointQueue, moment: Moment, most_held: number): number => {
  const second = queue.stored.firstSecond();
  if (queue.loading !== null || second === null || moment.now < queue.load_not_before) return 0;
  if (!hasCome(second * 1_000, moment)) return 0;
  const here = beforeHorizon(queue).length;
  return here * 2 < most_held ? most_held - here : 0;
};

/** The queue with one more; what is beyond `most` goes back to being in the store only: it stands there. */
export const queued = (
  waiting: readonly HeldDelivery[],
  held: HeldDelivery,
  most: number,
): { readonly waiting: readonly HeldDelivery[]; readonly left_out: readonly HeldDelivery[] } => {
  const index = waiting.findLastIndex(({ position }) => position < held.position) + 1;
  const all = waiting.toSpliced(index, 0, held);
  return { waiting: all.slice(0, most), left_out: all.slice(most) };
};

/**
 * The seconds in which the store shows more than the queue knows of.
 *
 * @param shown how many are due in which second since the epoch
 */
export const unknownSeconds = (queue: EndpointQueue, shown: ReadonlyMap<number, number>): readonly number[] => {
  const here = new Map<number, number>();
  const note = ({ due_at }: HeldDelivery): void => {
    const second = secondOf(due_at);
    here.set(second, (here.get(second) ?? 0) + 1);
  };
  for (const held of queue.waiting) note(held);
  for (const { held } of queue.under_way.values()) note(held);
  const isAsked = (second: number): boolean => queue.loading?.asked.some((stored) => stored.second === second) === true;
  return [...shown].flatMap(([second, count]) =>
    queue.stored.has(second) || isAsked(second) || count <= (here.get(second) ?? 0) ? [] : [second],
  );
};

/**
 * What of the seconds that were looked for may still hold deliveries which the page did not show.
 *
 * @param asked in order of time
 * @param last_position that of the last delivery of a page that was full; null if everything was on it
 * @param fresh those on the page that were not in memory before
 */
export const remainderOf = (
  asked: readonly DeliveriesDueInSecond[],
  last_position: string | null,
  fresh: readonly HeldDelivery[],
): readonly DeliveriesDueInSecond[] => {
  if (last_position === null) return [];
  const last_second = secondOf(dueAtOfQueuePosition(last_position));
  const known = asked.find(({ second }) => second === last_second)?.count ?? 0;
  const shown = fresh.filter(({ due_at }) => secondOf(due_at) === last_second).length;
  const rest = {
    second: last_second,
    first_position: queuePositionAfter(last_position),
    count: Math.max(1, known - shown),
  };
  return [rest, ...asked.filter(({ second }) => second > last_second)];
};
