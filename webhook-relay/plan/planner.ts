import type { RenderFactAccepted } from '../../domain/render/status.ts';
import type { EventLog, LogRecord } from '../../platform/event-log/event-log.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { runRepeatedly } from '../../platform/process/repeatedly.ts';
import { retry } from '../../platform/process/retry.ts';
import type { AssignedPartition, PartitionTask } from '../../platform/processor/partition-task.ts';
import { type Processor, startProcessor } from '../../platform/processor/processor.ts';
import type { StoppedPartitions } from '../../platform/read-store/stopped-partitions.ts';
import { acceptStatusRecord, lastSourceOffset } from '../../platform/records/render-status.ts';
import { type DeliveryRebuildState, isRebuilt, type PartitionRebuild } from '../../read-models/deliveries/rebuild.ts';
import type { DeliveryStore, EndpointQueues, Recorder } from '../ports.ts';
import { type RebuildPartitionDependencies, rebuildPartition } from '../rebuild/rebuild-partition.ts';
import { PartitionTaken } from '../state/delivery-store.ts';
import { type OwnedPartition, ownedPartition, savePosition } from './owned-partition.ts';
import { isPlannedUpTo, type PartitionAction } from './partition-state.ts';
import { type PlanChangesDependencies, planChanges } from './plan-changes.ts';
import { planRequests } from './plan-requests.ts';
import { type StartingPointDependencies, startingPoint } from './starting-point.ts';
import { fetchedRecord, type StatusWork } from './status-changes.ts';

export type PlannerDependencies = PlanChangesDependencies &
  StartingPointDependencies &
  RebuildPartitionDependencies & {
    readonly group: string;
    readonly partitions: number;
    readonly store: PlanChangesDependencies['store'] &
      StartingPointDependencies['store'] &
      RebuildPartitionDependencies['store'] &
      Pick<DeliveryStore, 'rolledBackPartitions'>;
    readonly rebuilds: {
      readonly load: () => Promise<DeliveryRebuildState | null>;
      readonly store: (partition: number, progress: PartitionRebuild) => Promise<void>;
    };
    readonly recorder: Recorder;
    readonly queues: PlanChangesDependencies['queues'] &
      RebuildPartitionDependencies['queues'] &
      Pick<EndpointQueues, 'take' | 'release'>;
    readonly on_poison: (record: LogRecord, reason: string) => void;
    readonly stops?: StoppedPartitions;
    readonly logger: Logger;
    readonly crash: (error: unknown) => void;
  };

/** `end` aborts running plans. The next owner of the partition repeats them. */
export type Planner = Pick<Processor<unknown>, 'end' | 'stop'>;

const MAX_QUEUED = 500;
const LOOK_EVERY_MS = 1_000;
/** Shorter, because a person waits for a test or for a repeated delivery. */
const REQUESTS_EVERY_MS = 250;

type PlanningTask = PartitionTask<RenderFactAccepted> & {
  readonly reopen: () => void;
  /** Plans requests below this offset of `webhook-events`. */
  readonly readRequests: (end: number) => Promise<void>;
  readonly rebuild: (requested: DeliveryRebuildState) => Promise<void>;
};

/**
 * Ignores errors of the work once the partition is revoked. If another process took the partition, this process gives
 * it up.
 */
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

const readRequests = async (parts: PlannerDependencies, owned: OwnedPartition, end: number): Promise<void> => {
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
  parts: PlannerDependencies,
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
    isPlanned: (end) => isPlannedUpTo(state(), end),
    reopen: lost,
  });
};

const openPartition =
  (parts: PlannerDependencies) =>
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
        // Not awaited, so that new deliveries are sent while waiting ones are loaded.
        else if (action.tag === 'take_queues') queues.take(partition).catch(parts.crash);
        // Not awaited, because a rebalance must not wait for a batch.
        else whileOwned(() => planBatch(action.work, action.next_status)).catch(parts.crash);
      }
    };

    const beginPlanning = async (): Promise<void> => {
      const onFailure = (error: unknown): void =>
        warn({ error, partition }, 'a partition has not caught up with its log yet');
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
 * The number of partitions. Throws if `render-status` and `webhook-events` have different numbers, because a render has
 * the same partition in both.
 */
export const partitionsOf = async (log: Pick<EventLog, 'partitions'>): Promise<number> => {
  const [status, events] = await Promise.all([log.partitions('render-status'), log.partitions('webhook-events')]);
  if (status !== events) {
    throw new Error(`render-status has ${status} partitions, but webhook-events has ${events}`);
  }
  return status;
};

export const startPlanner = async (parts: PlannerDependencies): Promise<Planner> => {
  const { records, store, unstored, logger, clock, warn } = parts;
  const open = new Map<number, PlanningTask>();

  const compareWithStore = async (): Promise<void> => {
    if (open.size === 0) return;
    for (const partition of await store.rolledBackPartitions()) {
      const task = open.get(partition);
      if (task === undefined) continue;
      logger.error({ partition }, 'the store lost plans of a partition; planning them again');
      task.reopen();
    }
  };

  const again = (error: unknown): void => warn({ error }, 'cannot read the requests of operators yet');
  const readAllRequests = async (): Promise<void> => {
    if (open.size === 0) return;
    const bounds = await records.log.reachableBounds('webhook-events');
    for (const { partition, end } of bounds) {
      const read = open.get(partition)?.readRequests;
      if (read === undefined) continue;
      unstored.noteEnd(partition, end);
      // Not awaited, because a slow partition must not block others.
      read(end).catch(again);
    }
  };
  /** Rebuilds one partition at a time, because a comparison needs much memory. */
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
    runRepeatedly(clock, LOOK_EVERY_MS, rebuildAll, (error) =>
      warn({ error }, 'cannot read the requested rebuild yet'),
    ),
    runRepeatedly(clock, REQUESTS_EVERY_MS, readAllRequests, again),
    runRepeatedly(clock, LOOK_EVERY_MS, compareWithStore, (error) =>
      warn({ error }, 'cannot compare the store with the plans yet'),
    ),
  ];
  /** Does not wait for running work, because the work of a timer ends with its partition. */
  const stopTimers = (): void => {
    for (const one of timers) void one.stop();
  };

  const openOne = openPartition(parts);
  const processor = await startProcessor<RenderFactAccepted, PlanningTask>({
    ...parts,
    topic: 'render-status',
    concurrency: parts.partitions,
    accept: acceptStatusRecord,
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
