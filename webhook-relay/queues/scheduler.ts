import {
  type AttemptLimits,
  type Circuit,
  type CircuitEvent,
  circuitAfter,
  circuitStateNow,
  type EndedAttempt,
  hasCapacity,
  isAtCapacity,
  type RunningAttemptCounts,
  UNKNOWN_CIRCUIT,
} from './circuit-state.ts';
import type { EndpointQueue } from './endpoint-queue.ts';

export type Scheduler = {
  readonly ready: (queue: EndpointQueue) => void;
  /**
   * The queue whose turn it is; null if no queue may begin. The queue gets another turn after the next call of `ready`.
   */
  readonly next: () => EndpointQueue | null;
  readonly begin: (queue: EndpointQueue) => ScheduledAttempt;
  readonly underWay: () => number;
};

export type ScheduledAttempt = {
  readonly end: (ended: EndedAttempt | null) => void;
  readonly close: () => void;
};

/** How many circuits are remembered for endpoints without waiting deliveries. */
const MAX_REMEMBERED = 10_000;

const first = <A>(set: ReadonlySet<A>): A | null => {
  for (const one of set) return one;
  return null;
};

const createTurns = (limits: AttemptLimits) => {
  const ready = new Set<EndpointQueue>();
  /** Queues that wait until all endpoints together have room for one more attempt. */
  const held_back = { unknown: new Set<EndpointQueue>(), hanging: new Set<EndpointQueue>() };
  /** Queues that wait until an attempt at their endpoint ends, by endpoint. Includes the queues in `held_back`. */
  const blocked = new Map<string, Set<EndpointQueue>>();
  let is_turn_of_held_back = false;

  const heldBackWithRoom = (by: RunningAttemptCounts): EndpointQueue | null => {
    const unknown = hasCapacity('unknown', by, limits) ? first(held_back.unknown) : null;
    return unknown ?? (hasCapacity('trouble', by, limits) ? first(held_back.hanging) : null);
  };
  const take = (queue: EndpointQueue): void => {
    ready.delete(queue);
    held_back.unknown.delete(queue);
    held_back.hanging.delete(queue);
  };

  return {
    isBlocked: (endpoint_id: string): boolean => blocked.has(endpoint_id),
    add: (queue: EndpointQueue): void => {
      // A blocked queue is not ready: it gets its turn when an attempt at its endpoint ends, or when there is room.
      if (blocked.get(queue.endpoint_id)?.has(queue) !== true) ready.add(queue);
    },
    /** Takes the next queue, alternately from the ready and the held back ones, so that neither starve. */
    take: (by: RunningAttemptCounts): EndpointQueue | null => {
      is_turn_of_held_back = !is_turn_of_held_back;
      const queue = is_turn_of_held_back
        ? (heldBackWithRoom(by) ?? first(ready))
        : (first(ready) ?? heldBackWithRoom(by));
      if (queue === null) return null;
      take(queue);
      const others = blocked.get(queue.endpoint_id);
      if (others?.delete(queue) === true && others.size === 0) blocked.delete(queue.endpoint_id);
      return queue;
    },
    block: (queue: EndpointQueue, among: keyof typeof held_back | null): void => {
      const others = blocked.get(queue.endpoint_id) ?? new Set();
      blocked.set(queue.endpoint_id, others.add(queue));
      if (among !== null) held_back[among].add(queue);
    },
    unblock: (endpoint_id: string): void => {
      for (const queue of blocked.get(endpoint_id) ?? []) {
        take(queue);
        ready.add(queue);
      }
      blocked.delete(endpoint_id);
    },
  };
};

const createCircuits = (now: () => number, isNeeded: (endpoint_id: string) => boolean) => {
  const circuits = new Map<string, Circuit>();
  const busy = new Set<string>();
  const find = (endpoint_id: string): Circuit => circuits.get(endpoint_id) ?? UNKNOWN_CIRCUIT;
  const makeRoom = (): void => {
    for (const [oldest, { open }] of circuits) {
      if (circuits.size < MAX_REMEMBERED) return;
      if (open === 0 && !isNeeded(oldest)) circuits.delete(oldest);
    }
  };
  return {
    find,
    apply: (endpoint_id: string, event: CircuitEvent): void => {
      const after = circuitAfter(find(endpoint_id), event);
      if (!circuits.has(endpoint_id)) makeRoom();
      circuits.set(endpoint_id, after);
      if (after.began_at.size > 0) busy.add(endpoint_id);
      else busy.delete(endpoint_id);
    },
    underWayBy: (): RunningAttemptCounts => {
      const by = { unknown: 0, prompt: 0, slow: 0, trouble: 0 };
      for (const endpoint_id of busy) {
        const circuit = find(endpoint_id);
        by[circuitStateNow(circuit, now())] += circuit.began_at.size;
      }
      return by;
    },
  };
};

export const createScheduler = (limits: AttemptLimits, now: () => number): Scheduler => {
  const turns = createTurns(limits);
  const circuits = createCircuits(now, turns.isBlocked);
  let under_way = 0;
  let attempts = 0;

  return {
    ready: turns.add,
    next: () => {
      if (under_way >= limits.in_all) return null;
      const by = circuits.underWayBy();
      for (let queue = turns.take(by); queue !== null; queue = turns.take(by)) {
        const circuit = circuits.find(queue.endpoint_id);
        const state = circuitStateNow(circuit, now());
        if (isAtCapacity(circuit, now(), by, limits)) turns.block(queue, null);
        else if (hasCapacity(state, by, limits)) return queue;
        else turns.block(queue, state === 'unknown' ? 'unknown' : 'hanging');
      }
      return null;
    },
    begin: ({ endpoint_id }) => {
      attempts += 1;
      const attempt = attempts;
      let is_closed = false;
      const end = (ended: EndedAttempt | null): void => {
        if (!circuits.find(endpoint_id).began_at.has(attempt)) return;
        under_way -= 1;
        circuits.apply(endpoint_id, { tag: 'attempt_ended', attempt, ended });
        turns.unblock(endpoint_id);
      };
      under_way += 1;
      circuits.apply(endpoint_id, { tag: 'attempt_begun', attempt, at: now() });
      return {
        end,
        close: () => {
          end(null);
          if (is_closed) return;
          is_closed = true;
          circuits.apply(endpoint_id, { tag: 'attempt_closed' });
          turns.unblock(endpoint_id);
        },
      };
    },
    underWay: () => under_way,
  };
};
