import test from 'ava';
import { isOutcomeStored, outcomeSize, outcomeUpdate, truncateUtf8 } from '../../../read-models/deliveries/outcome.ts';
import { planningPositionOf, positionUpdate } from '../../../read-models/deliveries/plan.ts';
import { splitPlan } from '../../../webhook-relay/state/delivery-store.ts';
import { attempt, delivery, failure, outcome, success } from '../../helpers/webhook-deliveries.ts';

const bytes = (text: unknown): number => (typeof text === 'string' ? Buffer.byteLength(text) : Number.NaN);

test('a text is cut at a byte limit, between characters', (t) => {
  t.is(truncateUtf8('abc', 3), 'abc');
  t.is(truncateUtf8('abcd', 3), 'abc');
  t.is(truncateUtf8('aé', 2), 'a');
  t.is(truncateUtf8('a😀b', 4), 'a');
  t.is(truncateUtf8('😀😀', 7), '😀');
  t.is(truncateUtf8('', 0), '');
});

test('answers of invalid UTF-8 take no more space than others', (t) => {
  const response = Buffer.alloc(20_000, 0xff).toString('utf8');
  t.is(bytes(response), 60_000);
  const of = delivery(1);
  const retried = { ...failure(of, 5), attempt: attempt(1, { response }) };
  const last = outcome(of, 0, attempt(1, { response }), { tag: 'exhausted', reason: 'attempts_failed' });
  const kept = (update: unknown): number => bytes(JSON.parse(JSON.stringify(update)).$push.attempts.response);
  const former = kept(outcomeUpdate(retried, 9).update);
  t.true(former <= 2_000 && former > 1_990);
  const final = kept(outcomeUpdate(last, 9).update);
  t.true(final <= 20_000 && final > 19_990);
  t.true(outcomeSize(last) >= final);
});

test('each end removes body and queue position, and sets the deletion', (t) => {
  const day_ms = 24 * 60 * 60 * 1_000;
  const of = delivery(1);
  t.deepEqual(outcomeUpdate(success(of), 1_000), {
    filter: { _id: of._id, state: 'pending', attempts: { $size: 0 } },
    update: {
      $set: { state: 'succeeded', reason: null, body: null, ended_at: 1_000, delete_at: new Date(1_000 + 7 * day_ms) },
      $unset: { waiting: '' },
      $push: { attempts: success(of).attempt },
    },
  });
  t.deepEqual(outcomeUpdate(outcome(of, 2, null, { tag: 'skipped', reason: 'disabled' }), 1_000), {
    filter: { _id: of._id, state: 'pending', attempts: { $size: 2 } },
    update: {
      $set: {
        state: 'skipped',
        reason: 'disabled',
        body: null,
        ended_at: 1_000,
        delete_at: new Date(1_000 + 30 * day_ms),
      },
      $unset: { waiting: '' },
    },
  });
});

test('a stored outcome is distinguished from that of another process', (t) => {
  const of = delivery(1);
  const mine = failure(of, 5);
  const stored = { ...of, attempts: [attempt(1)] };
  t.true(isOutcomeStored(stored, mine));
  t.true(isOutcomeStored({ ...stored, attempts: [attempt(1), attempt(2)] }, mine), 'another attempt follows');
  t.false(isOutcomeStored(of, mine));
  t.false(isOutcomeStored({ ...of, attempts: [attempt(1, { started_at: 1 })] }, mine));
  const skipped = outcome(of, 0, null, { tag: 'skipped', reason: 'deleted' });
  t.true(isOutcomeStored({ ...of, state: 'skipped', reason: 'deleted' }, skipped));
  t.false(isOutcomeStored({ ...of, state: 'succeeded', reason: null }, skipped));
});

test('a plan is split by size; only its last part moves the position', (t) => {
  const plan = (count: number, body: string) => ({
    partition: 2,
    deliveries: Array.from({ length: count }, (_, n) => delivery(n, { body })),
    repeated: [{ id: 'hook_a', by: 'hook_b' }],
    next: { next_status: 77 },
  });
  const many = splitPlan(plan(450, '{}'));
  t.deepEqual(
    many.map(({ deliveries, next, repeated }) => [deliveries.length, next, repeated.length]),
    [
      [200, {}, 0],
      [200, {}, 0],
      [50, { next_status: 77 }, 1],
    ],
  );
  const large = splitPlan(plan(10, 'x'.repeat(1_500_000)));
  t.deepEqual(
    large.map(({ deliveries }) => deliveries.length),
    [2, 2, 2, 2, 2],
  );
  t.deepEqual(
    large.flatMap(({ deliveries }) => deliveries),
    plan(10, 'x'.repeat(1_500_000)).deliveries,
    'none is missing, and the order stays',
  );
  const none = { partition: 2, deliveries: [], repeated: [], next: { next_request: 4 } };
  t.deepEqual(splitPlan(none), [none]);
  t.is(splitPlan(plan(1, 'x'.repeat(9_000_000))).length, 1);
});

test('a partition has a position after its first plan', (t) => {
  t.is(planningPositionOf({ _id: 3, taken: 2 }), null);
  t.deepEqual(planningPositionOf({ _id: 3, taken: 2, plans: 1, next_status: 9 }), {
    _id: 3,
    next_status: 9,
    next_request: 0,
    last_planned_at: 0,
  });
  // Documents from before the introduction of `plans` lack it.
  const first = { taken: 2, plans: 0 };
  t.deepEqual(positionUpdate(3, first, {}, []), { filter: { _id: 3, taken: 2 }, update: { $inc: { plans: 1 } } });
  t.deepEqual(positionUpdate(3, { taken: 2, plans: 6 }, { next_request: 4 }, [7, 5]), {
    filter: { _id: 3, taken: 2, plans: { $gte: 6 } },
    update: { $max: { next_request: 4, last_planned_at: 7 }, $inc: { plans: 1 } },
  });
});
