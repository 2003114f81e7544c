import test from 'ava';
import { BlobFault } from '../../../platform/blob-store/blob-store.ts';
import type { VersionedBlob } from '../../../platform/blob-store/versioned-blobs.ts';
import { erasedAccountTreePath } from '../../../schemas/blobs/paths.ts';
import { hasLeaf } from '../../../schemas/seal/key-tree.ts';
import { ACCOUNT, keyWorld, treePath } from './_key-world.ts';

test('a puncture erases one key and keeps its neighbours', async (t) => {
  const { newPuncture, seal, puncturedLeaves, known_trees } = keyWorld();
  await newPuncture()(seal(5));
  t.deepEqual(puncturedLeaves(), [5]);
  t.deepEqual(known_trees.all.get(treePath(1)), { write_counter: 1, is_deleted: false });
});

test('leaves that arrive during a write share the next write', async (t) => {
  const { newPuncture, seal, puncturedLeaves, memory, countOf } = keyWorld();
  const puncture = newPuncture();
  const release = memory.hold('read');
  const all = [0, 1, 2, 3, 900].map((leaf) => puncture(seal(leaf)));
  release();
  await Promise.all(all);
  t.deepEqual(puncturedLeaves(), [0, 1, 2, 3, 900]);
  t.is(countOf('replace'), 2);
});

test('two processes that puncture one tree at once both succeed', async (t) => {
  const { newPuncture, seal, puncturedLeaves, memory, countOf } = keyWorld();
  const release = memory.hold('replace');
  const both = [newPuncture()(seal(1)), newPuncture()(seal(2))];
  release();
  await Promise.all(both);
  t.deepEqual(puncturedLeaves(), [1, 2]);
  t.is(countOf('replace'), 3);
});

test('a puncture fails after many conflicts, and others of the tree succeed later', async (t) => {
  const { newPuncture, seal, puncturedLeaves, memory } = keyWorld();
  const puncture = newPuncture();
  const { replace } = memory.blobs;
  let conflicts = 0;
  const conflict = async (): Promise<boolean> => {
    conflicts += 1;
    return false;
  };
  Object.assign(memory.blobs, { replace: conflict });
  const fault = await t.throwsAsync(puncture(seal(1)), { instanceOf: BlobFault });
  t.is(fault?.tag, 'unavailable');
  t.true(conflicts > 5 && conflicts < 20, `${conflicts}`);
  Object.assign(memory.blobs, { replace });
  await puncture(seal(2));
  t.deepEqual(puncturedLeaves(), [2]);
});

test('a puncture whose answer was lost stores the counter when it is repeated', async (t) => {
  const { newPuncture, seal, puncturedLeaves, memory, known_trees, countOf } = keyWorld();
  const puncture = newPuncture();
  const { replace } = memory.blobs;
  Object.assign(memory.blobs, {
    replace: async (...args: Parameters<typeof replace>) => {
      await replace(...args);
      throw new BlobFault('unavailable', args[0], 'no answer');
    },
  });
  await t.throwsAsync(puncture(seal(7)), { instanceOf: BlobFault });
  Object.assign(memory.blobs, { replace });
  t.is(known_trees.all.size, 0);
  await puncture(seal(7));
  t.deepEqual(puncturedLeaves(), [7]);
  t.is(known_trees.all.get(treePath(1))?.write_counter, 1);
  t.is(countOf('replace'), 1);
});

test('a missing tree and an impossible reference need no puncture', async (t) => {
  const { newPuncture, seal, memory, countOf, puncturedLeaves } = keyWorld();
  const puncture = newPuncture();
  await puncture(seal(1, 9));
  await puncture({ account_id: 'acc_1', tree: '../acc_2/keys/x', leaf: 1 });
  await puncture(seal(5_000));
  t.is(countOf('replace'), 0);
  t.deepEqual(puncturedLeaves(), []);
  t.false(memory.contents.has(treePath(9)));
});

test('a corrupt tree is not taken for a punctured one', async (t) => {
  const { newPuncture, seal, memory } = keyWorld();
  const blob = memory.contents.get(treePath(1));
  memory.contents.set(treePath(1), { bytes: blob?.bytes.subarray(0, 60) ?? Buffer.alloc(0), version: 'cut' });
  const fault = await t.throwsAsync(newPuncture()(seal(1)), { instanceOf: BlobFault });
  t.is(fault?.tag, 'corrupt');
});

test('a restored tree repeats all erasures once, for all trees', async (t) => {
  const { newPuncture, seal, memory, repeats, puncturedLeaves, addTree, checkRestoredTrees } = keyWorld();
  addTree(2);
  const puncture = newPuncture();
  await Promise.all([puncture(seal(1)), puncture(seal(1, 2))]);
  const backup = new Map(memory.contents);
  for (const leaf of [2, 3]) for (const n of [1, 2]) await puncture(seal(leaf, n));
  for (const [path, blob] of backup) memory.contents.set(path, { ...blob, version: `restored ${path}` });
  t.is(repeats(), 0);
  // Without a comparison at each puncture, these writes would bring the counter of tree 1 to the known one.
  for (const leaf of [10, 11]) await puncture(seal(leaf));
  t.is(repeats(), 1);
  t.deepEqual(puncturedLeaves(), [1, 10, 11]);
  await checkRestoredTrees();
  t.is(repeats(), 1);
});

test('a backup of a tree is recognized again after an older one was restored', async (t) => {
  const { newPuncture, seal, memory, repeats, storedTree, checkRestoredTrees } = keyWorld();
  const puncture = newPuncture();
  const backups: VersionedBlob[] = [];
  for (const leaf of [1, 2, 3]) {
    const blob = memory.contents.get(treePath(1));
    if (blob !== undefined) backups.push(blob);
    await puncture(seal(leaf));
  }
  for (const [repeated, backup] of backups.entries()) {
    memory.contents.set(treePath(1), backup);
    await checkRestoredTrees();
    t.is(repeats(), repeated + 1);
    // The repeat shares one write, so the new tree has fewer writes than the tree before the restore.
    await Promise.all([1, 2, 3].map((leaf) => puncture(seal(leaf))));
    t.false([1, 2, 3].some((leaf) => hasLeaf(storedTree(1), leaf)));
  }
  await checkRestoredTrees();
  t.is(repeats(), backups.length);
});

test('a lost tree that returns after an erasure repeats all erasures', async (t) => {
  const { newPuncture, seal, memory, repeats, puncturedLeaves, checkRestoredTrees } = keyWorld();
  const blob = memory.contents.get(treePath(1));
  memory.contents.delete(treePath(1));
  await newPuncture()(seal(1));
  await checkRestoredTrees();
  t.is(repeats(), 0);
  if (blob !== undefined) memory.contents.set(treePath(1), blob);
  await checkRestoredTrees();
  t.is(repeats(), 1);
  await newPuncture()(seal(1));
  await checkRestoredTrees();
  t.is(repeats(), 1);
  t.deepEqual(puncturedLeaves(), [1]);
});

test('trees of an erased account are not noted as lost', async (t) => {
  const { newPuncture, seal, memory, known_trees } = keyWorld();
  memory.contents.delete(treePath(1));
  await memory.blobs.create(erasedAccountTreePath(ACCOUNT), Buffer.alloc(1));
  await newPuncture()(seal(1));
  t.is(known_trees.all.size, 0);
});

test('a tree that returns after its deletion repeats all erasures', async (t) => {
  const { newPuncture, seal, memory, repeats, known_trees, checkRestoredTrees } = keyWorld();
  const puncture = newPuncture();
  await puncture(seal(1));
  const blob = memory.contents.get(treePath(1));
  await known_trees.setAccountDeleted(ACCOUNT);
  memory.contents.delete(treePath(1));
  await checkRestoredTrees();
  t.is(repeats(), 0);
  if (blob !== undefined) memory.contents.set(treePath(1), blob);
  await checkRestoredTrees();
  await checkRestoredTrees();
  t.is(repeats(), 1);
});

test('restored trees are found again after a crash before they are accepted', async (t) => {
  const { newPuncture, seal, memory, repeats, checkRestoredTrees } = keyWorld();
  const before = memory.contents.get(treePath(1));
  await newPuncture()(seal(1));
  if (before !== undefined) memory.contents.set(treePath(1), before);
  const { replace } = memory.blobs;
  Object.assign(memory.blobs, { replace: async () => Promise.reject(new Error('killed')) });
  await t.throwsAsync(checkRestoredTrees(), { message: 'killed' });
  Object.assign(memory.blobs, { replace });
  await checkRestoredTrees();
  await checkRestoredTrees();
  t.is(repeats(), 2);
});
