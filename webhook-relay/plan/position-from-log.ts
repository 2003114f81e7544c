import { LRUCache } from 'lru-cache';
import type { WebhookEvent } from '../../domain/webhooks/delivery-events.ts';
import { WEBHOOK_EVENTS } from '../../domain/webhooks/delivery-events.ts';
import type { RetrySchedule } from '../../domain/webhooks/schedule.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import { traceOf } from '../../platform/event-log/trace.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { AnyRecord } from '../../schemas/any-record.ts';
import {
  type DeliveryHistory,
  endOf,
  historyAfter,
  type LoggedAttempts,
  type PlacedEvent,
} from './delivery-history.ts';
import type { StartingPoint } from './owned-partition.ts';
import type { KnownDeliveries } from './partition-state.ts';

const TOPIC = 'webhook-events';

/** Ended deliveries that are remembered: two relays at once may have appended further events. */
const MAX_REMEMBERED = 10_000;

export const isWebhookEvent = (record: AnyRecord): record is WebhookEvent => record.type in WEBHOOK_EVENTS;

/** Folds a partition from its beginning. It keeps open deliveries and the latest ended ones. */
const historiesOf = (schedule: RetrySchedule, isKept: (delivery_id: string) => boolean) => {
  const open = new Map<string, DeliveryHistory>();
  const ended = new LRUCache<string, DeliveryHistory>({ max: MAX_REMEMBERED });
  return {
    open,
    /** The delivery after an event; null if the fold ignores it. */
    take: (placed: PlacedEvent): DeliveryHistory | null => {
      const id = placed.event.delivery_id;
      const after = historyAfter(open.get(id) ?? ended.get(id) ?? null, placed, schedule);
      if (after === null) return null;
      if (endOf(after)?.is_logged === true && !isKept(id)) {
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

/** Deliveries that seem open after one pass over a partition, and the progress of planning. */
type Summary = {
  readonly open: ReadonlyMap<string, DeliveryHistory>;
  /** Null if nothing was planned. */
  readonly highest_status: number | null;
  /** Time of the latest plan, ms since the epoch. */
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

/** The result of the first pass over a partition: where planning continues, and deliveries for the second pass. */
export type PositionFromLog = Pick<StartingPoint, 'next_status' | 'next_request' | 'last_planned_at'> & {
  /** Deliveries that seem open. */
  readonly open: ReadonlySet<string>;
  /** Offset of the last planned transition in `render-status`; null if nothing was planned. */
  readonly highest_status: number | null;
};

/**
 * The position of a partition whose state was lost: the first transition and the first request with deliveries that have
 * not ended.
 *
 * @param events the whole partition of `webhook-events`
 * @param end the offset after its last record
 * @param first_status the position if nothing was planned
 */
export const positionFromLog = async (
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
    // The last transition may be planned only in part.
    next_status: lowest(of_transitions, highest_status ?? first_status),
    next_request: lowest(requests, end),
    last_planned_at,
    open: new Set(open.keys()),
    highest_status,
  };
};

/**
 * Deliveries of the log from a position on. The ids of ended ones are returned, so they are not sent again. All ended
 * deliveries of the partition go to `onEnded`, which restores the history.
 *
 * @param events the whole partition of `webhook-events`, once more
 * @param onEnded called for each ended delivery, roughly in the order of the ends. If a delivery continued after its end,
 * it is called again
 */
export const knownFromLog = async (
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

  // A delivery that looks open may have ended: its end can lie earlier in the log than a duplicate event. So it stays in
  // memory until the whole log is read.
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
    if (endOf(history) !== null) await noteEnded(history);
    else if (history.logged !== null) logged.set(id, history.logged);
  }
  const ahead = first_ahead === null ? null : { from: first_ahead, until_status: highest_status ?? 0 };
  return { settled, logged, ahead };
};

/**
 * The event of a record; null if the record is no event of this topic.
 *
 * @param if_unknown for a record of a later version
 */
export const placedEvent = async (
  records: Pick<RecordLog, 'decode'>,
  { offset, value, headers }: Pick<LogRecord, 'offset' | 'value' | 'headers'>,
  if_unknown: 'leave_out' | 'throw',
): Promise<PlacedEvent | null> => {
  const decoded = await records.decode(value);
  if (decoded.tag === 'record' && isWebhookEvent(decoded.record))
    return { offset, event: decoded.record, trace: traceOf(headers) };
  if (decoded.tag === 'unknown' && if_unknown === 'throw')
    throw new Error(`offset ${offset} of ${TOPIC} cannot be read by this version: ${decoded.reason}`);
  return null;
};

/**
 * The events of one partition with from <= offset < to. Other records and records of a later version are left out. Rejects
 * once `stop` aborts.
 */
export async function* webhookEvents(
  records: RecordLog,
  partition: number,
  from: number,
  to: number,
  stop: AbortSignal,
): AsyncIterable<PlacedEvent> {
  for await (const record of records.log.replay(TOPIC, partition, from, to)) {
    stop.throwIfAborted();
    const placed = await placedEvent(records, record, 'leave_out');
    if (placed !== null) yield placed;
  }
}
