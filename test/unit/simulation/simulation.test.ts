import test from 'ava';
import type { Mutant } from '../../simulation/mutants.ts';
import { simulateSeeds } from '../../simulation/seeds.ts';

const SEEDS = 60;
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

/** Seeds that find each, as `make simulate FAULTS=<name>` shows them: where code changes one of them may not any more. */
const FOUND_BY: Readonly<Record<Mutant, { readonly seeds: readonly number[]; readonly by: RegExp }>> = {
  environment_counts: { seeds: [18, 41], by: /no fault of its own: attempts_exhausted/ },
  preparation_fails: { seeds: [41, 44], by: /no fault of its own: surroundings/ },
  restored_store_serves: { seeds: [9, 39], by: /answered 401/ },
  no_windows: { seeds: [3, 4], by: /while slots are free/ },
};

for (const [name, { seeds, by }] of Object.entries(FOUND_BY)) {
  test(`the simulation finds it where the service does as before: ${name}`, async (t) => {
    t.timeout(TIMEOUT_MS);
    const judged = await Promise.all(
      seeds.map((from) => simulateSeeds({ from, count: 1, mutants: [name], processes: 1 })),
    );
    t.true(judged.flat().some(({ violations }) => by.test(violations[0] ?? '')));
  });
}
