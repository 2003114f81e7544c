import { ulid } from 'ulid';
import { SYSTEM_CLOCK } from '../platform/process/clock.ts';
import { openKnownTrees } from '../read-models/retention/key-trees.ts';
import type { UnpuncturedSeal } from '../read-models/retention/unpunctured-seals.ts';
import { createPuncture } from '../retention/erasure/puncture.ts';
import type { Stack } from '../stack/launcher.ts';
import type { StackClients } from '../stack/testing/stack-clients.ts';
import { type BenchmarkResult, millisecondsText, quantile } from './figures.ts';
import { renderRequested } from './render-requested.ts';
import { benchKeyBlobs, requestSealer } from './sealed-requests.ts';

const KEYS = 200;
/** Not counted, because new code is being compiled. */
const WARM_UP = 20;

/**
 * Punctures keys of one tree as retention does, without the deletes of files. Single renders are erased one after the
 * other. The erasure of a project punctures many keys at once.
 */
export const benchPunctures = async (stack: Stack, { store }: StackClients): Promise<readonly BenchmarkResult[]> => {
  const seal = requestSealer(stack);
  const puncture = createPuncture({
    blobs: benchKeyBlobs(stack),
    known_trees: openKnownTrees(store.db),
    checkRestoredTrees: async () => undefined,
    clock: SYSTEM_CLOCK,
    random: Math.random,
  });
  const newKey = async (): Promise<UnpuncturedSeal> => {
    const bare = renderRequested({ render_id: `rend_${ulid()}`, account_id: 'acc_bench', team_id: 'team_bench' });
    const { account_id, sealed } = await seal(bare);
    if (sealed === null) throw new Error('the request is not sealed');
    return { account_id, tree: sealed.tree, leaf: sealed.leaf };
  };
  const keys = await Promise.all(Array.from({ length: WARM_UP + 2 * KEYS }, newKey));
  const times: number[] = [];
  for (const key of keys.slice(0, WARM_UP + KEYS)) {
    const began = performance.now();
    await puncture(key);
    times.push(performance.now() - began);
  }
  const counted = times.slice(WARM_UP);
  const began = performance.now();
  await Promise.all(keys.slice(WARM_UP + KEYS).map(puncture));
  const together = performance.now() - began;
  const figure = `p50 ${millisecondsText(quantile(counted, 0.5))}, p99 ${millisecondsText(quantile(counted, 0.99))}`;
  return [
    [`puncture of a key, one of ${KEYS}`, figure, 'under 50 ms'],
    [`punctures of ${KEYS} keys at once`, millisecondsText(together), ''],
  ];
};
