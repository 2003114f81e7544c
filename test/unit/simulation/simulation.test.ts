import test from 'ava';
import type { Mutant } from '../../simulation/mutants.ts';
import { simulateSeeds } from '../../simulation/seeds.ts';

const SEEDS = 30;
const AGAIN = 3;
const TIMEOUT_MS = 240_000;

test('in simulated worlds of many seeds nothing acknowledged is lost, failed, doubled or passed over', async (t) => {
  t.timeout(TIMEOUT_MS);
  const judged = await simulateSeeds({ from: 1, count: SEEDS, mutants: [], processes: 1 });
  t.is(judged.length, SEEDS);
  t.deepEqual(
    judged.flatMap(({ seed, violations }) => violations.map((violation) => `seed ${seed}: ${violation}`)),
    [],
  );
  // Begun elsewhere: what a process did before has no part in it.
  const again = await simulateSeeds({ from: SEEDS - AGAIN + 1, count: AGAIN, mutants: [], processes: 1 });
  t.deepEqual(
    again.map(({ hash }) => hash),
    judged.slice(-AGAIN).map(({ hash }) => hash),
    'the same seed gives the same trace',
  );
});

/** What finds each, and a seed that did lately: seeds make other worlds where code changes, so others are tried after it. */
const FOUND_BY: Readonly<Record<Mutant, { readonly lately: number; readonly by: RegExp }>> = {
  environment_counts: { lately: 18, by: /no fault of its own: attempts_exhausted/ },
  preparation_fails: { lately: 337, by: /no fault of its own: surroundings/ },
  restored_store_serves: { lately: 9, by: /answered 401/ },
  no_windows: { lately: 52, by: /while slots are free/ },
};
const AT_A_TIME = 10;
const MOST_SEEDS = 400;

for (const [name, { lately, by }] of Object.entries(FOUND_BY)) {
  test(`the simulation finds it where the service does as before: ${name}`, async (t) => {
    t.timeout(TIMEOUT_MS);
    const finds = async (from: number, count: number): Promise<boolean> => {
      const judged = await simulateSeeds({ from, count, mutants: [name], processes: 1 });
      return judged.some(({ violations }) => by.test(violations[0] ?? ''));
    };
    let found = await finds(lately, 1);
    for (let from = 1; !found && from <= MOST_SEEDS; from += AT_A_TIME) found = await finds(from, AT_A_TIME);
    t.true(found);
  });
}
