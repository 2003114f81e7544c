import pLimit from 'p-limit';
import type { WebhookEvent } from '../../domain/webhooks/delivery-events.ts';
import type { RetrySchedule } from '../../domain/webhooks/schedule.ts';
import type { WebhookAttempt, WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { DeliveryOutcome } from '../../read-models/deliveries/outcome.ts';
import { rescheduledPosition } from '../../read-models/deliveries/waiting.ts';
import type { DeliveryStore, Recorder } from '../ports.ts';
import {
  type DeliveryHistory,
  deliveryEndOf,
  historyAfter,
  type LoggedAttempts,
  loggedAttempt,
  nextAttemptDueAt,
  type PlacedEvent,
} from './delivery-history.ts';
import type { KnownDeliveries } from './partition-state.ts';

export type ReconcileDependencies = {
  readonly store: Pick<DeliveryStore, 'delivery'>;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly schedule: RetrySchedule;
};

const MAX_AT_ONCE = 5_000;

const READS_AT_ONCE = 16;

/** Whether the event proves that the delivery has ended, even if the plan of the delivery was not read. */
const isEndOfAttempts = ({ event }: PlacedEvent): boolean =>
  event.type === 'DeliverySucceeded' ||
  event.type === 'DeliveryExhausted' ||
  (event.type === 'DeliveryAttempted' && event.succeeded);

/**
 * The result of an attempt. If the relay was killed before it appended the result, this derives it from the attempt.
 */
const resultOf = (
  delivery: WebhookDeliveryDocument,
  attempt: WebhookAttempt,
  events: readonly WebhookEvent[],
  schedule: RetrySchedule,
): DeliveryOutcome['result'] => {
  if (attempt.succeeded) return { tag: 'succeeded' };
  const exhausted = events.find((event) => event.type === 'DeliveryExhausted' && event.attempts === attempt.n);
  if (exhausted?.type === 'DeliveryExhausted') return { tag: 'exhausted', reason: exhausted.reason };
  const due_at = nextAttemptDueAt(attempt, schedule);
  if (due_at === null) return { tag: 'exhausted', reason: 'attempts_failed' };
  return { tag: 'retry', due_at, waiting: rescheduledPosition(delivery.waiting, due_at) };
};

/** The last of these events decides whether the delivery is sent or skipped. */
const PLANNED_OR_SKIPPED: ReadonlySet<WebhookEvent['type']> = new Set([
  'DeliveryPlanned',
  'DeliveryAttempted',
  'DeliverySkipped',
]);

const missingIn = (
  delivery: WebhookDeliveryDocument,
  events: readonly WebhookEvent[],
  schedule: RetrySchedule,
): DeliveryOutcome | null => {
  const attempts_before = delivery.attempts.length;
  const about = { delivery_id: delivery._id, attempts_before };
  const next = events.find((event) => event.type === 'DeliveryAttempted' && event.n === attempts_before + 1);
  if (next?.type === 'DeliveryAttempted') {
    const attempt = loggedAttempt(next);
    const result = resultOf(delivery, attempt, events, schedule);
    return { ...about, attempt, result };
  }
  // If a plan or an attempt follows the skip, the delivery is sent.
  const last = events.findLast(({ type }) => PLANNED_OR_SKIPPED.has(type));
  if (last?.type !== 'DeliverySkipped') return null;
  const result: DeliveryOutcome['result'] = { tag: 'skipped', reason: last.reason };
  return { ...about, attempt: null, result };
};

const levelOne = async (
  parts: ReconcileDependencies,
  id: string,
  events: readonly WebhookEvent[],
  stop: AbortSignal,
): Promise<boolean> => {
  for (;;) {
    const delivery = await parts.store.delivery(id);
    if (delivery === null) return false;
    const missing = delivery.state === 'pending' ? missingIn(delivery, events, parts.schedule) : null;
    if (missing === null) return true;
    await parts.recorder.record(delivery, missing, stop);
    stop.throwIfAborted();
  }
};

const statusAhead = ({ event }: PlacedEvent, next_status: number): number | null =>
  'status_offset' in event && event.status_offset !== null && event.status_offset >= next_status
    ? event.status_offset
    : null;

const isAhead = (events: readonly PlacedEvent[], next_status: number): boolean =>
  events.some((placed) => placed.event.type === 'DeliveryRequested' || statusAhead(placed, next_status) !== null);

/**
 * Adds to the store what only the log has, after a kill between append and store, or after a restore. Ended deliveries
 * that the store lacks are not planned again.
 * @param events from an offset up to which the store matches the log
 * @param next_status where planning continues
 */
export const reconcile = async (
  parts: ReconcileDependencies,
  events: AsyncIterable<PlacedEvent>,
  next_status: number,
  onEnded: (ended: DeliveryHistory) => Promise<void>,
  stop: AbortSignal,
): Promise<KnownDeliveries> => {
  const settled = new Set<string>();
  const unknown = new Map<string, DeliveryHistory>();
  const is_ahead = new Set<string>();
  const limit = pLimit(READS_AT_ONCE);
  let first_ahead: number | null = null;
  let until_status = 0;
  let together = new Map<string, PlacedEvent[]>();
  let count = 0;

  const levelDelivery = async ([id, placed_events]: readonly [string, readonly PlacedEvent[]]): Promise<void> => {
    stop.throwIfAborted();
    if (isAhead(placed_events, next_status)) is_ahead.add(id);
    const own = placed_events.map(({ event }) => event);
    const history = placed_events.reduce(
      (known, placed) => historyAfter(known, placed, parts.schedule) ?? known,
      unknown.get(id) ?? null,
    );
    const is_stored = await levelOne(parts, id, own, stop);
    const has_ended = history === null ? placed_events.some(isEndOfAttempts) : deliveryEndOf(history) !== null;
    if (!is_stored && !has_ended) {
      if (history !== null) unknown.set(id, history);
      return;
    }
    if (!is_stored && history !== null) await onEnded(history);
    unknown.delete(id);
    if (is_ahead.delete(id)) settled.add(id);
  };
  const level = async (): Promise<void> => {
    await Promise.all(Array.from(together, (one) => limit(levelDelivery, one)));
    together = new Map();
    count = 0;
  };

  for await (const placed of events) {
    const { offset, event } = placed;
    const status = statusAhead(placed, next_status);
    if (status !== null) {
      first_ahead ??= offset;
      until_status = Math.max(until_status, status);
    }
    const placed_events = together.get(event.delivery_id) ?? [];
    placed_events.push(placed);
    together.set(event.delivery_id, placed_events);
    count += 1;
    if (count >= MAX_AT_ONCE) await level();
  }
  await level();
  const logged = new Map<string, LoggedAttempts>();
  for (const [id, { logged: known }] of unknown) if (known !== null) logged.set(id, known);
  return { settled, logged, ahead: first_ahead === null ? null : { from: first_ahead, until_status } };
};
