import { all, type Form, faultOf, idsOf, type Stored } from './form.ts';

const DUPLICATE_KEY = 11_000;

const things: readonly Stored[] = [
  { _id: 'a', tag: 'red', place: 3 },
  { _id: 'b', tag: 'blue', place: 1 },
];

const sorted = (found: readonly Stored[]) => [...idsOf(found)].sort();

/** The embedded store caches the descriptions of indexes (`stack/servers/embedded_store.py`). */
export const INDEX_CHANGES: readonly Form[] = [
  {
    name: 'documents that were written before and after the creation of an index',
    used_by: [],
    documents: things,
    operation: async ({ things }) => {
      await things.createIndex({ tag: 1 });
      await things.insertOne({ _id: 'c', tag: 'red' });
      await things.updateOne({ _id: 'b' }, { $set: { tag: 'red' } });
      await things.deleteOne({ _id: 'a' });
      return [sorted(await things.find({ tag: 'red' }).toArray()), await things.countDocuments({ tag: 'blue' })];
    },
    expected: [['b', 'c'], 0],
  },
  {
    name: 'updates that change some index entries of a document',
    used_by: [],
    documents: [
      { _id: 'a', words: ['new', 'red', 'car'], place: 3, open: true, level: 2 },
      { _id: 'b', words: ['new', 'bus'], place: 1, open: false },
    ],
    indexes: [
      { key: { words: 1, place: 1 } },
      { key: { place: 1 } },
      { key: { open: 1 }, partialFilterExpression: { open: true } },
      { key: { level: 1 }, sparse: true },
    ],
    operation: async ({ things, store }) => {
      const found = async () =>
        await Promise.all(
          [
            { words: 'new', place: { $gte: 0 } },
            { words: 'red', place: { $gte: 0 } },
            { words: 'blue', place: { $gte: 0 } },
            { place: { $gt: 2 } },
            { open: true },
            { level: { $gte: 2 } },
          ].map(async (filter) => sorted(await things.find(filter).toArray()).join('')),
        );
      const change = { $set: { words: ['new', 'blue', 'car'], open: false }, $unset: { level: 1 } } as const;
      await things.updateOne({ _id: 'a' }, change);
      const after_change = await found();
      await things.updateOne({ _id: 'a' }, { $set: { place: 2 } });
      const after_move = await found();
      await store.transaction(async (session) => {
        await things.updateOne({ _id: 'b' }, { $set: { open: true, place: 4, level: 3 } }, { session });
        await things.updateOne({ _id: 'b' }, { $set: { words: ['red'] } }, { session });
        await things.updateMany({ open: { $in: [true, false] } }, { $set: { checked: 1 } }, { session });
      });
      const after_transaction = await found();
      const by_place = idsOf(await things.find({}).sort({ place: 1 }).toArray());
      await things.deleteOne({ _id: 'a' });
      await things.findOneAndUpdate({ _id: 'b' }, { $set: { words: [] } });
      return [after_change, after_move, after_transaction, by_place, await found()];
    },
    expected: [
      ['ab', '', 'a', 'a', '', ''],
      ['ab', '', 'a', '', '', ''],
      ['a', 'b', 'a', 'b', 'b', 'b'],
      ['a', 'b'],
      ['', '', '', 'b', 'b', 'b'],
    ],
  },
  {
    name: 'a unique index refuses duplicates from its creation until it is dropped',
    used_by: [],
    documents: things,
    operation: async ({ things }) => {
      const repeat = (_id: string) => faultOf(() => things.insertOne({ _id, tag: 'red' }));
      await things.createIndex({ tag: 1 }, { unique: true });
      const refused = await repeat('c');
      await things.dropIndex('tag_1');
      const accepted = await repeat('d');
      await things.drop();
      await things.insertOne({ _id: 'e', tag: 'red' });
      return [refused, accepted, await repeat('f'), sorted(await all(things))];
    },
    expected: [DUPLICATE_KEY, null, null, ['e', 'f']],
  },
  {
    name: 'an index is created again with other options',
    used_by: [],
    documents: things,
    indexes: [{ key: { place: 1 } }],
    operation: async ({ things }) => {
      await things.dropIndexes();
      await things.createIndex({ place: 1 }, { partialFilterExpression: { place: { $gt: 2 } } });
      await things.insertMany([
        { _id: 'c', place: 5 },
        { _id: 'd', place: 2 },
      ]);
      const above = async (place: number) => sorted(await things.find({ place: { $gt: place } }).toArray());
      return [await above(2), await above(0)];
    },
    expected: [
      ['a', 'c'],
      ['a', 'b', 'c', 'd'],
    ],
  },
  {
    name: 'the first list in an indexed field, in a transaction that aborts and in one that commits',
    used_by: [],
    documents: things,
    indexes: [{ key: { tag: 1 } }],
    operation: async ({ things, store }) => {
      const byTag = async () => idsOf(await things.find({}).sort({ tag: 1 }).toArray());
      const insertList = async (_id: string, session: Parameters<Parameters<typeof store.transaction>[0]>[0]) =>
        await things.insertOne({ _id, tag: ['yellow', 'azure'] }, { session });
      const before = await byTag();
      const aborted = await faultOf(() =>
        store.transaction(async (session) => {
          await insertList('c', session);
          throw new RangeError('aborted');
        }),
      );
      const between = await byTag();
      await store.transaction(async (session) => {
        await insertList('d', session);
        await things.insertOne({ _id: 'f', tag: [] }, { session });
      });
      const with_list = await things.find({ tag: 'azure' }).toArray();
      await things.insertOne({ _id: 'e', tag: 'amber' });
      return [before, aborted, between, idsOf(with_list), await byTag()];
    },
    expected: [['b', 'a'], 'RangeError', ['b', 'a'], ['d'], ['f', 'e', 'd', 'b', 'a']],
  },
  {
    name: 'the first list in an indexed field, outside of transactions',
    used_by: [],
    documents: things,
    indexes: [{ key: { tag: 1 } }],
    operation: async ({ things }) => {
      const before = idsOf(await things.find({}).sort({ tag: 1 }).toArray());
      await things.updateOne({ _id: 'a' }, { $set: { tag: [] } });
      return [before, idsOf(await things.find({}).sort({ tag: 1 }).toArray())];
    },
    expected: [
      ['b', 'a'],
      ['a', 'b'],
    ],
  },
];
