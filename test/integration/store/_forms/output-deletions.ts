import { approveDeletion, heldDeletions, outputDeletions } from '../../../../read-models/retention/output-deletions.ts';
import type { Form } from './form.ts';

const used_by = ['read-models/retention/output-deletions.ts'];

const alarm = (until: number, at: number) => ({ until, renders: 5, of: 6, at });

export const OUTPUT_DELETIONS: readonly Form[] = [
  {
    name: 'a new alarm is shown, and approved once if it is unchanged',
    used_by,
    operation: async ({ store }) => {
      const { load, save } = outputDeletions(store.db);
      const before = await load('acc_1');
      await save('acc_1', { until: 1, alarm: alarm(7, 1_000_000_000) });
      await save('acc_2', { until: 2, alarm: alarm(8, 0) });
      await save('acc_3', { until: 3, alarm: null });
      const held = await heldDeletions(store.db, 1_000_000_001);
      const [first] = held;
      if (first === undefined) return null;
      const other = await approveDeletion(store.db, { ...first, until: 6 });
      const approved = [await approveDeletion(store.db, first), await approveDeletion(store.db, first)];
      const after = await load('acc_1');
      return [before, held, other, approved, after?.until, after?.alarm];
    },
    expected: [null, [{ account_id: 'acc_1', ...alarm(7, 1_000_000_000) }], false, [true, false], 7, null],
  },
  {
    name: 'an approval stays if a sweep started to count before it',
    used_by,
    operation: async ({ store }) => {
      const { load, save } = outputDeletions(store.db);
      const held = async () => (await heldDeletions(store.db, 0)).filter(({ account_id }) => account_id === 'acc_4');
      await save('acc_4', { until: 1, alarm: alarm(7, 1_000) });
      const [first] = await held();
      if (first === undefined) return null;
      const is_approved = await approveDeletion(store.db, first);
      await save('acc_4', { until: 1, alarm: alarm(7, 1_000) });
      return [is_approved, (await load('acc_4'))?.until, await held()];
    },
    expected: [true, 7, []],
  },
];
