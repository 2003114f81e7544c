import {
  type CircuitState,
  circuitStateAfter,
  circuitStateNow,
  hasRoom,
  type Limits,
  mostAtEndpoint,
  type UnderWayBy,
} from './circuit-state.ts';
import type { EndpointQueue } from './endpoint-queue.ts';

/** Decides which queue's turn it is, within the limits for each endpoint and in all. */
export type Scheduler = {
  /** The queue may have something to begin: it is asked once it is its turn. */
  readonly ready: (queue: EndpointQueue) => void;
  /** The queue whose turn it is; null where there is none. It has its next turn once it is `ready` again. */
  readonly next: () => EndpointQueue | null;
  /** An attempt of the queue is under way. */
  readonly begin: (queue: EndpointQueue) => ScheduledAttempt;
  readonly underWay: () => number;
};

/** One attempt. */
export type ScheduledAttempt = {
  /** It has ended; null if it came to nothing. */
  readonly end: (attempt: Attempted | null) => void;
  /** What became of it is stored. */
  readonly settle: () => void;
};

type Attempted = { readonly succeeded: boolean; readonly answered: boolean; readonly duration_ms: number };

type Endpoint = {
  last: CircuitState;
  /** When each attempt under way was begun, ms. */
  readonly begun: Map<ScheduledAttempt, number>;
  /** Attempts under way, and those whose outcome is not stored yet. */
  open: number;
  /** EndpointQueues that wait until an attempt at it ends. */
  readonly kept: Set<EndpointQueue>;
};

/** Of one endpoint; with more of them it would fill the way to the store, which all share. */
const MOST_OPEN = 64;
const MOST_OPEN_IN_TROUBLE = 8;

/** Endpoints whose state is remembered while nothing waits for them. */
const MOST_REMEMBERED = 10_000;

const first = <A>(set: ReadonlySet<A>): A | null => {
  for (const one of set) return one;
  return null;
};

export const createScheduler = (limits: Limits, now: () => number): Scheduler => {
  const ready = new Set<EndpointQueue>();
  /** By the state of their endpoints; they wait for room. */
  const held_back = { unknown: new Set<EndpointQueue>(), held_up: new Set<EndpointQueue>() };
  const endpoints = new Map<string, Endpoint>();
  const busy = new Set<Endpoint>();
  let under_way = 0;
  let is_turn_of_held_back = false;

  const endpointOf = (id: string): Endpoint => {
    const known = endpoints.get(id);
    if (known !== undefined) return known;
    for (const [oldest, { open, kept }] of endpoints) {
      if (endpoints.size < MOST_REMEMBERED) break;
      if (open === 0 && kept.size === 0) endpoints.delete(oldest);
    }
    const made: Endpoint = { last: 'unknown', begun: new Map(), open: 0, kept: new Set() };
    endpoints.set(id, made);
    return made;
  };
  const standingOf = (endpoint: Endpoint): CircuitState =>
    circuitStateNow(endpoint.last, endpoint.begun.values(), now());
  const underWayBy = (): UnderWayBy => {
    const by = { unknown: 0, prompt: 0, slow: 0, trouble: 0 };
    for (const endpoint of busy) by[standingOf(endpoint)] += endpoint.begun.size;
    return by;
  };
  const keep = (endpoint: Endpoint, queue: EndpointQueue, among: Set<EndpointQueue> | null): void => {
    endpoint.kept.add(queue);
    among?.add(queue);
  };
  const isFull = (endpoint: Endpoint, by: UnderWayBy): boolean => {
    if (endpoint.open >= (endpoint.last === 'trouble' ? MOST_OPEN_IN_TROUBLE : MOST_OPEN)) return true;
    return endpoint.begun.size >= mostAtEndpoint(endpoint.last, endpoint.begun.values(), now(), by, limits);
  };
  const take = (queue: EndpointQueue): void => {
    ready.delete(queue);
    held_back.unknown.delete(queue);
    held_back.held_up.delete(queue);
  };
  /** Something about the endpoint has changed: its queues are looked at again. */
  const freeKept = (endpoint: Endpoint): void => {
    for (const kept of endpoint.kept) {
      take(kept);
      ready.add(kept);
    }
    endpoint.kept.clear();
  };
  const heldBackWithRoom = (by: UnderWayBy): EndpointQueue | null => {
    const unknown = hasRoom('unknown', by, limits) ? first(held_back.unknown) : null;
    return unknown ?? (hasRoom('trouble', by, limits) ? first(held_back.held_up) : null);
  };
  /** Those that were held back and those that are ready take turns, so that neither starves the other. */
  const candidate = (by: UnderWayBy): EndpointQueue | null => {
    is_turn_of_held_back = !is_turn_of_held_back;
    if (is_turn_of_held_back) return heldBackWithRoom(by) ?? first(ready);
    return first(ready) ?? heldBackWithRoom(by);
  };

  return {
    ready: (queue) => {
      // One that is kept has its turn when an attempt at its endpoint ends, or when there is room.
      if (endpoints.get(queue.endpoint_id)?.kept.has(queue) !== true) ready.add(queue);
    },
    next: () => {
      if (under_way >= limits.in_all) return null;
      const by = underWayBy();
      for (let queue = candidate(by); queue !== null; queue = candidate(by)) {
        take(queue);
        const endpoint = endpointOf(queue.endpoint_id);
        endpoint.kept.delete(queue);
        const state = standingOf(endpoint);
        if (isFull(endpoint, by)) keep(endpoint, queue, null);
        else if (hasRoom(state, by, limits)) return queue;
        else keep(endpoint, queue, state === 'unknown' ? held_back.unknown : held_back.held_up);
      }
      return null;
    },
    begin: (queue) => {
      const endpoint = endpointOf(queue.endpoint_id);
      let is_settled = false;
      const scheduled: ScheduledAttempt = {
        end: (attempted) => {
          if (!endpoint.begun.delete(scheduled)) return;
          under_way -= 1;
          if (endpoint.begun.size === 0) busy.delete(endpoint);
          if (attempted !== null) endpoint.last = circuitStateAfter(endpoint.last, attempted);
          freeKept(endpoint);
        },
        settle: () => {
          scheduled.end(null);
          if (is_settled) return;
          is_settled = true;
          endpoint.open -= 1;
          freeKept(endpoint);
        },
      };
      endpoint.begun.set(scheduled, now());
      endpoint.open += 1;
      busy.add(endpoint);
      under_way += 1;
      return scheduled;
    },
    underWay: () => under_way,
  };
};
