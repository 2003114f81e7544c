import pLimit from 'p-limit';
import type { WebhookEvent } from '../../domain/webhooks/delivery-events.ts';
import type { RetrySchedule } from '../../domain/webhooks/schedule.ts';
import type { WebhookAttempt, WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { Outcome } from '../../read-models/deliveries/outcome.ts';
import { waitingAgain } from '../../read-models/deliveries/waiting.ts';
import type { DeliveryStore, Recorder } from '../ports.ts';
import { attemptOf, begunAfter, dueAfter } from './begun.ts';
import type { Begun } from './delivery-document.ts';
import type { StartingPoint } from './owned-partition.ts';
import type { PlacedEvent } from './position-from-log.ts';

export type ReconcileParts = {
  readonly store: Pick<DeliveryStore, 'delivery'>;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly schedule: RetrySchedule;
};

/** Events that are looked at together. */
const MOST_AT_ONCE = 5_000;

/** Deliveries that are read side by side. */
const READS_AT_ONCE = 16;

/** A skip alone is planned again, so that it can be looked up and made after all. */
const isEndOfAttempts = ({ type }: WebhookEvent): boolean =>
  type === 'DeliverySucceeded' || type === 'DeliveryExhausted';

/** What followed an attempt, as the log says, or as it would have: whoever appended it did not get any further. */
const resultOf = (
  delivery: WebhookDeliveryDocument,
  attempt: WebhookAttempt,
  events: readonly WebhookEvent[],
  schedule: RetrySchedule,
): Outcome['result'] => {
  if (attempt.succeeded) return { tag: 'succeeded' };
  const exhausted = events.find((event) => event.type === 'DeliveryExhausted' && event.attempts === attempt.n);
  if (exhausted?.type === 'DeliveryExhausted') return { tag: 'exhausted', reason: exhausted.reason };
  const due_at = dueAfter(attempt, schedule);
  if (due_at === null) return { tag: 'exhausted', reason: 'attempts_failed' };
  return { tag: 'retry', due_at, waiting: waitingAgain(delivery.waiting, due_at) };
};

/** The next thing that the log knows of a pending delivery and the state does not; null where they agree. */
const missingIn = (
  delivery: WebhookDeliveryDocument,
  events: readonly WebhookEvent[],
  schedule: RetrySchedule,
): Outcome | null => {
  const attempts_before = delivery.attempts.length;
  const about = { delivery_id: delivery._id, attempts_before };
  const next = events.find((event) => event.type === 'DeliveryAttempted' && event.n === attempts_before + 1);
  if (next?.type === 'DeliveryAttempted') {
    const attempt = attemptOf(next);
    const result = resultOf(delivery, attempt, events, schedule);
    return { ...about, attempt, result };
  }
  // What was planned after it was skipped is made after all.
  const skipped = events.findLast(({ type }) => type === 'DeliverySkipped' || type === 'DeliveryPlanned');
  if (skipped?.type !== 'DeliverySkipped') return null;
  const result: Outcome['result'] = { tag: 'skipped', reason: skipped.reason };
  return { ...about, attempt: null, result };
};

type Levelled = Pick<StartingPoint, 'settled' | 'begun'>;

const levelOne = async (
  parts: ReconcileParts,
  id: string,
  events: readonly WebhookEvent[],
  stop: AbortSignal,
): Promise<'settled' | 'unknown'> => {
  for (;;) {
    const delivery = await parts.store.delivery(id);
    if (delivery === null) return events.some(isEndOfAttempts) ? 'settled' : 'unknown';
    const missing = delivery.state === 'pending' ? missingIn(delivery, events, parts.schedule) : null;
    if (missing === null) return 'settled';
    await parts.recorder.record(delivery, missing, stop);
    stop.throwIfAborted();
  }
};

/** Whether planning from there on could come upon the delivery again. */
const isAhead = (events: readonly WebhookEvent[], next_status: number): boolean =>
  events.some(
    (event) =>
      event.type === 'DeliveryRequested' ||
      ('status_offset' in event && event.status_offset !== null && event.status_offset >= next_status),
  );

/**
 * Brings the state level with the log, which knows more where a relay was killed between the two, or where the state
 * was restored from a backup. What is missing in the state and has ended is not to be planned again.
 *
 * @param events of the partition, from where the state was surely level with it
 * @param next_status where planning goes on
 */
export const reconcile = async (
  parts: ReconcileParts,
  events: AsyncIterable<PlacedEvent>,
  next_status: number,
  stop: AbortSignal,
): Promise<Levelled> => {
  const settled = new Set<string>();
  const begun = new Map<string, Begun>();
  /** Not settled yet. */
  const ahead = new Set<string>();
  const limit = pLimit(READS_AT_ONCE);
  let together = new Map<string, WebhookEvent[]>();
  let count = 0;

  const levelThem = async ([id, its]: readonly [string, readonly WebhookEvent[]]): Promise<void> => {
    stop.throwIfAborted();
    const found = await levelOne(parts, id, its, stop);
    const before = begun.get(id) ?? null;
    if (isAhead(its, next_status)) ahead.add(id);
    if (found === 'settled') {
      begun.delete(id);
      if (ahead.delete(id)) settled.add(id);
      return;
    }
    const after = its.reduce((known, event) => begunAfter(known, event, parts.schedule), before);
    if (after !== null) begun.set(id, after);
  };
  const level = async (): Promise<void> => {
    await Promise.all(Array.from(together, (one) => limit(levelThem, one)));
    together = new Map();
    count = 0;
  };

  for await (const { event } of events) {
    const its = together.get(event.delivery_id) ?? [];
    its.push(event);
    together.set(event.delivery_id, its);
    count += 1;
    if (count >= MOST_AT_ONCE) await level();
  }
  await level();
  return { settled, begun };
};
