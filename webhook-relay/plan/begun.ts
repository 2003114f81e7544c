import type { DeliveryAttempted, WebhookEvent } from '../../domain/webhooks/delivery-events.ts';
import { delayAfter, type RetrySchedule } from '../../domain/webhooks/schedule.ts';
import type { WebhookAttempt } from '../../read-models/deliveries/documents.ts';

/** A delivery that was planned before, of which only the log knows any more. */
export type Begun = {
  /** Milliseconds since the epoch. */
  readonly planned_at: number;
  readonly attempts: readonly WebhookAttempt[];
  /** When the next attempt is due, ms; null before the first one. */
  readonly due_at: number | null;
};

/** An attempt, as far as the log tells of it: what was answered is not in the log. */
export const attemptOf = (event: DeliveryAttempted): WebhookAttempt => {
  const { n, started_at, duration_ms, succeeded, status, fault } = event;
  const told = fault === null ? null : { code: fault, message: fault };
  return { n, started_at, duration_ms, succeeded, status, fault: told, response: null };
};

/** When the attempt after that one is due, ms since the epoch; null where it was the last. */
export const dueAfter = ({ n, started_at, duration_ms }: WebhookAttempt, schedule: RetrySchedule): number | null => {
  const delay_ms = delayAfter(schedule, n, 0, null);
  return delay_ms === null ? null : started_at + duration_ms + delay_ms;
};

/** What the log knows of a delivery after one more event about it. */
export const begunAfter = (begun: Begun | null, event: WebhookEvent, schedule: RetrySchedule): Begun | null => {
  if (begun === null) {
    const is_planned = event.type === 'DeliveryPlanned' || event.type === 'DeliverySkipped';
    return is_planned ? { planned_at: event.meta.occurred_at, attempts: [], due_at: null } : null;
  }
  if (event.type !== 'DeliveryAttempted' || event.n !== begun.attempts.length + 1) return begun;
  const attempt = attemptOf(event);
  return { ...begun, attempts: [...begun.attempts, attempt], due_at: dueAfter(attempt, schedule) };
};
