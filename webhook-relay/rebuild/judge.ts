import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isEventKind } from '../../domain/webhooks/event-kinds.ts';
import type { WebhookAttempt, WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import { deleteAt } from '../../read-models/deliveries/retention.ts';
import { waitingOfText, waitingText } from '../../read-models/deliveries/waiting.ts';
import { listPosition } from '../../read-models/position.ts';
import { type DeliveryHistory, endOf } from '../plan/delivery-history.ts';
import { ORDERS_OF_RECORD } from '../plan/planned-deliveries.ts';
import { documentOf } from '../plan/restore-history.ts';
import type { LoggedDelivery } from './slices.ts';

/** What is to be done about a delivery, for the store to say what the log says. */
export type Verdict =
  | { readonly tag: 'same' }
  /** It has ended. */
  | { readonly tag: 'store'; readonly document: WebhookDeliveryDocument }
  /** It is owed. */
  | { readonly tag: 'plan_again' }
  /** No event tells of it. */
  | { readonly tag: 'remove' };

const SAME: Verdict = { tag: 'same' };
const PLAN_AGAIN: Verdict = { tag: 'plan_again' };

/** The store's time of an end is when it was stored, the log's when it was appended. */
const ENDS_APART_MS = 60_000;

const comparableAttempts = (attempts: readonly WebhookAttempt[]) =>
  attempts.map(({ n, started_at, duration_ms, succeeded, status, fault }) => ({
    ...{ n, started_at, duration_ms, succeeded, status },
    fault: fault?.code ?? null,
  }));

/** What the document of a delivery says that the log says, too, whether or not it has ended. */
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
  const position = waitingOfText(waiting);
  return (
    waiting === waitingText(position) &&
    position.partition === partition &&
    position.endpoint_id === delivery.endpoint_id &&
    Math.floor(position.order / ORDERS_OF_RECORD) === (requested_at ?? delivery.status_offset)
  );
};

/** What was answered, and how a fault is put, is not in the log: it stays where the log tells of the same attempt. */
const withAnswers = (attempts: readonly WebhookAttempt[], stored: readonly WebhookAttempt[]) => {
  const expected = comparableAttempts(attempts);
  const actual = comparableAttempts(stored);
  return attempts.map((attempt, i) => (isDeepStrictEqual(expected[i], actual[i]) ? (stored[i] ?? attempt) : attempt));
};

const judgeEnded = (
  document: WebhookDeliveryDocument | null,
  expected: WebhookDeliveryDocument,
  { history, repeated_by }: LoggedDelivery,
  now: number,
): Verdict => {
  if (document === null) {
    const is_kept = (expected.delete_at?.getTime() ?? 0) > now;
    return is_kept ? { tag: 'store', document: { ...expected, repeated_by: repeated_by[0] ?? null } } : SAME;
  }
  const { state, reason, body, body_sha256, waiting, ended_at, delete_at } = document;
  const is_end_right =
    ended_at !== null &&
    Math.abs(ended_at - (expected.ended_at ?? 0)) <= ENDS_APART_MS &&
    expected.state !== 'pending' &&
    delete_at?.getTime() === deleteAt(expected.state, ended_at).getTime();
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
  const kept = is_end_right ? { ended_at, delete_at: deleteAt(expected.state, ended_at) } : {};
  const by = repeated_by.includes(document.repeated_by) ? document.repeated_by : (repeated_by[0] ?? null);
  const attempts = withAnswers(expected.attempts, document.attempts);
  const hash = expected.body_sha256 ?? body_sha256;
  return { tag: 'store', document: { ...expected, ...kept, attempts, repeated_by: by, body_sha256: hash } };
};

const isOpenRight = (
  document: WebhookDeliveryDocument,
  { history, repeated_by }: LoggedDelivery,
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
 * Compares a delivery of a partition with what the log tells of it. The log does not tell when exactly the next attempt
 * is due, what was answered, or a body that was never sent: of these the store is believed.
 *
 * @param document null where it is not in the store
 * @param logged null where no event tells of it
 * @param now ms since the epoch: what the store would have deleted by now is not stored again
 */
export const judge = (
  document: WebhookDeliveryDocument | null,
  logged: LoggedDelivery | null,
  partition: number,
  now: number,
): Verdict => {
  if (logged === null) return document === null ? SAME : { tag: 'remove' };
  const { history } = logged;
  const { stage, event } = history.delivery;
  // What was asked for is planned when its turn comes.
  if (stage === 'requested' || !isEventKind(event)) return SAME;
  const end = endOf(history);
  if (end === null) return document !== null && isOpenRight(document, logged, partition) ? SAME : PLAN_AGAIN;
  // The relay is about to append the end, or was killed: then whoever opens the partition does.
  if (!end.is_logged) return document === null ? PLAN_AGAIN : SAME;
  const expected = documentOf(history, partition, end);
  return expected === null ? SAME : judgeEnded(document, expected, logged, now);
};
