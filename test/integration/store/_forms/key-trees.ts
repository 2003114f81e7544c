import { openKnownTrees } from '../../../../read-models/retention/key-trees.ts';
import { openUnpuncturedSeals } from '../../../../read-models/retention/unpunctured-seals.ts';
import { keyTreesPath } from '../../../../schemas/blobs/paths.ts';
import type { Form } from './form.ts';

const used_by = ['read-models/retention/key-trees.ts'];

const pathOf = (account_id: string, tree: string): string => `${keyTreesPath(account_id)}${tree}`;
const [FIRST, SECOND, OTHER] = [pathOf('acc_1', 'A'), pathOf('acc_1', 'B'), pathOf('acc_10', 'A')];

export const KEY_TREES: readonly Form[] = [
  {
    name: 'the write counter of a tree only grows, except to accept a restored tree',
    used_by,
    operation: async ({ store }) => {
      const { find, raise, accept } = openKnownTrees(store.db);
      const path = pathOf('acc_2', 'A');
      const states = [await find(path)];
      await raise(path, 5);
      await raise(path, 3);
      const known = await find(path);
      states.push(known);
      if (known === null) return null;
      await raise(path, 6);
      await accept({ path, ...known }, 2);
      states.push(await find(path));
      await accept({ path, write_counter: 6, is_deleted: false }, 2);
      states.push(await find(path));
      return states.map((state) => state?.write_counter ?? null);
    },
    expected: [null, 5, 6, 2],
  },
  {
    name: 'a tree is noted as missing with and without a write, until it is accepted',
    used_by,
    operation: async ({ store }) => {
      const { find, raise, setMissing, accept } = openKnownTrees(store.db);
      const [written, unwritten] = [pathOf('acc_3', 'A'), pathOf('acc_3', 'B')];
      await raise(written, 5);
      for (const path of [written, unwritten]) await setMissing(path);
      const missing = [await find(written), await find(unwritten)];
      await accept({ path: written, write_counter: 5, is_deleted: false, is_missing: true }, 6);
      const stateOf = ({ write_counter, is_deleted, is_missing }: NonNullable<(typeof missing)[number]>) => [
        write_counter,
        is_deleted,
        is_missing,
      ];
      return [...missing, await find(written)].map((known) => (known === null ? null : stateOf(known)));
    },
    expected: [
      [5, false, true],
      [0, false, true],
      [6, false, false],
    ],
  },
  {
    name: 'trees are paged by path, and those of one account are marked as deleted',
    used_by,
    operation: async ({ store }) => {
      const { page, raise, setAccountDeleted } = openKnownTrees(store.db);
      for (const path of [OTHER, SECOND, FIRST]) await raise(path, 1);
      const ours = async (after: string | null, limit: number) =>
        (await page(after, limit)).filter(({ path }) => [FIRST, SECOND, OTHER].includes(path));
      const first = await ours(null, 2);
      const second = await ours(SECOND, 1);
      await setAccountDeleted('acc_1');
      await raise(FIRST, 2);
      const deleted = (await ours(null, 100)).map(({ is_deleted }) => is_deleted);
      return [first.map(({ path }) => path), second, deleted];
    },
    expected: [[FIRST, SECOND], [{ path: OTHER, write_counter: 1, is_deleted: false }], [true, true, false]],
  },
  {
    name: 'a key that cannot be punctured has one row until it is punctured',
    used_by: ['read-models/retention/unpunctured-seals.ts'],
    operation: async ({ store }) => {
      const { add, page, remove, count } = openUnpuncturedSeals(store.db);
      const seals = [1, 2].map((leaf) => ({ account_id: 'acc_1', tree: 'A', leaf }));
      await add(seals, new Date(0));
      await add(seals.slice(1), new Date(1));
      await add([], new Date(1));
      const first = await page(null, 1);
      const second = await page(first[0]?.id ?? null, 10);
      const before = await count();
      await remove(seals.slice(1));
      await remove([]);
      return [first, second, before, await count()];
    },
    expected: [
      [{ id: 'A/1', account_id: 'acc_1', tree: 'A', leaf: 1 }],
      [{ id: 'A/2', account_id: 'acc_1', tree: 'A', leaf: 2 }],
      2,
      1,
    ],
  },
];
