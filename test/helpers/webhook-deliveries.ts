import { createHash } from 'node:crypto';
import type { WebhookAttempt, WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { DeliveryOutcome } from '../../read-models/deliveries/outcome.ts';
import { queuePositionText } from '../../read-models/deliveries/waiting.ts';
import { listPosition } from '../../read-models/position.ts';

export type Wanted = {
  readonly partition?: number;
  readonly endpoint_id?: string;
  /** Time of planning, ms. The delivery is due at the same time. */
  readonly planned_at?: number;
  readonly body?: string;
};

/** A planned delivery; `n` distinguishes it from others and gives its order. */
export const delivery = (n: number, wanted: Wanted = {}): WebhookDeliveryDocument => {
  const { partition = 0, endpoint_id = 'whe_1', planned_at = 1_763_700_000_000 + n, body = `{"n":${n}}` } = wanted;
  const _id = `hook_${createHash('sha256').update(`${n}`).digest('hex').slice(0, 32)}`;
  return {
    _id,
    endpoint_id,
    team_id: 'team_1',
    render_id: `rend_${n}`,
    seq: 1,
    event: 'render.status_changed',
    partition,
    status_offset: n,
    repeats: null,
    repeated_by: null,
    planned_at,
    state: 'pending',
    reason: null,
    body,
    body_sha256: createHash('sha256').update(body).digest('hex'),
    timestamp: planned_at,
    attempts: [],
    waiting: queuePositionText({ partition, endpoint_id, due_at: planned_at, order: n }),
    by_endpoint: `${endpoint_id}/${listPosition(planned_at, _id)}`,
    ended_at: null,
  };
};

export const attempt = (n: number, change: Partial<WebhookAttempt> = {}): WebhookAttempt => ({
  n,
  started_at: 1_763_700_000_000 + n,
  duration_ms: 12,
  succeeded: false,
  status: 500,
  fault: { code: 'status', message: 'answered 500' },
  response: 'no',
  ...change,
});

export const outcome = (
  { _id: delivery_id }: Pick<WebhookDeliveryDocument, '_id'>,
  attempts_before: number,
  made: WebhookAttempt | null,
  result: DeliveryOutcome['result'],
): DeliveryOutcome => ({ delivery_id, attempts_before, attempt: made, result });

export const success = (of: Pick<WebhookDeliveryDocument, '_id'>): DeliveryOutcome =>
  outcome(of, 0, attempt(1, { succeeded: true, status: 200, fault: null, response: 'ok' }), { tag: 'succeeded' });

export const failure = (of: WebhookDeliveryDocument, due_at: number, attempts_before = 0): DeliveryOutcome => {
  const { partition, endpoint_id, status_offset } = of;
  const waiting = queuePositionText({ partition, endpoint_id, due_at, order: status_offset ?? 0 });
  return outcome(of, attempts_before, attempt(attempts_before + 1), { tag: 'retry', due_at, waiting });
};
