import test from 'ava';
import fc from 'fast-check';
import { type Delivery, evolveDelivery, isEnded } from '../../../domain/webhooks/delivery.ts';
import type { WebhookEvent } from '../../../domain/webhooks/delivery-events.ts';
import { metaBy } from '../../helpers/render-events.ts';

const about = { meta: metaBy('relay:1'), delivery_id: 'hook_1', endpoint_id: 'whe_1', render_id: 'rend_1' };
const plan = { ...about, team_id: 'team_1', seq: 2, event: 'render.status_changed', status_offset: 4, repeats: null };

const requested: WebhookEvent = { type: 'DeliveryRequested', ...plan };
const planned: WebhookEvent = { type: 'DeliveryPlanned', ...plan };
const skipped: WebhookEvent = { type: 'DeliverySkipped', ...plan, reason: 'disabled' };
const attempted = (n: number): WebhookEvent => ({
  type: 'DeliveryAttempted',
  ...about,
  n,
  started_at: 1,
  duration_ms: 2,
  body_sha256: 'ee',
  succeeded: false,
  status: 500,
  fault: 'status',
});
const succeeded: WebhookEvent = { type: 'DeliverySucceeded', ...about, attempts: 1 };
const exhausted: WebhookEvent = { type: 'DeliveryExhausted', ...about, attempts: 5, reason: 'attempts_failed' };

const folded = (events: readonly WebhookEvent[]) =>
  events.reduce<{ readonly delivery: Delivery | null; readonly ignored: readonly string[] }>(
    ({ delivery, ignored }, event) => {
      const verdict = evolveDelivery(delivery, event);
      return verdict.tag === 'accepted'
        ? { delivery: verdict.delivery, ignored }
        : { delivery, ignored: [...ignored, verdict.reason] };
    },
    { delivery: null, ignored: [] },
  );

test('a planned delivery is attempted and succeeds', (t) => {
  const { delivery, ignored } = folded([planned, attempted(1), attempted(2), succeeded]);
  t.like(delivery, { id: 'hook_1', stage: 'succeeded', attempts: 2, reason: null, status_offset: 4 });
  t.deepEqual(ignored, []);
});

test('five failures exhaust a delivery', (t) => {
  const { delivery } = folded([planned, ...[1, 2, 3, 4, 5].map(attempted), exhausted]);
  t.like(delivery, { stage: 'exhausted', attempts: 5, reason: 'attempts_failed' });
});

test('a requested delivery waits until it is planned', (t) => {
  t.is(folded([requested]).delivery?.stage, 'requested');
  t.is(folded([requested, planned]).delivery?.stage, 'pending');
  t.deepEqual(folded([requested, attempted(1), succeeded, exhausted]).ignored, Array(3).fill('not_planned'));
});

test('a repeat after a crash changes nothing', (t) => {
  t.deepEqual(folded([planned, planned, attempted(1), attempted(1), planned]).ignored, [
    'repeated',
    'out_of_order',
    'repeated',
  ]);
});

test('events of a delivery that was not planned are ignored', (t) => {
  t.deepEqual(folded([attempted(1), succeeded, exhausted]), { delivery: null, ignored: Array(3).fill('not_planned') });
});

test('a success or an attempt wins over an end without one', (t) => {
  t.like(folded([planned, exhausted, succeeded]).delivery, { stage: 'succeeded', reason: null });
  t.like(folded([planned, skipped, attempted(1)]).delivery, { stage: 'pending', reason: null, attempts: 1 });
  t.like(folded([skipped, planned]).delivery, { stage: 'pending', reason: null, attempts: 0 });
  t.deepEqual(folded([planned, succeeded, exhausted, skipped, attempted(1)]).ignored, Array(3).fill('ended'));
});

test('in any order of events, successes are final and attempts never decrease', (t) => {
  const any = fc.constantFrom(requested, planned, skipped, attempted(1), attempted(2), succeeded, exhausted);
  fc.assert(
    fc.property(fc.array(any, { maxLength: 12 }), (events) => {
      let before: Delivery | null = null;
      for (const event of events) {
        const verdict = evolveDelivery(before, event);
        if (verdict.tag === 'ignored') continue;
        const { delivery } = verdict;
        if (before?.stage === 'succeeded') return false;
        if (before !== null && delivery.attempts < before.attempts) return false;
        if (delivery.id !== 'hook_1' || delivery.status_offset !== 4) return false;
        if (isEnded(delivery) === (delivery.stage === 'pending' || delivery.stage === 'requested')) return false;
        before = delivery;
      }
      return true;
    }),
  );
  t.pass();
});
