import { LRUCache } from 'lru-cache';
import { type EndpointQueue, emptyQueue, isIdle, openIn, queued } from './endpoint-queue.ts';
import type { HeldDelivery } from './held-delivery.ts';
import { secondOf } from './stored-deliveries.ts';

/**
 * All queues, and what they hold in memory: bounded for each and in all, however many deliveries wait. Where there are
 * more queues than deliveries may be held in all, each may hold one.
 */
export type QueueMemory = {
  /** The queue, made if there is none. */
  readonly queue: (partition: number, endpoint_id: string) => EndpointQueue;
  readonly find: (partition: number, endpoint_id: string) => EndpointQueue | null;
  readonly ofPartition: (partition: number) => readonly EndpointQueue[];
  /** How many deliveries a queue may hold now. */
  readonly share: () => number;
  /**
   * Puts a delivery that is stored into its queue; or only remembers when it is due, where there is no room.
   *
   * @returns false if it is there already, or older than what is known of it
   */
  readonly offer: (queue: EndpointQueue, held: HeldDelivery) => boolean;
  /** What is known of a delivery: so many attempts are stored; Infinity if it has ended. What shows fewer is old. */
  readonly settle: (delivery_id: string, attempts: number) => void;
  readonly remove: (queue: EndpointQueue, delivery_id: string) => void;
  /** Forgets what waits; what is under way stays. */
  readonly empty: (queue: EndpointQueue) => void;
  /** Forgets the queue if there is nothing to be known about it. */
  readonly tidy: (queue: EndpointQueue) => void;
  /** Deliveries in all queues. */
  readonly held: () => number;
  /** Deliveries that are not ended, in all queues, about. */
  readonly open: () => number;
};

/** Deliveries of which it is remembered how far they were: for longer than a page takes to be read. */
const MOST_SETTLED = 10_000;

export type MemoryLimits = { readonly most_held: number; readonly most_held_per_queue: number };

export const createQueueMemory = ({ most_held, most_held_per_queue }: MemoryLimits): QueueMemory => {
  const partitions = new Map<number, Map<string, EndpointQueue>>();
  const settled = new LRUCache<string, number>({ max: MOST_SETTLED });
  let queues = 0;
  let held_now = 0;
  /** No queue holds more than that: what it was trimmed to, or may have grown to since. */
  let most_in_queue = 0;

  const share = (): number => Math.max(1, Math.min(most_held_per_queue, Math.floor(most_held / Math.max(1, queues))));
  const setWaiting = (queue: EndpointQueue, waiting: readonly HeldDelivery[]): void => {
    held_now += waiting.length - queue.waiting.length;
    queue.waiting = waiting;
  };
  const leaveInStore = (queue: EndpointQueue, left_out: readonly HeldDelivery[]): void => {
    for (const { due_at, position } of left_out)
      queue.stored.add({ second: secondOf(due_at), first_position: position, count: 1 });
  };
  /** There are more queues than before: each of them gives up what is beyond its share. */
  const trimAll = (most: number): void => {
    most_in_queue = most;
    for (const of_partition of partitions.values())
      for (const queue of of_partition.values()) {
        leaveInStore(queue, queue.waiting.slice(most));
        setWaiting(queue, queue.waiting.slice(0, most));
      }
  };
  const find = (partition: number, endpoint_id: string): EndpointQueue | null =>
    partitions.get(partition)?.get(endpoint_id) ?? null;

  return {
    find,
    queue: (partition, endpoint_id) => {
      const known = find(partition, endpoint_id);
      if (known !== null) return known;
      const made = emptyQueue(partition, endpoint_id);
      const of_partition = partitions.get(partition) ?? new Map<string, EndpointQueue>();
      partitions.set(partition, of_partition.set(endpoint_id, made));
      queues += 1;
      return made;
    },
    ofPartition: (partition) => [...(partitions.get(partition)?.values() ?? [])],
    share,
    offer: (queue, held) => {
      const { _id, attempts } = held.delivery;
      if (queue.under_way.has(_id) || attempts.length < (settled.get(_id) ?? 0)) return false;
      if (queue.waiting.some(({ delivery }) => delivery._id === _id)) return false;
      const most = share();
      most_in_queue = Math.max(most_in_queue, most);
      const { waiting, left_out } = queued(queue.waiting, held, most);
      setWaiting(queue, waiting);
      leaveInStore(queue, left_out);
      if (held_now > most_held && most < most_in_queue) trimAll(most);
      return true;
    },
    settle: (delivery_id, attempts) => void settled.set(delivery_id, attempts),
    remove: (queue, delivery_id) =>
      setWaiting(
        queue,
        queue.waiting.filter(({ delivery }) => delivery._id !== delivery_id),
      ),
    empty: (queue) => {
      setWaiting(queue, []);
      queue.stored.clear();
      queue.loading = null;
      queue.load_not_before = 0;
      queue.begin_not_before = 0;
    },
    tidy: (queue) => {
      if (!isIdle(queue) || find(queue.partition, queue.endpoint_id) !== queue) return;
      const of_partition = partitions.get(queue.partition);
      of_partition?.delete(queue.endpoint_id);
      if (of_partition?.size === 0) partitions.delete(queue.partition);
      queues -= 1;
    },
    held: () => held_now,
    open: () => {
      let open = 0;
      for (const of_partition of partitions.values()) for (const queue of of_partition.values()) open += openIn(queue);
      return open;
    },
  };
};
