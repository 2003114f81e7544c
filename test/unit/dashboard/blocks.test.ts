import test from 'ava';
import { blockList, blocksOf, missingBlocks } from '../../../dashboard/source/uploads/blocks.ts';

const MIB = 1024 ** 2;

test('the blocks of a file cover it once, in order', (t) => {
  for (const bytes of [1, MIB, MIB + 1, 64 * MIB, 64 * MIB + 1, 2_048 * MIB]) {
    const blocks = blocksOf(bytes);
    t.is(blocks[0]?.start, 0);
    t.is(blocks.at(-1)?.end, bytes);
    t.true(blocks.slice(1).every(({ start }, index) => start === blocks[index]?.end));
    t.true(blocks.length <= 50_000);
    t.is(new Set(blocks.map(({ id }) => id)).size, blocks.length);
    t.is(new Set(blocks.map(({ id }) => id.length)).size, 1, 'ids have one length');
  }
});

test('a resumed upload sends only the blocks that are missing or cut off', (t) => {
  const blocks = blocksOf(3 * MIB);
  const stored = [
    { id: blocks[0]?.id ?? '', size_bytes: MIB },
    { id: blocks[1]?.id ?? '', size_bytes: 5 },
    { id: 'MDAwMDk5', size_bytes: MIB },
  ];
  t.deepEqual(missingBlocks(blocks, stored), blocks.slice(1));
  t.deepEqual(missingBlocks(blocks, []), blocks);
});

test('the list of blocks names every block', (t) => {
  t.true(
    blockList(blocksOf(MIB + 1)).endsWith('<BlockList><Latest>MDAwMDAw</Latest><Latest>MDAwMDAx</Latest></BlockList>'),
  );
});
