import test from 'ava';
import type { AccountRetention } from '../../../domain/catalogue/entities.ts';
import type { OutputDeletion } from '../../../read-models/retention/output-deletions.ts';
import { openOutputLimits } from '../../../retention/renders/output-limits.ts';

const DAY_MS = 86_400_000;
const ACCOUNT = 'acc_1';

const kept = (days: number): AccountRetention => ({
  ...{ kind: 'account_retention', id: ACCOUNT, outputs: days, media: null, outputs_gone_until: 0 },
});

const openWorld = (a_day: number, swept_at: number | null = null) => {
  const stored = new Map<string, OutputDeletion>();
  const warned: unknown[] = [];
  const state = { counts: 0, is_away: false };
  const limits = openOutputLimits({
    deletions: {
      load: async (id) => stored.get(id) ?? null,
      save: async (id, deletion) => void stored.set(id, deletion),
    },
    completed: async (_account_id, { since, until }) => {
      if (state.is_away) throw new Error('the store is away');
      state.counts += 1;
      const last = Math.min(until ?? Number.POSITIVE_INFINITY, 101 * DAY_MS);
      return Math.max(0, Math.floor(((last - (since ?? 0)) / DAY_MS) * a_day));
    },
    limit: { max_share_percent: 50, share_min_renders: 100 },
    leftovers_ms: DAY_MS,
    unlimitedUntil: async () => swept_at,
    warn: (details) => warned.push(details),
  });
  const at = async (now: number, days: number): Promise<number | undefined> =>
    (await limits(new Map([[ACCOUNT, kept(days)]]), now)).get(ACCOUNT);
  return { stored, warned, state, at, limits };
};

test('a small share is deleted, and not counted again within an hour', async (t) => {
  const { at, state, stored } = openWorld(10);
  t.is(await at(101 * DAY_MS, 90), 10 * DAY_MS);
  t.is(state.counts, 1, 'no more than the share that is always allowed');
  t.is(await at(101 * DAY_MS + 60_000, 90), 10 * DAY_MS);
  t.is(state.counts, 1);
  t.is(await at(102 * DAY_MS, 90), 11 * DAY_MS);
  t.deepEqual(stored.get(ACCOUNT), { until: 11 * DAY_MS, alarm: null });
});

test('a large share is deleted only after an operator approves it', async (t) => {
  const { at, stored, warned } = openWorld(10);
  t.is(await at(101 * DAY_MS, 7), 0);
  const alarm = { until: 93 * DAY_MS, renders: 930, of: 1_009, at: 101 * DAY_MS };
  t.deepEqual(stored.get(ACCOUNT), { until: 0, alarm });
  t.is(warned.length, 1);
  // Approves as `renderctl retention approve` does.
  stored.set(ACCOUNT, { until: alarm.until, alarm: null });
  t.is(await at(101 * DAY_MS + 3_600_000, 7), 93 * DAY_MS + 3_600_000);
  t.is(await at(102 * DAY_MS, 7), 94 * DAY_MS, 'and continues daily');
  t.is(warned.length, 1);
});

test('a clock jump of a month deletes nothing', async (t) => {
  const { at, stored } = openWorld(10);
  stored.set(ACCOUNT, { until: 70 * DAY_MS, alarm: null });
  t.is(await at(101 * DAY_MS + 31 * DAY_MS, 29), 70 * DAY_MS);
  t.truthy(stored.get(ACCOUNT)?.alarm);
  t.is(await at(101 * DAY_MS, 29), 71 * DAY_MS, 'once the clock is right again, the alarm ends');
  t.is(stored.get(ACCOUNT)?.alarm, null);
  stored.set(ACCOUNT, { until: 71 * DAY_MS, alarm: { until: 99, renders: 1, of: 1, at: 1 } });
  t.is(await at(100 * DAY_MS, 29), 70 * DAY_MS);
  t.is(stored.get(ACCOUNT)?.alarm, null);
});

test('a small account is never blocked by the limit', async (t) => {
  const { at, warned } = openWorld(1);
  t.is(await at(101 * DAY_MS, 1), 99 * DAY_MS);
  t.deepEqual(warned, []);
});

test('outputs deleted by an earlier version do not count', async (t) => {
  const { at, warned } = openWorld(10, 100 * DAY_MS);
  t.is(await at(101 * DAY_MS, 20), 80 * DAY_MS);
  t.deepEqual(warned, []);
});

test('an account that cannot be counted keeps its outputs', async (t) => {
  const { limits, state } = openWorld(10);
  state.is_away = true;
  const both = new Map([
    [ACCOUNT, kept(90)],
    ['acc_2', { ...kept(90), outputs: null }],
  ]);
  t.deepEqual(
    await limits(both, 101 * DAY_MS),
    new Map([
      [ACCOUNT, 0],
      ['acc_2', 0],
    ]),
  );
});
