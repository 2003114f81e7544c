import { MOST_ATTEMPTS } from '../../domain/webhooks/schedule.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { Lanes } from '../ports.ts';
import { createAttempts } from './attempts.ts';
import { heldDelivery } from './held-delivery.ts';
import { type Lane, type Moment, nextOf, openIn } from './lane.ts';
import { createLaneMemory, type MemoryLimits } from './lane-memory.ts';
import { createPages } from './pages.ts';
import { createPartitions } from './partitions.ts';
import type { LanesParts } from './parts.ts';
import { problemOf } from './prepare-attempt.ts';
import { createTurns } from './turns.ts';
import { createWakes } from './wakes.ts';

/** What operators want to see. */
export type LanesFigures = {
  readonly attempts_under_way: number;
  /** Outcomes that are not stored yet. */
  readonly unrecorded: number;
  /** Deliveries that are not ended, here or only in the store, about. */
  readonly waiting: number;
  /** Those of them whose bodies are in memory. */
  readonly held: number;
};

const MEMORY: MemoryLimits = { most_held: 5_000, most_held_per_lane: 100 };

/** With more outcomes than that to be stored, the store is away or too slow: nothing more is dialled. */
const MOST_UNRECORDED = 500;

const GRACE_MS = 5_000;
/** After that, for the outcomes of attempts that have ended. */
const RECORD_GRACE_MS = 2_000;

/** No time of ours lies further ahead than the longest wait, its jitter, and what an endpoint may ask for. */
const furthestOf = ({ schedule }: LanesParts['settings']): number =>
  Math.max(schedule.first_ms * schedule.factor ** (MOST_ATTEMPTS - 2) * 1.1, 600_000) + 60_000;

/**
 * Makes the attempts of all deliveries in the partitions that are ours. The shell around `nextOf` (what a lane may
 * begin), `createTurns` (whose turn it is) and `outcomeOf` (what follows): everything that happens makes lanes ready,
 * and then attempts are begun as long as there is room.
 */
export const createLanes = (
  parts: LanesParts,
  limits: MemoryLimits = MEMORY,
): Lanes & { readonly figures: () => LanesFigures } => {
  const { clock, settings } = parts;
  const memory = createLaneMemory(limits);
  const turns = createTurns(
    { in_all: settings.attempts_at_once, per_endpoint: settings.attempts_per_endpoint },
    clock.now,
  );
  const furthest_ms = furthestOf(settings);
  let is_stopping = false;

  const moment = (): Moment => ({ now: clock.now(), furthest_ms });

  /** Something about these lanes has changed. */
  const look = (lanes: Iterable<Lane>): void => {
    for (const lane of lanes) {
      if (partitions.isOpen(lane.partition)) turns.ready(lane);
      else memory.tidy(lane);
    }
    begin();
  };
  const wakes = createWakes<Lane>(clock, look);
  const partitions = createPartitions({ ...parts, memory, look });
  const pages = createPages({ ...parts, memory, look, isOpen: partitions.isOpen, moment });
  const attempts = createAttempts({ ...parts, memory, look, isHeld: partitions.isHeld, turns });

  const begin = (): void => {
    while (!is_stopping && attempts.unrecorded() < MOST_UNRECORDED) {
      const lane = turns.next();
      if (lane === null) return;
      if (!partitions.isOpen(lane.partition)) continue;
      pages.want(lane);
      const next = nextOf(lane, moment());
      wakes.set(lane, next.wake_at);
      if (next.begin === null) {
        memory.tidy(lane);
        continue;
      }
      memory.remove(lane, next.begin.delivery._id);
      attempts.begin(lane, next.begin);
      turns.ready(lane);
    }
  };

  const stop = async (): Promise<void> => {
    is_stopping = true;
    wakes.clear();
    partitions.releaseAll();
    await attempts.stop(GRACE_MS, RECORD_GRACE_MS);
  };

  return {
    take: (partition) => partitions.take(partition),
    release: (partition) => {
      for (const lane of memory.ofPartition(partition)) {
        wakes.set(lane, null);
        // Where the endpoint has lanes in other partitions, they say it again.
        parts.readiness.set(problemOf(lane.endpoint_id), null);
      }
      partitions.release(partition);
    },
    offer: (partition, deliveries: readonly WebhookDeliveryDocument[]) => {
      if (!partitions.isHeld(partition)) return;
      const touched = new Set<Lane>();
      for (const delivery of deliveries) {
        const held = heldDelivery(delivery);
        if (held === null) continue;
        const lane = memory.lane(partition, delivery.endpoint_id);
        memory.offer(lane, held);
        touched.add(lane);
      }
      look(touched);
    },
    backlog: (partition, endpoint_id) => {
      const lane = memory.find(partition, endpoint_id);
      return lane === null ? 0 : openIn(lane);
    },
    stop,
    figures: () => ({
      attempts_under_way: turns.underWay(),
      unrecorded: attempts.unrecorded(),
      waiting: memory.open(),
      held: memory.held(),
    }),
  };
};
