import type { RenderFactAccepted } from '../../domain/render/status.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { repeatedly } from '../../platform/process/repeatedly.ts';
import { retry } from '../../platform/process/retry.ts';
import type { BatchEntry } from '../../platform/processor/decode-batch.ts';
import type { AssignedPartition, PartitionTask } from '../../platform/processor/partition-task.ts';
import { type Processor, startProcessor } from '../../platform/processor/processor.ts';
import type { StoppedPartitions } from '../../platform/read-store/stopped-partitions.ts';
import { acceptStatus, lastSourceOffset } from '../../platform/records/render-status.ts';
import { type DeliveryRebuildState, isRebuilt, type PartitionRebuild } from '../../read-models/deliveries/rebuild.ts';
import type { DeliveryStore, EndpointQueues, Recorder } from '../ports.ts';
import { type RebuildParts, rebuildPartition } from '../rebuild/rebuild-partition.ts';
import { PartitionTaken } from '../state/partition-taken.ts';
import { lookForRequests } from './look-for-requests.ts';
import { isPlanned, ownedPartition, type Taken } from './owned-partition.ts';
import { type PlannerParts, planChanges } from './plan-changes.ts';
import { keepPosition } from './settle.ts';
import { type StartingPointParts, startingPoint } from './starting-point.ts';
import { takenIn } from './status-records.ts';

export type PartitionParts = PlannerParts &
  StartingPointParts &
  RebuildParts & {
    readonly group: string;
    /** Partitions of `render-status`: all of them are planned at once. */
    readonly partitions: number;
    readonly store: PlannerParts['store'] &
      StartingPointParts['store'] &
      RebuildParts['store'] &
      Pick<DeliveryStore, 'rolledBackPartitions'>;
    /** What operators ask for, and how far it is. */
    readonly rebuilds: {
      readonly asked: () => Promise<DeliveryRebuildState | null>;
      readonly store: (partition: number, progress: PartitionRebuild) => Promise<void>;
    };
    readonly recorder: Recorder;
    readonly queues: PlannerParts['queues'] & RebuildParts['queues'] & Pick<EndpointQueues, 'take' | 'release'>;
    /** A record that is passed by, and why. */
    readonly on_poison: (record: LogRecord, reason: string) => void;
    readonly stops?: StoppedPartitions;
    readonly logger: Logger;
    /** An unexpected fault: the process cannot go on. */
    readonly crash: (error: unknown) => void;
  };

/** `end` gives up what is under way: the next owner of the partition does it. */
export type Planner = Pick<Processor<unknown>, 'end' | 'stop'>;

/** Changes of one partition that may wait to be planned; above it the partition pauses. */
const MOST_QUEUED = 500;
/** Changes that are planned together. */
const MOST_AT_ONCE = 100;
const LOOK_EVERY_MS = 1_000;

type PlanningTask = PartitionTask<RenderFactAccepted> & {
  /** Opens it again from what the store holds. */
  readonly reopen: () => void;
  /** Plans the requests by hand below this offset of `webhook-events`. */
  readonly look: (end: number) => Promise<void>;
  /** Goes on with the rebuild of the deliveries, where this partition is not done. */
  readonly rebuild: (asked: DeliveryRebuildState) => Promise<void>;
};

/** Opens a partition: makes it ours in the store, and plans what comes in it. */
const openPartition =
  (parts: PartitionParts) =>
  async (assigned: AssignedPartition): Promise<PlanningTask> => {
    const { records, queues, clock, warn } = parts;
    const { partition, signal } = assigned;
    const from = await startingPoint(parts, partition, signal);
    const held = ownedPartition(assigned, from, await lastSourceOffset(records, partition, from.next_status), clock);
    signal.throwIfAborted();
    signal.addEventListener('abort', () => queues.release(partition), { once: true });
    /** Work on the partition that ends with it. */
    const whileHeld = async (work: () => Promise<void>): Promise<void> => {
      try {
        await work();
      } catch (error) {
        if (error instanceof PartitionTaken) assigned.lost();
        else if (!signal.aborted) throw error;
      }
    };

    /** One at a time. */
    const plan = async (): Promise<void> => {
      if (held.planning || held.known === null) return;
      held.planning = true;
      await whileHeld(async () => {
        try {
          while (held.queue.length > 0 || held.next_status < held.taken) {
            const changes = held.queue.slice(0, MOST_AT_ONCE);
            held.queue = held.queue.slice(MOST_AT_ONCE);
            await planChanges(parts, held, changes, held.queue[0]?.offset ?? held.taken);
            assigned.finish(changes.length);
          }
        } finally {
          held.planning = false;
        }
      }).catch(parts.crash);
    };

    const onFailure = (error: unknown): void => warn({ error, partition }, 'a partition is not level with its log yet');
    const isTransient = (error: unknown): boolean => !(error instanceof PartitionTaken);
    const beginPlanning = (): Promise<void> =>
      whileHeld(async () => {
        held.known = await retry(from.learn, { clock, signal, isTransient, onFailure });
        signal.throwIfAborted();
        // Not waited for: what is new goes on its way while what is old is being looked up.
        queues.take(partition).catch(parts.crash);
        await plan();
      });
    beginPlanning().catch(parts.crash);

    const take = (entries: readonly BatchEntry<RenderFactAccepted>[]): void => {
      const changes: Taken[] = [];
      for (const entry of entries) {
        held.taken = entry.record.offset + 1;
        if (entry.tag === 'poison') {
          parts.on_poison(entry.record, entry.reason);
          continue;
        }
        if (entry.event.source_offset <= held.last_source_offset) continue;
        held.last_source_offset = entry.event.source_offset;
        changes.push(...takenIn(entry.record, entry.event));
      }
      held.queue = [...held.queue, ...changes];
      assigned.begin(changes.length);
    };

    return {
      reopen: assigned.lost,
      start: from.next_status,
      process: async (entries) => {
        take(entries);
        // Not waited for: a rebalance waits for no batch for long.
        void plan();
      },
      look: (end) =>
        whileHeld(async () => {
          if (held.looking || held.known === null) return;
          held.looking = true;
          try {
            if (end > held.next_request) await lookForRequests(parts, held, end);
            await keepPosition(parts, held);
          } finally {
            held.looking = false;
          }
        }),
      rebuild: ({ wish, partitions }) =>
        whileHeld(async () => {
          const before = partitions.get(partition) ?? null;
          if (held.known === null || (before !== null && isRebuilt(before))) return;
          await rebuildPartition(parts, {
            ...{ partition, signal, wish, before },
            report: async (progress) => {
              await parts.rebuilds.store(partition, progress);
              return (await parts.rebuilds.asked())?.wish.rebuild === wish.rebuild;
            },
            nextRequest: () => held.next_request,
            isPlanned: (end) => isPlanned(held, end),
            reopen: assigned.lost,
          });
        }),
    };
  };

/** Plans the deliveries of the partitions that are ours: of every transition, and of every request by hand. */
export const startPlanner = async (parts: PartitionParts): Promise<Planner> => {
  const { records, store, unstored, logger, clock, warn } = parts;
  const open = new Map<number, PlanningTask>();

  const compareWithStore = async (): Promise<void> => {
    if (open.size === 0) return;
    for (const partition of await store.rolledBackPartitions()) {
      const task = open.get(partition);
      if (task === undefined) continue;
      logger.error({ partition }, 'the store lost what was planned in it; it is planned again');
      task.reopen();
    }
  };

  const again = (error: unknown): void => warn({ error }, 'requests by hand are looked for again');
  const lookAll = async (): Promise<void> => {
    if (open.size === 0) return;
    const bounds = await records.log.reachableBounds('webhook-events');
    for (const { partition, end } of bounds) {
      const look = open.get(partition)?.look;
      if (look === undefined) continue;
      unstored.looked(partition, end);
      // Not waited for: one that takes long must not keep the others waiting.
      look(end).catch(again);
    }
  };
  /** One partition after the other: what is compared is in memory. */
  const rebuildAll = async (): Promise<void> => {
    if (open.size === 0) return;
    const asked = await parts.rebuilds.asked();
    if (asked === null) return;
    for (const [partition, task] of [...open])
      await task
        .rebuild(asked)
        .catch((error: unknown) => warn({ error, partition }, 'cannot compare deliveries with the log yet'));
  };
  const looking = [
    repeatedly(clock, LOOK_EVERY_MS, rebuildAll, (error) =>
      warn({ error }, 'it is not known yet whether deliveries are to be rebuilt'),
    ),
    repeatedly(clock, LOOK_EVERY_MS, lookAll, again),
    repeatedly(clock, LOOK_EVERY_MS, compareWithStore, (error) =>
      warn({ error }, 'what is stored is not compared with what was planned yet'),
    ),
  ];
  /** What is being looked at ends by itself. */
  const endLooking = (): void => {
    for (const one of looking) void one.stop();
  };

  const openOne = openPartition(parts);
  const processor = await startProcessor<RenderFactAccepted, PlanningTask>({
    ...parts,
    topic: 'render-status',
    concurrency: parts.partitions,
    accept: acceptStatus,
    unknown: 'stop',
    most_unfinished: MOST_QUEUED,
    open: async (assigned) => {
      const task = await openOne(assigned);
      const { partition, signal } = assigned;
      signal.throwIfAborted();
      open.set(partition, task);
      signal.addEventListener('abort', () => {
        if (open.get(partition) === task) open.delete(partition);
      });
      return task;
    },
  });

  const end = async (): Promise<void> => {
    endLooking();
    await processor.end();
  };
  return {
    end,
    stop: async () => {
      endLooking();
      await processor.stop();
    },
  };
};
