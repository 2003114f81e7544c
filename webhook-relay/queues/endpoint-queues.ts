import { MOST_ATTEMPTS } from '../../domain/webhooks/schedule.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { EndpointQueues } from '../ports.ts';
import { createAttempts } from './attempts.ts';
import { type EndpointQueue, type Moment, nextOf, openIn } from './endpoint-queue.ts';
import { heldDelivery } from './held-delivery.ts';
import { createPages } from './pages.ts';
import { createPartitions } from './partitions.ts';
import type { QueueParts } from './parts.ts';
import { problemOf } from './prepare-attempt.ts';
import { createQueueMemory, type MemoryLimits } from './queue-memory.ts';
import { createScheduler } from './scheduler.ts';
import { createWakes } from './wakes.ts';

/** What operators want to see. */
export type QueueFigures = {
  readonly attempts_under_way: number;
  /** Outcomes that are not stored yet. */
  readonly unrecorded: number;
  /** Deliveries that are not ended, here or only in the store, about. */
  readonly waiting: number;
  /** Those of them whose bodies are in memory. */
  readonly held: number;
};

const MEMORY: MemoryLimits = { most_held: 5_000, most_held_per_queue: 100 };

/** With more outcomes than that to be stored, the store is away or too slow: nothing more is dialled. */
const MOST_UNRECORDED = 500;

/** Erased renders that are remembered: for longer than their deliveries are held. */
const MOST_ERASED = 100_000;

const GRACE_MS = 5_000;
/** After that, for the outcomes of attempts that have ended. */
const RECORD_GRACE_MS = 2_000;

/** No time of ours lies further ahead than the longest wait, its jitter, and what an endpoint may ask for. */
const furthestOf = ({ schedule }: QueueParts['settings']): number =>
  Math.max(schedule.first_ms * schedule.factor ** (MOST_ATTEMPTS - 2) * 1.1, 600_000) + 60_000;

/**
 * Makes the attempts of all deliveries in the partitions that are ours. The shell around `nextOf` (what a queue may
 * begin), `createScheduler` (whose turn it is) and `outcomeOf` (what follows): everything that happens makes queues ready,
 * and then attempts are begun as long as there is room.
 */
export const createEndpointQueues = (
  parts: QueueParts,
  limits: MemoryLimits = MEMORY,
): EndpointQueues & { readonly figures: () => QueueFigures } => {
  const { clock, settings } = parts;
  const memory = createQueueMemory(limits);
  const scheduler = createScheduler(
    { in_all: settings.attempts_at_once, per_endpoint: settings.attempts_per_endpoint },
    clock.now,
  );
  const furthest_ms = furthestOf(settings);
  /** In the store none of their deliveries waits any more; here some may. */
  const erased = new Set<string>();
  let is_stopping = false;

  const moment = (): Moment => ({ now: clock.now(), furthest_ms });

  /** Something about these queues has changed. */
  const look = (queues: Iterable<EndpointQueue>): void => {
    for (const queue of queues) {
      if (partitions.isOpen(queue.partition)) scheduler.ready(queue);
      else memory.tidy(queue);
    }
    begin();
  };
  const wakes = createWakes<EndpointQueue>(clock, (queue) => look([queue]));
  const partitions = createPartitions({ ...parts, memory, look });
  const pages = createPages({ ...parts, memory, look, isOpen: partitions.isOpen, moment });
  const attempts = createAttempts({
    ...parts,
    memory,
    look,
    isHeld: partitions.isHeld,
    isErased: (id) => erased.has(id),
    scheduler,
  });

  const begin = (): void => {
    while (!is_stopping && attempts.unrecorded() < MOST_UNRECORDED) {
      const queue = scheduler.next();
      if (queue === null) return;
      if (!partitions.isOpen(queue.partition)) continue;
      pages.want(queue);
      const next = nextOf(queue, moment());
      wakes.set(queue, next.wake_at);
      if (next.begin === null) {
        memory.tidy(queue);
        continue;
      }
      memory.remove(queue, next.begin.delivery._id);
      attempts.begin(queue, next.begin);
      scheduler.ready(queue);
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
      for (const queue of memory.ofPartition(partition)) {
        wakes.set(queue, null);
        // Where the endpoint has queues in other partitions, they say it again.
        parts.readiness.set(problemOf(queue.endpoint_id), null);
      }
      partitions.release(partition);
    },
    offer: (partition, deliveries: readonly WebhookDeliveryDocument[]) => {
      if (!partitions.isHeld(partition)) return;
      const touched = new Set<EndpointQueue>();
      for (const delivery of deliveries) {
        const held = heldDelivery(delivery);
        if (held === null) continue;
        const queue = memory.queue(partition, delivery.endpoint_id);
        memory.offer(queue, held);
        touched.add(queue);
      }
      look(touched);
    },
    skipAllOf: (render_id) => {
      erased.add(render_id);
      // The first of a set is the one that was added first.
      for (const first of erased) {
        if (erased.size <= MOST_ERASED) return;
        erased.delete(first);
      }
    },
    isUnderWay: (partition, endpoint_id, id) => memory.find(partition, endpoint_id)?.under_way.has(id) === true,
    backlog: (partition, endpoint_id) => {
      const queue = memory.find(partition, endpoint_id);
      return queue === null ? 0 : openIn(queue);
    },
    stop,
    figures: () => ({
      attempts_under_way: scheduler.underWay(),
      unrecorded: attempts.unrecorded(),
      waiting: memory.open(),
      held: memory.held(),
    }),
  };
};
