import test from 'ava';
import { soak } from '../soak/_soak.ts';

// The short form of `make soak` and `make test-faults`: everybody is harmed once, in the same way each time.
test('faults of processes, servers and the links between them cost no render', async (t) => {
  t.timeout(280_000);
  await soak(t, {
    seed: 4,
    faults: [
      ...['projectors', 'webhook-relay', 'dispatcher', 'preparer', 'command-api', 'worker', 'kafka'],
      ...['webhook-relay', 'the link to blob', 'store', 'gateway', 'projectors', 'query-api'],
    ],
    longest_ms: 3_000,
    workers: 2,
    servers: ['kafka', 'store', 'blob'],
    doubled: false,
  });
});
