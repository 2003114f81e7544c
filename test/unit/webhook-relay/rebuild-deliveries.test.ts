import test from 'ava';
import type { WebhookEvent } from '../../../domain/webhooks/delivery-events.ts';
import type { WebhookDeliveryDocument } from '../../../read-models/deliveries/documents.ts';
import type { DeliveryOutcome } from '../../../read-models/deliveries/outcome.ts';
import { expiryOf } from '../../../read-models/deliveries/retention.ts';
import { outcomeEvents, plannedEvent } from '../../../webhook-relay/events/delivery-events.ts';
import { POSITIONS_PER_RECORD } from '../../../webhook-relay/plan/planned-deliveries.ts';
import { compareWithLog } from '../../../webhook-relay/rebuild/judge.ts';
import { createSliceFold, isInSlice, sliceCount, sliceRange } from '../../../webhook-relay/rebuild/slices.ts';
import { metaBy } from '../../helpers/render-events.ts';
import { attempt, delivery } from '../../helpers/webhook-deliveries.ts';

const SCHEDULE = { first_ms: 1_000, factor: 5 };
const ALL = sliceRange(0, 1);
const NOW = 1_763_700_100_000;

const fold = (events: readonly WebhookEvent[]) => {
  const folded = createSliceFold(ALL, SCHEDULE);
  events.forEach((event, offset) => {
    folded.take({ offset, event, trace: {} });
  });
  return folded;
};
const by = { actor: 'relay:1', occurred_at: NOW - 1_000 };
const plannedOf = (document: WebhookDeliveryDocument) => plannedEvent(by, document, undefined);

/** The place of the delivery in the queue follows from its offset in `render-status`. */
const pending: WebhookDeliveryDocument = { ...delivery(POSITIONS_PER_RECORD), status_offset: 1 };
const made = attempt(1, { started_at: NOW - 2_000, succeeded: true, status: 200, fault: null, response: 'ok' });
const failed = attempt(1, { started_at: NOW - 2_000 });
const outcomeOf = (result: DeliveryOutcome['result'], its = made): DeliveryOutcome => ({
  ...{ delivery_id: pending._id, attempts_before: 0, attempt: its, result },
});
const SUCCEEDED: readonly WebhookEvent[] = [
  plannedOf(pending),
  ...outcomeEvents(by, pending, outcomeOf({ tag: 'succeeded' })),
];
const { waiting: _, ...about } = pending;
const succeeded: WebhookDeliveryDocument = {
  ...about,
  ...{ state: 'succeeded', body: null, attempts: [made], ended_at: NOW, delete_at: expiryOf('succeeded', NOW) },
};
const requestOf = (id: string): WebhookEvent => {
  const { endpoint_id, team_id, render_id, seq, event, status_offset } = pending;
  const its = { delivery_id: id, endpoint_id, team_id, render_id, seq, event, status_offset, repeats: pending._id };
  return { type: 'DeliveryRequested', meta: metaBy('operator:ops'), ...its };
};

const verdictOn = (document: WebhookDeliveryDocument | null, events: readonly WebhookEvent[], now = NOW) =>
  compareWithLog(document, fold(events).find(pending._id), 0, now);

test('a delivery that matches the log stays as it is', (t) => {
  t.deepEqual(verdictOn(pending, [plannedOf(pending)]), { tag: 'same' });
  t.deepEqual(verdictOn(succeeded, SUCCEEDED), { tag: 'same' });
  t.deepEqual(verdictOn(null, []), { tag: 'same' });
  t.deepEqual(verdictOn(null, [requestOf(pending._id)]), { tag: 'same' }, 'the plan reaches it later');
  const stored_later = { ended_at: NOW + 30_000, delete_at: expiryOf('succeeded', NOW + 30_000) };
  t.deepEqual(verdictOn({ ...succeeded, ...stored_later }, SUCCEEDED), { tag: 'same' });
  t.deepEqual(verdictOn(null, SUCCEEDED, NOW + 8 * 24 * 3_600_000), { tag: 'same' }, 'it would be deleted by now');
});

const EDITS: readonly Partial<WebhookDeliveryDocument>[] = [
  { endpoint_id: 'whe_9' },
  { team_id: 'team_9' },
  { render_id: 'rend_9' },
  { seq: 9 },
  { event: 'render.failed' },
  { status_offset: 9 },
  { repeats: 'hook_9' },
  { repeated_by: 'hook_9' },
  { planned_at: 9 },
  { timestamp: 9 },
  { by_endpoint: 'whe_9/1' },
  { reason: 'disabled' },
  { attempts: [attempt(7)] },
];

for (const edit of [
  ...EDITS,
  { state: 'exhausted' } as const,
  { body: '{}' },
  { body_sha256: 'ab' },
  { waiting: pending.waiting ?? '' },
  { ended_at: NOW + 100_000_000 },
  { delete_at: new Date(0) },
])
  test(`an ended delivery is repaired: ${JSON.stringify(edit)}`, (t) => {
    t.deepEqual(verdictOn({ ...succeeded, ...edit }, SUCCEEDED).tag, 'store');
  });

for (const edit of [
  ...EDITS,
  { state: 'skipped' } as const,
  { body: null },
  { body: '{"n":9}' },
  { body_sha256: 'ab' },
  { waiting: '0000/whe_9/1763700000004000000000004' },
  { ended_at: 9 },
])
  test(`an open delivery is planned again: ${JSON.stringify(edit)}`, (t) => {
    t.deepEqual(verdictOn({ ...pending, ...edit }, [plannedOf(pending)]), { tag: 'plan_again' });
  });

test('a repaired delivery keeps the answers to attempts that match the log', (t) => {
  const verdict = verdictOn({ ...succeeded, reason: 'gone' }, SUCCEEDED);
  t.deepEqual(verdict, { tag: 'store', document: succeeded });
  const other = verdictOn({ ...succeeded, attempts: [{ ...made, status: 204 }] }, SUCCEEDED);
  t.like(other, { document: { attempts: [{ status: 200, response: null }] } });
});

test('missing deliveries are stored or planned again; unknown ones are removed', (t) => {
  t.like(verdictOn(null, SUCCEEDED), { tag: 'store', document: { state: 'succeeded', repeated_by: null } });
  t.deepEqual(verdictOn(null, [plannedOf(pending)]), { tag: 'plan_again' });
  t.deepEqual(verdictOn(succeeded, []), { tag: 'remove' });
});

test('a rebuild ignores a delivery between its last attempt and its end', (t) => {
  const [planned, attempted] = SUCCEEDED;
  if (planned === undefined || attempted === undefined) return t.fail('there is no attempt');
  t.deepEqual(verdictOn(pending, [planned, attempted]), { tag: 'same' });
  t.deepEqual(verdictOn(null, [planned, attempted]), { tag: 'plan_again' });
  const retried = outcomeEvents(by, pending, outcomeOf({ tag: 'retry', due_at: 1, waiting: '' }, failed));
  t.deepEqual(verdictOn(pending, [planned, ...retried]), { tag: 'plan_again' }, 'the log does not have that attempt');
});

test('a delivery names its repeat, even if the repeat is in another slice', (t) => {
  const repeat = { ...pending, _id: 'hook_zzz', repeats: pending._id, status_offset: 1 };
  const events = [...SUCCEEDED, requestOf(repeat._id), plannedOf(repeat)];
  t.deepEqual(verdictOn({ ...succeeded, repeated_by: repeat._id }, events), { tag: 'same' });
  t.like(verdictOn(succeeded, events), { tag: 'store', document: { repeated_by: repeat._id } });
  t.deepEqual(verdictOn(succeeded, events.slice(0, -1)), { tag: 'same' }, 'it is not planned yet');
});

test('each id is in one slice', (t) => {
  t.is(sliceCount(0), 1);
  t.is(sliceCount(200_001), 2);
  for (const slices of [1, 3, 7, 100]) {
    const all = Array.from({ length: slices }, (_, slice) => sliceRange(slice, slices));
    const ids = Array.from({ length: 500 }, (_, n) => delivery(n)._id);
    for (const id of [...ids, 'hook_0', 'hook_0000', 'hook_ffff', 'hook_zzz', 'a', 'z'])
      t.is(all.filter((slice) => isInSlice(id, slice)).length, 1, id);
  }
});
