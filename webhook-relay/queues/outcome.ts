import { type RetrySchedule, retryDelayMs } from '../../domain/webhooks/schedule.ts';
import type { PostResult } from '../../platform/outbound/post-result.ts';
import type { WebhookAttempt } from '../../read-models/deliveries/documents.ts';
import type { DeliveryOutcome } from '../../read-models/deliveries/outcome.ts';
import { rescheduledPosition } from '../../read-models/deliveries/waiting.ts';
import type { QueuedDelivery } from './queued-delivery.ts';

const SECONDS = /^\d{1,10}$/;

/** All three date formats (RFC 9110, section 5.6.7) begin with a day name. The third one has no time zone. */
const DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/**
 * Parses `Retry-After`: seconds or a date (RFC 9110, section 10.2.3).
 *
 * @returns ms, 0 for a date in the past; null without a valid header
 */
export const retryAfterMs = (header: string | null, now: number): number | null => {
  const text = header?.trim() ?? '';
  if (SECONDS.test(text)) return Number(text) * 1_000;
  if (!DATE.test(text)) return null;
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
};

const GONE = 410;

export const isGone = (result: PostResult): boolean => result.tag === 'answered' && result.status === GONE;

const hasSucceeded = (status: number): boolean => status >= 200 && status < 300;

const faultOf = (status: number): WebhookAttempt['fault'] => {
  if (hasSucceeded(status)) return null;
  if (status === GONE) return { code: 'gone', message: 'answered 410: the endpoint is gone' };
  if (status >= 300 && status < 400)
    return { code: 'redirect', message: `answered ${status}: redirects are not followed` };
  return { code: 'status', message: `answered ${status}` };
};

const MAX_RESPONSE_BYTES = 20_000;

/** The response as text. It is cut again, because each invalid byte becomes U+FFFD, which has three bytes. */
const textOf = (response: Buffer): string => {
  const text = response.toString('utf8');
  if (Buffer.byteLength(text) <= MAX_RESPONSE_BYTES) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MAX_RESPONSE_BYTES));
  return text.slice(0, read);
};

export const attemptOf = (n: number, started_at: number, result: PostResult): WebhookAttempt => {
  const { duration_ms } = result;
  if (result.tag === 'failed') {
    const { code, message, status } = result;
    return { n, started_at, duration_ms, succeeded: false, status, fault: { code, message }, response: null };
  }
  const { status, response } = result;
  const fault = faultOf(status);
  return { n, started_at, duration_ms, succeeded: fault === null, status, fault, response: textOf(response) };
};

/**
 * The outcome of an attempt. Any 2xx is a success. Anything else is retried, except after the last attempt and after
 * 410.
 *
 * @param chance a random number from 0 to 1
 */
export const outcomeOf = (
  { delivery }: Pick<QueuedDelivery, 'delivery'>,
  attempt: WebhookAttempt,
  result: PostResult,
  schedule: RetrySchedule,
  ended_at: number,
  chance: number,
): DeliveryOutcome => {
  const attempts_before = delivery.attempts.length;
  const about = { delivery_id: delivery._id, attempts_before, attempt };
  if (attempt.succeeded) return { ...about, result: { tag: 'succeeded' } };
  if (isGone(result)) return { ...about, result: { tag: 'exhausted', reason: 'gone' } };
  const asked_ms = result.tag === 'answered' ? retryAfterMs(result.retry_after, ended_at) : null;
  const delay_ms = retryDelayMs(schedule, attempt.n, chance, asked_ms);
  if (delay_ms === null) return { ...about, result: { tag: 'exhausted', reason: 'attempts_failed' } };
  const due_at = ended_at + delay_ms;
  const waiting = rescheduledPosition(delivery.waiting, due_at);
  return { ...about, result: { tag: 'retry', due_at, waiting } };
};

export const skippedOutcome = (
  { delivery }: Pick<QueuedDelivery, 'delivery'>,
  reason: 'deleted' | 'disabled' | 'erased',
): DeliveryOutcome => ({
  delivery_id: delivery._id,
  attempts_before: delivery.attempts.length,
  attempt: null,
  result: { tag: 'skipped', reason },
});
