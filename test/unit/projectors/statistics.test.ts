import test from 'ava';
import fc from 'fast-check';
import type { RenderEvent } from '../../../domain/render/events.ts';
import type { RenderStatus } from '../../../domain/render/render.ts';
import { bucketOf } from '../../../domain/statistics/histogram.ts';
import { addRenderCounts, NO_COUNTS, type RenderCounts } from '../../../domain/statistics/hours.ts';
import type { BatchEntry } from '../../../platform/processor/decode-batch.ts';
import type { FoldedDocument } from '../../../projectors/render/document.ts';
import { foldBatch } from '../../../projectors/render/fold-batch.ts';
import { statisticsAfter, statisticsId, statisticsWrite } from '../../../projectors/render/statistics.ts';
import type { StatisticsDocument } from '../../../read-models/statistics/documents.ts';
import { recordAt } from '../../helpers/batch-entries.ts';
import {
  assigned,
  cancelled,
  completed,
  EVERY_EVENT,
  failed,
  finished,
  lost,
  prepared,
  progressed,
  requested,
} from '../../helpers/render-events.ts';
import { runs } from '../../helpers/runs.ts';

const HOUR_MS = 3_600_000;
const NOON = Date.UTC(2026, 10, 25, 12);

type At = readonly [RenderEvent, number];

const entriesOf = (events: readonly At[]): readonly BatchEntry<RenderEvent>[] =>
  events.map(([event, append_time_ms], offset) => ({
    ...{ tag: 'event', event },
    record: recordAt(offset, { append_time_ms, key: Buffer.from(event.render_id) }),
  }));

type Store = { readonly documents: Map<string, FoldedDocument>; readonly statistics: Map<string, StatisticsDocument> };

const inBatches = (entries: readonly BatchEntry<RenderEvent>[], sizes: readonly number[] = []): Store => {
  const store: Store = { documents: new Map(), statistics: new Map() };
  const rest = [...entries];
  for (const size of [...sizes, entries.length]) {
    const { after: folded } = foldBatch(store.documents, rest.splice(0, size));
    for (const [id, document] of folded.documents) store.documents.set(id, document);
    for (const change of folded.statistics) {
      const after = statisticsAfter(store.statistics.get(statisticsId(change)) ?? null, change);
      store.statistics.set(after._id, after);
    }
  }
  return store;
};

const hoursOf = ({ statistics }: Store) =>
  Object.fromEntries(
    [...statistics.values()].flatMap(({ by_day, hours = {} }) =>
      Object.entries(hours).map(([name, counts]) => [`${by_day} ${name}`, counts]),
    ),
  );

const LIFE: readonly At[] = [
  [requested(), NOON],
  [prepared, NOON + 1_000],
  [assigned('att_1', 1), NOON + 2_000],
  [progressed('att_1'), NOON + 4_000],
  [lost('att_1'), NOON + 5_000],
  [assigned('att_2', 2), NOON + 6_000],
  [progressed('att_2'), NOON + 7_000],
  [finished('att_2'), NOON + HOUR_MS],
  [completed('att_2'), NOON + HOUR_MS + 4_000],
];

const DAY = String(Math.floor(NOON / 86_400_000)).padStart(6, '0');

test('a render counts in the hours of its transitions, for team and account', (t) => {
  const of_noon = { requested: 1, waits: { [bucketOf(4_000)]: 1 } };
  const of_end = { completed: 1, charged_credits: 10, durations: { [bucketOf(HOUR_MS)]: 1 } };
  t.deepEqual(hoursOf(inBatches(entriesOf(LIFE))), {
    [`["acc_1","team_1"]:${DAY} 12`]: of_noon,
    [`["acc_1","team_1"]:${DAY} 13`]: of_end,
    [`["acc_1",null]:${DAY} 12`]: of_noon,
    [`["acc_1",null]:${DAY} 13`]: of_end,
  });
});

test('failures and cancellations count by code, invalid codes as other', (t) => {
  const fail = (id: string, event: RenderEvent): readonly At[] => [
    [{ ...requested({ fold_version: 2 }), render_id: id }, NOON],
    [{ ...event, render_id: id }, NOON + 1],
  ];
  const odd: RenderEvent = { ...failed('preparer:prep_1', null), code: 'a.$b' };
  const { statistics } = inBatches(
    entriesOf([
      ...fail('rend_1', cancelled()),
      ...fail('rend_2', failed('preparer:prep_1', null)),
      ...fail('rend_3', odd),
    ]),
  );
  const counts = statistics.get(`["acc_1",null]:${DAY}/2`)?.hours?.['12'];
  t.deepEqual(counts, { requested: 3, failed: 3, failures: { cancelled: 1, font_unknown: 1, other: 1 } });
  t.deepEqual(statistics.get('["acc_1",null]:now/2')?.statuses, { initializing: 0, failed: 3 });
});

test('a code that every object inherits counts normally', (t) => {
  const code = 'constructor';
  const { statistics } = inBatches(
    entriesOf(
      ['rend_1', 'rend_2'].flatMap((render_id): readonly At[] => [
        [{ ...requested({ fold_version: 2 }), render_id }, NOON],
        [{ ...failed('preparer:prep_1', null), render_id, code }, NOON + 1],
      ]),
    ),
    [2],
  );
  t.deepEqual(statistics.get(`["acc_1",null]:${DAY}/2`)?.hours?.['12']?.failures, { [code]: 2 });
});

test('ignored events and events after the end do not count', (t) => {
  const late: readonly At[] = [
    [requested({ account_id: 'acc_2' }), NOON + 2 * HOUR_MS],
    [completed('att_2'), NOON + 2 * HOUR_MS],
    [failed('worker:wkr_1', 'att_2'), NOON + 3 * HOUR_MS],
  ];
  const once = inBatches(entriesOf(LIFE));
  t.deepEqual(inBatches(entriesOf([...LIFE, ...late])).statistics, once.statistics);
});

test('a statistics change is written only to a document without its events', (t) => {
  const { after } = foldBatch(new Map(), entriesOf([[requested(), NOON]]));
  t.deepEqual(after.statistics.map(statisticsWrite)[0], {
    updateOne: {
      filter: { _id: `["acc_1","team_1"]:${DAY}/2`, offset: { $lt: 0 } },
      update: {
        $inc: { 'hours.12.requested': 1 },
        $set: { account_id: 'acc_1', team_id: 'team_1', by_day: `["acc_1","team_1"]:${DAY}`, partition: 2, offset: 0 },
      },
      upsert: true,
    },
  });
});

const RENDERS = ['rend_a', 'rend_b', 'rend_c', 'rend_d'];

const event: fc.Arbitrary<RenderEvent> = fc
  .tuple(
    fc.constantFrom(...RENDERS),
    fc.constantFrom(...EVERY_EVENT, ...LIFE.map(([one]) => one), ...LIFE.map(([one]) => one)),
    fc.constantFrom('team_1', 'team_2'),
    fc.constantFrom(1, 2),
  )
  .map(([render_id, one, team_id, fold_version]) =>
    one.type === 'RenderRequested' ? { ...one, render_id, team_id, fold_version } : { ...one, render_id },
  );

const lives = fc
  .array(fc.tuple(fc.constantFrom(...RENDERS), fc.nat({ max: LIFE.length })), { maxLength: 6 })
  .map((parts) =>
    parts.flatMap(([render_id, n]) => LIFE.slice(0, n).map(([one]): RenderEvent => ({ ...one, render_id }))),
  );

/** Some hours over a midnight, by a clock that is sometimes set back. */
const log = fc
  .tuple(lives, fc.array(event, { maxLength: 60 }), fc.array(fc.integer({ min: -60_000, max: HOUR_MS / 2 })))
  .map(([ordered, anything, steps]) => {
    let at = NOON + 8 * HOUR_MS;
    return entriesOf(
      [...ordered, ...anything].map((one, n): At => {
        at += steps[n % Math.max(1, steps.length)] ?? 1;
        return [one, at];
      }),
    );
  });
const cuts = fc.array(fc.nat({ max: 12 }), { maxLength: 30 });

test('statistics do not depend on batches', (t) => {
  fc.assert(
    fc.property(log, cuts, (entries, sizes) => {
      t.deepEqual(inBatches(entries, sizes).statistics, inBatches(entries).statistics);
    }),
    { numRuns: runs(500) },
  );
});

/**
 * Counts the final renders and their transitions from scratch, in contrast to the projector, which adds differences.
 */
const counted = (documents: Iterable<FoldedDocument>, team_id: string | null) => {
  const renders = [...documents].flatMap(({ render, facts }) =>
    render !== null && (team_id === null || render.team_id === team_id) ? [{ render, facts }] : [],
  );
  const is = (status: RenderStatus) => renders.filter(({ render }) => render.status === status).length;
  const began = renders.filter(({ facts }) =>
    facts.some((one) => one.verdict === 'accepted' && one.transition?.to === 'processing'),
  );
  return {
    ...{ requested: renders.length, completed: is('complete'), failed: is('failed'), waits: began.length },
    charged_credits: renders.reduce((sum, { render }) => sum + render.charged_credits, 0),
    open: renders.length - is('complete') - is('failed'),
  };
};

const sum = (counts: Readonly<Record<string, number | undefined>>): number =>
  Object.values(counts).reduce<number>((all, count) => all + (count ?? 0), 0);

test('statistics match the folded renders', (t) => {
  fc.assert(
    fc.property(log, cuts, (entries, sizes) => {
      const { documents, statistics } = inBatches(entries, sizes);
      for (const team_id of [null, 'team_1', 'team_2']) {
        const own = [...statistics.values()].filter((one) => one.team_id === team_id);
        const all = own
          .flatMap(({ hours = {} }) => Object.values(hours))
          .reduce<RenderCounts>((before, counts) => addRenderCounts(before, { ...NO_COUNTS, ...counts }), NO_COUNTS);
        const now = own.find(({ statuses }) => statuses !== undefined)?.statuses ?? {};
        const { complete = 0, failed = 0, ...open } = now;
        const { requested, completed, charged_credits } = all;
        t.deepEqual(
          { requested, completed, failed: all.failed, waits: sum(all.waits), charged_credits, open: sum(open) },
          counted(documents.values(), team_id),
        );
        t.deepEqual([complete, failed], [completed, all.failed]);
        t.is(sum(all.failures), all.failed);
        t.is(sum(all.durations), completed);
        t.true(Object.values(now).every((count) => count >= 0));
      }
    }),
    { numRuns: runs(500) },
  );
});
