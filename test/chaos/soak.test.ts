import test from 'ava';
import { soak } from '../soak/_soak.ts';

/** A render and its webhooks need no other components. */
const COMPONENTS = 'projectors webhook-relay dispatcher preparer worker command-api gateway query-api'.split(' ');

// The short form of `make soak` and `make test-faults`: each process gets one fault, the same one in every run.
test('faults of processes and servers lose no render', async (t) => {
  t.timeout(280_000);
  await soak(t, {
    seed: 23,
    faults: [...COMPONENTS, 'kafka', 'store'],
    components: COMPONENTS,
    ...{ longest_ms: 2_000, between_ms: 20_000 },
    ...{ workers: 2, servers: ['kafka', 'store'], doubled: false, links: false },
  });
});
