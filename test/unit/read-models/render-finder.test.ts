import test from 'ava';
import { ulid } from 'ulid';
import { renderId } from '../../../domain/render/render-id.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { openRenderFinder, type RequesterScope } from '../../../read-models/renders/render-finder.ts';
import type { VisibleRender } from '../../../read-models/renders/renders.ts';

const NOW = 1_800_000_000_000;
const reach: RequesterScope = { account_id: 'acc_1', teams: new Set(['team_1']) };

/** The answer for an id that was created `age_ms` ago, with everything folded up to `folded_ms` ago. */
const saidOf = async (
  minted_before_ms: number,
  folded_before_ms: number,
  document: VisibleRender | null = null,
): Promise<string> => {
  const renders = {
    find: async () => document,
    findAll: async () => [],
    foldedUntil: async () => () => NOW - folded_before_ms,
  };
  const clock = {
    ...SYSTEM_CLOCK,
    now: () => NOW,
    after: (_ms: number, run: () => void) => SYSTEM_CLOCK.after(0, run),
  };
  let monotonic = 0;
  const find = openRenderFinder(renders, { ...clock, monotonic: () => (monotonic += 500) });
  return (await find(renderId(ulid(NOW - minted_before_ms)), reach)).tag;
};

test('a slow append by a machine 5 s behind is still found', async (t) => {
  // An append takes up to 3 s until POST answers, and the clock may be 5 s behind. The projector read its clock just
  // before the append.
  t.is(await saidOf(3_000 + 5_000, 0), 'not_yet');
  t.is(await saidOf(3_000 + 5_000, 1_000), 'not_yet');
});

test('an id created long before the watermark does not exist', async (t) => {
  t.is(await saidOf(60_000, 0), 'not_found');
  t.is(await saidOf(60_000, 45_000), 'not_found');
  t.is(await saidOf(60_000, 55_000), 'not_yet');
  t.is(await saidOf(-120_000, 0), 'not_found');
  t.is(await saidOf(-5_000, 0), 'not_yet');
});

test('reads never wait for an erased render', async (t) => {
  const erased: VisibleRender = {
    ...{ _id: 'rend_1', render: null, facts: [], partition: 0, ignored_count: 0 },
    erased_in: 'team_1',
  };
  t.is(await saidOf(1_000, 0, erased), 'not_found');
  const of_others: VisibleRender = { ...erased, erased_in: 'team_2' };
  t.is(await saidOf(1_000, 0, of_others), 'not_yet', 'a render of another team gets the same answer as a missing one');
  const { erased_in, ...ignored } = erased;
  t.is(erased_in, 'team_1');
  t.is(await saidOf(1_000, 0, ignored), 'not_yet', 'a render whose events were all ignored can still be requested');
});
