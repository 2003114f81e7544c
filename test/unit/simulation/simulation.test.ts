import test from 'ava';
import { simulateSeeds } from '../../simulation/seeds.ts';

const SEEDS = 110;
const AGAIN = 3;

test('in simulated worlds of many seeds nothing acknowledged is lost, failed, doubled or passed over', async (t) => {
  t.timeout(180_000);
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
