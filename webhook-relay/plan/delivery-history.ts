import { type Delivery, evolveDelivery } from '../../domain/webhooks/delivery.ts';
import type { DeliveryAttempted, WebhookEvent } from '../../domain/webhooks/delivery-events.ts';
import { MAX_DELIVERY_ATTEMPTS, type RetrySchedule, retryDelayMs } from '../../domain/webhooks/schedule.ts';
import type { WebhookAttempt, WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';

export type LoggedAttempts = {
  readonly planned_at: number;
  readonly attempts: readonly WebhookAttempt[];
  readonly due_at: number | null;
};

/** An attempt as the log has it, without the endpoint's answer. */
export const loggedAttempt = (event: DeliveryAttempted): WebhookAttempt => {
  const { n, started_at, duration_ms, succeeded, status, fault } = event;
  const faultDetails = fault === null ? null : { code: fault, message: fault };
  return { n, started_at, duration_ms, succeeded, status, fault: faultDetails, response: null };
};

export const nextAttemptDueAt = (
  { n, started_at, duration_ms }: WebhookAttempt,
  schedule: RetrySchedule,
): number | null => {
  const delay_ms = retryDelayMs(schedule, n, 0, null);
  return delay_ms === null ? null : started_at + duration_ms + delay_ms;
};

/** The attempts after an event; null until the delivery is planned. */
export const loggedAttemptsAfter = (
  logged: LoggedAttempts | null,
  event: WebhookEvent,
  schedule: RetrySchedule,
): LoggedAttempts | null => {
  if (logged === null) {
    const is_planned = event.type === 'DeliveryPlanned' || event.type === 'DeliverySkipped';
    return is_planned ? { planned_at: event.meta.occurred_at, attempts: [], due_at: null } : null;
  }
  if (event.type !== 'DeliveryAttempted' || event.n !== logged.attempts.length + 1) return logged;
  const attempt = loggedAttempt(event);
  return { ...logged, attempts: [...logged.attempts, attempt], due_at: nextAttemptDueAt(attempt, schedule) };
};

export type PlacedEvent = {
  readonly offset: number;
  readonly event: WebhookEvent;
  readonly trace: Pick<WebhookDeliveryDocument, 'traceparent'>;
};

export type DeliveryHistory = {
  readonly delivery: Delivery;
  readonly requested_at: number | null;
  readonly logged: LoggedAttempts | null;
  readonly body_sha256: string | null;
  readonly last_at: number;
  readonly trace: PlacedEvent['trace'];
};

export type DeliveryEnd = {
  readonly state: 'succeeded' | 'exhausted' | 'skipped';
  readonly reason: string | null;
  readonly ended_at: number;
  /**
   * False if the log has no end event, and the end follows only from the last attempt: the relay was killed in between.
   */
  readonly is_logged: boolean;
};

export const historyAfter = (
  before: DeliveryHistory | null,
  { offset, event, trace }: PlacedEvent,
  schedule: RetrySchedule,
): DeliveryHistory | null => {
  const verdict = evolveDelivery(before?.delivery ?? null, event);
  if (verdict.tag === 'ignored') return null;
  return {
    delivery: verdict.delivery,
    requested_at: event.type === 'DeliveryRequested' ? offset : (before?.requested_at ?? null),
    logged: loggedAttemptsAfter(before?.logged ?? null, event, schedule),
    body_sha256: event.type === 'DeliveryAttempted' ? event.body_sha256 : (before?.body_sha256 ?? null),
    last_at: event.meta.occurred_at,
    trace: trace.traceparent === undefined ? (before?.trace ?? {}) : trace,
  };
};

export const deliveryEndOf = ({ delivery, logged, last_at }: DeliveryHistory): DeliveryEnd | null => {
  const { stage, reason } = delivery;
  if (stage !== 'requested' && stage !== 'pending') return { state: stage, reason, ended_at: last_at, is_logged: true };
  const last = logged?.attempts.at(-1);
  if (last === undefined) return null;
  const ended = { ended_at: last.started_at + last.duration_ms, is_logged: false } as const;
  if (last.succeeded) return { state: 'succeeded', reason: null, ...ended };
  return last.n < MAX_DELIVERY_ATTEMPTS ? null : { state: 'exhausted', reason: 'attempts_failed', ...ended };
};
