import test from 'ava';
import { MUTANT_NAMES, type Mutant } from '../../simulation/mutants.ts';
import { type Judged, simulateWorlds } from '../../simulation/seeds.ts';

const SEEDS = 30;
const AGAIN = 3;
const TIMEOUT_MS = 240_000;

test('simulated worlds of many seeds lose, fail, duplicate or skip no acknowledged work', async (t) => {
  t.timeout(TIMEOUT_MS);
  const judged = await simulateWorlds([{ from: 1, count: SEEDS, mutants: [] }]);
  t.is(judged.length, SEEDS);
  t.deepEqual(
    judged.flatMap(({ seed, violations }) => violations.map((violation) => `seed ${seed}: ${violation}`)),
    [],
  );
  // Another process, so that earlier work of a process cannot affect the result.
  const again = await simulateWorlds([{ from: SEEDS - AGAIN + 1, count: AGAIN, mutants: [] }]);
  t.deepEqual(
    again.map(({ hash }) => hash),
    judged.slice(-AGAIN).map(({ hash }) => hash),
    'the same seed gives the same trace',
  );
});

/**
 * The violation that reveals each mutant, with a recent seed. Seeds give other worlds after code changes, so others are tried
 * afterwards.
 */
const FOUND_BY: Readonly<Record<Mutant, { readonly lately: number; readonly by: RegExp }>> = {
  environment_counts: { lately: 1, by: /no fault of its own: attempts_exhausted/ },
  preparation_fails: { lately: 77, by: /no fault of its own: surroundings/ },
  restored_store_serves: { lately: 10, by: /answered 401/ },
  no_windows: { lately: 50, by: /while slots are free/ },
  one_clock_deletes: { lately: 221, by: /was deleted, and is \d+ s old/ },
  erased_once: { lately: 40, by: /was erased, and is there/ },
  revoked_key_opens: { lately: 19, by: /is revoked, and opens the API/ },
  host_clocks_compared: { lately: 342, by: /orders and \d+ changes are not answered/ },
  credits_apart: { lately: 74, by: /has spent \d+ of \d+ credits/ },
  lag_of_all: { lately: 430, by: /only one partition is out of order/ },
  holds_end_early: { lately: 13, by: /has spent \d+ of \d+ credits/ },
  positions_block: { lately: 145, by: /only one position is out of order/ },
  rebuild_serves_early: { lately: 7, by: /^readers found/ },
  left_keeps_names: { lately: 124, by: /was erased, and renders_g\d+ has/ },
  blob_waits: { lately: 28, by: /only one blob is out of order/ },
  parts_unhashed: { lately: 42, by: /is complete, and its film/ },
  parts_unchecked: { lately: 216, by: /is complete, and its film/ },
  puncture_forgotten: { lately: 2, by: /was erased, and its text opens/ },
  account_keys_kept: { lately: 22, by: /accounts\/\S+\/keys\/\S+ was erased, and is there/ },
  ignored_seal_kept: { lately: 2, by: /is ignored, and its text opens/ },
  cache_forever: { lately: 69, by: /opened the text of \S+, whose key was erased/ },
  puncture_not_repeated: { lately: 2, by: /was erased, and its text opens/ },
  helpers_waited_for: { lately: 2, by: /over_budget/ },
};
const AT_A_TIME = 20;
const MAX_SEEDS = 400;

const seedThatFinds = (name: Mutant, judged: readonly Judged[]): number | undefined =>
  judged.find(({ mutants, violations }) => mutants.includes(name) && FOUND_BY[name].by.test(violations[0] ?? ''))?.seed;

/** One process for all, because its start takes as long as several worlds. */
const lately = simulateWorlds(MUTANT_NAMES.map((name) => ({ from: FOUND_BY[name].lately, count: 1, mutants: [name] })));

for (const name of MUTANT_NAMES)
  test(`the simulation detects the earlier behaviour: ${name}`, async (t) => {
    t.timeout(TIMEOUT_MS);
    let seed = seedThatFinds(name, await lately);
    for (let from = 1; seed === undefined && from <= MAX_SEEDS; from += AT_A_TIME) {
      seed = seedThatFinds(name, await simulateWorlds([{ from, count: AT_A_TIME, mutants: [name] }]));
      if (seed !== undefined) t.log(`the search took long: write seed ${seed} into FOUND_BY`);
    }
    t.not(seed, undefined);
  });
