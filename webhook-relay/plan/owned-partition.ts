import pLimit from 'p-limit';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retry } from '../../platform/process/retry.ts';
import type { AssignedPartition } from '../../platform/processor/partition-task.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { PlannedBatch } from '../../read-models/deliveries/plan.ts';
import type { UnstoredAppends } from '../events/recorder.ts';
import type { DeliveryCause, DeliveryStore, EndpointQueues, Recorder } from '../ports.ts';
import {
  initialPartitionState,
  type KnownDeliveries,
  nextRequestOf,
  type PartitionAction,
  type PartitionEvent,
  type PartitionState,
  type PlanningPosition,
  partitionAfter,
} from './partition-state.ts';
import type { PlanningTime } from './planned-deliveries.ts';

export type StartingPoint = PlanningPosition & {
  readonly last_planned_at: number;
  /**
   * Reads the log from the starting point; planning waits for it. Slow if the state was lost, because it restores the
   * history. May be called again. Rejects on outage, with `PartitionTaken`, and once the partition is revoked.
   */
  readonly readLog: () => Promise<KnownDeliveries>;
};

export type OwnedPartition = Pick<AssignedPartition, 'partition' | 'signal'> & {
  readonly state: () => PartitionState;
  readonly apply: (event: PartitionEvent) => readonly PartitionAction[];
  readonly oneAtATime: <A>(work: () => Promise<A>) => Promise<A>;
  /** Serializes planning and erasing, so that an erasure finds all deliveries planned before it. */
  readonly apartFromErasures: <A>(work: () => Promise<A>) => Promise<A>;
};

export const ownedPartition = (
  { partition, signal }: AssignedPartition,
  { next_status, next_request, last_planned_at }: StartingPoint,
  last_source_offset: number,
  clock: Clock,
): OwnedPartition => {
  const before = { last_due_at: last_planned_at, last_source_offset, now: clock.monotonic() };
  let state = initialPartitionState({ next_status, next_request }, before);
  return {
    partition,
    signal,
    state: () => state,
    apply: (event) => {
      const [next, actions] = partitionAfter(state, event);
      state = next;
      return actions;
    },
    oneAtATime: pLimit(1),
    apartFromErasures: pLimit(1),
  };
};

export const planningTime = (owned: OwnedPartition, now: number): PlanningTime => {
  owned.apply({ tag: 'time_read', now });
  const { last_due_at, known } = owned.state();
  return { now, due_at: last_due_at, logged: (delivery_id) => known?.logged.get(delivery_id) ?? null };
};

export type StorePlanDependencies = {
  readonly recorder: Pick<Recorder, 'plan'>;
  readonly store: Pick<DeliveryStore, 'delivery'>;
  readonly queues: Pick<EndpointQueues, 'offer'>;
  readonly unstored: UnstoredAppends;
  readonly warn: Warn;
  readonly clock: Clock;
};

export type PlannedDeliveries = {
  readonly deliveries: readonly WebhookDeliveryDocument[];
  readonly repeated: PlannedBatch['repeated'];
  readonly causes: ReadonlyMap<string, DeliveryCause>;
  readonly next: PlannedBatch['next'];
};

/** Reads a stored delivery; empty if it has ended. */
const storedIfPending = async (
  { store, warn, clock }: StorePlanDependencies,
  id: string,
  signal: AbortSignal,
): Promise<readonly WebhookDeliveryDocument[]> => {
  const onFailure = (error: unknown): void => warn({ error }, 'a delivery cannot be read yet');
  const stored = await retry(() => store.delivery(id), { clock, signal, onFailure });
  return stored?.state === 'pending' ? [stored] : [];
};

/** The position that may be stored: everything below it is stored. */
const storablePosition = (
  unstored: UnstoredAppends,
  { partition, state }: OwnedPartition,
  next: PlannedBatch['next'],
): PlanningPosition => {
  const { position, known } = state();
  const planned = { ...position, ...next };
  const next_request = nextRequestOf(planned, known?.ahead ?? null);
  return {
    next_status: planned.next_status,
    next_request: Math.min(next_request, unstored.lowest(partition) ?? next_request),
  };
};

const SAVE_EVERY_MS = 10_000;

const isBehind = ({ saved, saved_at }: PartitionState, next: PlanningPosition, now: number): boolean =>
  next.next_status > saved.next_status || (next.next_request > saved.next_request && now - saved_at > SAVE_EVERY_MS);

/** Stores the position if it moved without a planned delivery. */
export const savePosition = (
  { recorder, unstored, clock }: Pick<StorePlanDependencies, 'recorder' | 'unstored' | 'clock'>,
  owned: OwnedPartition,
): Promise<void> =>
  owned.oneAtATime(async () => {
    const saved = storablePosition(unstored, owned, {});
    if (!isBehind(owned.state(), saved, clock.monotonic())) return;
    const { partition, signal } = owned;
    await recorder.plan({ partition, deliveries: [], repeated: [], next: saved }, new Map(), signal);
    owned.apply({ tag: 'plan_stored', next: {}, saved, at: clock.monotonic() });
  });

const storeNow = async (
  parts: StorePlanDependencies,
  owned: OwnedPartition,
  planned: PlannedDeliveries,
): Promise<void> => {
  const { partition, signal } = owned;
  const { known } = owned.state();
  const deliveries = planned.deliveries.filter(({ _id }) => known?.settled.has(_id) !== true);
  const saved = storablePosition(parts.unstored, owned, planned.next);
  const plan = { partition, deliveries, repeated: planned.repeated, next: saved };
  const added = await parts.recorder.plan(plan, planned.causes, signal);
  signal.throwIfAborted();
  owned.apply({ tag: 'plan_stored', next: planned.next, saved, at: parts.clock.monotonic() });
  const offered: WebhookDeliveryDocument[] = [];
  for (const delivery of deliveries) {
    if (delivery.state !== 'pending') continue;
    offered.push(...(added.has(delivery._id) ? [delivery] : await storedIfPending(parts, delivery._id, signal)));
  }
  signal.throwIfAborted();
  if (offered.length > 0) parts.queues.offer(partition, offered);
};

/**
 * Appends, stores and queues deliveries, one plan at a time. So the position never passes an unstored delivery. Rejects
 * once the partition is revoked.
 */
export const storePlannedDeliveries = (
  parts: StorePlanDependencies,
  owned: OwnedPartition,
  planned: PlannedDeliveries,
): Promise<void> => owned.oneAtATime(() => storeNow(parts, owned, planned));
