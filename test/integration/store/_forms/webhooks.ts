import type { AnyBulkWriteOperation, ClientSession } from 'mongodb';
import { queryTimeout } from '../../../../platform/read-store/query-timeout.ts';
import { all, type Form, faultOf, type Ground, idsOf, type Stored } from './form.ts';

const writer = 'read-models/deliveries/write-group.ts';
const restorer = 'read-models/deliveries/restore.ts';
const mender = 'read-models/deliveries/mend.ts';
const outcomes = 'read-models/deliveries/outcome.ts';
const reads = 'read-models/deliveries/deliveries.ts';

const health = 'read-models/deliveries/endpoint-health.ts';

const ended = new Date(4_102_444_800_000);
const attempt = { n: 1, started_at: 5, duration_ms: 3, succeeded: false, status: 500, fault: null, response: 'no' };

const INDEXES = [
  { key: { waiting: 1 as const }, sparse: true },
  { key: { by_endpoint: 1 as const } },
  { key: { render_id: 1 as const } },
  { key: { delete_at: 1 as const }, expireAfterSeconds: 0 },
];

const pending = (id: string, waiting: string): Stored => ({
  _id: id,
  state: 'pending',
  body: '{}',
  attempts: [],
  waiting,
});

const WAITING: readonly Stored[] = [
  pending('hook_1', '0003/whe_b/1763700000000000000000007'),
  pending('hook_2', '0003/whe_a/1763700000002000000000002'),
  pending('hook_3', '0003/whe_a/1763700000001000000000003'),
  pending('hook_4', '0003/whe_a/1763700000001000000000001'),
  pending('hook_5', '0030/whe_a/1763700000000000000000000'),
  pending('hook_6', '0002/whe_a/1763700000000000000000000'),
  { _id: 'hook_7', state: 'succeeded', attempts: [], delete_at: ended },
];

type Delivery = {
  readonly _id: string;
  readonly state: string;
  readonly body: string | null;
  readonly attempts: readonly (typeof attempt)[];
  readonly waiting?: string;
  readonly repeated_by: string | null;
  readonly ended_at: number;
  readonly delete_at: Date;
};

const inTransaction = async (
  { store, things }: Ground,
  operations: readonly AnyBulkWriteOperation<Delivery>[],
): Promise<number> => {
  const deliveries = store.db.collection<Delivery>(things.collectionName);
  return await store.transaction(
    async (session) => (await deliveries.bulkWrite([...operations], { session, ordered: true })).matchedCount,
  );
};

const take = async ({ store, others }: Ground): Promise<Stored | null> =>
  await store.transaction(async (session) => {
    await others.updateOne({ _id: 3 }, { $inc: { taken: 1 } }, { session, upsert: true });
    return await others.findOne({ _id: 3 }, { session });
  });

const move = async ({ others }: Ground, taken: number, next_status: number, session: ClientSession): Promise<number> =>
  (
    await others.bulkWrite(
      [{ updateOne: { filter: { _id: 3, taken }, update: { $max: { next_status }, $inc: { plans: 1 } } } }],
      { session, ordered: true },
    )
  ).matchedCount;

const OF_RENDERS: readonly Stored[] = [
  { _id: 'hook_1', render_id: 'rend_1', state: 'pending', attempts: [] },
  { _id: 'hook_2', render_id: 'rend_1', state: 'succeeded', attempts: [attempt] },
  { _id: 'hook_3', render_id: 'rend_2', state: 'pending', attempts: [] },
];

export const WEBHOOKS: readonly Form[] = [
  {
    name: 'deliveries of a render, all or waiting, and an answer is removed',
    used_by: [reads],
    documents: OF_RENDERS,
    indexes: INDEXES,
    operation: async ({ things }) => {
      const render_id = 'rend_1';
      const waiting = idsOf(await things.find({ render_id, state: 'pending' }, queryTimeout()).toArray());
      const found = await things.find({ render_id }, { projection: { attempts: 1 }, ...queryTimeout() }).toArray();
      await things.updateOne({ _id: 'hook_2' }, { $set: { attempts: [{ ...attempt, response: null }] } });
      return [waiting, idsOf(found).toSorted(), await things.findOne({ _id: 'hook_2' })];
    },
    expected: [
      ['hook_1'],
      ['hook_1', 'hook_2'],
      { _id: 'hook_2', render_id: 'rend_1', state: 'succeeded', attempts: [{ ...attempt, response: null }] },
    ],
  },
  {
    name: 'a partition is claimed, for the first time and again',
    used_by: [reads],
    operation: async (ground) => [await take(ground), await take(ground)],
    expected: [
      { _id: 3, taken: 1 },
      { _id: 3, taken: 2 },
    ],
  },
  {
    name: "the position moves only forward, for its owner, and with the owner's plan",
    used_by: [writer],
    operation: async (ground) => {
      await take(ground);
      const found: number[] = [];
      for (const [taken, next] of [
        [1, 8],
        [1, 5],
        [2, 9],
      ] as const)
        found.push(await ground.store.transaction((session) => move(ground, taken, next, session)));
      const same = await ground.store.transaction(async (session) => {
        const $inc = { plans: 1 };
        const updates = [
          { filter: { _id: 3, taken: 1 }, update: { $inc } },
          { filter: { _id: 3, taken: 1, plans: { $gte: 3 } }, update: { $inc } },
          { filter: { _id: 3, taken: 1, plans: { $gte: 3 } }, update: { $inc, $max: { next_status: 9 } } },
          { filter: { _id: 3, taken: 1, plans: { $gte: 6 } }, update: { $inc, $max: { next_status: 10 } } },
        ];
        await ground.others.bulkWrite(
          updates.map((updateOne) => ({ updateOne })),
          { session, ordered: true },
        );
        return await ground.others.find({ _id: { $in: [3, 4] } }, { session }).toArray();
      });
      return [found, same];
    },
    expected: [[1, 1, 0], [{ _id: 3, taken: 1, next_status: 9, plans: 5 }]],
  },
  {
    name: 'a plan from before a claim of the partition is not stored',
    used_by: [writer, reads],
    operation: async (ground) => {
      await take(ground);
      let tries = 0;
      const found = await ground.store.transaction(async (session) => {
        tries += 1;
        await ground.things.insertMany([pending('hook_1', '0003/whe_a/1')], { session, ordered: true });
        if (tries === 1) await take(ground);
        return await move(ground, 1, 5, session);
      });
      return [found, tries > 1, (await ground.others.findOne({ _id: 3 }))?.next_status ?? null];
    },
    expected: [0, true, null],
  },
  {
    name: 'deliveries are stored together',
    used_by: [writer, restorer],
    indexes: INDEXES,
    operation: async ({ store, things }) => {
      const documents = WAITING.slice(0, 3);
      await store.transaction((session) => things.insertMany([...documents], { session, ordered: true }));
      return idsOf(await all(things));
    },
    expected: ['hook_1', 'hook_2', 'hook_3'],
  },
  {
    name: 'if one delivery exists, none is stored',
    used_by: [writer, restorer],
    documents: [pending('hook_3', 'as it was')],
    operation: async ({ store, things }) => {
      const documents = WAITING.slice(0, 3);
      const fault = await faultOf(() =>
        store.transaction((session) => things.insertMany([...documents], { session, ordered: true })),
      );
      return [fault, idsOf(await all(things))];
    },
    expected: [11_000, ['hook_3']],
  },
  {
    name: 'missing deliveries are stored and named, and others stay unchanged',
    used_by: [writer],
    documents: [pending('hook_2', 'as it was')],
    indexes: INDEXES,
    operation: async ({ store, things }) =>
      await store.transaction(async (session) => {
        const { upsertedIds } = await things.bulkWrite(
          WAITING.slice(0, 3).map(({ _id, ...document }) => ({
            updateOne: { filter: { _id }, update: { $setOnInsert: document }, upsert: true },
          })),
          { session, ordered: true },
        );
        const found = await things.find({ _id: { $in: ['hook_1', 'hook_2', 'hook_9'] } }, { session }).toArray();
        return [upsertedIds, found.map(({ _id, waiting }) => [_id, waiting]).sort()];
      }),
    expected: [
      { 0: 'hook_1', 2: 'hook_3' },
      [
        ['hook_1', '0003/whe_b/1763700000000000000000007'],
        ['hook_2', 'as it was'],
      ],
    ],
  },
  {
    name: 'an ended delivery is stored, or replaces one in a weaker state only',
    used_by: [restorer],
    documents: [
      pending('hook_1', '0003/whe_a/1'),
      { _id: 'hook_2', state: 'succeeded', attempts: [attempt] },
      { _id: 'hook_3', state: 'skipped', attempts: [] },
    ],
    indexes: INDEXES,
    operation: async (ground) => {
      await inTransaction(
        ground,
        ['hook_1', 'hook_2', 'hook_3', 'hook_4'].flatMap((_id) => {
          const document = { state: 'exhausted', body: null, attempts: [], delete_at: ended };
          return [
            {
              updateOne: {
                filter: { _id },
                update: { $setOnInsert: { repeated_by: null, ...document } },
                upsert: true,
              },
            },
            {
              updateOne: {
                filter: { _id, state: { $in: ['pending', 'skipped'] } },
                update: { $set: document, $unset: { waiting: '' as const } },
              },
            },
          ];
        }),
      );
      const stored = await all(ground.things);
      return stored.map(({ state, waiting, attempts }) => [state, waiting ?? null, attempts.length]);
    },
    expected: [
      ['exhausted', null, 0],
      ['succeeded', null, 1],
      ['exhausted', null, 0],
      ['exhausted', null, 0],
    ],
  },
  {
    name: 'an outcome counts only for a pending delivery with the expected attempts',
    used_by: [writer, outcomes],
    documents: [
      pending('hook_1', 'a'),
      { ...pending('hook_2', 'b'), attempts: [attempt] },
      { _id: 'hook_3', state: 'succeeded', attempts: [] },
    ],
    indexes: INDEXES,
    operation: async (ground) => {
      const matched = await inTransaction(
        ground,
        ['hook_1', 'hook_2', 'hook_3', 'hook_4'].map((_id) => ({
          updateOne: {
            filter: { _id, state: 'pending', attempts: { $size: 0 } },
            update: { $set: { waiting: 'later' }, $push: { attempts: attempt } },
          },
        })),
      );
      const stored = await all(ground.things);
      return [matched, stored.map(({ waiting, attempts }) => [waiting ?? null, attempts.length])];
    },
    expected: [
      1,
      [
        ['later', 1],
        ['b', 1],
        [null, 0],
      ],
    ],
  },
  {
    name: 'ends, with an attempt and without',
    used_by: [writer, outcomes],
    documents: [pending('hook_1', 'a'), pending('hook_2', 'b')],
    indexes: INDEXES,
    operation: async (ground) => {
      const end = { body: null, ended_at: 7, delete_at: ended };
      const guard = { state: 'pending', attempts: { $size: 0 } };
      const matched = await inTransaction(ground, [
        {
          updateOne: {
            filter: { _id: 'hook_1', ...guard },
            update: { $set: { ...end, state: 'succeeded' }, $unset: { waiting: '' }, $push: { attempts: attempt } },
          },
        },
        {
          updateOne: {
            filter: { _id: 'hook_2', ...guard },
            update: { $set: { ...end, state: 'skipped' }, $unset: { waiting: '' } },
          },
        },
      ]);
      const still = await ground.things
        .find({ waiting: { $gte: '', $lt: '~' } })
        .sort({ waiting: 1 })
        .limit(9)
        .toArray();
      return [matched, still, await all(ground.things)];
    },
    expected: [
      2,
      [],
      [
        { _id: 'hook_1', state: 'succeeded', body: null, attempts: [attempt], ended_at: 7, delete_at: ended },
        { _id: 'hook_2', state: 'skipped', body: null, attempts: [], ended_at: 7, delete_at: ended },
      ],
    ],
  },
  {
    name: 'a repeat is noted at a delivery that still exists',
    used_by: [writer],
    documents: [{ _id: 'hook_1', repeated_by: null }],
    operation: async (ground) => [
      await inTransaction(
        ground,
        ['hook_1', 'hook_2'].map((_id) => ({
          updateOne: { filter: { _id }, update: { $set: { repeated_by: 'hook_9' } } },
        })),
      ),
      await all(ground.things),
    ],
    expected: [1, [{ _id: 'hook_1', repeated_by: 'hook_9' }]],
  },
  {
    name: 'everything that waits in a partition, in order, without bodies',
    used_by: [reads],
    documents: WAITING,
    indexes: INDEXES,
    operation: async ({ things }) =>
      (
        await things
          .find({ waiting: { $gt: '0003/', $lt: '0003/~' } }, { projection: { waiting: 1, _id: 0 } })
          .sort({ waiting: 1 })
          .batchSize(2)
          .toArray()
      ).map((document) => document),
    expected: [
      { waiting: '0003/whe_a/1763700000001000000000001' },
      { waiting: '0003/whe_a/1763700000001000000000003' },
      { waiting: '0003/whe_a/1763700000002000000000002' },
      { waiting: '0003/whe_b/1763700000000000000000007' },
    ],
  },
  {
    name: 'a page of a lane from a position, before a time, earliest first',
    used_by: [reads],
    documents: WAITING,
    indexes: INDEXES,
    operation: async ({ things }) => {
      const page = async (from: string, before: string, limit: number) =>
        idsOf(
          await things
            .find({ waiting: { $gte: `0003/whe_a/${from}`, $lt: `0003/whe_a/${before}` } }, queryTimeout())
            .sort({ waiting: 1 })
            .limit(limit)
            .toArray(),
        );
      return [
        await page('0', '1763700000003', 2),
        await page('1763700000001000000000001~', '1763700000003', 2),
        await page('1763700000001', '1763700000002', 9),
      ];
    },
    expected: [
      ['hook_4', 'hook_3'],
      ['hook_3', 'hook_2'],
      ['hook_4', 'hook_3'],
    ],
  },
  {
    name: 'deliveries of a partition within a range of ids, and several by ids',
    used_by: [reads],
    documents: ['a1', 'a2', 'b1', 'c1', 'd1'].map((id, n) => ({ _id: `hook_${id}`, partition: n === 2 ? 4 : 3 })),
    operation: async ({ things }) => {
      const inRange = async (_id: { readonly $gte?: string; readonly $gt?: string; readonly $lt?: string }) =>
        idsOf(await things.find({ _id, partition: 3 }).sort({ _id: 1 }).batchSize(2).toArray());
      const some = await things.find({ _id: { $in: ['hook_d1', 'hook_a1', 'hook_z'] } }, queryTimeout()).toArray();
      return [
        await inRange({ $gte: '', $lt: 'hook_d' }),
        await inRange({ $gte: 'hook_b' }),
        await inRange({ $gt: 'hook_a1', $lt: 'hook_d' }),
        idsOf(some).toSorted(),
      ];
    },
    expected: [
      ['hook_a1', 'hook_a2', 'hook_c1'],
      ['hook_c1', 'hook_d1'],
      ['hook_a2', 'hook_c1'],
      ['hook_a1', 'hook_d1'],
    ],
  },
  {
    name: 'deliveries are repaired if unchanged, and the partition is to be reopened',
    used_by: [mender],
    documents: [pending('hook_1', '0003/whe_a/1'), pending('hook_2', '0003/whe_a/2')],
    indexes: INDEXES,
    operation: async (ground) => {
      await take(ground);
      const deliveries = ground.store.db.collection<Delivery>(ground.things.collectionName);
      const filter = { _id: 3, taken: 1 };
      const mend = async (): Promise<unknown> =>
        await ground.store.transaction(async (session) => {
          const stored = await ground.others.findOne(filter, { session });
          if (stored === null) return null;
          await ground.others.updateOne(
            filter,
            { $inc: { plans: 1, taken: 1 }, $set: { next_status: 4 } },
            { session },
          );
          const found = await deliveries.find({ _id: { $in: ['hook_1', 'hook_3'] } }, { session }).toArray();
          const $set = { state: 'succeeded', body: null, delete_at: ended };
          await deliveries.bulkWrite(
            [
              { deleteOne: { filter: { _id: 'hook_2' } } },
              ...['hook_1', 'hook_3'].map((_id) => ({
                updateOne: { filter: { _id }, update: { $set, $unset: { waiting: '' as const } }, upsert: true },
              })),
            ],
            { session, ordered: true },
          );
          return idsOf(found);
        });
      const read = [await mend(), await mend()];
      const stored = await all(ground.things);
      const position = await ground.others.findOne({ _id: 3 });
      return [read, stored.map(({ _id, state, waiting }) => [_id, state, waiting ?? null]), position];
    },
    expected: [
      [['hook_1'], null],
      [
        ['hook_1', 'succeeded', null],
        ['hook_3', 'succeeded', null],
      ],
      { _id: 3, taken: 2, plans: 1, next_status: 4 },
    ],
  },
  {
    name: 'a rebuild of deliveries is requested once, reports its progress and is cancelled',
    used_by: ['read-models/deliveries/rebuild.ts'],
    operation: async ({ things }) => {
      const wish = { rebuild: 'r1', partitions: 2 };
      await things.insertOne({ _id: 'wish', ...wish });
      const again = await faultOf(() => things.insertOne({ _id: 'wish', ...wish }));
      const partition = async (number: number, rebuild: string, slices_done: number) =>
        await things.updateOne(
          { _id: `partition/${number}` },
          { $set: { partition: number, rebuild, slices_done } },
          { upsert: true },
        );
      await partition(0, 'r1', 1);
      await partition(0, 'r1', 2);
      await partition(1, 'r0', 1);
      const found = await things.findOne({ _id: 'wish' }, queryTimeout());
      const own = await things.find({ rebuild: 'r1', partition: { $gte: 0 } }, queryTimeout()).toArray();
      const renewed = await Promise.all(
        ['r1', 'r0'].map((rebuild) => things.updateOne({ _id: 'wish', rebuild }, { $set: { rebuild: 'r2' } })),
      );
      const given_up = [];
      for (const rebuild of ['r1', 'r2'])
        given_up.push((await things.deleteOne({ _id: 'wish', rebuild })).deletedCount);
      return [again, found, own, renewed.map(({ matchedCount }) => matchedCount), given_up];
    },
    expected: [
      11_000,
      { _id: 'wish', rebuild: 'r1', partitions: 2 },
      [{ _id: 'partition/0', partition: 0, rebuild: 'r1', slices_done: 2 }],
      [1, 0],
      [0, 1],
    ],
  },
  {
    name: 'one delivery',
    used_by: [reads],
    documents: WAITING,
    operation: async ({ things }) => [
      (await things.findOne({ _id: 'hook_7' }, queryTimeout()))?.state,
      await things.findOne({ _id: 'hook_8' }, queryTimeout()),
    ],
    expected: ['succeeded', null],
  },
  {
    name: 'old answers of an endpoint to ended deliveries are deleted',
    used_by: ['read-models/deliveries/answered-deliveries.ts'],
    documents: [
      { _id: 'hook_1', by_endpoint: 'whe_1/0000000000010hook_1', state: 'succeeded', attempts: [attempt] },
      { _id: 'hook_2', by_endpoint: 'whe_1/0000000000011hook_2', state: 'pending', attempts: [attempt] },
      { _id: 'hook_3', by_endpoint: 'whe_1/0000000000012hook_3', state: 'skipped', attempts: [] },
      { _id: 'hook_4', by_endpoint: 'whe_1/0000000000020hook_4', state: 'exhausted', attempts: [attempt] },
      { _id: 'hook_5', by_endpoint: 'whe_10/0000000000010hook_5', state: 'exhausted', attempts: [attempt] },
      {
        ...{ _id: 'hook_6', by_endpoint: 'whe_1/0000000000013hook_6', state: 'exhausted' },
        attempts: [{ ...attempt, response: null }, attempt],
      },
    ],
    indexes: INDEXES,
    operation: async ({ store, things }) => {
      const deliveries = store.db.collection<Delivery & { readonly by_endpoint: string }>(things.collectionName);
      const ended_ones = { state: { $in: ['succeeded', 'exhausted', 'skipped'] } };
      const found = await deliveries
        .find(
          {
            by_endpoint: { $gte: 'whe_1/', $lt: 'whe_1/0000000000020' },
            ...ended_ones,
            'attempts.response': { $gte: '' },
          },
          queryTimeout(),
        )
        .project<Pick<Delivery, '_id' | 'attempts'>>({ _id: 1, attempts: 1 })
        .limit(9)
        .toArray();
      await deliveries.bulkWrite(
        found.map(({ _id, attempts }) => ({
          updateOne: {
            filter: { _id, ...ended_ones },
            update: { $set: { attempts: attempts.map((one) => ({ ...one, response: '' })) } },
          },
        })),
        { ordered: false },
      );
      const stored = await all(things);
      return stored.map(({ attempts }) => attempts.map(({ response }: typeof attempt) => response));
    },
    expected: [[''], ['no'], [], ['no'], ['no'], ['', '']],
  },
  {
    name: 'accounts with a retention of answers, one after the other',
    used_by: ['read-models/catalogue/delivery-retentions.ts'],
    documents: [
      { _id: 'acc_1', deliveries: 3 },
      { _id: 'acc_2', deliveries: null },
      { _id: 'acc_3' },
      { _id: 'acc_4', deliveries: 1 },
    ],
    operation: async ({ things }) => {
      const after = async (from: string) =>
        idsOf(
          await things
            .find({ _id: { $gt: from }, deliveries: { $gte: 1 } }, queryTimeout())
            .sort({ _id: 1 })
            .limit(1)
            .toArray(),
        );
      return [await after(''), await after('acc_1'), await after('acc_4')];
    },
    expected: [['acc_1'], ['acc_4'], []],
  },
  {
    name: 'concurrent failures of an endpoint are counted since the first',
    used_by: [health],
    operation: async ({ things }) => {
      const fail = (at: number) =>
        things.findOneAndUpdate(
          { _id: 'whe_1' },
          { $inc: { exhausted: 1 }, $setOnInsert: { failing_since: at } },
          { upsert: true, returnDocument: 'after' },
        );
      const first = await fail(5);
      await Promise.all([fail(6), fail(7), fail(8)]);
      return [first, await all(things)];
    },
    expected: [{ _id: 'whe_1', failing_since: 5, exhausted: 1 }, [{ _id: 'whe_1', failing_since: 5, exhausted: 4 }]],
  },
  {
    name: 'the failures of an endpoint are deleted',
    used_by: [health],
    documents: [{ _id: 'whe_1' }, { _id: 'whe_2' }],
    operation: async ({ things }) => {
      await things.deleteOne({ _id: 'whe_1' });
      await things.deleteOne({ _id: 'whe_3' });
      return idsOf(await all(things));
    },
    expected: ['whe_2'],
  },
  {
    name: 'whether an endpoint had a success since a time',
    used_by: [health],
    documents: [
      { _id: 'hook_1', by_endpoint: 'whe_1/0000000000010hook_1', state: 'succeeded', ended_at: 12 },
      { _id: 'hook_2', by_endpoint: 'whe_1/0000000000020hook_2', state: 'exhausted', ended_at: 90 },
      { _id: 'hook_3', by_endpoint: 'whe_2/0000000000020hook_3', state: 'succeeded', ended_at: 90 },
    ],
    indexes: INDEXES,
    operation: async ({ things }) => {
      const since = async (endpoint: string, at: number) =>
        await things.findOne(
          {
            by_endpoint: { $gte: `${endpoint}/0000000000000`, $lt: `${endpoint}/~` },
            state: 'succeeded',
            ended_at: { $gt: at },
          },
          { projection: { _id: 1 }, ...queryTimeout() },
        );
      return [await since('whe_1', 11), await since('whe_1', 12), await since('whe_2', 12)];
    },
    expected: [{ _id: 'hook_1' }, null, { _id: 'hook_3' }],
  },
  {
    name: 'a repeated creation of the indexes of deliveries changes nothing',
    used_by: ['read-models/deliveries/model.ts'],
    operation: async ({ things }) => {
      await things.createIndexes(INDEXES);
      await things.createIndexes(INDEXES);
      const made = (await things.indexes()).map(({ key, sparse, expireAfterSeconds }) => [
        Object.keys(key).join(),
        sparse ?? false,
        expireAfterSeconds ?? null,
      ]);
      return made.sort();
    },
    expected: [
      ['_id', false, null],
      ['by_endpoint', false, null],
      ['delete_at', false, 0],
      ['render_id', false, null],
      ['waiting', true, null],
    ],
  },
  {
    name: "the catalogue's position, and endpoints of several teams and names",
    used_by: ['read-models/catalogue/endpoints.ts'],
    documents: [
      { _id: 'whe_1', team_id: 'team_1' },
      { _id: 'whe_2', team_id: 'team_2' },
      { _id: 'whe_3', team_id: 'team_3' },
    ],
    indexes: [{ key: { team_id: 1 } }],
    operation: async ({ things, others }) => {
      await others.insertOne({ _id: 0, next: 7 });
      const ofTeams = await things.find({ team_id: { $in: ['team_1', 'team_3', 'team_4'] } }, queryTimeout()).toArray();
      const byIds = await things.find({ _id: { $in: ['whe_2', 'whe_3', 'whe_4'] } }, queryTimeout()).toArray();
      return [await others.findOne({ _id: 0 }, queryTimeout()), [...idsOf(ofTeams)].sort(), [...idsOf(byIds)].sort()];
    },
    expected: [{ _id: 0, next: 7 }, ['whe_1', 'whe_3'], ['whe_2', 'whe_3']],
  },
];
