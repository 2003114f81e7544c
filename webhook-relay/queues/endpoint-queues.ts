import { MAX_DELIVERY_ATTEMPTS } from '../../domain/webhooks/schedule.ts';
import type { EndpointQueues } from '../ports.ts';
import { type AttemptRunner, createAttemptRunner } from './attempts.ts';
import { countPending, type EndpointQueue, nextDeliveryOf, type SchedulingTime } from './endpoint-queue.ts';
import type { EndpointQueueDependencies } from './parts.ts';
import { endpointReadinessName } from './prepare-attempt.ts';
import {
  type AssignedPartitions,
  createAssignedPartitions,
  createPageLoader,
  type PageLoader,
} from './queue-loader.ts';
import { createQueueTable, type MemoryLimits, type QueueTable } from './queue-table.ts';
import { queuedDelivery } from './queued-delivery.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';
import { createKeyedTimers, type KeyedTimers } from './wakes.ts';

export type QueueFigures = {
  readonly attempts_under_way: number;
  readonly unrecorded: number;
  readonly waiting: number;
  readonly in_memory: number;
};

const MEMORY: MemoryLimits = { max_in_memory: 5_000, max_in_memory_per_queue: 100 };

/** With more unstored outcomes than this, no attempt begins, because the store is slow or unavailable. */
const MAX_UNRECORDED = 500;

/** How many erased renders are remembered: enough until no delivery of theirs is in memory. */
const MAX_ERASED = 100_000;

const GRACE_MS = 5_000;
const RECORD_GRACE_MS = 2_000;

/**
 * How far ahead a due time may be: the pause before the last retry with jitter, or the longest `Retry-After` that is
 * honoured. Later due times come from a wrong clock.
 */
const furthestOf = ({ schedule }: EndpointQueueDependencies['settings']): number =>
  Math.max(schedule.first_ms * schedule.factor ** (MAX_DELIVERY_ATTEMPTS - 2) * 1.1, 600_000) + 60_000;

/** Remembers erased renders: memory may still have deliveries of theirs after the store has skipped these. */
const createErased = () => {
  const erased = new Set<string>();
  return {
    has: (render_id: string): boolean => erased.has(render_id),
    add: (render_id: string): void => {
      erased.add(render_id);
      // A Set iterates in insertion order, so the oldest member is first.
      for (const oldest of erased) {
        if (erased.size <= MAX_ERASED) return;
        erased.delete(oldest);
      }
    },
  };
};

type Dispatch = {
  readonly table: QueueTable;
  readonly scheduler: Scheduler;
  readonly partitions: AssignedPartitions;
  readonly pages: PageLoader;
  readonly attempts: AttemptRunner;
  readonly wakes: KeyedTimers<EndpointQueue>;
  readonly moment: () => SchedulingTime;
};

const beginAttempts = ({ table, scheduler, partitions, pages, attempts, wakes, moment }: Dispatch): void => {
  while (attempts.unrecorded() < MAX_UNRECORDED) {
    const queue = scheduler.next();
    if (queue === null) return;
    if (!partitions.isLoaded(queue.partition)) continue;
    pages.want(queue);
    const next = nextDeliveryOf(table.state(queue), moment());
    wakes.set(queue, next.wake_at);
    if (next.begin === null) {
      table.tidy(queue);
      continue;
    }
    attempts.begin(queue, next.begin);
    scheduler.ready(queue);
  }
};

/**
 * The queues of all endpoints. The pure functions `queueAfter`, `nextDeliveryOf`, `circuitAfter` and `outcomeOf`
 * decide; this function executes their decisions.
 */
export const createEndpointQueues = (
  parts: EndpointQueueDependencies,
  limits: MemoryLimits = MEMORY,
): EndpointQueues & { readonly figures: () => QueueFigures } => {
  const { clock, settings } = parts;
  const table = createQueueTable(limits);
  const scheduler = createScheduler(
    { in_all: settings.attempts_at_once, per_endpoint: settings.attempts_per_endpoint },
    clock.now,
  );
  const furthest_ms = furthestOf(settings);
  const moment = (): SchedulingTime => ({ now: clock.now(), furthest_ms });
  const erased = createErased();
  let is_stopping = false;

  const onChange = (queues: Iterable<EndpointQueue>): void => {
    for (const queue of queues) {
      if (partitions.isLoaded(queue.partition)) scheduler.ready(queue);
      else table.tidy(queue);
    }
    if (!is_stopping) beginAttempts(dispatch);
  };
  const shared = { ...parts, table, scheduler, onChange, moment, isErased: erased.has };
  const wakes = createKeyedTimers<EndpointQueue>(clock, (queue) => onChange([queue]));
  const partitions = createAssignedPartitions(shared);
  const pages = createPageLoader({ ...shared, isLoaded: partitions.isLoaded });
  const attempts = createAttemptRunner({ ...shared, isAssigned: partitions.isAssigned });
  const dispatch: Dispatch = { table, scheduler, partitions, pages, attempts, wakes, moment };

  return {
    take: partitions.take,
    release: (partition) => {
      for (const queue of table.ofPartition(partition)) {
        wakes.set(queue, null);
        // Clears the endpoint's problem. If it still exists, queues of the endpoint in other partitions report it
        // again.
        parts.readiness.set(endpointReadinessName(queue.endpoint_id), null);
      }
      partitions.release(partition);
    },
    offer: (partition, deliveries) => {
      if (!partitions.isAssigned(partition)) return;
      const changed = new Set<EndpointQueue>();
      for (const delivery of deliveries) {
        const queued = queuedDelivery(delivery);
        if (queued === null) continue;
        const queue = table.queue(partition, delivery.endpoint_id);
        table.offer(queue, queued);
        changed.add(queue);
      }
      onChange(changed);
    },
    skipAllOf: erased.add,
    isUnderWay: (partition, endpoint_id, id) => {
      const queue = table.find(partition, endpoint_id);
      return queue !== null && table.state(queue).under_way.has(id);
    },
    backlog: (partition, endpoint_id) => {
      const queue = table.find(partition, endpoint_id);
      return queue === null ? 0 : countPending(table.state(queue));
    },
    stop: async () => {
      is_stopping = true;
      wakes.clear();
      partitions.releaseAll();
      await attempts.stop(GRACE_MS, RECORD_GRACE_MS);
    },
    figures: () => ({
      attempts_under_way: scheduler.underWay(),
      unrecorded: attempts.unrecorded(),
      waiting: table.pending(),
      in_memory: table.inMemory(),
    }),
  };
};
