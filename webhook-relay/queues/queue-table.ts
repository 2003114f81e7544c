import { LRUCache } from 'lru-cache';
import {
  countPending,
  EMPTY_QUEUE,
  type EndpointQueue,
  isIdle,
  type QueueAction,
  type QueueEvent,
  type QueueState,
  queueAfter,
} from './endpoint-queue.ts';
import type { QueuedDelivery } from './queued-delivery.ts';

/**
 * All queues. Memory is limited per queue and in total. If there are more queues than the total allows, each may still
 * keep one delivery.
 */
export type QueueTable = {
  readonly queue: (partition: number, endpoint_id: string) => EndpointQueue;
  readonly find: (partition: number, endpoint_id: string) => EndpointQueue | null;
  readonly ofPartition: (partition: number) => readonly EndpointQueue[];
  readonly state: (queue: EndpointQueue) => QueueState;
  /** Changes a queue; no other function does. */
  readonly apply: (queue: EndpointQueue, event: QueueEvent) => readonly QueueAction[];
  /** The current maximum of deliveries in memory per queue. */
  readonly share: () => number;
  /**
   * Adds a delivery. If memory has no room, only its due time is kept.
   *
   * @returns false if the queue already has the delivery, or a later state of it
   */
  readonly offer: (queue: EndpointQueue, queued: QueuedDelivery) => boolean;
  /**
   * Notes the number of stored attempts of a delivery; Infinity after its end. A copy of the delivery with fewer
   * attempts is outdated.
   */
  readonly noteStored: (delivery_id: string, attempts: number) => void;
  readonly tidy: (queue: EndpointQueue) => void;
  readonly inMemory: () => number;
  readonly pending: () => number;
};

/** How many such numbers are remembered: enough until a page that is being read has arrived. */
const MAX_NOTED = 10_000;

export type MemoryLimits = { readonly max_in_memory: number; readonly max_in_memory_per_queue: number };

const createQueues = () => {
  const partitions = new Map<number, Map<string, EndpointQueue>>();
  const states = new Map<EndpointQueue, QueueState>();
  const find = (partition: number, endpoint_id: string): EndpointQueue | null =>
    partitions.get(partition)?.get(endpoint_id) ?? null;
  return {
    states,
    find,
    queue: (partition: number, endpoint_id: string): EndpointQueue => {
      const known = find(partition, endpoint_id);
      if (known !== null) return known;
      const queue = { partition, endpoint_id };
      const of_partition = partitions.get(partition) ?? new Map<string, EndpointQueue>();
      partitions.set(partition, of_partition.set(endpoint_id, queue));
      states.set(queue, EMPTY_QUEUE);
      return queue;
    },
    ofPartition: (partition: number): readonly EndpointQueue[] => [...(partitions.get(partition)?.values() ?? [])],
    forget: (queue: EndpointQueue): void => {
      if (!states.delete(queue)) return;
      const of_partition = partitions.get(queue.partition);
      of_partition?.delete(queue.endpoint_id);
      if (of_partition?.size === 0) partitions.delete(queue.partition);
    },
  };
};

export const createQueueTable = ({ max_in_memory, max_in_memory_per_queue }: MemoryLimits): QueueTable => {
  const { states, find, queue, ofPartition, forget } = createQueues();
  const attempts_stored = new LRUCache<string, number>({ max: MAX_NOTED });
  let in_memory = 0;
  /** No queue has more deliveries in memory than this. The bound avoids trimming all queues each time. */
  let largest_share = 0;

  const state = (queue: EndpointQueue): QueueState => states.get(queue) ?? EMPTY_QUEUE;
  const apply = (queue: EndpointQueue, event: QueueEvent): readonly QueueAction[] => {
    const before = states.get(queue);
    if (before === undefined) return [];
    const [after, actions] = queueAfter(before, event);
    in_memory += after.waiting.length - before.waiting.length;
    states.set(queue, after);
    return actions;
  };
  const share = (): number =>
    Math.max(1, Math.min(max_in_memory_per_queue, Math.floor(max_in_memory / Math.max(1, states.size))));
  /** Drops the deliveries of each queue beyond its share. Called when the share has become smaller. */
  const trimAll = (max: number): void => {
    largest_share = max;
    for (const queue of states.keys()) apply(queue, { tag: 'trimmed', max });
  };

  return {
    find,
    queue,
    ofPartition,
    state,
    apply,
    share,
    offer: (queue, queued) => {
      const { _id, attempts } = queued.delivery;
      const { under_way, waiting } = state(queue);
      if (under_way.has(_id) || attempts.length < (attempts_stored.get(_id) ?? 0)) return false;
      if (waiting.some(({ delivery }) => delivery._id === _id)) return false;
      const max = share();
      largest_share = Math.max(largest_share, max);
      apply(queue, { tag: 'offered', queued, max });
      if (in_memory > max_in_memory && max < largest_share) trimAll(max);
      return true;
    },
    noteStored: (delivery_id, attempts) => void attempts_stored.set(delivery_id, attempts),
    tidy: (queue) => {
      if (isIdle(state(queue))) forget(queue);
    },
    inMemory: () => in_memory,
    pending: () => states.values().reduce((sum, one) => sum + countPending(one), 0),
  };
};
