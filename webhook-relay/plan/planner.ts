import { setTimeout as pause } from 'node:timers/promises';
import type { LogRecord, RecordBatch } from '../../platform/event-log/event-log.ts';
import type { DeliveryStore, EndpointQueues, Recorder } from '../ports.ts';
import { PartitionTaken } from '../state/partition-taken.ts';
import { lookForRequests } from './look-for-requests.ts';
import type { OwnedPartition } from './owned-partition.ts';
import { ownedPartitions } from './owned-partitions.ts';
import { type PlannerParts, planChanges } from './plan-changes.ts';
import { retry } from './retry.ts';
import { keepPosition } from './settle.ts';
import type { StartingPointParts } from './starting-point.ts';
import { type TakeParts, takeBatch } from './take-batch.ts';

export type PartitionParts = PlannerParts &
  TakeParts &
  StartingPointParts & {
    readonly store: Pick<DeliveryStore, 'delivery' | 'position'>;
    readonly recorder: Recorder;
    readonly queues: Pick<EndpointQueues, 'offer' | 'backlog' | 'take' | 'release'>;
    readonly pause: (topic: string, partition: number) => void;
    readonly resume: (topic: string, partition: number) => void;
    /** An unexpected fault: the process cannot go on. */
    readonly crash: (error: unknown) => void;
  };

export type Planner = {
  readonly position: (topic: string, partition: number) => Promise<number>;
  readonly take: (batch: RecordBatch) => Promise<void>;
  readonly revoked: (topic: string, partitions: readonly number[]) => Promise<void>;
  /** What is under way is given up: the next owner of the partition does it. */
  readonly stop: () => void;
};

const TOPIC = 'render-status';
/** Changes of one partition that may wait to be planned; above it the partition pauses, below half of it goes on. */
const MOST_QUEUED = 500;
/** Changes that are planned together. */
const MOST_AT_ONCE = 100;
const LOOK_EVERY_MS = 1_000;
/** Records that are read together where the subscription has gone on without us. */
const MOST_READ = 500;
const ROOM_PAUSE_MS = 50;

/** Plans the deliveries of the partitions that are ours: of every transition, and of every request by hand. */
export const createPlanner = (parts: PartitionParts): Planner => {
  const { records, queues, unstored, warn } = parts;
  /** Offset after the last record of each partition that the subscription has handed over. */
  const seen = new Map<number, number>();
  let is_stopping = false;

  /** Work on a partition that ends with it. */
  const whileHeld = async (held: OwnedPartition, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (error instanceof PartitionTaken) {
        // Nothing is handed over meanwhile that would have to be read once more.
        if (!held.life.signal.aborted) parts.pause(TOPIC, held.partition);
        partitions.lost(held);
      } else if (!held.life.signal.aborted) throw error;
    }
  };

  /** One at a time for each partition. */
  const plan = async (held: OwnedPartition): Promise<void> => {
    if (held.planning) return;
    held.planning = true;
    await whileHeld(held, async () => {
      try {
        while (held.queue.length > 0 || held.next_status < held.taken) {
          const changes = held.queue.slice(0, MOST_AT_ONCE);
          held.queue = held.queue.slice(MOST_AT_ONCE);
          await planChanges(parts, held, changes, held.queue[0]?.change.offset ?? held.taken);
          if (!held.paused || held.queue.length > MOST_QUEUED / 2) continue;
          held.paused = false;
          parts.resume(TOPIC, held.partition);
        }
      } finally {
        held.planning = false;
      }
    }).catch(parts.crash);
  };

  const takeNow = async (held: OwnedPartition, batch: readonly LogRecord[]): Promise<void> => {
    try {
      await takeBatch(parts, held, batch);
    } finally {
      // Not waited for: a rebalance waits for no batch for long.
      void plan(held);
    }
  };

  const readRecords = (held: OwnedPartition, from: number, to: number): Promise<readonly LogRecord[]> =>
    retry(
      async () => {
        const read: LogRecord[] = [];
        for await (const record of records.log.replay(TOPIC, held.partition, from, to)) read.push(record);
        return read;
      },
      'records of render-status cannot be read yet',
      warn,
      held.life.signal,
    );

  /** Takes batches that came before the partition was taken. */
  const catchUp = async (held: OwnedPartition, to: number): Promise<void> => {
    const { signal } = held.life;
    while (held.taken < to) {
      while (held.queue.length > MOST_QUEUED) await pause(ROOM_PAUSE_MS, undefined, { signal });
      await takeNow(held, await readRecords(held, held.taken, Math.min(to, held.taken + MOST_READ)));
    }
  };

  const partitions = ownedPartitions({
    ...parts,
    on_released: queues.release,
    on_held: (held) => {
      const { partition } = held;
      // Not waited for: what is new goes on its way while what is old is being looked up.
      queues.take(partition).catch(parts.crash);
      whileHeld(held, async () => {
        try {
          await held.takeInOrder(() => catchUp(held, seen.get(partition) ?? 0));
        } finally {
          // It was paused when another process took it. Where a record cannot be read, the next batch meets that, too.
          parts.resume(TOPIC, partition);
        }
      }).catch((error) => warn({ error, partition }, 'a partition does not go on'));
    },
  });

  const look = (held: OwnedPartition, end: number): Promise<void> =>
    whileHeld(held, async () => {
      if (held.looking) return;
      held.looking = true;
      try {
        if (end > held.next_request) await lookForRequests(parts, held, end);
        await keepPosition(parts, held);
      } finally {
        held.looking = false;
      }
    });

  const again = (error: unknown): void => warn({ error }, 'requests by hand are looked for again');
  const lookAll = async (): Promise<void> => {
    if (partitions.all().length === 0) return;
    const bounds = await records.log.bounds('webhook-events');
    const ends = new Map(bounds.map(({ partition, end }) => [partition, end]));
    for (const held of partitions.all()) {
      const end = ends.get(held.partition) ?? 0;
      unstored.looked(held.partition, end);
      // Not waited for: one that takes long must not keep the others waiting.
      look(held, end).catch(again);
    }
  };
  let is_looking = false;
  const looking = setInterval(() => {
    if (is_looking) return;
    is_looking = true;
    lookAll()
      .catch(again)
      .finally(() => {
        is_looking = false;
      });
  }, LOOK_EVERY_MS);

  return {
    position: async (_topic, partition) => {
      try {
        return (await partitions.take(partition)).taken;
      } catch (error) {
        // Its outcome is not needed any more.
        if (is_stopping) return 0;
        throw error;
      }
    },
    take: async ({ partition, records: batch }) => {
      const [first, last] = [batch[0], batch.at(-1)];
      if (first === undefined || last === undefined) return;
      seen.set(partition, last.offset + 1);
      const held = partitions.held(partition);
      // While it is being taken again, these are read once it is.
      if (held === null) return;
      await whileHeld(held, () =>
        held.takeInOrder(async () => {
          await catchUp(held, first.offset);
          await takeNow(held, batch);
        }),
      );
      if (held.queue.length <= MOST_QUEUED || held.life.signal.aborted) return;
      held.paused = true;
      parts.pause(TOPIC, partition);
    },
    revoked: async (_topic, lost) => {
      for (const partition of lost) {
        partitions.letGo(partition);
        seen.delete(partition);
      }
    },
    stop: () => {
      is_stopping = true;
      clearInterval(looking);
      partitions.letGoAll();
    },
  };
};
