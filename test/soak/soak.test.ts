import test from 'ava';
import { SERVER_NAMES } from '../../stack/servers/servers.ts';
import { soak } from './_soak.ts';

// make soak FAULTS=<n> SEED=<n>
const SEED = Number(process.env.SEED || Date.now() % 1_000_000);

test('kills and freezes lose, duplicate or fail no render', async (t) => {
  t.timeout(2 * 60 * 60_000);
  process.stderr.write(`seed ${SEED}\n`);
  const faults = Number(process.env.FAULTS || 100);
  const everybody = { workers: 3, servers: SERVER_NAMES, doubled: true, links: true };
  // The pause between posts gives as many renders as a machine with two cores completes.
  await soak(t, { seed: SEED, faults, longest_ms: 30_000, between_ms: 6_000, ...everybody });
});
