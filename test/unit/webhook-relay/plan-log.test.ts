import test from 'ava';
import type { WebhookEvent } from '../../../domain/webhooks/delivery-events.ts';
import type { LogRecord } from '../../../platform/event-log/event-log.ts';
import type { RecordLog } from '../../../platform/records/record-log.ts';
import type { WebhookAttempt, WebhookDeliveryDocument } from '../../../read-models/deliveries/documents.ts';
import type { DeliveryOutcome } from '../../../read-models/deliveries/outcome.ts';
import { renderResource } from '../../../schemas/http/public/render-resource.ts';
import { outcomeEvents, plannedEvent } from '../../../webhook-relay/events/delivery-events.ts';
import { unstoredAppends } from '../../../webhook-relay/events/recorder.ts';
import { type DeliveryHistory, deliveryEndOf, type PlacedEvent } from '../../../webhook-relay/plan/delivery-history.ts';
import { nextRequestOf } from '../../../webhook-relay/plan/partition-state.ts';
import { planDeliveries } from '../../../webhook-relay/plan/planned-deliveries.ts';
import {
  readKnownDeliveries,
  readPositionFromLog,
  webhookEvents,
} from '../../../webhook-relay/plan/position-from-log.ts';
import { reconcile } from '../../../webhook-relay/plan/reconcile.ts';
import { metaBy } from '../../helpers/render-events.ts';
import { change, endpoint } from './_plan.ts';

const by = { actor: 'relay:1', occurred_at: 9 };
const NEVER = new AbortController().signal;
const SCHEDULE = { first_ms: 1_000, factor: 5 };

const READY = change('ready', 2);
const [DELIVERY] = planDeliveries(
  READY,
  [endpoint()],
  renderResource(READY.render, null),
  { now: 5_000, due_at: 5_000, logged: () => null },
  () => false,
);
if (DELIVERY === undefined) throw new Error('nothing is owed');

const ofId = (_id: string, status_offset: number | null = 7): WebhookDeliveryDocument => ({
  ...DELIVERY,
  _id,
  status_offset,
});
const planned = (id: string, status_offset: number | null = 7) => plannedEvent(by, ofId(id, status_offset), undefined);
const skipped = (id: string, status_offset: number) =>
  plannedEvent(by, { ...ofId(id, status_offset), state: 'skipped', reason: 'backlog' }, undefined);
const requested = (id: string, status_offset: number | null = 7): WebhookEvent => {
  const { endpoint_id, render_id, team_id, seq, event } = DELIVERY;
  const about = { delivery_id: id, endpoint_id, render_id, team_id, seq, event, status_offset };
  return { type: 'DeliveryRequested', meta: metaBy('operator:ops'), ...about, repeats: 'hook_0' };
};

const attempt = (n: number, succeeded: boolean): WebhookAttempt => ({
  n,
  started_at: 6_000,
  duration_ms: 50,
  succeeded,
  status: succeeded ? 200 : 500,
  fault: succeeded ? null : { code: 'status', message: 'answered 500' },
  response: 'secret',
});
const outcome = (id: string, n: number, result: DeliveryOutcome['result']): DeliveryOutcome => ({
  delivery_id: id,
  attempts_before: n - 1,
  attempt: attempt(n, result.tag === 'succeeded'),
  result,
});
const RETRY: DeliveryOutcome['result'] = { tag: 'retry', due_at: 7_000, waiting: DELIVERY.waiting ?? '' };
const SUCCEEDED: DeliveryOutcome['result'] = { tag: 'succeeded' };
const EXHAUSTED: DeliveryOutcome['result'] = { tag: 'exhausted', reason: 'attempts_failed' };
const events = (id: string, n: number, result: DeliveryOutcome['result']) =>
  outcomeEvents(by, ofId(id), outcome(id, n, result));

test('a duplicate event has the same id; other events differ', (t) => {
  const first = [
    planned('hook_1'),
    ...events('hook_1', 1, RETRY),
    ...events('hook_1', 2, SUCCEEDED),
    planned('hook_2'),
  ];
  const again = [
    planned('hook_1'),
    ...events('hook_1', 1, RETRY),
    ...events('hook_1', 2, SUCCEEDED),
    planned('hook_2'),
  ];
  const ids = first.map(({ meta }) => meta.event_id);
  t.deepEqual(
    ids,
    again.map(({ meta }) => meta.event_id),
  );
  t.is(new Set(ids).size, ids.length);
});

test('an attempt precedes its end in the log, without the answer', (t) => {
  const [attempted, ended] = events('hook_1', 2, SUCCEEDED);
  t.like(attempted, { type: 'DeliveryAttempted', n: 2, succeeded: true, status: 200, fault: null });
  t.like(attempted, { body_sha256: DELIVERY.body_sha256 ?? '' });
  t.like(ended, { type: 'DeliverySucceeded', attempts: 2 });
  t.is(ended?.meta.causation_id, attempted?.meta.event_id);
  t.false(JSON.stringify([attempted, ended]).includes('secret'));
});

test('the planning event has the timestamp of the body', (t) => {
  t.is(planned('hook_1').meta.occurred_at, DELIVERY.timestamp);
});

const inLog = (events: readonly WebhookEvent[]) =>
  async function* (): AsyncIterable<PlacedEvent> {
    for (const [offset, event] of events.entries()) yield { offset, event, trace: {} };
  };
const startingPoint = async (events: readonly WebhookEvent[], first_status = 0) => {
  const reported: string[] = [];
  const onEnded = async (history: DeliveryHistory): Promise<void> => {
    reported.push(`${history.delivery.id} ${deliveryEndOf(history)?.state}`);
  };
  const position = await readPositionFromLog(inLog(events)(), events.length, first_status, SCHEDULE);
  return { ...position, ...(await readKnownDeliveries(inLog(events)(), position, SCHEDULE, onEnded)), reported };
};

test('an empty log starts planning at the given position', async (t) => {
  t.like(await startingPoint([], 42), { next_status: 42, next_request: 0 });
});

test('planning continues at the first transition with open deliveries', async (t) => {
  const log = [
    planned('hook_1', 5),
    planned('hook_2', 6),
    ...events('hook_2', 1, SUCCEEDED),
    planned('hook_3', 6),
    ...events('hook_1', 1, SUCCEEDED),
    planned('hook_4', 8),
    skipped('hook_5', 9),
    ...events('hook_4', 1, EXHAUSTED),
  ];
  const { next_status, next_request, settled, logged, reported } = await startingPoint(log);
  t.is(next_status, 6);
  t.is(next_request, log.length);
  t.deepEqual([...settled].toSorted(), ['hook_2', 'hook_4', 'hook_5']);
  t.deepEqual(reported, ['hook_2 succeeded', 'hook_1 succeeded', 'hook_5 skipped', 'hook_4 exhausted']);
  t.deepEqual([...logged], [['hook_3', { planned_at: 5_000, attempts: [], due_at: null }]]);
});

test('the last transition is planned again, because it may be planned in part', async (t) => {
  const { next_status, settled } = await startingPoint([
    planned('hook_1', 5),
    planned('hook_2', 6),
    ...events('hook_1', 1, SUCCEEDED),
    ...events('hook_2', 1, SUCCEEDED),
  ]);
  t.is(next_status, 6);
  t.deepEqual([...settled], ['hook_2']);
});

test('open requests are planned; planned requests are not planned again', async (t) => {
  const log = [
    requested('hook_1'),
    planned('hook_1'),
    ...events('hook_1', 1, SUCCEEDED),
    requested('hook_2', 3),
    requested('hook_3'),
    planned('hook_3'),
    ...events('hook_3', 1, SUCCEEDED),
  ];
  const { next_status, next_request, settled } = await startingPoint(log, 11);
  t.is(next_request, log.indexOf(log.find((event) => event.delivery_id === 'hook_2') ?? planned('none')));
  t.is(next_status, 11, 'a manual request does not show the progress of planning');
  t.true(settled.has('hook_3'));
  t.false(settled.has('hook_2'));
});

test('a duplicate event after the end opens no delivery', async (t) => {
  const others = Array.from({ length: 10_001 }, (_, n) => [
    planned(`other_${n}`, 6),
    ...events(`other_${n}`, 1, SUCCEEDED),
  ]);
  const log = [planned('hook_1', 5), ...events('hook_1', 1, SUCCEEDED), ...others.flat(), planned('hook_1', 5)];
  const { logged, settled, reported } = await startingPoint(log);
  t.deepEqual([...logged], []);
  t.true(settled.has('hook_1'));
  t.is(reported.filter((one) => one === 'hook_1 succeeded').length, 1);
});

test('a success and a fifth failure are ends without a further event', async (t) => {
  const [succeeded] = events('hook_1', 1, SUCCEEDED);
  const fifth = [1, 2, 3, 4, 5].flatMap((n) => events('hook_2', n, RETRY));
  const log = [planned('hook_1'), planned('hook_2'), planned('hook_3'), ...(succeeded ? [succeeded] : []), ...fifth];
  const { logged, settled, reported } = await startingPoint(log);
  t.deepEqual(reported, ['hook_1 succeeded', 'hook_2 exhausted']);
  t.deepEqual([...settled].toSorted(), ['hook_1', 'hook_2']);
  t.deepEqual([...logged.keys()], ['hook_3']);
});

test('a skipped delivery that was sent later is restored with its last end', async (t) => {
  const log = [skipped('hook_1', 5), planned('hook_1', 5), ...events('hook_1', 1, SUCCEEDED)];
  t.deepEqual((await startingPoint(log)).reported, ['hook_1 skipped', 'hook_1 succeeded']);
});

test('the log is read again until planning passes the ended deliveries', async (t) => {
  const log = [
    planned('hook_0', 4),
    ...events('hook_0', 1, SUCCEEDED),
    planned('hook_1', 5),
    planned('hook_2', 9),
    ...events('hook_2', 1, SUCCEEDED),
  ];
  const point = await startingPoint(log);
  t.deepEqual(point.ahead, { from: 3, until_status: 9 });
  t.is(nextRequestOf(point, point.ahead), 3);
  t.is(nextRequestOf({ ...point, next_status: 9 }, point.ahead), 3);
  t.is(nextRequestOf({ ...point, next_status: 10 }, point.ahead), log.length);

  const again = await level([], log.slice(3), 6);
  t.deepEqual([...again.settled], ['hook_2']);
  t.deepEqual(again.ahead, { from: 1, until_status: 9 });
});

const level = async (stored: readonly WebhookDeliveryDocument[], events: readonly WebhookEvent[], next_status = 0) => {
  const state = new Map(stored.map((delivery) => [delivery._id, delivery]));
  const recorded: DeliveryOutcome[] = [];
  const reported: string[] = [];
  const found = await reconcile(
    {
      store: { delivery: async (id) => state.get(id) ?? null },
      recorder: {
        record: async (delivery, its) => {
          recorded.push(its);
          const attempts = its.attempt === null ? delivery.attempts : [...delivery.attempts, its.attempt];
          const { tag } = its.result;
          state.set(delivery._id, { ...delivery, attempts, state: tag === 'retry' ? 'pending' : tag });
          return true;
        },
      },
      schedule: SCHEDULE,
    },
    inLog(events)(),
    next_status,
    async (history) => {
      reported.push(history.delivery.id);
    },
    NEVER,
  );
  return { ...found, recorded, state, reported };
};

test('a state that matches the log is not changed', async (t) => {
  const stored = { ...ofId('hook_1'), state: 'succeeded' as const, attempts: [attempt(1, true)] };
  const { recorded, settled } = await level([stored], [planned('hook_1'), ...events('hook_1', 1, SUCCEEDED)]);
  t.deepEqual(recorded, []);
  t.deepEqual([...settled], ['hook_1']);
});

test('attempts and ends that the state lacks are stored', async (t) => {
  const log = [
    ...events('hook_1', 1, RETRY),
    ...events('hook_1', 2, SUCCEEDED),
    ...events('hook_2', 1, RETRY),
    ...events('hook_3', 1, EXHAUSTED),
  ];
  const { recorded, state } = await level(
    ['hook_1', 'hook_2', 'hook_3'].map((id) => ofId(id)),
    log,
  );
  t.deepEqual(
    recorded.map(({ delivery_id, attempt: its, result }) => `${delivery_id} ${its?.n} ${result.tag}`).toSorted(),
    ['hook_1 1 retry', 'hook_1 2 succeeded', 'hook_2 1 retry', 'hook_3 1 exhausted'],
  );
  t.deepEqual(recorded.find(({ delivery_id }) => delivery_id === 'hook_2')?.result, {
    tag: 'retry',
    due_at: 7_050,
    waiting: '0003/whe_1/0000000007050000000000028',
  });
  t.is(state.get('hook_1')?.attempts.length, 2);
});

test('a skip in the log is stored, unless a plan follows it', async (t) => {
  const log = [planned('hook_1'), skipped('hook_1', 7), skipped('hook_2', 7), planned('hook_2')];
  const { recorded } = await level(
    ['hook_1', 'hook_2'].map((id) => ofId(id)),
    log,
  );
  t.deepEqual(
    recorded.map(({ delivery_id, attempt: its, result }) => [delivery_id, its, result]),
    [['hook_1', null, { tag: 'skipped', reason: 'backlog' }]],
  );
});

test('a late skip of a former owner ends no delivery attempted since', async (t) => {
  const retried = (n: number) => events('hook_1', n, RETRY);
  const log = [planned('hook_1'), ...retried(1), skipped('hook_1', 7), ...retried(2)];
  for (const attempts of [[], [attempt(1, false)], [attempt(1, false), attempt(2, false)]]) {
    const { state } = await level([{ ...ofId('hook_1'), attempts }], log);
    t.is(state.get('hook_1')?.state, 'pending', `${attempts.length} were stored`);
    t.is(state.get('hook_1')?.attempts.length, 2);
  }
});

test('an attempt whose end is not in the log ends with its outcome', async (t) => {
  const [attempted] = events('hook_1', 1, SUCCEEDED);
  const { recorded } = await level([ofId('hook_1')], attempted === undefined ? [] : [attempted]);
  t.deepEqual(recorded[0]?.result, SUCCEEDED);
});

test('ended deliveries are not planned again; open ones keep their due time', async (t) => {
  const { settled, logged, recorded, reported } = await level(
    [],
    [planned('hook_1'), planned('hook_2'), ...events('hook_2', 1, SUCCEEDED), skipped('hook_3', 9)],
  );
  t.deepEqual(recorded, []);
  t.deepEqual([...settled], ['hook_2', 'hook_3']);
  t.deepEqual(reported, ['hook_2', 'hook_3'], 'the missing ends are reported');
  t.deepEqual([...logged.keys()], ['hook_1']);
});

test('a successful attempt ends a delivery that the state lacks', async (t) => {
  const [attempted] = events('hook_1', 1, SUCCEEDED);
  const log = [planned('hook_1'), ...(attempted === undefined ? [] : [attempted])];
  const { settled, logged, reported } = await level([], log);
  t.deepEqual([[...settled], [...logged], reported], [['hook_1'], [], ['hook_1']]);
  t.deepEqual([...(await level([], log.slice(1))).settled], [], 'only its end is read, so nothing is ahead');
});

test('deliveries that planning cannot reach again are not remembered', async (t) => {
  const { settled } = await level([], [planned('hook_1', 5), ...events('hook_1', 1, SUCCEEDED)], 6);
  t.is(settled.size, 0);
});

test('attempts that only the log has count, and keep the schedule', async (t) => {
  const retried = [...events('hook_1', 1, RETRY), ...events('hook_1', 2, RETRY)];
  const { logged } = await level([], [planned('hook_1'), ...retried]);
  const its = logged.get('hook_1');
  t.deepEqual(
    its?.attempts.map(({ n, status, response }) => [n, status, response]),
    [
      [1, 500, null],
      [2, 500, null],
    ],
  );
  t.is(its?.due_at, 6_050 + 5_000);
  const time = { now: 9_000, due_at: 9_000, logged: () => its ?? null };
  const [again] = planDeliveries(READY, [endpoint()], renderResource(READY.render, null), time, () => false);
  t.like(again, { planned_at: 5_000, timestamp: 5_000, body: DELIVERY.body, attempts: its?.attempts });
  t.is(again?.waiting, '0003/whe_1/0000000011050000000000028');
});

test('the stored position stays below pending appends', (t) => {
  const unstored = unstoredAppends();
  t.is(unstored.lowest(1), null);
  unstored.noteEnd(1, 100);
  const first = unstored.begin(1);
  unstored.noteEnd(1, 200);
  const second = unstored.begin(1);
  t.is(unstored.lowest(1), 100);
  t.is(unstored.lowest(2), null);
  first();
  t.is(unstored.lowest(1), 200);
  second();
  t.is(unstored.lowest(1), null);
  const given_up = unstored.begin(1);
  unstored.reset(1, 300);
  unstored.begin(1);
  given_up();
  t.is(unstored.lowest(1), 300);
});

test('the log is read no further once its partition is revoked', async (t) => {
  const revoked = new AbortController();
  let read = 0;
  async function* endless(): AsyncIterable<LogRecord> {
    for (;;) {
      read += 1;
      if (read > 100) revoked.abort(new Error('revoked'));
      yield {
        topic: 'webhook-events',
        partition: 0,
        offset: read,
        append_time_ms: 1,
        key: null,
        value: null,
        headers: {},
      };
    }
  }
  const decode = async () => ({ tag: 'record', record: planned('hook_1') }) as const;
  const records = { log: { replay: endless }, decode } as unknown as RecordLog;
  const position = readPositionFromLog(webhookEvents(records, 0, 0, 1_000_000, revoked.signal), 1_000_000, 0, SCHEDULE);
  await t.throwsAsync(position, { message: 'revoked' });
  t.is(read, 101);
});
