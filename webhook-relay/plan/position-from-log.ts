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

/** Deliveries that have ended and are remembered for a while: relays that met may have appended more about them. */
const MAX_REMEMBERED = 10_000;

export const isWebhookEvent = (record: AnyRecord): record is WebhookEvent => record.type in WEBHOOK_EVENTS;

/** Folds a partition from its beginning; remembers what is open, and of what has ended the latest. */
const historiesOf = (schedule: RetrySchedule, isKept: (delivery_id: string) => boolean) => {
  const open = new Map<string, DeliveryHistory>();
  const ended = new LRUCache<string, DeliveryHistory>({ max: MAX_REMEMBERED });
  return {
    open,
    /** The delivery as it is after an event; null where the fold ignores it. */
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

/** What the log says of one partition: what seems to be open, and how far planning got. */
type Summary = {
  readonly open: ReadonlyMap<string, DeliveryHistory>;
  /** Null where nothing was ever planned. */
  readonly highest_status: number | null;
  /** Of the latest delivery, ms since the epoch. */
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

/** What one pass over a partition tells: where planning goes on, and what there is to be looked at once more. */
export type PositionFromLog = Pick<StartingPoint, 'next_status' | 'next_request' | 'last_planned_at'> & {
  /** Deliveries that seem to be open. */
  readonly open: ReadonlySet<string>;
  /** Of the last transition that was planned, in `render-status`; null where nothing was ever planned. */
  readonly highest_status: number | null;
};

/**
 * Where planning goes on when the state was lost: at the first transition and the first request whose deliveries have
 * not all ended.
 *
 * @param events the whole partition of `webhook-events`
 * @param end the offset behind its last record
 * @param first_status where to begin if nothing was ever planned
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
    // The last transition that was planned may have been planned in part.
    next_status: lowest(of_transitions, highest_status ?? first_status),
    next_request: lowest(requests, end),
    last_planned_at,
    open: new Set(open.keys()),
    highest_status,
  };
};

/**
 * What the log knows of deliveries from a position on. Those that have ended are named, so that they are not made again;
 * all of the partition that have are told, so that they are shown.
 *
 * @param events the whole partition of `webhook-events`, once more
 * @param onEnded told of each delivery that has ended, about in the order in which they did; of one that was taken up
 * again after its end, once more
 */
export const knownFromLog = async (
  events: AsyncIterable<PlacedEvent>,
  { next_status, next_request, open: seems_open, highest_status }: PositionFromLog,
  schedule: RetrySchedule,
  onEnded: (ended: DeliveryHistory) => Promise<void>,
): Promise<KnownDeliveries> => {
  const settled = new Set<string>();
  let first_ahead: number | null = null;

  const tell = async (history: DeliveryHistory): Promise<void> => {
    const { delivery, requested_at } = history;
    const is_request = requested_at !== null && requested_at >= next_request;
    const is_planned = delivery.status_offset !== null && delivery.status_offset >= next_status;
    if (is_request || is_planned) settled.add(delivery.id);
    await onEnded(history);
  };

  // What seems to be open is not forgotten this time: it may have ended long before something was appended once more.
  const { open, take } = historiesOf(schedule, (id) => seems_open.has(id));
  for await (const placed of events) {
    const { offset, event } = placed;
    if ('status_offset' in event && event.status_offset !== null && event.status_offset >= next_status)
      first_ahead ??= offset;
    const after = take(placed);
    if (after !== null && !open.has(event.delivery_id)) await tell(after);
  }
  const logged = new Map<string, LoggedAttempts>();
  for (const [id, history] of open) {
    if (endOf(history) !== null) await tell(history);
    else if (history.logged !== null) logged.set(id, history.logged);
  }
  const ahead = first_ahead === null ? null : { from: first_ahead, until_status: highest_status ?? 0 };
  return { settled, logged, ahead };
};

/**
 * The event of a record; null where its bytes are none.
 *
 * @param if_unknown what to do about a record of a later version
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
 * The events of one partition with from <= offset < to. Bytes that are none, or of a later version, are left out. Rejects
 * once `stop` aborts: nobody waits for it any more, and the partition may be read by its next owner.
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
