import { MongoBulkWriteError } from 'mongodb';
import { all, type Form, faultOf } from './form.ts';

const TAKEN = 11_000;
const early = new Date(1_763_700_000_000);
const late = new Date(1_763_700_005_000);

export const WRITES: readonly Form[] = [
  {
    name: 'documents are deleted by id, including missing ones, inside a transaction',
    used_by: ['projectors/catalogue/projection.ts'],
    documents: ['proj_1:1', 'proj_1:2', 'proj_10:1', 'proj_1:1:1'].map((_id) => ({ _id, document: '{}' })),
    operation: async ({ store, things }) => {
      await store.transaction(async (session) => {
        const filter = { _id: { $in: ['proj_1:1', 'proj_1:2', 'proj_1:3'] } };
        await things.bulkWrite([{ deleteMany: { filter } }], { session, ordered: true });
      });
      return (await all(things)).map(({ _id }) => _id);
    },
    expected: ['proj_10:1', 'proj_1:1:1'],
  },
  {
    name: 'a document leaves all lists: fields set and removed, inside a transaction',
    used_by: ['projectors/render/projection.ts'],
    documents: [
      { _id: 'rend_1', by_project: 'proj_1:7', by_project_skip: 'proj_1#1:7', search: ['proj_1:ada'], kept: true },
    ],
    indexes: [
      { key: { by_project: 1 } },
      { key: { by_project_skip: 1 }, sparse: true },
      { key: { search: 1, position: 1 } },
    ],
    operation: async ({ store, things }) => {
      const update = { $set: { by_project: null, search: [] }, $unset: { by_project_skip: 1, by_team_status_skip: 1 } };
      await store.transaction(async (session) => {
        const operations = [{ updateOne: { filter: { _id: 'rend_1' }, update, upsert: true } }];
        await things.bulkWrite(operations, { session, ordered: true });
      });
      const listed = await things.find({ by_project_skip: { $gte: 'proj_1#1:' } }).toArray();
      return [listed, await things.find({ search: 'proj_1:ada' }).toArray(), await all(things)];
    },
    expected: [[], [], [{ _id: 'rend_1', by_project: null, search: [], kept: true }]],
  },
  {
    name: 'documents replace existing ones or are created',
    used_by: ['read-models/renders/live-progress.ts'],
    documents: [{ _id: 'rend_1', frames_done: 1, stage: 'encoding', gone: true }],
    operation: async ({ things }) => {
      const { matchedCount, upsertedCount } = await things.bulkWrite(
        [
          { replaceOne: { filter: { _id: 'rend_1' }, replacement: { frames_done: 2 }, upsert: true } },
          { replaceOne: { filter: { _id: 'rend_2' }, replacement: { frames_done: 3 }, upsert: true } },
        ],
        { ordered: false, writeConcern: { w: 1 } },
      );
      return { matchedCount, upsertedCount, now: await all(things) };
    },
    expected: {
      matchedCount: 1,
      upsertedCount: 1,
      now: [
        { _id: 'rend_1', frames_done: 2 },
        { _id: 'rend_2', frames_done: 3 },
      ],
    },
  },
  {
    name: 'documents are inserted without order, and existing ones stay',
    used_by: ['read-models/renders/fresh-names.ts'],
    documents: [{ _id: 'rend_1', name: 'first' }],
    indexes: [{ key: { at: 1 }, expireAfterSeconds: 600 }],
    operation: async ({ things }) => {
      const more = ['rend_1', 'rend_2', 'rend_3'].map((_id) => ({ _id, name: 'second', at: late }));
      await things.insertMany(more, { ordered: false, writeConcern: { w: 1, journal: false } }).catch(() => undefined);
      return (await all(things)).map(({ _id, name }) => [_id, name]);
    },
    expected: [
      ['rend_1', 'first'],
      ['rend_2', 'second'],
      ['rend_3', 'second'],
    ],
  },
  {
    name: 'a document is created once, and a later one leaves it unchanged',
    used_by: ['projectors/checkpoint/checkpoint-store.ts'],
    operation: async ({ things }) => {
      const first = await things.updateOne({ _id: 3 }, { $setOnInsert: { next: 0, chain: '00' } }, { upsert: true });
      const second = await things.updateOne({ _id: 3 }, { $setOnInsert: { next: 9, chain: 'ff' } }, { upsert: true });
      return [first.upsertedCount, second.upsertedCount, second.matchedCount, await all(things)];
    },
    expected: [1, 0, 1, [{ _id: 3, next: 0, chain: '00' }]],
  },
  {
    name: 'a document is created once under a name, by two concurrent writers',
    used_by: ['projectors/generations/claim.ts'],
    operation: async ({ things }) => {
      const once = (current: number) =>
        things.updateOne({ _id: 'renders' }, { $setOnInsert: { current } }, { upsert: true });
      // One of the two can get a duplicate key error; exactly one document exists.
      await Promise.allSettled([once(1), once(1)]);
      return await all(things);
    },
    expected: [{ _id: 'renders', current: 1 }],
  },
  {
    name: 'documents are created once, in one bulk write',
    used_by: ['read-models/renders/watermarks.ts'],
    documents: [{ _id: 1, at: 5 }],
    operation: async ({ things }) => {
      await things.bulkWrite(
        [0, 1, 2].map((_id) => ({ updateOne: { filter: { _id }, update: { $setOnInsert: { at: 0 } }, upsert: true } })),
        { ordered: false },
      );
      return await all(things);
    },
    expected: [
      { _id: 0, at: 0 },
      { _id: 1, at: 5 },
      { _id: 2, at: 0 },
    ],
  },
  {
    name: 'fields of several documents are set, and missing documents created',
    used_by: ['read-models/renders/watermarks.ts'],
    documents: [{ _id: 0, at: 7, kept: true }],
    operation: async ({ things }) => {
      await things.bulkWrite(
        [
          { updateOne: { filter: { _id: 0 }, update: { $set: { at: 4 } }, upsert: true } },
          { updateOne: { filter: { _id: 1 }, update: { $set: { at: 9 } }, upsert: true } },
        ],
        { ordered: false, writeConcern: { w: 1 } },
      );
      return await all(things);
    },
    expected: [
      { _id: 0, at: 4, kept: true },
      { _id: 1, at: 9 },
    ],
  },
  {
    name: 'a position never moves back',
    used_by: ['platform/read-store/consumer-positions.ts'],
    operation: async ({ things }) => {
      for (const next of [5, 9, 7])
        await things.updateOne({ _id: 'preparer/render-status/0' }, { $max: { next } }, { upsert: true });
      return await all(things);
    },
    expected: [{ _id: 'preparer/render-status/0', next: 9 }],
  },
  {
    name: 'a stopped partition is reported, asked to resume, reported again and removed',
    used_by: ['platform/read-store/stopped-partitions.ts'],
    operation: async ({ things }) => {
      const _id = 'projectors render-events/3';
      const tell = (at: number) =>
        things.findOneAndUpdate(
          { _id },
          { $set: { seen_at: at, asked_at: null }, $setOnInsert: { stopped_at: at } },
          { upsert: true, returnDocument: 'before' },
        );
      const first = await tell(1);
      const asked = (await things.updateOne({ _id }, { $set: { asked_at: 2 } })).matchedCount;
      const before = await tell(3);
      const after = await all(things);
      await things.deleteOne({ _id });
      const unasked = (await things.updateOne({ _id }, { $set: { asked_at: 4 } })).matchedCount;
      return [first, asked, before?.asked_at, after, unasked];
    },
    expected: [null, 1, 2, [{ _id: 'projectors render-events/3', seen_at: 3, asked_at: null, stopped_at: 1 }], 0],
  },
  {
    name: 'times never move back, in one bulk write',
    used_by: ['read-models/catalogue/key-last-used.ts'],
    documents: [
      { _id: 'key_1', at: late },
      { _id: 'key_2', at: early },
    ],
    operation: async ({ things }) => {
      const uses = [
        ['key_1', early],
        ['key_2', late],
        ['key_3', early],
      ] as const;
      await things.bulkWrite(
        uses.map(([_id, at]) => ({ updateOne: { filter: { _id }, update: { $max: { at } }, upsert: true } })),
        { ordered: false },
      );
      return await all(things);
    },
    expected: [
      { _id: 'key_1', at: late },
      { _id: 'key_2', at: late },
      { _id: 'key_3', at: early },
    ],
  },
  {
    name: 'an insert of an existing id is refused and changes nothing',
    used_by: ['projectors/catalogue/projection.ts'],
    documents: [{ _id: 7, reason: 'team_unknown' }],
    operation: async ({ things }) => [
      await faultOf(() => things.insertOne({ _id: 7, reason: 'other' })),
      await all(things),
    ],
    expected: [TAKEN, [{ _id: 7, reason: 'team_unknown' }]],
  },
  {
    name: 'ordered writes end at the first refused one',
    used_by: [],
    documents: [{ _id: 2 }],
    operation: async ({ things }) => {
      const inserts = [1, 2, 3].map((_id) => ({ insertOne: { document: { _id } } }));
      const fault = await faultOf(() => things.bulkWrite(inserts, { ordered: true }));
      return [fault, await all(things)];
    },
    expected: [TAKEN, [{ _id: 1 }, { _id: 2 }]],
  },
  {
    name: 'unordered writes continue after a refused one and report it',
    used_by: [],
    documents: [{ _id: 2 }],
    operation: async ({ things }) => {
      const inserts = [1, 2, 3].map((_id) => ({ insertOne: { document: { _id } } }));
      const refused = await things.bulkWrite(inserts, { ordered: false }).then(
        () => [],
        (error: unknown) =>
          error instanceof MongoBulkWriteError
            ? [error.writeErrors].flat().map(({ index, code }) => [index, code])
            : [],
      );
      return [refused, await all(things)];
    },
    expected: [[[1, TAKEN]], [{ _id: 1 }, { _id: 2 }, { _id: 3 }]],
  },
  {
    name: 'a hundred concurrent additions to one number lose nothing',
    used_by: [],
    documents: [{ _id: 'acc_1/0', charged_credits: 0 }],
    operation: async ({ things }) => {
      await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          things.updateOne({ _id: 'acc_1/0' }, { $inc: { charged_credits: i % 2 === 0 ? 3 : -1 } }),
        ),
      );
      return await all(things);
    },
    expected: [{ _id: 'acc_1/0', charged_credits: 100 }],
  },
];
