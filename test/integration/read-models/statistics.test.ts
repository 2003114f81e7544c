import test from 'ava';
import type { RenderEvent } from '../../../domain/render/events.ts';
import { addRenderCounts, NO_COUNTS, summaryOf } from '../../../domain/statistics/hours.ts';
import type { BatchEntry } from '../../../platform/processor/decode-batch.ts';
import type { ReadStore } from '../../../platform/read-store/read-store.ts';
import { CheckpointMoved } from '../../../projectors/checkpoint/checkpoint-store.ts';
import { ReadModelAhead } from '../../../projectors/checkpoint/commit-queue.ts';
import { catalogueReadModel } from '../../../read-models/catalogue/management.ts';
import { endpointHealth } from '../../../read-models/deliveries/endpoint-health.ts';
import { renderCollectionsIn } from '../../../read-models/renders/model.ts';
import { MAX_HOURS, openRenderStatistics, type RenderStatistics } from '../../../read-models/statistics/statistics.ts';
import { recordAt } from '../../helpers/batch-entries.ts';
import { assigned, completed, failed, finished, prepared, progressed, requested } from '../../helpers/render-events.ts';
import { leaveStore, openStore, ownDatabase, type StoreServer, startStore } from '../store/_store.ts';
import { type Folding, folding } from './_folding.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 10, 1, 0, 30);
const DAYS = 40;
const PARTITIONS = 3;

let server: StoreServer;
let store: ReadStore;
let statistics: RenderStatistics;
let fold: Folding;

test.before(async (t) => {
  t.timeout(360_000);
  server = await startStore();
  store = await openStore(server.url, ownDatabase());
  fold = await folding(store);
  statistics = openRenderStatistics(store.db);
});

test.after.always(async () => {
  await leaveStore(store);
  await server?.stop();
});

/** The events of a render with their times. Every fourth has failed, every fifth has just started. */
const lifeOf = (n: number, account_id: string): readonly (readonly [RenderEvent, number])[] => {
  const at = START + n * 6 * HOUR_MS;
  const life: readonly (readonly [RenderEvent, number])[] = [
    [requested({ account_id, team_id: `team_${n % 2}` }), at],
    ...(n % 4 === 3
      ? [[failed('preparer:prep_1', null), at + 1_000] as const]
      : ([
          [prepared, at + 1_000],
          [assigned('att_1', 1), at + 1_500],
          [progressed('att_1'), at + 2_000],
          [finished('att_1'), at + 61_000],
          [completed('att_1'), at + 62_000],
        ] as const)),
  ];
  return n % 5 === 4 ? life.slice(0, 1) : life;
};

/** The renders of 40 days, one every six hours, in one partition. */
const partitionOf = (partition: number, account_id: string): readonly BatchEntry<RenderEvent>[] =>
  Array.from({ length: 4 * DAYS }, (_, n) => n)
    .filter((n) => n % PARTITIONS === partition)
    .flatMap((n) =>
      lifeOf(n, account_id).map(([event, at]) => ({ event: { ...event, render_id: `rend_${account_id}${n}` }, at })),
    )
    .map(({ event, at: append_time_ms }, offset) => ({
      ...{ tag: 'event', event },
      record: recordAt(offset, { partition, append_time_ms, key: Buffer.from(event.render_id) }),
    }));

const ACCOUNT = { account_id: 'acc_1', team_id: null };

test.serial('concurrent folds of several partitions count into the same account', async (t) => {
  await Promise.all(
    Array.from({ length: PARTITIONS }, async (_, partition) => {
      const entries = partitionOf(partition, 'acc_1');
      // Batches of different sizes, so that they split hours and days.
      for (let begin = 0, size = 7; begin < entries.length; begin += size, size += 30)
        await fold.renders(partition, entries.slice(begin, begin + size));
    }),
  );
  const until = START + DAYS * DAY_MS;
  const hours = await statistics.hours(ACCOUNT, until - 30 * DAY_MS, until);
  t.is(hours.length, 4 * 30);
  t.true(hours.every(({ at }, n) => at % HOUR_MS === 0 && at >= (hours[n - 1]?.at ?? 0)));
  const numbers = Array.from({ length: 4 * 30 }, (_, n) => 4 * 10 + n);
  const under_way = numbers.filter((n) => n % 5 === 4);
  const lost = numbers.filter((n) => n % 5 !== 4 && n % 4 === 3);
  const { wait, duration, ...counts } = summaryOf(hours.reduce(addRenderCounts, NO_COUNTS));
  const done = numbers.length - under_way.length - lost.length;
  t.like(counts, {
    ...{ requested: numbers.length, completed: done, failed: lost.length, charged_credits: 10 * done },
    failures: [{ code: 'font_unknown', count: lost.length }],
  });
  for (const [found, wanted] of [
    [wait.p50_ms, 2_000],
    [wait.p95_ms, 2_000],
    [duration.p50_ms, 60_000],
  ] as const)
    t.true(Math.abs((found ?? 0) - wanted) < 0.1 * wanted, `${found}`);
});

test.serial("an account's statistics are the sum of its teams, by hour and now", async (t) => {
  const until = START + DAYS * DAY_MS;
  const of = async (team_id: string | null) => {
    const scope = { account_id: 'acc_1', team_id };
    const hours = await statistics.hours(scope, START, until);
    const { requested, completed } = hours.reduce(addRenderCounts, NO_COUNTS);
    return { requested, completed, now: await statistics.now(scope) };
  };
  const [one, other, all] = await Promise.all([of('team_0'), of('team_1'), of(null)]);
  t.is(one.requested + other.requested, all.requested);
  t.is(one.completed + other.completed, all.completed);
  const total = 4 * DAYS;
  const open = total / 5;
  t.is(all.now.initializing, open);
  t.is(one.now.initializing + other.now.initializing, open);
  t.is(all.now.complete + all.now.failed, total - open);
  t.like(all.now, { ready: 0, queued: 0, processing: 0, finalizing: 0 });
  t.deepEqual((await statistics.hours({ account_id: 'acc_10', team_id: null }, START, until)).length, 0);
});

test.serial('a period has at most its last 93 days, in whole hours', async (t) => {
  const until = START + 100 * DAY_MS;
  const hours = await statistics.hours(ACCOUNT, 0, until);
  t.true(hours.length <= MAX_HOURS);
  t.true((hours[0]?.at ?? 0) >= until - MAX_HOURS * HOUR_MS - HOUR_MS);
  const first = START + 5 * DAY_MS;
  t.deepEqual(
    (await statistics.hours(ACCOUNT, first, first + 5.5 * HOUR_MS)).map(({ at }) => at),
    [first - HOUR_MS / 2],
  );
  t.deepEqual(
    (await statistics.hours(ACCOUNT, first, first + 5.5 * HOUR_MS + 1)).map(({ at }) => at),
    [first, first + 6 * HOUR_MS].map((at) => at - HOUR_MS / 2),
  );
  t.deepEqual(await statistics.hours(ACCOUNT, until, until), []);
});

test.serial('the endpoints of an overview that fail are found in one query', async (t) => {
  const health = endpointHealth(store.db);
  await health.exhausted('whe_1', START);
  await health.exhausted('whe_1', START + 5);
  await health.exhausted('whe_other', START);
  const failing = await catalogueReadModel(store.db).failingOf(['whe_1', 'whe_2']);
  t.deepEqual([...failing], [['whe_1', { since: START, exhausted: 2 }]]);
});

test.serial('statistics ignore events that are already folded', async (t) => {
  const model = renderCollectionsIn(store.db, 1);
  const all = async () => await model.statistics.find({}).sort({ _id: 1 }).toArray();
  const before = await all();
  const entries = partitionOf(0, 'acc_1').slice(0, 7);
  const from = { next: 0, chain: '0'.repeat(64), chain_before: '0'.repeat(64) };
  await t.throwsAsync(fold.renders(0, entries, from), { instanceOf: CheckpointMoved });
  await model.checkpoints.updateOne({ _id: 0 }, { $set: from });
  await model.renders.deleteMany({ partition: 0 });
  await model.ledger.deleteMany({ partition: 0 });
  await t.throwsAsync(fold.renders(0, entries, from), { instanceOf: ReadModelAhead });
  t.deepEqual(await all(), before);
});
