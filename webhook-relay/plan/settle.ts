import type { Warn } from '../../platform/logging/sparing-warnings.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retry } from '../../platform/process/retry.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { Plan } from '../../read-models/deliveries/plan.ts';
import type { InFlight } from '../events/in-flight.ts';
import type { Cause, DeliveryStore, EndpointQueues, Recorder } from '../ports.ts';
import { nextRequestOf, type OwnedPartition } from './owned-partition.ts';

export type SettleParts = {
  readonly recorder: Pick<Recorder, 'plan'>;
  readonly store: Pick<DeliveryStore, 'delivery'>;
  readonly queues: Pick<EndpointQueues, 'offer'>;
  readonly unstored: InFlight;
  readonly warn: Warn;
  readonly clock: Clock;
};

/** What was planned of a part of a partition. */
export type Planned = {
  readonly deliveries: readonly WebhookDeliveryDocument[];
  readonly repeated: Plan['repeated'];
  /** By delivery id. */
  readonly causes: ReadonlyMap<string, Cause>;
  readonly next: Plan['next'];
};

/** Of those that another process stored meanwhile, or this one before a crash: as they stand there, if they wait. */
const stillWaiting = async (
  { store, warn, clock }: SettleParts,
  id: string,
  signal: AbortSignal,
): Promise<readonly WebhookDeliveryDocument[]> => {
  const onFailure = (error: unknown): void => warn({ error }, 'a delivery cannot be read yet');
  const stored = await retry(() => store.delivery(id), { clock, signal, onFailure });
  return stored?.state === 'pending' ? [stored] : [];
};

type Position = OwnedPartition['saved'];

/** What the store may be told now: below it everything is stored. */
const storedPosition = (unstored: InFlight, held: OwnedPartition): Position => {
  const next_request = nextRequestOf(held, held.known?.ahead ?? null);
  return {
    next_status: held.next_status,
    next_request: Math.min(next_request, unstored.lowest(held.partition) ?? next_request),
  };
};

const kept = (held: OwnedPartition, position: Position, clock: Clock): void => {
  held.saved = position;
  held.saved_at = clock.monotonic();
};

const SAVE_EVERY_MS = 10_000;

const isBehind = (held: OwnedPartition, { next_status, next_request }: Position, clock: Clock): boolean =>
  next_status > held.saved.next_status ||
  (next_request > held.saved.next_request && clock.monotonic() - held.saved_at > SAVE_EVERY_MS);

/** Keeps the position, where it has moved without anything being planned. */
export const keepPosition = (
  { recorder, unstored, clock }: Pick<SettleParts, 'recorder' | 'unstored' | 'clock'>,
  held: OwnedPartition,
): Promise<void> =>
  held.oneAtATime(async () => {
    const next = storedPosition(unstored, held);
    if (!isBehind(held, next, clock)) return;
    const { partition, signal } = held;
    await recorder.plan({ partition, deliveries: [], repeated: [], next }, new Map(), signal);
    kept(held, next, clock);
  });

const settleNow = async (parts: SettleParts, held: OwnedPartition, planned: Planned): Promise<void> => {
  const { partition, signal } = held;
  const deliveries = planned.deliveries.filter(({ _id }) => held.known?.settled.has(_id) !== true);
  const next = storedPosition(parts.unstored, { ...held, ...planned.next });
  const plan = { partition, deliveries, repeated: planned.repeated, next };
  const added = await parts.recorder.plan(plan, planned.causes, signal);
  signal.throwIfAborted();
  Object.assign(held, planned.next);
  kept(held, next, parts.clock);
  const offered: WebhookDeliveryDocument[] = [];
  for (const delivery of deliveries) {
    if (delivery.state !== 'pending') continue;
    offered.push(...(added.has(delivery._id) ? [delivery] : await stillWaiting(parts, delivery._id, signal)));
  }
  signal.throwIfAborted();
  if (offered.length > 0) parts.queues.offer(partition, offered);
};

/**
 * Records, stores and offers what was planned, and moves the partition on: one after the other, so that its position
 * never passes what is not stored. Rejects once the partition is let go of.
 */
export const settle = (parts: SettleParts, held: OwnedPartition, planned: Planned): Promise<void> =>
  held.oneAtATime(() => settleNow(parts, held, planned));
