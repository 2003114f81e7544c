import { LRUCache } from 'lru-cache';
import type { WebhookEvent } from '../../domain/webhooks/delivery-events.ts';
import { WEBHOOK_EVENTS } from '../../domain/webhooks/delivery-events.ts';
import type { RetrySchedule } from '../../domain/webhooks/schedule.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import { traceHeaders } from '../../platform/event-log/trace.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { AnyRecord } from '../../schemas/any-record.ts';
import {
  type DeliveryHistory,
  deliveryEndOf,
  historyAfter,
  type LoggedAttempts,
  type PlacedEvent,
} from './delivery-history.ts';
import type { StartingPoint } from './owned-partition.ts';
import type { KnownDeliveries } from './partition-state.ts';

const TOPIC = 'webhook-events';

/** The number of ended deliveries that are remembered: two relays at once may have appended events after an end. */
const MAX_REMEMBERED = 10_000;

export const isWebhookEvent = (record: AnyRecord): record is WebhookEvent => record.type in WEBHOOK_EVENTS;

/** Folds events into histories. Keeps those of open deliveries and of the latest ended ones. */
const historiesOf = (schedule: RetrySchedule, isKept: (delivery_id: string) => boolean) => {
  const open = new Map<string, DeliveryHistory>();
  const ended = new LRUCache<string, DeliveryHistory>({ max: MAX_REMEMBERED });
  return {
    open,
    take: (placed: PlacedEvent): DeliveryHistory | null => {
      const id = placed.event.delivery_id;
      const after = historyAfter(open.get(id) ?? ended.get(id) ?? null, placed, schedule);
      if (after === null) return null;
      if (deliveryEndOf(after)?.is_logged === true && !isKept(id)) {
        open.delete(id);
        ended.set(id, after);
      } else {
        open.set(id, after);
        ended.delete(id);
      }
      return after;
    },
  };
};

type Summary = {
  readonly open: ReadonlyMap<string, DeliveryHistory>;
  readonly highest_status: number | null;
  readonly last_planned_at: number;
};

const summaryOf = async (events: AsyncIterable<PlacedEvent>, schedule: RetrySchedule): Promise<Summary> => {
  const { open, take } = historiesOf(schedule, () => false);
  let highest_status: number | null = null;
  let last_planned_at = 0;
  for await (const placed of events) {
    const after = take(placed);
    if (after === null) continue;
    const { delivery, requested_at, logged } = after;
    if (requested_at === null && delivery.status_offset !== null)
      highest_status = Math.max(highest_status ?? 0, delivery.status_offset);
    last_planned_at = Math.max(last_planned_at, logged?.planned_at ?? 0);
  }
  return { open, highest_status, last_planned_at };
};

const lowest = (offsets: readonly number[], else_offset: number): number =>
  offsets.reduce((low, offset) => Math.min(low, offset), else_offset);

/** Result of the first pass: where planning continues, and which deliveries the second pass reads. */
export type PositionFromLog = Pick<StartingPoint, 'next_status' | 'next_request' | 'last_planned_at'> & {
  readonly open: ReadonlySet<string>;
  readonly highest_status: number | null;
};

/**
 * First pass: where planning continues in a partition whose state was lost. This is the first transition and the first
 * request with an open delivery.
 *
 * @param events the whole partition of `webhook-events`
 * @param first_status the position if nothing was planned
 */
export const readPositionFromLog = async (
  events: AsyncIterable<PlacedEvent>,
  end: number,
  first_status: number,
  schedule: RetrySchedule,
): Promise<PositionFromLog> => {
  const { open, highest_status, last_planned_at } = await summaryOf(events, schedule);
  const of_transitions = [...open.values()].flatMap(({ delivery, requested_at }) =>
    requested_at === null && delivery.status_offset !== null ? [delivery.status_offset] : [],
  );
  const requests = [...open.values()].flatMap(({ requested_at }) => (requested_at === null ? [] : [requested_at]));
  return {
    // Begins at the last transition even if no delivery is open, because it may be planned only partly.
    next_status: lowest(of_transitions, highest_status ?? first_status),
    next_request: lowest(requests, end),
    last_planned_at,
    open: new Set(open.keys()),
    highest_status,
  };
};

/**
 * Second pass: the deliveries that planning will reach again from a position on. Ended ones go into `settled`, so that
 * they are not sent again.
 *
 * @param events the whole partition of `webhook-events`, once more
 * @param onEnded called roughly in the order of the ends; again if the delivery continued after its end
 */
export const readKnownDeliveries = async (
  events: AsyncIterable<PlacedEvent>,
  { next_status, next_request, open: seems_open, highest_status }: PositionFromLog,
  schedule: RetrySchedule,
  onEnded: (ended: DeliveryHistory) => Promise<void>,
): Promise<KnownDeliveries> => {
  const settled = new Set<string>();
  let first_ahead: number | null = null;

  const noteEnded = async (history: DeliveryHistory): Promise<void> => {
    const { delivery, requested_at } = history;
    const is_request = requested_at !== null && requested_at >= next_request;
    const is_planned = delivery.status_offset !== null && delivery.status_offset >= next_status;
    if (is_request || is_planned) settled.add(delivery.id);
    await onEnded(history);
  };

  // A delivery that looked open after the first pass may have ended, because a duplicate event may follow its end. So
  // its history is kept until the whole log is read.
  const { open, take } = historiesOf(schedule, (id) => seems_open.has(id));
  for await (const placed of events) {
    const { offset, event } = placed;
    if ('status_offset' in event && event.status_offset !== null && event.status_offset >= next_status)
      first_ahead ??= offset;
    const after = take(placed);
    if (after !== null && !open.has(event.delivery_id)) await noteEnded(after);
  }
  const logged = new Map<string, LoggedAttempts>();
  for (const [id, history] of open) {
    if (deliveryEndOf(history) !== null) await noteEnded(history);
    else if (history.logged !== null) logged.set(id, history.logged);
  }
  const ahead = first_ahead === null ? null : { from: first_ahead, until_status: highest_status ?? 0 };
  return { settled, logged, ahead };
};

/**
 * Decodes a record; null if it is not an event of this topic.
 *
 * @param if_unknown what to do with a record of a later version
 */
export const decodePlacedEvent = async (
  records: Pick<RecordLog, 'decode'>,
  { offset, value, headers }: Pick<LogRecord, 'offset' | 'value' | 'headers'>,
  if_unknown: 'leave_out' | 'throw',
): Promise<PlacedEvent | null> => {
  const decoded = await records.decode(value);
  if (decoded.tag === 'record' && isWebhookEvent(decoded.record))
    return { offset, event: decoded.record, trace: traceHeaders(headers) };
  if (decoded.tag === 'unknown' && if_unknown === 'throw')
    throw new Error(`offset ${offset} of ${TOPIC} cannot be read by this version: ${decoded.reason}`);
  return null;
};

/** Events with from <= offset < to. Skips other records and later versions. Rejects once `stop` aborts. */
export async function* webhookEvents(
  records: RecordLog,
  partition: number,
  from: number,
  to: number,
  stop: AbortSignal,
): AsyncIterable<PlacedEvent> {
  for await (const record of records.log.replay(TOPIC, partition, from, to)) {
    stop.throwIfAborted();
    const placed = await decodePlacedEvent(records, record, 'leave_out');
    if (placed !== null) yield placed;
  }
}
