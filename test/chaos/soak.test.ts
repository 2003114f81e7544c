import test from 'ava';
import { soak } from '../soak/_soak.ts';

// The short form of `make soak`: the same few faults each time.
test('faults of processes, servers and the links between them cost no render', async (t) => {
  t.timeout(280_000);
  await soak(t, {
    seed: 4,
    faults: 4,
    longest_ms: 3_000,
    workers: 2,
    servers: ['kafka', 'store', 'blob'],
    doubled: false,
  });
});
