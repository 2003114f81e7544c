import type { Lane } from './lane.ts';
import {
  hasRoom,
  type Limits,
  mostAtEndpoint,
  type Standing,
  standingAfter,
  standingNow,
  type UnderWayBy,
} from './standing.ts';

/** Decides which lane's turn it is, within the limits for each endpoint and in all. */
export type Turns = {
  /** The lane may have something to begin: it is asked once it is its turn. */
  readonly ready: (lane: Lane) => void;
  /** The lane whose turn it is; null while nobody's is. It has its next turn once it is `ready` again. */
  readonly next: () => Lane | null;
  /** An attempt of the lane is under way. */
  readonly begin: (lane: Lane) => Turn;
  readonly underWay: () => number;
};

/** One attempt. */
export type Turn = {
  /** It has ended; null if it came to nothing. */
  readonly end: (attempt: Attempted | null) => void;
  /** What became of it is stored. */
  readonly settle: () => void;
};

type Attempted = { readonly succeeded: boolean; readonly answered: boolean; readonly duration_ms: number };

type Endpoint = {
  last: Standing;
  /** When each attempt under way was begun, ms. */
  readonly begun: Map<Turn, number>;
  /** Attempts under way, and those whose outcome is not stored yet. */
  open: number;
  /** Lanes that wait until an attempt at it ends. */
  readonly kept: Set<Lane>;
};

/** Of one endpoint; with more of them it would fill the way to the store, which is everybody's. */
const MOST_OPEN = 64;
const MOST_OPEN_IN_TROUBLE = 8;

/** Endpoints whose standing is remembered while nothing waits for them. */
const MOST_REMEMBERED = 10_000;

const first = <A>(set: ReadonlySet<A>): A | null => {
  for (const one of set) return one;
  return null;
};

export const createTurns = (limits: Limits, now: () => number): Turns => {
  const ready = new Set<Lane>();
  /** By the standing of their endpoints; they wait for room. */
  const held_back = { unknown: new Set<Lane>(), held_up: new Set<Lane>() };
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
  const standingOf = (endpoint: Endpoint): Standing => standingNow(endpoint.last, endpoint.begun.values(), now());
  const underWayBy = (): UnderWayBy => {
    const by = { unknown: 0, prompt: 0, slow: 0, trouble: 0 };
    for (const endpoint of busy) by[standingOf(endpoint)] += endpoint.begun.size;
    return by;
  };
  const keep = (endpoint: Endpoint, lane: Lane, among: Set<Lane> | null): void => {
    endpoint.kept.add(lane);
    among?.add(lane);
  };
  const isFull = (endpoint: Endpoint, by: UnderWayBy): boolean => {
    if (endpoint.open >= (endpoint.last === 'trouble' ? MOST_OPEN_IN_TROUBLE : MOST_OPEN)) return true;
    return endpoint.begun.size >= mostAtEndpoint(endpoint.last, endpoint.begun.values(), now(), by, limits);
  };
  const take = (lane: Lane): void => {
    ready.delete(lane);
    held_back.unknown.delete(lane);
    held_back.held_up.delete(lane);
  };
  /** Something about the endpoint has changed: its lanes are looked at again. */
  const freeKept = (endpoint: Endpoint): void => {
    for (const kept of endpoint.kept) {
      take(kept);
      ready.add(kept);
    }
    endpoint.kept.clear();
  };
  const heldBackWithRoom = (by: UnderWayBy): Lane | null => {
    const unknown = hasRoom('unknown', by, limits) ? first(held_back.unknown) : null;
    return unknown ?? (hasRoom('trouble', by, limits) ? first(held_back.held_up) : null);
  };
  /** Those that were held back and those that are ready take turns, so that neither starves the other. */
  const candidate = (by: UnderWayBy): Lane | null => {
    is_turn_of_held_back = !is_turn_of_held_back;
    if (is_turn_of_held_back) return heldBackWithRoom(by) ?? first(ready);
    return first(ready) ?? heldBackWithRoom(by);
  };

  return {
    ready: (lane) => {
      // One that is kept has its turn when an attempt at its endpoint ends, or when there is room.
      if (endpoints.get(lane.endpoint_id)?.kept.has(lane) !== true) ready.add(lane);
    },
    next: () => {
      if (under_way >= limits.in_all) return null;
      const by = underWayBy();
      for (let lane = candidate(by); lane !== null; lane = candidate(by)) {
        take(lane);
        const endpoint = endpointOf(lane.endpoint_id);
        endpoint.kept.delete(lane);
        const standing = standingOf(endpoint);
        if (isFull(endpoint, by)) keep(endpoint, lane, null);
        else if (hasRoom(standing, by, limits)) return lane;
        else keep(endpoint, lane, standing === 'unknown' ? held_back.unknown : held_back.held_up);
      }
      return null;
    },
    begin: (lane) => {
      const endpoint = endpointOf(lane.endpoint_id);
      let is_settled = false;
      const turn: Turn = {
        end: (attempted) => {
          if (!endpoint.begun.delete(turn)) return;
          under_way -= 1;
          if (endpoint.begun.size === 0) busy.delete(endpoint);
          if (attempted !== null) endpoint.last = standingAfter(endpoint.last, attempted);
          freeKept(endpoint);
        },
        settle: () => {
          turn.end(null);
          if (is_settled) return;
          is_settled = true;
          endpoint.open -= 1;
          freeKept(endpoint);
        },
      };
      endpoint.begun.set(turn, now());
      endpoint.open += 1;
      busy.add(endpoint);
      under_way += 1;
      return turn;
    },
    underWay: () => under_way,
  };
};
