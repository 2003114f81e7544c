import test from 'ava';
import { BlobFault } from '../../../../platform/blob-store/blob-store.ts';
import { keyTreesPath } from '../../../../schemas/blobs/paths.ts';
import { hasLeaf, LEAF_COUNT } from '../../../../schemas/seal/key-tree.ts';
import { MINUTE_MS, RECORD, sealedRecord, sealWorld, settle } from './_world.ts';

const DAY_MS = 24 * 60 * MINUTE_MS;
const AHEAD = Math.floor(0.9 * LEAF_COUNT);

test('the tree is in the store before its first record, and serves 1,024 records', async (t) => {
  const { sealName, countOf, storedTree, pathOf, memory } = sealWorld();
  const seals = [];
  for (let n = 0; n < LEAF_COUNT + 1; n += 1) seals.push(await sealName());
  const [first] = seals;
  t.is(memory.operations[0], `create ${keyTreesPath(RECORD.account_id)}${first?.tree}`);
  t.deepEqual(
    seals.slice(0, LEAF_COUNT).map(({ leaf }) => leaf),
    Array.from({ length: LEAF_COUNT }, (_, leaf) => leaf),
  );
  t.is(new Set(seals.slice(0, LEAF_COUNT).map(({ tree }) => tree)).size, 1);
  t.like(seals.at(-1), { leaf: 0 });
  t.not(seals.at(-1)?.tree, first?.tree);
  t.deepEqual(memory.operations.slice(1), [`create ${pathOf(seals.at(-1) ?? { tree: '' })}`]);
  t.is(countOf('read'), 0);
  t.true(hasLeaf(storedTree(pathOf(first ?? { tree: '' })), 0));
});

test('concurrent first requests of an account share one tree', async (t) => {
  const { sealName, countOf } = sealWorld();
  const seals = await Promise.all(Array.from({ length: 40 }, () => sealName()));
  t.is(new Set(seals.map(({ tree }) => tree)).size, 1);
  t.is(new Set(seals.map(({ leaf }) => leaf)).size, 40);
  t.is(countOf('create'), 1);
});

test('more concurrent requests than leaves never use a leaf twice', async (t) => {
  const { sealName } = sealWorld();
  const seals = await Promise.all(Array.from({ length: 3 * LEAF_COUNT }, () => sealName()));
  t.is(new Set(seals.map(({ tree, leaf }) => `${tree}/${leaf}`)).size, 3 * LEAF_COUNT);
});

test('accounts and processes never share a tree', async (t) => {
  const { sealName, newSealer } = sealWorld();
  const seals = [
    await sealName('One', 'acc_1'),
    await sealName('Two', 'acc_2'),
    await newSealer().seal(RECORD, { name: 'Three' }),
  ];
  t.is(new Set(seals.map(({ tree }) => tree)).size, 3);
});

test('the next tree is created ahead, so that a slow store delays no request', async (t) => {
  const { sealName, memory, countOf, clock } = sealWorld();
  for (let n = 0; n < AHEAD; n += 1) await sealName();
  t.is(countOf('create'), 1);
  const release = memory.hold('create');
  for (let n = AHEAD; n < LEAF_COUNT; n += 1) await sealName();
  t.is(countOf('create'), 2, 'one creation at a time');
  release();
  await settle();
  const { leaf } = await sealName();
  t.deepEqual([leaf, countOf('create'), clock.now()], [0, 2, 0]);
});

test('a failed creation ahead is reported, and repeated when the leaves are used', async (t) => {
  const { sealName, memory, failures } = sealWorld();
  for (let n = 0; n < AHEAD; n += 1) await sealName();
  memory.is_away = true;
  await Promise.all([sealName(), sealName(), sealName()]);
  await settle();
  t.is(failures.length, 1);
  for (let n = AHEAD + 3; n < LEAF_COUNT; n += 1) await sealName();
  await t.throwsAsync(sealName(), { instanceOf: BlobFault });
  memory.is_away = false;
  t.is((await sealName()).leaf, 0);
});

test('requests fail while the first tree cannot be created, and recover', async (t) => {
  const { sealName, memory, countOf } = sealWorld();
  memory.is_away = true;
  const both = await Promise.allSettled([sealName(), sealName()]);
  t.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  t.is(countOf('create'), 3, 'both requests share three tries');
  memory.is_away = false;
  t.is((await sealName()).leaf, 0);
});

test('a failed creation is tried again with another path, as it may have succeeded', async (t) => {
  const { newSealer, memory } = sealWorld();
  let tries = 0;
  const create = async (path: string, bytes: Buffer): Promise<boolean> => {
    tries += 1;
    const is_created = await memory.blobs.create(path, bytes);
    if (tries === 1) throw new BlobFault('unavailable', path, 'the answer is lost');
    return is_created;
  };
  const { tree } = await newSealer({ ...memory.blobs, create }).seal(RECORD, { name: 'One' });
  t.is(memory.contents.size, 2);
  t.is([...memory.contents.keys()].at(-1), `${keyTreesPath(RECORD.account_id)}${tree}`);
});

test('a path that has a blob already is never used', async (t) => {
  const { newSealer, memory } = sealWorld();
  const { seal } = newSealer({ ...memory.blobs, create: async () => false });
  await t.throwsAsync(seal(RECORD, { name: 'One' }), { instanceOf: BlobFault, message: /refused to create/ });
});

test('a tree is replaced after a day', async (t) => {
  const { sealName, clock } = sealWorld();
  const { tree } = await sealName();
  await clock.advance(DAY_MS - 1);
  t.is((await sealName()).tree, tree);
  await clock.advance(1);
  t.not((await sealName()).tree, tree);
});

test('a writer reads its tree once a minute, and survives punctures of used leaves', async (t) => {
  const { sealName, clock, countOf, puncture } = sealWorld();
  const first = await sealName();
  await puncture(first);
  await clock.advance(MINUTE_MS);
  await sealName();
  t.is(countOf('read'), 0);
  await clock.advance(1);
  const later = await Promise.all([sealName(), sealName()]);
  t.deepEqual(
    later.map(({ tree, leaf }) => [tree, leaf]),
    [
      [first.tree, 2],
      [first.tree, 3],
    ],
  );
  t.is(countOf('read'), 1);
});

test('a writer drops a tree that is lost, altered or without its unused leaves', async (t) => {
  const { sealName, clock, memory, pathOf, puncture, open } = sealWorld();
  const changes = [
    async (path: string) => void memory.contents.delete(path),
    async (path: string) => void memory.contents.set(path, { bytes: Buffer.from('other'), version: 'x' }),
    async (_: string, tree: string) => await puncture({ tree, leaf: 900 }),
  ];
  for (const change of changes) {
    const { tree } = await sealName();
    const path = pathOf({ tree });
    await change(path, tree);
    const before = memory.contents.get(path);
    await clock.advance(MINUTE_MS + 1);
    const after = await sealName('Later');
    t.not(after.tree, tree);
    t.is(memory.contents.get(path), before, 'the old tree is not written again');
    t.is((await open(sealedRecord(after))).state, 'open');
  }
});

test('requests fail while a tree cannot be checked, and continue with it later', async (t) => {
  const { sealName, clock, memory } = sealWorld();
  const { tree } = await sealName();
  await clock.advance(MINUTE_MS + 1);
  memory.is_away = true;
  await t.throwsAsync(sealName(), { instanceOf: BlobFault });
  memory.is_away = false;
  t.like(await sealName(), { tree, leaf: 1 });
});

test('a check that ends more than a minute after it began counts for nothing', async (t) => {
  const { sealName, clock, memory, countOf } = sealWorld();
  await sealName();
  await clock.advance(MINUTE_MS + 1);
  const release = memory.hold('read');
  const sealing = sealName();
  await clock.advance(MINUTE_MS + 1);
  release();
  await sealing;
  t.is(countOf('read'), 2);
});

test('an account that is used least recently begins another tree', async (t) => {
  const { sealName } = sealWorld({ max_accounts: 2 });
  const first = await sealName('One', 'acc_1');
  await sealName('Two', 'acc_2');
  await sealName('Three', 'acc_3');
  const again = await sealName('Four', 'acc_1');
  t.not(again.tree, first.tree);
  t.is(again.leaf, 0);
});

test('an account id that is no part of a path is refused', async (t) => {
  const { sealName, countOf } = sealWorld();
  for (const account_id of ['..', '.', 'a/b', '']) await t.throwsAsync(sealName('One', account_id));
  t.is(countOf('create'), 0);
});
