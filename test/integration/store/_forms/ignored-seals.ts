import {
  type IgnoredSealDocument,
  ignoredSealWrite,
  openIgnoredSeals,
} from '../../../../read-models/renders/ignored-seals.ts';
import type { Form } from './form.ts';

const seal = (leaf: number) => ({ account_id: 'acc_1', tree: '01JDTREE', leaf });

export const IGNORED_SEALS: readonly Form[] = [
  {
    name: 'an ignored seal waits until it is punctured, and again after a reset',
    used_by: ['read-models/renders/ignored-seals.ts'],
    operation: async ({ store }) => {
      const { unpunctured, setPunctured, reset } = openIgnoredSeals(store.db);
      const seals = store.db.collection<IgnoredSealDocument>('ignored_seals');
      const fold = (leaves: readonly number[]) =>
        store.transaction(async (session) => {
          await seals.bulkWrite(
            leaves.map((leaf) => ignoredSealWrite(seal(leaf))),
            { session, ordered: true },
          );
        });
      const leaves = async () => (await unpunctured(10)).map(({ leaf }) => leaf).sort();
      await fold([1, 2, 3]);
      const first = await leaves();
      await setPunctured([seal(1), seal(3)]);
      await setPunctured([]);
      await fold([1, 2, 4]);
      const rebuilt = await leaves();
      const limited = (await unpunctured(1)).length;
      await reset();
      return [first, rebuilt, limited, await leaves(), await seals.findOne({ _id: '01JDTREE/1' })];
    },
    expected: [[1, 2, 3], [2, 4], 1, [1, 2, 3, 4], { _id: '01JDTREE/1', ...seal(1), punctured: false }],
  },
];
