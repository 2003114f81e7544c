import type { RenderFactAccepted } from '../../domain/render/status.ts';
import type { EventLog, LogRecord } from '../../platform/event-log/event-log.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { repeatedly } from '../../platform/process/repeatedly.ts';
import { retry } from '../../platform/process/retry.ts';
import type { AssignedPartition, PartitionTask } from '../../platform/processor/partition-task.ts';
import { type Processor, startProcessor } from '../../platform/processor/processor.ts';
import type { StoppedPartitions } from '../../platform/read-store/stopped-partitions.ts';
import { acceptStatus, lastSourceOffset } from '../../platform/records/render-status.ts';
import { type DeliveryRebuildState, isRebuilt, type PartitionRebuild } from '../../read-models/deliveries/rebuild.ts';
import type { DeliveryStore, EndpointQueues, Recorder } from '../ports.ts';
import { type RebuildParts, rebuildPartition } from '../rebuild/rebuild-partition.ts';
import { PartitionTaken } from '../state/delivery-store.ts';
import { type OwnedPartition, ownedPartition, savePosition } from './owned-partition.ts';
import { isPlanned, type PartitionAction } from './partition-state.ts';
import { type PlannerParts, planChanges } from './plan-changes.ts';
import { planRequests } from './plan-requests.ts';
import { type StartingPointParts, startingPoint } from './starting-point.ts';
import { fetchedRecord, type StatusWork } from './status-changes.ts';

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
    /** The rebuild that operators requested, and its progress. */
    readonly rebuilds: {
      readonly load: () => Promise<DeliveryRebuildState | null>;
      readonly store: (partition: number, progress: PartitionRebuild) => Promise<void>;
    };
    readonly recorder: Recorder;
    readonly queues: PlannerParts['queues'] & RebuildParts['queues'] & Pick<EndpointQueues, 'take' | 'release'>;
    /** A record that is skipped, and why. */
    readonly on_poison: (record: LogRecord, reason: string) => void;
    readonly stops?: StoppedPartitions;
    readonly logger: Logger;
    /** An unexpected fault ends the process. */
    readonly crash: (error: unknown) => void;
  };

/** `end` gives up plans under way: the next owner of the partition repeats them. */
export type Planner = Pick<Processor<unknown>, 'end' | 'stop'>;

/** A partition with more unplanned work pauses. */
const MAX_QUEUED = 500;
const LOOK_EVERY_MS = 1_000;

type PlanningTask = PartitionTask<RenderFactAccepted> & {
  /** Opens the partition again from the position in the store. */
  readonly reopen: () => void;
  /** Plans operators' requests below this offset of `webhook-events`. */
  readonly readRequests: (end: number) => Promise<void>;
  /** Continues the rebuild of deliveries unless it is done in this partition. */
  readonly rebuild: (requested: DeliveryRebuildState) => Promise<void>;
};

/** Runs work on a partition that ends with it. A partition that another process took is lost. */
const untilRevoked =
  ({ signal, lost }: AssignedPartition) =>
  async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (error instanceof PartitionTaken) lost();
      else if (!signal.aborted) throw error;
    }
  };

const readRequests = async (parts: PartitionParts, owned: OwnedPartition, end: number): Promise<void> => {
  const { is_reading_requests, known, position } = owned.state();
  if (is_reading_requests || known === null) return;
  owned.apply({ tag: 'request_reading_began' });
  try {
    if (end > position.next_request) await planRequests(parts, owned, end);
    await savePosition(parts, owned);
  } finally {
    owned.apply({ tag: 'request_reading_ended' });
  }
};

const rebuild = async (
  parts: PartitionParts,
  { partition, signal, lost }: AssignedPartition,
  { state }: OwnedPartition,
  { wish, partitions }: DeliveryRebuildState,
): Promise<void> => {
  const before = partitions.get(partition) ?? null;
  if (state().known === null || (before !== null && isRebuilt(before))) return;
  await rebuildPartition(parts, {
    ...{ partition, signal, wish, before },
    report: async (progress) => {
      await parts.rebuilds.store(partition, progress);
      return (await parts.rebuilds.load())?.wish.rebuild === wish.rebuild;
    },
    nextRequest: () => state().position.next_request,
    isPlanned: (end) => isPlanned(state(), end),
    reopen: lost,
  });
};

/** Opens an assigned partition: takes its position from the store, and plans its records. */
const openPartition =
  (parts: PartitionParts) =>
  async (assigned: AssignedPartition): Promise<PlanningTask> => {
    const { records, queues, clock, warn } = parts;
    const { partition, signal } = assigned;
    const from = await startingPoint(parts, partition, signal);
    const owned = ownedPartition(assigned, from, await lastSourceOffset(records, partition, from.next_status), clock);
    signal.throwIfAborted();
    signal.addEventListener('abort', () => queues.release(partition), { once: true });
    const whileOwned = untilRevoked(assigned);

    const planBatch = async (work: readonly StatusWork[], next_status: number): Promise<void> => {
      try {
        await planChanges(parts, owned, work, next_status);
      } catch (error) {
        owned.apply({ tag: 'planning_failed' });
        throw error;
      }
      perform(owned.apply({ tag: 'batch_planned', count: work.length, next_status }));
    };
    const perform = (actions: readonly PartitionAction[]): void => {
      for (const action of actions) {
        if (action.tag === 'report_poison') parts.on_poison(action.record, action.reason);
        else if (action.tag === 'begin_work') assigned.begin(action.count);
        else if (action.tag === 'finish_work') assigned.finish(action.count);
        // Not awaited: new deliveries are sent while waiting ones are loaded.
        else if (action.tag === 'take_queues') queues.take(partition).catch(parts.crash);
        // Not awaited: a rebalance must not wait for a batch.
        else whileOwned(() => planBatch(action.work, action.next_status)).catch(parts.crash);
      }
    };

    const beginPlanning = async (): Promise<void> => {
      const onFailure = (error: unknown): void =>
        warn({ error, partition }, 'a partition is not level with its log yet');
      const isTransient = (error: unknown): boolean => !(error instanceof PartitionTaken);
      const known = await retry(from.readLog, { clock, signal, isTransient, onFailure });
      signal.throwIfAborted();
      perform(owned.apply({ tag: 'log_read', known }));
    };
    whileOwned(beginPlanning).catch(parts.crash);

    return {
      reopen: assigned.lost,
      start: from.next_status,
      process: async (entries) => perform(owned.apply({ tag: 'fetched', records: entries.map(fetchedRecord) })),
      readRequests: (end) => whileOwned(() => readRequests(parts, owned, end)),
      rebuild: (requested) => whileOwned(() => rebuild(parts, assigned, owned, requested)),
    };
  };

/**
 * The number of partitions of `render-status`. Throws if `webhook-events` has another number: deliveries of a render are in
 * the partition of its events.
 */
export const partitionsOf = async (log: Pick<EventLog, 'partitions'>): Promise<number> => {
  const [status, events] = await Promise.all([log.partitions('render-status'), log.partitions('webhook-events')]);
  if (status !== events) {
    throw new Error(`render-status has ${status} partitions and webhook-events ${events}: they differ`);
  }
  return status;
};

/** Plans deliveries in the assigned partitions: of every transition, and of every operator's request. */
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
  const readAllRequests = async (): Promise<void> => {
    if (open.size === 0) return;
    const bounds = await records.log.reachableBounds('webhook-events');
    for (const { partition, end } of bounds) {
      const read = open.get(partition)?.readRequests;
      if (read === undefined) continue;
      unstored.noteEnd(partition, end);
      // Not awaited: a slow partition must not block the others.
      read(end).catch(again);
    }
  };
  /** One partition after the other: a comparison needs much memory. */
  const rebuildAll = async (): Promise<void> => {
    if (open.size === 0) return;
    const requested = await parts.rebuilds.load();
    if (requested === null) return;
    for (const [partition, task] of [...open])
      await task
        .rebuild(requested)
        .catch((error: unknown) => warn({ error, partition }, 'cannot compare deliveries with the log yet'));
  };
  const timers = [
    repeatedly(clock, LOOK_EVERY_MS, rebuildAll, (error) =>
      warn({ error }, 'it is not known yet whether deliveries are to be rebuilt'),
    ),
    repeatedly(clock, LOOK_EVERY_MS, readAllRequests, again),
    repeatedly(clock, LOOK_EVERY_MS, compareWithStore, (error) =>
      warn({ error }, 'what is stored is not compared with what was planned yet'),
    ),
  ];
  /** Not awaited: work that a timer began ends with its partition. */
  const stopTimers = (): void => {
    for (const one of timers) void one.stop();
  };

  const openOne = openPartition(parts);
  const processor = await startProcessor<RenderFactAccepted, PlanningTask>({
    ...parts,
    topic: 'render-status',
    concurrency: parts.partitions,
    accept: acceptStatus,
    unknown: 'stop',
    most_unfinished: MAX_QUEUED,
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
    stopTimers();
    await processor.end();
  };
  return {
    end,
    stop: async () => {
      stopTimers();
      await processor.stop();
    },
  };
};
