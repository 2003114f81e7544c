import { type Delivery, evolveDelivery, isEnded } from '../../domain/webhooks/delivery.ts';
import { type DeliveryAttempted, isWebhookEvent, type WebhookEvent } from '../../domain/webhooks/delivery-events.ts';
import { partitionOfKey } from '../../platform/event-log/partition-of-key.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import { deliveryCollectionsIn } from '../../read-models/deliveries/model.ts';
import { expiryOf } from '../../read-models/deliveries/retention.ts';
import { type Difference, documentDifference, notInLogDifference } from './difference.ts';
import { createFindings, type VerificationResult } from './findings.ts';

const EVENTS: Topic = 'webhook-events';
const DOCUMENTS_AT_ONCE = 500;
/**
 * A delivery is compared this many times, because the relay appends to the log first and writes the store a moment
 * later.
 */
const TRIES = 5;
const TRY_AGAIN_MS = 300;
/**
 * A delivery that expires within this time may be missing: if the store's clock is ahead, the store has already deleted
 * it.
 */
const CLOCKS_DIFFER_MS = 3_600_000;

export type DeliveryFold = {
  readonly delivery: Delivery;
  readonly attempts: readonly DeliveryAttempted[];
  readonly last_at: number;
};

export const deliveryAfter = (before: DeliveryFold | null, event: WebhookEvent): DeliveryFold | null => {
  const verdict = evolveDelivery(before?.delivery ?? null, event);
  if (verdict.tag === 'ignored') return before;
  const attempts = before?.attempts ?? [];
  return {
    delivery: verdict.delivery,
    attempts: event.type === 'DeliveryAttempted' ? [...attempts, event] : attempts,
    last_at: event.meta.occurred_at,
  };
};

const toldOf = (document: WebhookDeliveryDocument, is_ended: boolean, last: string | null) => {
  const { endpoint_id, team_id, render_id, seq, event, partition, status_offset, repeats, state, reason } = document;
  const attempts = document.attempts.map(({ n, started_at, duration_ms, succeeded, status, fault }) => ({
    ...{ n, started_at, duration_ms, succeeded, status, fault: fault?.code ?? null },
  }));
  return {
    ...{ endpoint_id, team_id, render_id, seq, event, partition, status_offset, repeats },
    ...(is_ended ? { state, reason, attempts } : {}),
    ...(last === null ? {} : { body_sha256: document.body_sha256 }),
  };
};

export const deliveryDifference = (
  partition: number,
  { delivery, attempts, last_at }: DeliveryFold,
  found: WebhookDeliveryDocument | null,
  now: number,
): Difference | null => {
  const where = `deliveries/${partition}, delivery ${delivery.id}`;
  const { id: _id, stage, reason, attempts: _attempts, ...planned } = delivery;
  const about = { ...planned, partition };
  const ended = isEnded(delivery);
  if (found === null) {
    const over = ended && stage !== 'requested' && stage !== 'pending' && expiryOf(stage, last_at).getTime();
    const is_over = over !== false && over <= now + CLOCKS_DIFFER_MS;
    return is_over || stage === 'requested' ? null : documentDifference(where, about, null);
  }
  const last = attempts.at(-1)?.body_sha256 ?? null;
  const wanted = {
    ...about,
    ...(ended
      ? {
          ...{ state: stage, reason },
          attempts: attempts.map(({ n, started_at, duration_ms, succeeded, status, fault }) => ({
            ...{ n, started_at, duration_ms, succeeded, status, fault },
          })),
        }
      : {}),
    ...(last === null ? {} : { body_sha256: last }),
  };
  return documentDifference(where, wanted, toldOf(found, ended, last));
};

export type VerifyDeliveriesDependencies = {
  readonly records: RecordLog;
  readonly db: ReadStore['db'];
  readonly clock: Clock;
};

type Place = Pick<WebhookDeliveryDocument, '_id' | 'partition'>;

const PLACES = { projection: { partition: 1 } } as const;

async function* storedPlaces(db: ReadStore['db'], ids: ReadonlySet<string> | undefined): AsyncIterable<Place> {
  const { deliveries } = deliveryCollectionsIn(db);
  if (ids === undefined) return yield* deliveries.find<Place>({}, PLACES);
  const all = [...ids];
  for (let begin = 0; begin < all.length; begin += DOCUMENTS_AT_ONCE)
    yield* deliveries.find<Place>({ render_id: { $in: all.slice(begin, begin + DOCUMENTS_AT_ONCE) } }, PLACES);
}

/**
 * Compares the stored deliveries with `webhook-events`, and reports those that are not in the log.
 *
 * @param ids of renders; all if it is omitted
 */
export const verifyDeliveries = async (
  { records, db, clock }: VerifyDeliveriesDependencies,
  { ids, stop }: { readonly ids?: ReadonlySet<string>; readonly stop?: AbortSignal } = {},
): Promise<VerificationResult> => {
  const { deliveries } = deliveryCollectionsIn(db);
  const findings = createFindings();
  const bounds = await records.log.bounds(EVENTS);
  const of_ids = ids === undefined ? null : new Set(Array.from(ids, (id) => partitionOfKey(id, bounds.length)));
  const known = new Set<string>();
  const nexts = new Map<number, number>();

  const eventsOf = async function* (partition: number, from: number, to: number): AsyncIterable<WebhookEvent> {
    for await (const { key, value, offset } of records.log.replay(EVENTS, partition, from, to)) {
      stop?.throwIfAborted();
      nexts.set(partition, offset + 1);
      if (ids !== undefined && !ids.has(key?.toString('utf8') ?? '')) continue;
      const decoded = await records.decode(value);
      if (decoded.tag === 'record' && isWebhookEvent(decoded.record)) yield decoded.record;
    }
  };

  for (const { partition, start, end } of bounds) {
    if (of_ids !== null && !of_ids.has(partition)) continue;
    const logged = new Map<string, DeliveryFold>();
    nexts.set(partition, start);
    const foldOn = async (to: number): Promise<void> => {
      for await (const event of eventsOf(partition, nexts.get(partition) ?? start, to)) {
        const { delivery_id } = event;
        known.add(delivery_id);
        const after = deliveryAfter(logged.get(delivery_id) ?? null, event);
        if (after !== null) logged.set(delivery_id, after);
      }
    };
    await foldOn(end);
    findings.count('deliveries', logged.size);
    let open = [...logged.keys()];
    let differing: Difference[] = [];
    for (let tries = 0; open.length > 0; tries += 1) {
      differing = [];
      const again: string[] = [];
      for (let begin = 0; begin < open.length; begin += DOCUMENTS_AT_ONCE) {
        const part = open.slice(begin, begin + DOCUMENTS_AT_ONCE);
        const found = await deliveries.find({ _id: { $in: part } }).toArray();
        const stored = new Map(found.map((document) => [document._id, document]));
        for (const id of part) {
          const one = logged.get(id);
          if (one === undefined) continue;
          const difference = deliveryDifference(partition, one, stored.get(id) ?? null, clock.now());
          if (difference === null) continue;
          differing.push(difference);
          again.push(id);
        }
      }
      open = again;
      if (open.length === 0 || tries === TRIES) break;
      await clock.sleep(TRY_AGAIN_MS, stop);
      await foldOn((await records.log.bounds(EVENTS)).find((one) => one.partition === partition)?.end ?? end);
    }
    if (open.length > 0) for (const difference of differing) findings.add(difference);
  }

  const unknown = new Map<string, Place>();
  for await (const place of storedPlaces(db, ids)) {
    stop?.throwIfAborted();
    if (!known.has(place._id)) unknown.set(place._id, place);
  }
  // The relay appends to the log first, so the log now has every delivery that was stored meanwhile.
  for (const { partition, end } of unknown.size === 0 ? [] : await records.log.bounds(EVENTS)) {
    const next = nexts.get(partition);
    if (next === undefined) continue;
    for await (const { delivery_id } of eventsOf(partition, next, end)) unknown.delete(delivery_id);
  }
  for (const { _id, partition } of unknown.values())
    findings.add(notInLogDifference(`deliveries/${partition}, delivery ${_id}`));
  return findings.all();
};
