import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isEventKind } from '../../domain/webhooks/event-kinds.ts';
import type { WebhookAttempt, WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import { expiryOf } from '../../read-models/deliveries/retention.ts';
import { parseQueuePosition, queuePositionText } from '../../read-models/deliveries/waiting.ts';
import { listPosition } from '../../read-models/position.ts';
import { type DeliveryHistory, deliveryEndOf } from '../plan/delivery-history.ts';
import { POSITIONS_PER_RECORD } from '../plan/planned-deliveries.ts';
import { documentOf } from '../plan/restore-history.ts';
import type { SliceDelivery } from './slices.ts';

export type CorrectionVerdict =
  | { readonly tag: 'same' }
  | { readonly tag: 'store'; readonly document: WebhookDeliveryDocument }
  | { readonly tag: 'plan_again' }
  | { readonly tag: 'remove' };

const SAME: CorrectionVerdict = { tag: 'same' };
const PLAN_AGAIN: CorrectionVerdict = { tag: 'plan_again' };

/**
 * The end of a delivery may differ by this much between store and log. The store has the time of storing, the log the
 * time of the append.
 */
const ENDS_APART_MS = 60_000;

const comparableAttempts = (attempts: readonly WebhookAttempt[]) =>
  attempts.map(({ n, started_at, duration_ms, succeeded, status, fault }) => ({
    ...{ n, started_at, duration_ms, succeeded, status },
    fault: fault?.code ?? null,
  }));

const aboutOf = (document: WebhookDeliveryDocument) => {
  const { endpoint_id, team_id, render_id, seq, event, partition, status_offset, repeats } = document;
  const { planned_at, timestamp, by_endpoint, attempts } = document;
  const about = { endpoint_id, team_id, render_id, seq, event, partition, status_offset, repeats };
  return { ...about, planned_at, timestamp, by_endpoint, attempts: comparableAttempts(attempts) };
};

const aboutIn = ({ delivery, logged, last_at }: DeliveryHistory, partition: number) => {
  const { id, endpoint_id, team_id, render_id, seq, event, status_offset, repeats } = delivery;
  const planned_at = logged?.planned_at ?? last_at;
  const about = { endpoint_id, team_id, render_id, seq, event, partition, status_offset, repeats };
  const by_endpoint = `${endpoint_id}/${listPosition(planned_at, id)}`;
  return {
    ...about,
    planned_at,
    timestamp: planned_at,
    by_endpoint,
    attempts: comparableAttempts(logged?.attempts ?? []),
  };
};

const hashOf = (body: string): string => createHash('sha256').update(body, 'utf8').digest('hex');

const isWaitingRight = ({ waiting = '' }: WebhookDeliveryDocument, history: DeliveryHistory, partition: number) => {
  const { delivery, requested_at } = history;
  const position = parseQueuePosition(waiting);
  return (
    waiting === queuePositionText(position) &&
    position.partition === partition &&
    position.endpoint_id === delivery.endpoint_id &&
    Math.floor(position.order / POSITIONS_PER_RECORD) === (requested_at ?? delivery.status_offset)
  );
};

/** The attempts of the log, with the stored answers and fault texts, which the log lacks. */
const withAnswers = (attempts: readonly WebhookAttempt[], stored: readonly WebhookAttempt[]) => {
  const expected = comparableAttempts(attempts);
  const actual = comparableAttempts(stored);
  return attempts.map((attempt, i) => (isDeepStrictEqual(expected[i], actual[i]) ? (stored[i] ?? attempt) : attempt));
};

const judgeEnded = (
  document: WebhookDeliveryDocument | null,
  expected: WebhookDeliveryDocument,
  { history, repeated_by }: SliceDelivery,
  now: number,
): CorrectionVerdict => {
  if (document === null) {
    const is_kept = (expected.delete_at?.getTime() ?? 0) > now;
    return is_kept ? { tag: 'store', document: { ...expected, repeated_by: repeated_by[0] ?? null } } : SAME;
  }
  const { state, reason, body, body_sha256, waiting, ended_at, delete_at } = document;
  const is_end_right =
    ended_at !== null &&
    Math.abs(ended_at - (expected.ended_at ?? 0)) <= ENDS_APART_MS &&
    expected.state !== 'pending' &&
    delete_at?.getTime() === expiryOf(expected.state, ended_at).getTime();
  const is_same =
    state === expected.state &&
    reason === expected.reason &&
    body === null &&
    waiting === undefined &&
    (expected.body_sha256 === null || body_sha256 === expected.body_sha256) &&
    is_end_right &&
    repeated_by.includes(document.repeated_by) &&
    isDeepStrictEqual(aboutOf(document), aboutIn(history, document.partition));
  if (is_same && document.partition === expected.partition) return SAME;
  const kept = is_end_right ? { ended_at, delete_at: expiryOf(expected.state, ended_at) } : {};
  const by = repeated_by.includes(document.repeated_by) ? document.repeated_by : (repeated_by[0] ?? null);
  const attempts = withAnswers(expected.attempts, document.attempts);
  const hash = expected.body_sha256 ?? body_sha256;
  return { tag: 'store', document: { ...expected, ...kept, attempts, repeated_by: by, body_sha256: hash } };
};

const isOpenRight = (
  document: WebhookDeliveryDocument,
  { history, repeated_by }: SliceDelivery,
  partition: number,
): boolean =>
  document.state === 'pending' &&
  document.reason === null &&
  document.ended_at === null &&
  document.delete_at === undefined &&
  document.body !== null &&
  document.body_sha256 === hashOf(document.body) &&
  (history.body_sha256 === null || history.body_sha256 === document.body_sha256) &&
  repeated_by.includes(document.repeated_by) &&
  isWaitingRight(document, history, partition) &&
  isDeepStrictEqual(aboutOf(document), aboutIn(history, partition));

/**
 * Compares a stored delivery with the log. The log lacks exact due times, answers, and bodies that were never sent, so
 * the store's values of these count.
 *
 * @param document null if the store lacks it
 * @param logged null if the log has no event of it
 */
export const compareWithLog = (
  document: WebhookDeliveryDocument | null,
  logged: SliceDelivery | null,
  partition: number,
  now: number,
): CorrectionVerdict => {
  if (logged === null) return document === null ? SAME : { tag: 'remove' };
  const { history } = logged;
  const { stage, event } = history.delivery;
  // A request that is not planned yet: planning will reach it.
  if (stage === 'requested' || !isEventKind(event)) return SAME;
  const end = deliveryEndOf(history);
  if (end === null) return document !== null && isOpenRight(document, logged, partition) ? SAME : PLAN_AGAIN;
  // The end is not in the log yet: the relay is about to append it. If it was killed, the next owner of the partition
  // appends the end.
  if (!end.is_logged) return document === null ? PLAN_AGAIN : SAME;
  const expected = documentOf(history, partition, end);
  return expected === null ? SAME : judgeEnded(document, expected, logged, now);
};
