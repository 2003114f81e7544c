import test from 'ava';
import { BlobFault } from '../../../../platform/blob-store/blob-store.ts';
import { createTreeCache } from '../../../../platform/seals/tree-cache.ts';
import { erasedAccountTreePath } from '../../../../schemas/blobs/paths.ts';
import { encodeKeyTree } from '../../../../schemas/seal/key-tree.ts';
import { MINUTE_MS, sealedRecord, sealWorld, settle } from './_world.ts';

const TEXT = { name: 'Spring sale', values: { title: 'Ä' }, draft: true };
const sealed = async () => {
  const world = sealWorld();
  const seal = await world.seal(sealedRecord({ tree: '', leaf: 0, box: '' }), TEXT);
  return { ...world, seal_of_text: seal, record: sealedRecord(seal) };
};

test('a sealed text opens, with one read for a tree and minute', async (t) => {
  const { open, record, clock, countOf } = await sealed();
  for (let n = 0; n < 3; n += 1) t.deepEqual(await open(record), { state: 'open', text: TEXT });
  await clock.advance(MINUTE_MS);
  t.deepEqual(await open(record), { state: 'open', text: TEXT });
  t.is(countOf('read'), 1);
  await clock.advance(1);
  t.deepEqual(await open(record), { state: 'open', text: TEXT });
  t.is(countOf('read'), 2);
});

test('concurrent readers of a tree share its reads', async (t) => {
  const { open, record, countOf } = await sealed();
  const found = await Promise.all(Array.from({ length: 50 }, () => open(record)));
  t.deepEqual(new Set(found.map(({ state }) => state)), new Set(['open']));
  t.true(countOf('read') <= 2);
});

test('new readers see a puncture at once, all others within a minute', async (t) => {
  const { open, record, clock, puncture, sealName } = await sealed();
  const other = sealedRecord(await sealName('Another'));
  await open(record);
  await puncture(record.sealed);
  t.is((await open(record)).state, 'open');
  await clock.advance(MINUTE_MS + 1);
  t.deepEqual(await open(record), { state: 'punctured' });
  t.deepEqual(await open(other), { state: 'open', text: { name: 'Another' } });
});

test('a reader looks at the store again before it says punctured or lost', async (t) => {
  const { open, record, memory, puncture, sealName, pathOf } = await sealed();
  const path = pathOf(record.sealed);
  const before = memory.contents.get(path);
  await puncture(record.sealed);
  t.is((await open(record)).state, 'punctured');
  // An operator restores the blob, so that the cached tree is wrong.
  if (before !== undefined) memory.contents.set(path, before);
  t.is((await open(record)).state, 'open');
  memory.contents.delete(path);
  t.is((await open(sealedRecord(await sealName(), { project_id: 'proj_2' }))).state, 'lost');
  t.deepEqual(await open(record), { state: 'lost', why: 'tree_missing' });
});

test('a missing tree is never cached', async (t) => {
  const { open, record, memory, pathOf } = await sealed();
  const path = pathOf(record.sealed);
  const blob = memory.contents.get(path);
  memory.contents.delete(path);
  t.deepEqual(await open(record), { state: 'lost', why: 'tree_missing' });
  if (blob !== undefined) memory.contents.set(path, blob);
  t.is((await open(record)).state, 'open');
});

test('texts of an erased account without trees are punctured, those of others are lost', async (t) => {
  const { open, record, memory, pathOf } = await sealed();
  memory.contents.delete(pathOf(record.sealed));
  const erased = { bytes: encodeKeyTree({ write_counter: 0, nodes: [] }), version: 'erased' };
  memory.contents.set(erasedAccountTreePath('acc_2'), erased);
  t.deepEqual(await open(record), { state: 'lost', why: 'tree_missing' });
  memory.contents.set(erasedAccountTreePath(record.account_id), erased);
  t.deepEqual(await open(record), { state: 'punctured' });
});

test('a lost text says why', async (t) => {
  const { open, record, memory, pathOf, countOf } = await sealed();
  const { tree, leaf, box } = record.sealed;
  for (const wrong of [{ leaf: -1 }, { leaf: 1_024 }, { leaf: 0.5 }, { tree: '../../renders/rend_1' }, { tree: '' }])
    t.deepEqual(await open(sealedRecord({ ...record.sealed, ...wrong })), { state: 'lost', why: 'reference_invalid' });
  t.deepEqual(await open({ ...record, account_id: '..' }), { state: 'lost', why: 'reference_invalid' });
  t.is(countOf('read'), 0);
  const altered = { tree, leaf, box: `${box.slice(0, 40)}${box[40] === 'A' ? 'B' : 'A'}${box.slice(41)}` };
  t.deepEqual(await open(sealedRecord(altered)), { state: 'lost', why: 'box_corrupt' });
  t.deepEqual(await open({ ...record, render_id: 'rend_2' }), { state: 'lost', why: 'box_corrupt' });
  t.deepEqual(await open(sealedRecord({ tree, leaf: leaf + 1, box })), { state: 'lost', why: 'box_corrupt' });
  const path = pathOf(record.sealed);
  const { bytes = Buffer.alloc(0) } = memory.contents.get(path) ?? {};
  memory.contents.set(path, { bytes: bytes.subarray(0, -35), version: 'truncated' });
  t.deepEqual(await open({ ...record, render_id: 'rend_2' }), { state: 'lost', why: 'tree_corrupt' });
});

test('an unavailable store is a fault, not a verdict, and cached trees still serve', async (t) => {
  const { open, record, memory, clock } = await sealed();
  memory.is_away = true;
  await t.throwsAsync(open(record), { instanceOf: BlobFault });
  memory.is_away = false;
  await open(record);
  memory.is_away = true;
  await t.throwsAsync(open({ ...record, render_id: 'rend_2' }), { instanceOf: BlobFault });
  t.is((await open(record)).state, 'open');
  await clock.advance(MINUTE_MS + 1);
  await t.throwsAsync(open(record), { instanceOf: BlobFault });
});

test('a tree that arrives after a long freeze is not used', async (t) => {
  const { open, record, memory, clock } = await sealed();
  const release = memory.hold('read');
  const opening = open(record);
  await clock.advance(MINUTE_MS + 1);
  release();
  await t.throwsAsync(opening, { instanceOf: BlobFault, message: /not read within a minute/ });
  t.is((await open(record)).state, 'open');
});

test('an aborted reader rejects, and the others continue', async (t) => {
  const { open, record, memory } = await sealed();
  const release = memory.hold('read');
  const abort = new AbortController();
  const [aborted, other] = [open(record, abort.signal), open(record)];
  abort.abort(new Error('enough'));
  await t.throwsAsync(aborted, { message: 'enough' });
  release();
  await settle();
  t.is((await other).state, 'open');
});

test('the cache keeps a bounded number of trees', async (t) => {
  const world = sealWorld({ max_trees: 1 });
  const [one, other] = [await world.sealName('One', 'acc_1'), await world.sealName('Other', 'acc_2')];
  const records = [sealedRecord(one), sealedRecord(other, { account_id: 'acc_2' })];
  for (const record of [...records, ...records]) t.is((await world.open(record)).state, 'open');
  t.is(world.countOf('read'), 4);
});

test('old trees leave the memory of a process that opens nothing', async (t) => {
  const { memory, clock, pathOf, sealName } = sealWorld();
  const trees = createTreeCache(memory.blobs, clock);
  await trees.read(pathOf(await sealName()));
  await clock.advance(MINUTE_MS);
  t.is(trees.size(), 1);
  await clock.advance(MINUTE_MS / 4);
  t.is(trees.size(), 0);
});
