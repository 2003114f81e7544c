import test from 'ava';
import { loggedDelivery } from '../../../management-api/deliveries/shown-delivery.ts';

const attempt = { n: 1, started_at: 1, duration_ms: 2, succeeded: false } as const;
const refused = { code: 'connection_refused', message: 'connect ECONNREFUSED 10.0.0.5:443' };

const DELIVERY = {
  ...({
    id: 'hook_1',
    endpoint_id: 'whe_1',
    render_id: 'rend_1',
    seq: 1,
    event: 'render.failed',
    state: 'pending',
  } as const),
  ...{ reason: null, repeats: null, repeated_by: null, planned_at: 1, next_attempt_at: null, ended_at: null },
  attempts: [
    {
      ...attempt,
      status: 500,
      fault: { code: 'status', message: 'the answer was 500' },
      response: 'secret of the inside',
    },
    { ...attempt, status: null, fault: refused, response: null },
  ],
} as const;

const REQUEST = { endpoint_url: 'https://example.com/', body: null, body_sha256: null, timestamp: 1 };

test('an installation with only public addresses shows the answers of receivers', (t) => {
  const shown = loggedDelivery(DELIVERY, REQUEST, true);
  t.is(shown.attempts[0]?.response, 'secret of the inside');
  t.deepEqual(shown.last_attempt, { ...attempt, status: null, fault: refused });
});

test('an installation that can call internal addresses shows only the status', (t) => {
  const text = JSON.stringify(loggedDelivery(DELIVERY, REQUEST, false));
  t.true(text.includes('500'));
  t.false(/secret of the inside|refused|10\.0\.0\.5/i.test(text));
});
