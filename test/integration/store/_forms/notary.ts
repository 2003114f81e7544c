import { openNotaryState } from '../../../../read-models/notary/notary-notes.ts';
import type { Form } from './form.ts';

const used_by = ['read-models/notary/notary-notes.ts'];

export const NOTARY: readonly Form[] = [
  {
    name: 'one of several concurrent successors of a tree is stored, and requests stay',
    used_by,
    operation: async ({ store }) => {
      const { read, replace, ask } = openNotaryState(store.db, 'rendering/cluster/4');
      const before = [await read(), await ask('early')];
      const tree = (size: number, root: string) => ({ size, root });
      const first = await Promise.all(['a', 'b', 'c'].map((root) => replace(null, tree(1, root))));
      const one = await read();
      const asked = await ask('token');
      const next = ['d', 'e'].map((root) => replace(tree(1, one?.root ?? ''), tree(2, root)));
      const second = await Promise.all(next);
      const late = await replace(tree(1, one?.root ?? ''), tree(2, 'late'));
      const after = await read();
      const counted = [first, second].map((all) => all.filter((done) => done).length);
      return [before, counted, asked, late, after?.size, after?.asked];
    },
    expected: [[null, false], [1, 1], true, false, 2, 'token'],
  },
];
