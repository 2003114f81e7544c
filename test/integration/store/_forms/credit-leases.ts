import { openCreditLeases } from '../../../../read-models/limits/credit-leases.ts';
import { all, type Form } from './form.ts';

const used_by = ['read-models/limits/credit-leases.ts'];
const LEASES = { leases: [{ owner: 'process 1', credits: 10, until: 7 }], seen: [{ partition: 0, offset: 3 }] };
const until = new Date(2 * 86_400_000);

export const CREDIT_LEASES: readonly Form[] = [
  {
    name: 'leases that changed since they were read are not replaced',
    used_by,
    documents: [{ _id: 'acc_1', version: 'b', leases: [], seen: [], until }],
    operation: async ({ things }) => {
      const replace = async (before: string, version: string) =>
        (await things.replaceOne({ _id: 'acc_1', version: before }, { version, ...LEASES, until })).matchedCount;
      return [await replace('a', 'c'), await replace('b', 'd'), await all(things)];
    },
    expected: [0, 1, [{ _id: 'acc_1', version: 'd', ...LEASES, until }]],
  },
  {
    name: 'one of several concurrent writes of leases succeeds',
    used_by,
    operation: async ({ store }) => {
      const { find, replace } = openCreditLeases(store.db, () => 0);
      const before = await find('acc_1');
      const write = (from: string | null) => async (_: unknown, i: number) =>
        (await replace('acc_1', from, `${from} ${i}`, LEASES)) ? `${from} ${i}` : null;
      const made = (await Promise.all([1, 2, 3, 4].map(write(null)))).flatMap((version) => version ?? []);
      const replaced = (await Promise.all([1, 2, 3, 4].map(write(made[0] ?? '')))).flatMap((version) => version ?? []);
      const after = await find('acc_1');
      return [before.version, made.length, replaced.length, after.version === replaced[0], after.leases];
    },
    expected: [null, 1, 1, true, LEASES],
  },
];
