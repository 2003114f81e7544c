import test from 'ava';
import { type BlobIndex, overwriteFormerKeys, type StoredBlob } from '../../../stack/servers/azurite-key-bytes.ts';

const TREE = 'accounts/acc_1/keys/01JD0000000000000000000000';
const AT = { accountName: 'a', containerName: 'renders' };

/** An index with the conditions of Azurite, and the chunks that are overwritten. */
const world = () => {
  const blobs = new Map<string, StoredBlob>();
  const overwritten: number[] = [];
  const waiting: (() => void)[] = [];
  let size = 0;
  const index: BlobIndex = {
    db: { getCollection: () => ({ findOne: ({ name }) => blobs.get(name) ?? null }) },
    BLOBS_COLLECTION: 'blobs',
    createBlob: async (_context, blob, condition) => {
      if (condition === 'refused') throw new Error('the condition is not met');
      blobs.set(blob.name, blob);
    },
    deleteBlob: async (_context, _account, _container, name) => blobs.delete(name),
  };
  overwriteFormerKeys(
    index,
    (_delay_ms, run) => waiting.push(run),
    ({ offset }) => overwritten.push(offset),
  );
  return {
    overwritten,
    /** @returns the offset of the new bytes */
    write: async (name: string, condition?: 'refused'): Promise<number> => {
      const offset = size;
      size += 10;
      const blob = { ...AT, name, persistency: { id: 'extent', offset, count: 10 } };
      await index.createBlob(null, blob, condition).catch(() => undefined);
      return offset;
    },
    remove: async (name: string): Promise<void> => void (await index.deleteBlob(null, 'a', 'renders', name)),
    wait: (): void => {
      for (const run of waiting.splice(0)) run();
    },
  };
};

test('bytes of replaced, refused and deleted key trees are overwritten, current ones stay', async (t) => {
  const { write, remove, wait, overwritten } = world();
  const first = await write(TREE);
  wait();
  t.deepEqual(overwritten, []);
  const second = await write(TREE);
  wait();
  t.deepEqual(overwritten, [first]);
  const refused = await write(TREE, 'refused');
  wait();
  t.deepEqual(overwritten, [first, refused]);
  await remove(TREE);
  wait();
  t.deepEqual(overwritten, [first, refused, second]);
});

test('writes within the delay leave only the newest key tree', async (t) => {
  const { write, wait, overwritten } = world();
  const offsets = [await write(TREE), await write(TREE), await write(TREE)];
  wait();
  t.deepEqual([...new Set(overwritten)], offsets.slice(0, -1));
});

test('other blobs are never overwritten', async (t) => {
  const { write, remove, wait, overwritten } = world();
  for (const name of ['renders/rend_1/request.json', `${TREE}/other`]) {
    await write(name);
    await write(name);
    await remove(name);
  }
  wait();
  t.deepEqual(overwritten, []);
});
