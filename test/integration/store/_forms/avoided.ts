import { positionRange } from '../../../../read-models/embedded/queries.ts';
import { restOfList } from '../../../../read-models/list-part.ts';
import { type Form, faultOf, type Ground, idsOf, type Stored } from './form.ts';

/**
 * Forms that the code avoids, because the embedded store (SecantusDB 0.7) answers them wrongly or not at all, with the
 * replacement. MongoDB gives the same answer to both.
 */
export type Avoided = Pick<Form, 'name' | 'documents' | 'indexes'> & {
  readonly avoided: (ground: Ground) => Promise<unknown>;
  readonly instead: (ground: Ground) => Promise<unknown>;
  readonly expected: unknown;
  readonly seen: string;
};

const positions: readonly Stored[] = ['proj_1:1763700000000a', 'proj_1:1763700000001b', 'proj_2:1763700000000c'].map(
  (by_project, i) => ({ _id: i, by_project }),
);
const indexes = [{ key: { by_project: 1 as const } }];
const MEBIBYTE = 1024 * 1024;

const put = ({ store, things }: Ground, count: number, size_bytes: number) =>
  store.transaction((session) =>
    things.bulkWrite(
      Array.from({ length: count }, (_, i) => ({
        replaceOne: { filter: { _id: i }, replacement: { text: 'x'.repeat(size_bytes) }, upsert: true },
      })),
      { session, ordered: true },
    ),
  );

export const AVOIDED: readonly Avoided[] = [
  {
    name: 'a range from a prefix to its successor, on a descending index',
    documents: positions,
    indexes: [{ key: { by_project: -1 as const } }],
    avoided: async ({ things }) =>
      idsOf(
        await things
          .find({ by_project: { $gte: 'proj_1:', $lt: 'proj_1;' } })
          .sort({ by_project: 1 })
          .toArray(),
      ),
    instead: async ({ things }) =>
      idsOf(
        await things
          .find({ by_project: positionRange('proj_1:', 'asc', restOfList(null)) })
          .sort({ by_project: 1 })
          .toArray(),
      ),
    expected: [0, 1],
    seen: 'finds nothing; so all indexes ascend and positions begin with a digit',
  },
  {
    name: 'a RegExp object that starts with ^ on an indexed field',
    documents: positions,
    indexes,
    avoided: async ({ things }) =>
      idsOf(
        await things
          .find({ by_project: /^proj_1:/ })
          .sort({ by_project: 1 })
          .toArray(),
      ),
    instead: async ({ things }) =>
      idsOf(
        await things
          .find({ by_project: positionRange('proj_1:', 'asc', restOfList(null)) })
          .sort({ by_project: 1 })
          .toArray(),
      ),
    expected: [0, 1],
    seen: 'finds nothing if the field has an index; so prefixes of words are tokens',
  },
  {
    name: 'a partial index of several fields whose filter a query on a later field implies',
    documents: [
      { _id: 'rend_1', account_id: 'acc_1', status: 'complete', credits: 5 },
      { _id: 'rend_2', account_id: 'acc_2', status: 'failed', credits: 0 },
    ],
    avoided: async ({ things }) => {
      await things.createIndex({ account_id: 1, status: 1 }, { partialFilterExpression: { status: 'complete' } });
      return idsOf(await things.find({ status: 'complete' }).toArray());
    },
    instead: async ({ things }) => {
      await things.createIndex({ account_id: 1, credits: 1 }, { partialFilterExpression: { credits: { $gt: 0 } } });
      return idsOf(await things.find({ status: 'complete' }).toArray());
    },
    expected: ['rend_1'],
    seen: 'finds nothing; so only queries of the index imply its filter, or another index serves the rest',
  },
  {
    name: 'a transaction that writes 48 MiB',
    avoided: (ground) => faultOf(() => put(ground, 48, MEBIBYTE)),
    instead: async (ground) => {
      for (let n = 0; n < 6; n += 1) await put(ground, 8, MEBIBYTE);
      return null;
    },
    expected: null,
    seen: "is refused above about 38 MiB with the embedded stack's cache; batches stay far below",
  },
];
