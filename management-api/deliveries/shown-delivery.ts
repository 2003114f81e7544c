import type { DeliveryView } from '../../catalogue/delivery-answers.ts';
import type { ListedDelivery, LoggedDelivery } from '../../schemas/http/management/deliveries.ts';

type Delivery = Omit<DeliveryView, 'team_id' | 'body_sha256'>;
type Attempt = Delivery['attempts'][number];

const HIDDEN = { code: 'failed', message: 'no answer; this installation does not show the reason' };

/**
 * Hides answers and faults if endpoints may have internal addresses: with these, a person could explore the internal
 * network.
 */
const shownAttempt = (
  { response, fault, ...attempt }: Attempt,
  tells_answers: boolean,
): LoggedDelivery['attempts'][number] => {
  if (tells_answers) return { ...attempt, fault, response };
  return { ...attempt, fault: fault === null || attempt.status !== null ? null : HIDDEN, response: null };
};

export const listedDelivery = ({ attempts, ...delivery }: Delivery, tells_answers: boolean): ListedDelivery => {
  const { id, endpoint_id, render_id, seq, event, state, reason, repeats, repeated_by } = delivery;
  const { planned_at, next_attempt_at, ended_at } = delivery;
  const last = attempts.at(-1);
  const lastAttempt = (attempt: Attempt) => {
    const { response: _, ...shown } = shownAttempt(attempt, tells_answers);
    return shown;
  };
  return {
    ...{ id, endpoint_id, render_id, seq, event, state, reason, repeats, repeated_by },
    ...{ planned_at, next_attempt_at, ended_at, attempt_count: attempts.length },
    last_attempt: last === undefined ? null : lastAttempt(last),
  };
};

/** The members that only a single delivery has. */
export type DeliveryRequest = Pick<LoggedDelivery, 'endpoint_url' | 'body' | 'body_sha256' | 'timestamp'>;

export const loggedDelivery = (
  delivery: Delivery,
  request: DeliveryRequest,
  tells_answers: boolean,
): LoggedDelivery => ({
  ...listedDelivery(delivery, tells_answers),
  attempts: delivery.attempts.map((attempt) => shownAttempt(attempt, tells_answers)),
  ...request,
});
