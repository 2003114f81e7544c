import { LRUCache } from 'lru-cache';
import type { HeldDelivery } from './held-delivery.ts';
import { emptyLane, isIdle, type Lane, openIn, queued } from './lane.ts';
import { secondOf } from './stored-places.ts';

/**
 * All lanes, and what they hold in memory: bounded for each and in all, however many deliveries wait. Where there are
 * more lanes than deliveries may be held in all, each may hold one.
 */
export type LaneMemory = {
  /** The lane, made if there is none. */
  readonly lane: (partition: number, endpoint_id: string) => Lane;
  readonly find: (partition: number, endpoint_id: string) => Lane | null;
  readonly ofPartition: (partition: number) => readonly Lane[];
  /** How many deliveries a lane may hold now. */
  readonly share: () => number;
  /**
   * Puts a delivery that is stored into its lane; or only remembers when it is due, where there is no room.
   *
   * @returns false if it is there already, or older than what is known of it
   */
  readonly offer: (lane: Lane, held: HeldDelivery) => boolean;
  /** What is known of a delivery: so many attempts are stored; Infinity if it has ended. What shows fewer is old. */
  readonly settle: (delivery_id: string, attempts: number) => void;
  readonly remove: (lane: Lane, delivery_id: string) => void;
  /** Forgets what waits; what is under way stays. */
  readonly empty: (lane: Lane) => void;
  /** Forgets the lane if there is nothing to be known about it. */
  readonly tidy: (lane: Lane) => void;
  /** Deliveries in all queues. */
  readonly held: () => number;
  /** Deliveries that are not ended, in all lanes, about. */
  readonly open: () => number;
};

/** Deliveries of which it is remembered how far they were: for longer than a page takes to be read. */
const MOST_SETTLED = 10_000;

export type MemoryLimits = { readonly most_held: number; readonly most_held_per_lane: number };

export const createLaneMemory = ({ most_held, most_held_per_lane }: MemoryLimits): LaneMemory => {
  const partitions = new Map<number, Map<string, Lane>>();
  const settled = new LRUCache<string, number>({ max: MOST_SETTLED });
  let lanes = 0;
  let held_now = 0;
  /** No lane holds more than that: what it was trimmed to, or may have grown to since. */
  let most_in_lane = 0;

  const share = (): number => Math.max(1, Math.min(most_held_per_lane, Math.floor(most_held / Math.max(1, lanes))));
  const setQueue = (lane: Lane, queue: readonly HeldDelivery[]): void => {
    held_now += queue.length - lane.queue.length;
    lane.queue = queue;
  };
  const leaveInStore = (lane: Lane, left_out: readonly HeldDelivery[]): void => {
    for (const { due_at, place } of left_out)
      lane.stored.add({ second: secondOf(due_at), first_place: place, count: 1 });
  };
  /** There are more lanes than before: each of them gives up what is beyond its share. */
  const trimAll = (most: number): void => {
    most_in_lane = most;
    for (const of_partition of partitions.values())
      for (const lane of of_partition.values()) {
        leaveInStore(lane, lane.queue.slice(most));
        setQueue(lane, lane.queue.slice(0, most));
      }
  };
  const find = (partition: number, endpoint_id: string): Lane | null =>
    partitions.get(partition)?.get(endpoint_id) ?? null;

  return {
    find,
    lane: (partition, endpoint_id) => {
      const known = find(partition, endpoint_id);
      if (known !== null) return known;
      const made = emptyLane(partition, endpoint_id);
      const of_partition = partitions.get(partition) ?? new Map<string, Lane>();
      partitions.set(partition, of_partition.set(endpoint_id, made));
      lanes += 1;
      return made;
    },
    ofPartition: (partition) => [...(partitions.get(partition)?.values() ?? [])],
    share,
    offer: (lane, held) => {
      const { _id, attempts } = held.delivery;
      if (lane.under_way.has(_id) || attempts.length < (settled.get(_id) ?? 0)) return false;
      if (lane.queue.some(({ delivery }) => delivery._id === _id)) return false;
      const most = share();
      most_in_lane = Math.max(most_in_lane, most);
      const { queue, left_out } = queued(lane.queue, held, most);
      setQueue(lane, queue);
      leaveInStore(lane, left_out);
      if (held_now > most_held && most < most_in_lane) trimAll(most);
      return true;
    },
    settle: (delivery_id, attempts) => void settled.set(delivery_id, attempts),
    remove: (lane, delivery_id) =>
      setQueue(
        lane,
        lane.queue.filter(({ delivery }) => delivery._id !== delivery_id),
      ),
    empty: (lane) => {
      setQueue(lane, []);
      lane.stored.clear();
      lane.loading = null;
      lane.load_not_before = 0;
      lane.begin_not_before = 0;
    },
    tidy: (lane) => {
      if (!isIdle(lane) || find(lane.partition, lane.endpoint_id) !== lane) return;
      const of_partition = partitions.get(lane.partition);
      of_partition?.delete(lane.endpoint_id);
      if (of_partition?.size === 0) partitions.delete(lane.partition);
      lanes -= 1;
    },
    held: () => held_now,
    open: () => {
      let open = 0;
      for (const of_partition of partitions.values()) for (const lane of of_partition.values()) open += openIn(lane);
      return open;
    },
  };
};
