import pLimit, { type LimitFunction } from 'p-limit';
import type { Logger } from '../../platform/logging/logger.ts';
import { messageOf } from '../../platform/logging/message-of.ts';
import { throttledWarn, type Warn } from '../../platform/logging/throttled-warn.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import { rejectOnAbort } from '../../platform/process/abortable.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { exponentialBackOff, retry } from '../../platform/process/retry.ts';
import { createGroupCommit, type WriteSize } from '../../platform/read-store/group-commit.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { type Deliveries, openDeliveries } from '../../read-models/deliveries/deliveries.ts';
import type { WebhookDeliveryDocument, WebhookPositionDocument } from '../../read-models/deliveries/documents.ts';
import { outcomeSize } from '../../read-models/deliveries/outcome.ts';
import {
  isProgressBehind,
  type PartitionFencingToken,
  type PlannedBatch,
  type PlanningProgress,
  planningPositionOf,
  planningProgressAfter,
  planningProgressOf,
} from '../../read-models/deliveries/plan.ts';
import type { DeliveryWrite, DeliveryWriteResult, PlanWrite } from '../../read-models/deliveries/write-group.ts';
import type { DeliveryStore } from '../ports.ts';
import { createStateMetrics, type StateMetrics } from '../relay-metrics.ts';

/**
 * Thrown if another process took the partition, or the store was restored. This process must not plan in the partition.
 */
export class PartitionTaken extends Error {
  override readonly name = 'PartitionTaken';
  constructor(partition: number) {
    super(`partition ${partition} belongs to another relay, or the store lost its plans`);
  }
}

/** The maximum size of a transaction: servers keep it in memory, and refuse more than 16 MiB. */
export const MAX_TRANSACTION_SIZE: WriteSize = { documents: 200, bytes: 4 * 1024 * 1024 };

const ABOUT_BYTES = 1_500;

const bytesOf = ({ body }: WebhookDeliveryDocument): number => ABOUT_BYTES + Buffer.byteLength(body ?? '', 'utf8');

const sizeOfPlan = ({ deliveries, repeated }: PlannedBatch): WriteSize => ({
  documents: 1 + deliveries.length + repeated.length,
  bytes: deliveries.reduce((sum, delivery) => sum + bytesOf(delivery), 0),
});

/** Splits a plan so that each part fits into one transaction. Only the last part moves the position. */
export const splitPlan = (plan: PlannedBatch): readonly PlannedBatch[] => {
  const groups: WebhookDeliveryDocument[][] = [];
  let bytes = 0;
  for (const delivery of plan.deliveries) {
    const group = groups.at(-1);
    bytes += bytesOf(delivery);
    if (group !== undefined && group.length < MAX_TRANSACTION_SIZE.documents && bytes <= MAX_TRANSACTION_SIZE.bytes) {
      group.push(delivery);
    } else {
      groups.push([delivery]);
      bytes = bytesOf(delivery);
    }
  }
  if (groups.length === 0) return [plan];
  return groups.map((deliveries, i) =>
    i === groups.length - 1 ? { ...plan, deliveries } : { ...plan, deliveries, repeated: [], next: {} },
  );
};

type DeliveryStoreDependencies = {
  readonly deliveries: Deliveries;
  readonly warn: Warn;
  readonly metrics: StateMetrics;
  /** Aborts when the relay ends. Pending reads then reject with its reason. */
  readonly ending: AbortSignal;
  readonly clock: Clock;
};

type Read = <A>(ask: () => Promise<A>) => Promise<A>;

const readsOf =
  ({ warn, ending, clock }: DeliveryStoreDependencies): Read =>
  (ask) =>
    retry(ask, {
      clock,
      signal: ending,
      onFailure: (error) => warn({ reason: messageOf(error) }, 'the store of deliveries cannot be read; trying again'),
    });

const pauseAfterFailure = ({ warn, ending, clock }: DeliveryStoreDependencies, partition: number, failure: string) => {
  let failures = 0;
  return async (error: unknown): Promise<void> => {
    warn({ reason: messageOf(error), partition }, failure);
    failures += 1;
    await clock.sleep(exponentialBackOff(failures), ending);
  };
};

/** The partitions of this process with their progress, as read when it took them and updated after each plan. */
type OwnedPartitions = {
  readonly take: (partition: number) => Promise<Parameters<typeof planningPositionOf>[0]>;
  readonly find: (partition: number) => PlanningProgress | undefined;
  /** Throws `PartitionTaken` if the partition was not taken, or was taken again after `taken`. */
  readonly ownerOf: (partition: number, taken?: number) => PlanningProgress;
  readonly moved: (partition: number, before: PlanningProgress, next: PlannedBatch['next']) => void;
  readonly rolledBack: () => Promise<readonly number[]>;
};

const ownedPartitions = (deliveries: Deliveries, read: Read): OwnedPartitions => {
  const owned = new Map<number, PlanningProgress>();
  /** Takes a partition only once at a time, so that the last answer counts. */
  const taking = new Map<number, LimitFunction>();
  return {
    take: (partition) => {
      const limit = taking.get(partition) ?? pLimit(1);
      taking.set(partition, limit);
      return limit(async () => {
        const stored = await read(() => deliveries.takePartition(partition));
        owned.set(partition, planningProgressOf(stored));
        return stored;
      });
    },
    find: (partition) => owned.get(partition),
    ownerOf: (partition, taken) => {
      const progress = owned.get(partition);
      if (progress === undefined || (taken !== undefined && progress.taken !== taken))
        throw new PartitionTaken(partition);
      return progress;
    },
    moved: (partition, before, next) => {
      if (owned.get(partition)?.taken === before.taken) owned.set(partition, planningProgressAfter(before, next));
    },
    rolledBack: async () => {
      // Copies the progress first, because plans are stored during the read.
      const expected = new Map(owned);
      const stored = new Map((await deliveries.positions()).map((one) => [one._id, planningProgressOf(one)]));
      return Array.from(expected).flatMap(([partition, progress]) => {
        const found = stored.get(partition);
        if (found === undefined || isProgressBehind(found, progress)) return [partition];
        // If the answer to a plan was lost, the stored progress is ahead of the known one, so this adopts it.
        if (owned.get(partition) === progress && found.taken === progress.taken) owned.set(partition, found);
        return [];
      });
    },
  };
};

type PutWrite = (write: DeliveryWrite, size: WriteSize, stop: AbortSignal) => Promise<DeliveryWriteResult>;

const storeParts = async (
  owned: OwnedPartitions,
  put: PutWrite,
  plan: PlannedBatch,
  taken: number,
  stop: AbortSignal,
): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>();
  for (const part of splitPlan(plan)) {
    const by = owned.ownerOf(plan.partition, taken);
    const write: PlanWrite = { tag: 'plan', ...part, by };
    const written = await put(write, sizeOfPlan(part), stop);
    if (written.tag !== 'planned') throw new PartitionTaken(plan.partition);
    owned.moved(plan.partition, by, part.next);
    for (const id of written.ids) ids.add(id);
  }
  return ids;
};

const NO_PLAN: Promise<unknown> = Promise.resolve();

const planStore = (owned: OwnedPartitions, put: PutWrite): DeliveryStore['plan'] => {
  const last = new Map<number, Promise<unknown>>();
  return async (plan, stop) => {
    const { partition } = plan;
    const { taken } = owned.find(partition) ?? (await rejectOnAbort(stop, owned.take(partition)));
    const before = last.get(partition) ?? NO_PLAN;
    const storing = before.then(() => storeParts(owned, put, plan, taken, stop));
    const ended = storing.then(
      () => undefined,
      () => undefined,
    );
    last.set(partition, ended);
    return await rejectOnAbort(stop, storing);
  };
};

const ownerWrites = (
  { deliveries, warn, ending, clock }: DeliveryStoreDependencies,
  owned: OwnedPartitions,
): Pick<DeliveryStore, 'restore' | 'correct'> => {
  const write = async <A>(
    partition: number,
    failure: string,
    stop: AbortSignal,
    work: (by: PartitionFencingToken) => Promise<A>,
  ): Promise<{ readonly result: A; readonly by: PlanningProgress }> => {
    stop.throwIfAborted();
    const by = owned.ownerOf(partition);
    const onFailure = (error: unknown): void => warn({ reason: messageOf(error) }, failure);
    const signal = AbortSignal.any([stop, ending]);
    return { result: await retry(() => work(by), { clock, signal, onFailure }), by };
  };
  return {
    restore: async (restored, stop) => {
      const { partition } = restored;
      const failure = 'deliveries could not be restored; trying again';
      const { result: is_owner, by } = await write(partition, failure, stop, (one) =>
        deliveries.restore(restored, one),
      );
      if (!is_owner) throw new PartitionTaken(partition);
      owned.moved(partition, by, {});
    },
    correct: async (mend, stop) => {
      const { partition } = mend;
      const failure = 'deliveries could not be mended; trying again';
      const { result: mended, by } = await write(partition, failure, stop, (one) => deliveries.correct(mend, one));
      if (mended === null) throw new PartitionTaken(partition);
      if (mend.back_to === null) owned.moved(partition, by, {});
      return mended;
    },
  };
};

const createDeliveryStore = (parts: DeliveryStoreDependencies): DeliveryStore => {
  const { deliveries, warn, metrics, clock } = parts;
  const read = readsOf(parts);
  const writes = createGroupCommit<DeliveryWrite, DeliveryWriteResult>({
    commit: (group) => metrics.committing(group.length, () => deliveries.write(group)),
    most: MAX_TRANSACTION_SIZE,
    clock,
    on_failure: (error, group) => {
      metrics.failed();
      warn({ reason: messageOf(error), writes: group.length }, 'deliveries could not be stored; trying again');
    },
  });
  metrics.waiting(writes.waiting);
  const owned = ownedPartitions(deliveries, read);

  return {
    position: async (partition): Promise<WebhookPositionDocument | null> =>
      planningPositionOf(await owned.take(partition)),
    plan: planStore(owned, writes.put),
    ...ownerWrites(parts, owned),
    record: async (outcome, stop) => {
      const write: DeliveryWrite = { tag: 'record', outcome, at: clock.now() };
      const written = await writes.put(write, { documents: 1, bytes: outcomeSize(outcome) }, stop);
      return written.tag === 'recorded' && written.counts;
    },
    waiting: (partition) =>
      deliveries.waiting(
        partition,
        pauseAfterFailure(parts, partition, 'waiting deliveries cannot be read; trying again'),
      ),
    stored: (partition, range) =>
      deliveries.stored(
        partition,
        range,
        pauseAfterFailure(parts, partition, 'deliveries cannot be read; trying again'),
      ),
    deliveries: (ids) => read(() => deliveries.findAll(ids)),
    due: (partition, endpoint_id, due_before, limit, from_position = '0') =>
      read(() => deliveries.queue({ partition, endpoint_id, from_position, due_before }, limit)),
    delivery: (id) => read(() => deliveries.find(id)),
    pendingOf: (render_id) => read(() => deliveries.pendingOf(render_id)),
    dropAnswers: (render_id) => read(() => deliveries.dropAnswers(render_id)),
    rolledBackPartitions: owned.rolledBack,
  };
};

export type OpenDeliveryStore = DeliveryStore & {
  /** Makes pending reads reject. The read store stays open. */
  readonly close: () => Promise<void>;
};

/** Opens the store; waits until it is available. */
export const openDeliveryStore = async ({
  store,
  logger,
  metrics,
  clock,
}: {
  readonly store: ReadStore;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
}): Promise<OpenDeliveryStore> => {
  const stop = new AbortController();
  const deliveries = openDeliveries(store);
  const warn = throttledWarn(logger);
  const onFailure = (error: unknown): void => warn({ error }, 'cannot create the collections of deliveries yet');
  await retry(deliveries.prepare, { clock, onFailure });
  const parts = { deliveries, warn, metrics: createStateMetrics(metrics), clock, ending: stop.signal };
  return { ...createDeliveryStore(parts), close: async () => stop.abort() };
};
