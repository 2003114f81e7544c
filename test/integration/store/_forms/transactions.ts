import type { AnyBulkWriteOperation, ClientSession, Collection } from 'mongodb';
import { all, type Form, faultOf, type Ground, type Stored } from './form.ts';

const FIRST = '0'.repeat(64);
const SECOND = 'a'.repeat(64);
const checkpoint: Stored = { _id: 4, next: 10, chain: FIRST, chain_before: FIRST };
const moved: Stored = { _id: 4, next: 12, chain: SECOND, chain_before: FIRST };

/** The compare-and-set that guards the writes of every projection; returns the number of matches. */
const move = async (
  checkpoints: Collection<Stored>,
  from: { readonly next: number; readonly chain: string },
  session: ClientSession,
): Promise<number> => {
  const { _id, ...to } = moved;
  const { matchedCount } = await checkpoints.bulkWrite(
    [{ updateOne: { filter: { _id, next: from.next, chain: from.chain }, update: { $set: to } } }],
    { session, ordered: true },
  );
  return matchedCount;
};

/** One existing and one new document. Unset members remain, such as search tokens, which are written once. */
const SET: AnyBulkWriteOperation<Stored>[] = [
  { updateOne: { filter: { _id: 'rend_1' }, update: { $set: { status: 'ready' } }, upsert: true } },
  {
    updateOne: {
      filter: { _id: 'rend_2' },
      update: { $set: { status: 'initializing', search: ['p:a', 'p:b'] } },
      upsert: true,
    },
  },
];

/** Moves the checkpoint (in `others`) and writes documents in one transaction, which the guard can abort. */
const guarded = ({ store, things, others }: Ground, next: number, operations: AnyBulkWriteOperation<Stored>[]) =>
  store.transaction(async (session) => {
    await things.find({ _id: { $in: ['rend_1'] } }, { session }).toArray();
    const found = await move(others, { next, chain: FIRST }, session);
    await things.bulkWrite(operations, { session, ordered: true });
    if (found !== 1) throw new RangeError('another process moved the checkpoint');
  });

const begin = async ({ others }: Ground): Promise<void> => {
  await others.insertOne({ ...checkpoint });
};

const committer = 'projectors/checkpoint/commit-queue.ts';
const guard = 'projectors/checkpoint/checkpoint-store.ts';

export const TRANSACTIONS: readonly Form[] = [
  {
    name: 'documents and checkpoint change together',
    used_by: [committer, guard, 'projectors/render/projection.ts'],
    documents: [{ _id: 'rend_1', status: 'initializing', search: ['p:c'] }],
    operation: async (ground) => {
      await begin(ground);
      await guarded(ground, 10, SET);
      return [await all(ground.things), await all(ground.others)];
    },
    expected: [
      [
        { _id: 'rend_1', status: 'ready', search: ['p:c'] },
        { _id: 'rend_2', status: 'initializing', search: ['p:a', 'p:b'] },
      ],
      [moved],
    ],
  },
  {
    name: 'a refused guard reverts creations and replacements',
    used_by: [committer, guard],
    documents: [{ _id: 'rend_1', status: 'initializing' }],
    operation: async (ground) => {
      await begin(ground);
      const fault = await faultOf(() => guarded(ground, 9, SET));
      return [fault, await all(ground.things), await all(ground.others)];
    },
    expected: ['RangeError', [{ _id: 'rend_1', status: 'initializing' }], [checkpoint]],
  },
  {
    name: 'a guard refuses another chain',
    used_by: [guard],
    operation: async (ground) => {
      await begin(ground);
      return await ground.store.transaction((session) => move(ground.others, { next: 10, chain: SECOND }, session));
    },
    expected: 0,
  },
  {
    name: 'several guards in one bulk write count the matching ones',
    used_by: [guard],
    operation: async (ground) => {
      await ground.others.insertMany([checkpoint, { ...checkpoint, _id: 5 }, { ...checkpoint, _id: 6, next: 11 }]);
      return await ground.store.transaction(async (session) => {
        const { matchedCount } = await ground.others.bulkWrite(
          [4, 5, 6, 7].map((_id) => ({
            updateOne: { filter: { _id, next: 10, chain: FIRST }, update: { $set: { next: 12, chain: SECOND } } },
          })),
          { session, ordered: true },
        );
        return matchedCount;
      });
    },
    expected: 2,
  },
  {
    name: 'one of two concurrent moves of a checkpoint is refused',
    used_by: [committer, guard],
    operation: async (ground) => {
      await begin(ground);
      const ends = await Promise.all([1, 2].map(() => faultOf(() => guarded(ground, 10, SET))));
      return [ends.filter((end) => end === null).length, await all(ground.others)];
    },
    expected: [1, [moved]],
  },
  {
    name: 'ignored events are inserted, and quarantined records keep their first version',
    used_by: ['projectors/catalogue/projection.ts', 'projectors/checkpoint/quarantine.ts', committer],
    documents: [{ _id: 'render-events/0/3', reason: 'first' }],
    operation: async ({ store, things, others }) => {
      const found_at = new Date(1_763_700_000_000);
      await store.transaction(async (session) => {
        await others.bulkWrite(
          [3, 4].map((_id) => ({ insertOne: { document: { _id, reason: 'team_unknown' } } })),
          {
            session,
            ordered: true,
          },
        );
        await things.bulkWrite(
          [3, 5].map((offset) => ({
            updateOne: {
              filter: { _id: `render-events/0/${offset}` },
              update: { $setOnInsert: { reason: 'later', found_at } },
              upsert: true,
            },
          })),
          { session, ordered: true },
        );
      });
      return [await all(others), (await all(things)).map(({ reason }) => reason)];
    },
    expected: [
      [
        { _id: 3, reason: 'team_unknown' },
        { _id: 4, reason: 'team_unknown' },
      ],
      ['first', 'later'],
    ],
  },
  {
    name: 'several writes to one document, in order',
    used_by: ['projectors/catalogue/projection.ts', committer],
    operation: async ({ store, things }) => {
      const put = (version: number): AnyBulkWriteOperation<Stored> => ({
        replaceOne: { filter: { _id: 'proj_1' }, replacement: { version }, upsert: true },
      });
      await store.transaction((session) => things.bulkWrite([put(1), put(2), put(3)], { session, ordered: true }));
      return await all(things);
    },
    expected: [{ _id: 'proj_1', version: 3 }],
  },
  {
    name: 'a transaction sees its own writes, and other readers do not before the commit',
    used_by: [],
    documents: [{ _id: 'rend_1', status: 'initializing' }],
    operation: async ({ store, things }) => {
      const seen = await store.transaction(async (session) => {
        await things.bulkWrite(SET, { session, ordered: true });
        const within = await things.find({ _id: { $in: ['rend_1'] } }, { session }).toArray();
        const outside = await things.findOne({ _id: 'rend_1' });
        return [within[0]?.status, outside?.status];
      });
      return [...seen, (await things.findOne({ _id: 'rend_1' }))?.status];
    },
    expected: ['ready', 'initializing', 'ready'],
  },
  {
    name: 'forty concurrent additions in transactions lose nothing',
    used_by: [],
    documents: [{ _id: 'acc_1/0', reserved_credits: 0 }],
    operation: async ({ store, things }) => {
      const one = () =>
        store.transaction((session) =>
          things.bulkWrite([{ updateOne: { filter: { _id: 'acc_1/0' }, update: { $inc: { reserved_credits: 2 } } } }], {
            session,
            ordered: true,
          }),
        );
      // Four at a time: more than the projectors ever have, and few enough for the limited retries.
      for (let round = 0; round < 10; round += 1) await Promise.all([one(), one(), one(), one()]);
      return await all(things);
    },
    expected: [{ _id: 'acc_1/0', reserved_credits: 80 }],
  },
  {
    name: 'two hundred documents of 60 KiB in one transaction',
    used_by: [committer],
    operation: async ({ store, things }) => {
      const document = 'x'.repeat(60 * 1024);
      const operations = Array.from({ length: 200 }, (_, i) => ({
        replaceOne: { filter: { _id: `proj_${i}` }, replacement: { document }, upsert: true },
      }));
      await store.transaction((session) => things.bulkWrite(operations, { session, ordered: true }));
      return (await all(things)).filter((stored) => stored.document === document).length;
    },
    expected: 200,
  },
];
