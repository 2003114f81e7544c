import { openLeaseStore } from '../../../../read-models/leases/leases.ts';
import type { Form } from './form.ts';

const used_by = ['read-models/leases/leases.ts'];

export const LEASES: readonly Form[] = [
  {
    name: 'one of several concurrent claims of a lease succeeds and has its progress',
    used_by,
    operation: async ({ store }) => {
      const { read, replace } = openLeaseStore<{ readonly next: string }>(store.db, 'work');
      const before = await read();
      const take = (from: string | null) => async (holder: string) =>
        (await replace(from, { version: `${from} ${holder}`, holder, progress: { next: 'a' } })) ? holder : null;
      const first = (await Promise.all(['a', 'b', 'c'].map(take(null)))).flatMap((one) => one ?? []);
      const found = await read();
      const second = (await Promise.all(['d', 'e', 'f'].map(take(found?.version ?? '')))).flatMap((one) => one ?? []);
      const after = await read();
      const late = await replace(found?.version ?? '', { version: 'late', holder: 'late', progress: null });
      const one_each = [found?.holder === first[0], after?.holder === second[0]];
      return [before, first.length, second.length, one_each, late, after?.progress];
    },
    expected: [null, 1, 1, [true, true], false, { next: 'a' }],
  },
];
