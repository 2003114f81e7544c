import { createIndexes } from '../../../../platform/read-store/create-indexes.ts';
import { COLLECTIONS } from '../../../../read-models/collections.ts';
import {
  openStoredFiles,
  STORED_FILE_INDEXES,
  type StoredFile,
} from '../../../../read-models/stored-files/stored-files.ts';
import type { Form } from './form.ts';

const used_by = ['read-models/stored-files/stored-files.ts'];

const file = (project_id: string, name: string, size_bytes: number): StoredFile => ({
  project_id,
  name,
  size_bytes,
});

export const STORED_FILES: readonly Form[] = [
  {
    name: 'the bytes of the files of an account are summed, each file of a project once',
    used_by,
    operation: async ({ store }) => {
      await createIndexes(store.db, STORED_FILE_INDEXES);
      const stored = openStoredFiles(store.db);
      const [one, two, other] = [file('proj_sum', 'a', 3), file('proj_sum', 'b', 4), file('proj_sum2', 'a', 3)];
      const before = [await stored.bytesOf('sum'), await stored.uncounted([one, two])];
      await stored.add('sum', [one, two, other]);
      await stored.add('others', [file('proj_others', 'a', 100)]);
      await Promise.all([1, 2].map(() => stored.add('sum', [{ ...one, size_bytes: 50 }])));
      const after = [await stored.bytesOf('sum'), await stored.uncounted([one, file('proj_sum', 'c', 1)])];
      await stored.remove('sum', [two]);
      await stored.remove('others', [one]);
      const without = await stored.bytesOf('sum');
      await stored.removeAllOfProject('proj_sum');
      const of_others = await stored.bytesOf('sum');
      await stored.removeAllOf('sum');
      return [before, after, without, of_others, await stored.bytesOf('sum'), await stored.bytesOf('others')];
    },
    expected: [
      [0, [file('proj_sum', 'a', 3), file('proj_sum', 'b', 4)]],
      [10, [file('proj_sum', 'c', 1)]],
      ...[6, 3, 0, 100],
    ],
  },
  {
    name: 'the sum of the files of an account is corrected',
    used_by,
    operation: async ({ store }) => {
      const stored = openStoredFiles(store.db);
      await stored.add('wrong', [file('proj_wrong', 'a', 3), file('proj_wrong', 'b', 4)]);
      const sums = store.db.collection<{ readonly _id: string; readonly bytes: number }>(COLLECTIONS.stored_bytes);
      await sums.updateOne({ _id: 'wrong' }, { $set: { bytes: 90 } });
      const accounts = [await stored.accounts('wrong', 1), (await stored.accounts('wron', 1_000)).includes('wrong')];
      await stored.recount('wrong');
      const corrected = await stored.bytesOf('wrong');
      await stored.removeAllOf('wrong');
      await stored.recount('wrong');
      return [accounts, corrected, await stored.bytesOf('wrong')];
    },
    expected: [[[], true], 7, 0],
  },
];
