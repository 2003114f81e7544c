import test from 'ava';
import { BlobFault, type BlobFaultTag } from '../../../platform/blob-store/blob-store.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import type { UnpuncturedSeal, UnpuncturedSeals } from '../../../read-models/retention/unpunctured-seals.ts';
import { createPuncturePatiently } from '../../../retention/erasure/puncture-patiently.ts';
import { keyTreeSweep } from '../../../retention/keys/key-tree-sweep.ts';
import { sealSweeps } from '../../../retention/keys/seal-sweeps.ts';
import { encodeKeyTree, LEAF_COUNT } from '../../../schemas/seal/key-tree.ts';
import { keyWorld, treeName, treePath } from './_key-world.ts';

const NEVER = new AbortController().signal;
const LOGGER = createLogger('test', 'silent');

const sealAt = (leaf: number): UnpuncturedSeal => ({ account_id: 'acc_1', tree: treeName(1), leaf });

/** Keys of which some cannot be punctured, and the rows about them. */
const world = () => {
  const punctured: number[] = [];
  const faults = new Map<number, BlobFaultTag>();
  const rows = new Map<string, UnpuncturedSeal>();
  const ignored = new Map<number, boolean>();
  let failing_adds = 0;
  const puncture = async ({ leaf }: UnpuncturedSeal): Promise<void> => {
    const fault = faults.get(leaf);
    if (fault !== undefined) throw new BlobFault(fault, 'a tree', fault);
    punctured.push(leaf);
  };
  const unpunctured: UnpuncturedSeals = {
    add: async (seals) => {
      failing_adds -= 1;
      if (failing_adds >= 0) throw new Error('the store is away');
      for (const seal of seals) rows.set(`${seal.tree}/${seal.leaf}`, seal);
    },
    page: async (after, limit) =>
      [...rows]
        .map(([id, row]) => ({ id, ...row }))
        .filter(({ id }) => after === null || id > after)
        .slice(0, limit),
    remove: async (seals) => {
      for (const { tree, leaf } of seals) rows.delete(`${tree}/${leaf}`);
    },
    count: async () => rows.size,
  };
  const clock = { now: () => 5, sleep: async () => undefined };
  const [ignored_sweep, unpunctured_sweep] = sealSweeps({
    ...{ puncture, unpunctured, clock },
    ignored_seals: {
      unpunctured: async (limit) =>
        [...ignored].flatMap(([leaf, is_done]) => (is_done ? [] : [sealAt(leaf)])).slice(0, limit),
      setPunctured: async (seals) => {
        for (const { leaf } of seals) ignored.set(leaf, true);
      },
    },
  });
  return {
    ...{ punctured, faults, rows, ignored, ignored_sweep, unpunctured_sweep },
    failAdds: (times: number): void => {
      failing_adds = times;
    },
    punctureAll: createPuncturePatiently({ puncture, unpunctured, clock, logger: LOGGER, warn: () => undefined }),
  };
};

test('a refused puncture leaves a row before the position of erasures advances', async (t) => {
  const { punctureAll, faults, punctured, rows, failAdds } = world();
  faults.set(2, 'refused').set(3, 'corrupt');
  failAdds(2);
  await punctureAll([1, 2, 3].map(sealAt), NEVER);
  t.deepEqual(punctured, [1]);
  t.deepEqual(
    [...rows.values()].map(({ leaf }) => leaf),
    [2, 3],
  );
});

test('an aborted puncture leaves no row and does not resolve', async (t) => {
  const { punctureAll, faults, rows } = world();
  faults.set(2, 'unavailable');
  await t.throwsAsync(punctureAll([sealAt(2)], AbortSignal.abort(new Error('stopping'))), { message: 'stopping' });
  t.is(rows.size, 0);
});

test('keys of ignored requests are punctured, and refused ones do not delay others', async (t) => {
  const { ignored_sweep, unpunctured_sweep, ignored, faults, punctured, rows } = world();
  for (let leaf = 0; leaf < 501; leaf += 1) ignored.set(leaf, false);
  faults.set(0, 'refused');
  t.is((await ignored_sweep?.page(null, NEVER))?.next, '');
  t.is((await ignored_sweep?.page('', NEVER))?.next, null);
  t.is(punctured.length, 500);
  t.true([...ignored.values()].every((is_done) => is_done));
  t.deepEqual([...rows.keys()], [`${treeName(1)}/0`]);
  await unpunctured_sweep?.page(null, NEVER);
  t.is(rows.size, 1);
  faults.clear();
  await unpunctured_sweep?.page(null, NEVER);
  t.is(rows.size, 0);
  t.true(punctured.includes(0));
});

test('a key that cannot be punctured during an outage stays unpunctured', async (t) => {
  const { ignored_sweep, ignored, faults, rows } = world();
  ignored.set(0, false).set(1, false);
  faults.set(0, 'unavailable');
  await t.throwsAsync(async () => await ignored_sweep?.page(null, NEVER), { instanceOf: BlobFault });
  t.deepEqual([...ignored.values()], [false, true]);
  t.is(rows.size, 0);
});

const treeSweepOf = ({ memory: { blobs }, known_trees, checkRestoredTrees }: ReturnType<typeof keyWorld>) => {
  const errors: string[] = [];
  const logger = { ...LOGGER, error: (_details: object, message: string) => errors.push(message) };
  return { sweep: keyTreeSweep({ blobs, known_trees, checkRestoredTrees, logger: logger as never }), errors };
};

test('a tree without keys stays, so that its texts are not reported as lost', async (t) => {
  const keys = keyWorld();
  const puncture = keys.newPuncture();
  await Promise.all(Array.from({ length: LEAF_COUNT }, (_, leaf) => puncture(keys.seal(leaf))));
  const { sweep, errors } = treeSweepOf(keys);
  for (let pass = 0; pass < 2; pass += 1) t.deepEqual(await sweep.page(null, NEVER), { next: null, removed: {} });
  t.deepEqual([keys.storedTree(1).nodes, errors, keys.repeats()], [[], [], 0]);
});

test('the daily sweep finds restored, missing and corrupt trees', async (t) => {
  const keys = keyWorld();
  for (const n of [2, 3]) keys.addTree(n);
  const before = keys.memory.contents.get(treePath(1));
  const puncture = keys.newPuncture();
  for (const n of [1, 2, 3]) await puncture(keys.seal(0, n));
  const { sweep, errors } = treeSweepOf(keys);
  await sweep.page(null, NEVER);
  t.deepEqual([keys.repeats(), errors], [0, []]);
  if (before !== undefined) keys.memory.contents.set(treePath(1), before);
  keys.memory.contents.delete(treePath(2));
  const whole = encodeKeyTree(keys.storedTree(3));
  keys.memory.contents.set(treePath(3), { bytes: whole.subarray(0, -1), version: 'cut' });
  await sweep.page(null, NEVER);
  t.is(keys.repeats(), 1);
  t.deepEqual(errors.length, 2);
  t.regex(errors.join(), /missing.*corrupt/);
  await sweep.page(null, NEVER);
  t.is(keys.repeats(), 1);
});
