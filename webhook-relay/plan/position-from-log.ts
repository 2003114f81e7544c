import { type Delivery, evolveDelivery, isEnded } from '../../domain/webhooks/delivery.ts';
import type { WebhookEvent } from '../../domain/webhooks/delivery-events.ts';
import { WEBHOOK_EVENTS } from '../../domain/webhooks/delivery-events.ts';
import type { RetrySchedule } from '../../domain/webhooks/schedule.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { AnyRecord } from '../../schemas/records.ts';
import { begunAfter } from './begun.ts';
import type { Begun } from './delivery-document.ts';
import type { StartingPoint } from './owned-partition.ts';

const TOPIC = 'webhook-events';

/** An event of `webhook-events`, and where it stands. */
export type PlacedEvent = { readonly offset: number; readonly event: WebhookEvent };

export const isWebhookEvent = (record: AnyRecord): record is WebhookEvent => record.type in WEBHOOK_EVENTS;

type Open = {
  readonly delivery: Delivery;
  /** Where it was asked for by hand; null for one that follows from a transition. */
  readonly requested_at: number | null;
  /** Null until it is planned. */
  readonly begun: Begun | null;
};

/** What the log says of one partition: what is open, and how far planning got. */
type Summary = {
  readonly open: ReadonlyMap<string, Open>;
  /** Null where nothing was ever planned. */
  readonly highest_status: number | null;
};

const summaryOf = async (events: AsyncIterable<PlacedEvent>, schedule: RetrySchedule): Promise<Summary> => {
  const open = new Map<string, Open>();
  let highest_status: number | null = null;
  for await (const { offset, event } of events) {
    const before = open.get(event.delivery_id);
    const verdict = evolveDelivery(before?.delivery ?? null, event);
    if (verdict.tag === 'ignored') continue;
    const { delivery } = verdict;
    const begun = begunAfter(before?.begun ?? null, event, schedule);
    const requested_at = event.type === 'DeliveryRequested' ? offset : (before?.requested_at ?? null);
    if (requested_at === null && delivery.status_offset !== null)
      highest_status = Math.max(highest_status ?? 0, delivery.status_offset);
    if (isEnded(delivery)) open.delete(delivery.id);
    else open.set(delivery.id, { delivery, requested_at, begun });
  }
  return { open, highest_status };
};

const begunIn = ({ open }: Summary): ReadonlyMap<string, Begun> =>
  new Map([...open].flatMap(([id, { begun }]) => (begun === null ? [] : [[id, begun] as const])));

const endedFrom = async (
  events: AsyncIterable<PlacedEvent>,
  { open }: Summary,
  from: Pick<StartingPoint, 'next_status' | 'next_request'>,
): Promise<ReadonlySet<string>> => {
  const ended = new Set<string>();
  for await (const { offset, event } of events) {
    // What was only skipped is planned again, so that it can be looked up and made after all.
    if (open.has(event.delivery_id) || !('status_offset' in event) || event.type === 'DeliverySkipped') continue;
    const is_request = event.type === 'DeliveryRequested' && offset >= from.next_request;
    const is_planned = event.status_offset !== null && event.status_offset >= from.next_status;
    if (is_request || is_planned) ended.add(event.delivery_id);
  }
  return ended;
};

/**
 * Where planning goes on when the state was lost: at the first transition and the first request whose deliveries have
 * not all ended. Those that have are named, so that they are not made again.
 *
 * @param events the whole partition of `webhook-events`, from its beginning at every call
 * @param end the offset behind its last record
 * @param first_status where to begin if nothing was ever planned
 */
export const startingPointOf = async (
  events: () => AsyncIterable<PlacedEvent>,
  end: number,
  first_status: number,
  schedule: RetrySchedule,
): Promise<StartingPoint> => {
  const summary = await summaryOf(events(), schedule);
  const { open, highest_status } = summary;
  const of_transitions = [...open.values()].flatMap(({ delivery, requested_at }) =>
    requested_at === null && delivery.status_offset !== null ? [delivery.status_offset] : [],
  );
  const requests = [...open.values()].flatMap(({ requested_at }) => (requested_at === null ? [] : [requested_at]));
  // The last transition that was planned may have been planned in part.
  const last = highest_status ?? first_status;
  const next_status = of_transitions.reduce((lowest, offset) => Math.min(lowest, offset), last);
  const next_request = requests.reduce((lowest, offset) => Math.min(lowest, offset), end);
  const settled = await endedFrom(events(), summary, { next_status, next_request });
  const begun = begunIn(summary);
  const last_planned_at = [...begun.values()].reduce((last_at, { planned_at }) => Math.max(last_at, planned_at), 0);
  return { next_status, next_request, last_planned_at, settled, begun };
};

/** The events of one partition with from <= offset < to. Bytes that are none, or of a later version, are left out. */
export async function* webhookEvents(
  records: RecordLog,
  partition: number,
  from: number,
  to: number,
): AsyncIterable<PlacedEvent> {
  for await (const { offset, value } of records.log.replay(TOPIC, partition, from, to)) {
    const decoded = await records.decode(value);
    if (decoded.tag === 'record' && isWebhookEvent(decoded.record)) yield { offset, event: decoded.record };
  }
}
