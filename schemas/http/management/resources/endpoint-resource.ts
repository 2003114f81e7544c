type Endpoint = {
  readonly id: string;
  readonly team_id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly state: string;
  readonly disabled: { readonly since: number; readonly reason: string } | null;
  readonly rotation: { readonly since: number; readonly until: number } | null;
  readonly created_at: number;
  readonly deleted_at: number | null;
};

/** `failing`: deliveries that were given up since the last success; null where there was none. */
export const endpointResource = (
  endpoint: Endpoint,
  failing: { readonly since: number; readonly exhausted: number } | null,
) => {
  const { id, team_id, url, events, state, disabled, rotation, created_at, deleted_at } = endpoint;
  return { id, team_id, url, events, state, disabled, rotation, failing, created_at, deleted_at };
};

type Attempt = {
  readonly n: number;
  readonly started_at: number;
  readonly duration_ms: number;
  readonly succeeded: boolean;
  readonly status: number | null;
  readonly fault: { readonly code: string; readonly message: string } | null;
  readonly response: string | null;
};

type Delivery = {
  readonly id: string;
  readonly endpoint_id: string;
  readonly render_id: string;
  readonly seq: number;
  readonly event: string;
  readonly state: string;
  readonly reason: string | null;
  readonly repeats: string | null;
  readonly repeated_by: string | null;
  readonly planned_at: number;
  readonly next_attempt_at: number | null;
  readonly ended_at: number | null;
  readonly attempts: readonly Attempt[];
};

const UNTOLD = { code: 'failed', message: 'there was no answer; why is not shown by this installation' };

/**
 * What came of an attempt. Where internal addresses may be called, an endpoint could be used to look around in the network:
 * then the status alone is told.
 */
const attemptResource = ({ response, fault, ...attempt }: Attempt, tells_answers: boolean) => {
  if (tells_answers) return { ...attempt, fault, response };
  return { ...attempt, fault: fault === null || attempt.status !== null ? null : UNTOLD, response: null };
};

/** In a list: with the last attempt, without what was answered. */
export const listedDeliveryResource = (
  { attempts, id, endpoint_id, render_id, seq, event, state, reason, repeats, repeated_by, ...times }: Delivery,
  tells_answers: boolean,
) => {
  const last = attempts.at(-1);
  const { response: _, ...last_attempt } =
    last === undefined ? { response: null } : attemptResource(last, tells_answers);
  const { planned_at, next_attempt_at, ended_at } = times;
  return {
    ...{ id, endpoint_id, render_id, seq, event, state, reason, repeats, repeated_by },
    ...{ planned_at, next_attempt_at, ended_at, attempt_count: attempts.length },
    last_attempt: last === undefined ? null : last_attempt,
  };
};

/** By itself: with every attempt. */
export const deliveryResource = (delivery: Delivery, tells_answers: boolean) => ({
  ...listedDeliveryResource(delivery, tells_answers),
  attempts: delivery.attempts.map((attempt) => attemptResource(attempt, tells_answers)),
});
