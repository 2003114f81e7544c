import { queryTimeout } from '../../../../platform/read-store/query-timeout.ts';
import { exactCount } from '../../../../read-models/embedded/collections.ts';
import { type Form, faultOf } from './form.ts';

const NAMESPACE_EXISTS = 48;
const TAKEN = 11_000;
const MAX_TIME_EXPIRED = 50;

const connecting = 'platform/read-store/mongodb-read-store.ts';

export const SERVER_AND_INDEXES: readonly Form[] = [
  {
    name: 'the server is a replica set',
    used_by: [connecting],
    operation: async ({ store }) => typeof (await store.client.db('admin').command({ hello: 1 })).setName,
    expected: 'string',
  },
  {
    name: 'the server reports its version and kind',
    used_by: ['read-models/embedded/server.ts'],
    operation: async ({ store }) => {
      const info = await store.client.db('admin').command({ buildInfo: 1 }, queryTimeout());
      // The code assumes that a server without `secantusVersion` reads its indexes in order.
      return typeof info.version === 'string' && ['string', 'undefined'].includes(typeof info.secantusVersion);
    },
    expected: true,
  },
  {
    name: 'the count of a collection includes recent writes and deletions',
    used_by: ['read-models/embedded/collections.ts'],
    documents: Array.from({ length: 50 }, (_, i) => ({ _id: i })),
    operation: async ({ store, things }) => {
      const count = exactCount(store.db);
      const counts = [await count(things)];
      await things.deleteMany({ _id: { $lt: 20 } });
      await things.insertOne({ _id: 'rend_1' });
      counts.push(await count(things));
      await store.transaction((session) => things.deleteOne({ _id: 30 }, { session }));
      return [...counts, await count(things), await things.countDocuments()];
    },
    expected: [50, 31, 30, 30],
  },
  {
    name: 'the server answers a ping',
    used_by: [connecting],
    operation: async ({ store }) => (await store.client.db('admin').command({ ping: 1 }, queryTimeout(2_000))).ok,
    expected: 1,
  },
  {
    name: 'an aborted read ends at once, and the connection stays usable',
    used_by: [connecting],
    documents: [{ _id: 'rend_1' }],
    operation: async ({ things }) => [
      await faultOf(() => things.findOne({ _id: 'rend_1' }, { signal: AbortSignal.abort(new RangeError('late')) })),
      await faultOf(() =>
        things.find({ _id: { $in: ['rend_1'] } }, { signal: AbortSignal.abort(new RangeError('late')) }).toArray(),
      ),
      await things.findOne({ _id: 'rend_1' }, queryTimeout()),
    ],
    expected: ['RangeError', 'RangeError', { _id: 'rend_1' }],
  },
  {
    name: 'a read that is aborted while it runs ends, and the connection stays usable',
    used_by: [connecting],
    documents: Array.from({ length: 2_000 }, (_, i) => ({ _id: i, text: 'x'.repeat(2_000) })),
    operation: async ({ things }) => {
      const giveUp = new AbortController();
      const reading = faultOf(() => things.find({}, { signal: giveUp.signal }).toArray());
      setImmediate(() => giveUp.abort(new RangeError('late')));
      return [await reading, (await things.findOne({ _id: 7 }, queryTimeout()))?._id];
    },
    expected: ['RangeError', 7],
  },
  {
    name: 'a read with a server time limit ends with its fault or in time',
    used_by: ['read-models/lists.ts'],
    documents: Array.from({ length: 2_000 }, (_, i) => ({ _id: i, text: 'x'.repeat(2_000) })),
    operation: async ({ things }) => {
      const bounded = things.aggregate([{ $match: { text: { $ne: '' } } }, { $sort: { text: 1 } }], { maxTimeMS: 1 });
      const fault = await faultOf(() => bounded.toArray());
      return fault === null || fault === MAX_TIME_EXPIRED;
    },
    expected: true,
  },
  {
    name: 'the next reader sees an acknowledged write',
    used_by: [],
    operation: async ({ things }) => {
      let missed = 0;
      for (let n = 0; n < 50; n += 1) {
        await things.insertOne({ _id: n });
        if ((await things.findOne({ _id: n }, queryTimeout())) === null) missed += 1;
      }
      return missed;
    },
    expected: 0,
  },
  {
    name: 'the names of the existing collections',
    used_by: ['platform/read-store/create-indexes.ts', 'read-models/generations.ts'],
    documents: [{ _id: 1 }],
    operation: async ({ store, things }) =>
      (await store.db.listCollections({}, { nameOnly: true }).toArray()).some(
        ({ name }) => name === things.collectionName,
      ),
    expected: true,
  },
  {
    name: 'a collection is created once',
    used_by: ['platform/read-store/create-indexes.ts'],
    operation: async ({ store, things }) => {
      const name = `${things.collectionName}_made`;
      const first = await faultOf(() => store.db.createCollection(name));
      // Newer servers accept a repeated identical request.
      const second = await faultOf(() => store.db.createCollection(name));
      return [first, second === null || second === NAMESPACE_EXISTS];
    },
    expected: [null, true],
  },
  {
    name: 'a repeated creation of indexes changes nothing',
    used_by: ['platform/read-store/create-indexes.ts'],
    documents: [{ _id: 1, open: true }],
    operation: async ({ things }) => {
      const renders = [
        { key: { account_id: 1 as const, open: 1 as const }, partialFilterExpression: { open: true } },
        { key: { by_project: 1 as const } },
        { key: { by_project_skip: 1 as const }, sparse: true },
        { key: { by_project_status: 1 as const } },
        { key: { open: 1 as const }, partialFilterExpression: { open: true } },
        { key: { search: 1 as const, position: 1 as const } },
        { key: { team_ids: 1 as const } },
      ];
      await things.createIndexes(renders);
      await things.createIndexes(renders);
      return (await things.indexes()).map(({ key, partialFilterExpression }) => [
        Object.keys(key).join(),
        partialFilterExpression ?? null,
      ]);
    },
    expected: [
      ['_id', null],
      ['account_id,open', { open: true }],
      ['by_project', null],
      ['by_project_skip', null],
      ['by_project_status', null],
      ['open', { open: true }],
      ['search,position', null],
      ['team_ids', null],
    ],
  },
  {
    name: 'a repeated creation of a TTL index changes nothing',
    used_by: ['platform/read-store/create-indexes.ts'],
    operation: async ({ things }) => {
      const expiring = [{ key: { at: 1 as const }, expireAfterSeconds: 60 }];
      await things.createIndexes(expiring);
      await things.createIndexes(expiring);
      await things.createIndexes([{ key: { until: 1 as const }, expireAfterSeconds: 3_600 }]);
      return (await things.indexes()).map(({ expireAfterSeconds }) => expireAfterSeconds ?? null);
    },
    expected: [null, 60, 3_600],
  },
  {
    name: 'a unique index refuses a second document with the same value',
    used_by: [],
    documents: [{ _id: 1, secret_sha256: 'aa' }],
    indexes: [{ key: { secret_sha256: 1 }, unique: true }],
    operation: async ({ things }) => [
      await faultOf(() => things.insertOne({ _id: 2, secret_sha256: 'aa' })),
      await faultOf(() => things.insertOne({ _id: 3, secret_sha256: 'ab' })),
    ],
    expected: [TAKEN, null],
  },
  {
    name: 'an index follows changes of arrays and removed values',
    used_by: [],
    documents: [
      { _id: 1, search: ['a', 'b'], position: '1' },
      { _id: 2, search: [], position: '2' },
    ],
    indexes: [{ key: { search: 1, position: 1 } }],
    operation: async ({ things }) => {
      await things.bulkWrite([
        { replaceOne: { filter: { _id: 1 }, replacement: { search: ['b', 'c'], position: '1' }, upsert: true } },
        { replaceOne: { filter: { _id: 2 }, replacement: { search: ['a', 'a'], position: '2' }, upsert: true } },
      ]);
      const found = ['a', 'b', 'c'].map(async (search) =>
        (await things.find({ search }).toArray()).map(({ _id }) => _id),
      );
      return await Promise.all(found);
    },
    expected: [[2], [1], [1]],
  },
];
