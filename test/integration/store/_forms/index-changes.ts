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
