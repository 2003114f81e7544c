import type { AnyBulkWriteOperation, ClientSession } from 'mongodb';
import { readWatermarks } from '../../../../read-models/renders/watermarks.ts';
import { all, type Form, faultOf, type Ground, type Stored } from './form.ts';

const TAKEN = 11_000;

/** Adds the changes of the facts from `first` to `last`; a document that counts one of them already refuses. */
const add = (
  partition: number,
  [first, last]: readonly [number, number],
  reserved_credits: number,
  charged_credits: number,
): AnyBulkWriteOperation<Stored> => ({
  updateOne: {
    filter: { _id: `acc_1/${partition}`, offset: { $lt: first } },
    update: {
      $inc: { reserved_credits, charged_credits },
      $set: { account_id: 'acc_1', partition, offset: last },
    },
    upsert: true,
  },
});

const counted = (partition: number, offset: number, reserved_credits: number, charged_credits: number): Stored => ({
  _id: `acc_1/${partition}`,
  account_id: 'acc_1',
  partition,
  offset,
  reserved_credits,
  charged_credits,
});

const CHAIN = '0'.repeat(64);

/** Writes as the projectors do: the partition's guard and the additions in one transaction. */
const commit = (
  { store, things, others }: Ground,
  from: number,
  partitions: readonly number[],
  operations: AnyBulkWriteOperation<Stored>[],
  before: (session: ClientSession) => void = () => undefined,
) =>
  store.transaction(async (session) => {
    const { matchedCount } = await others.bulkWrite(
      partitions.map((_id) => ({
        updateOne: { filter: { _id, next: from, chain: CHAIN }, update: { $set: { next: from + 10 } } },
      })),
      { session, ordered: true },
    );
    await things.bulkWrite(operations, { session, ordered: true });
    before(session);
    if (matchedCount !== partitions.length) throw new RangeError('another process moved a checkpoint');
  });

const checkpoints = async ({ others }: Ground): Promise<void> => {
  await others.insertMany([0, 1].map((_id) => ({ _id, next: 0, chain: CHAIN })));
};

/** Compares only the fields, because an upsert creates them in the server's order. */
const ledgerOf = async ({ things }: Ground) => await all(things);

const used_by = ['projectors/render/ledger.ts'];

export const LEDGER: readonly Form[] = [
  {
    name: 'the first facts of an account in a partition create its document',
    used_by,
    operation: async (ground) => {
      await checkpoints(ground);
      await commit(ground, 0, [0], [add(0, [3, 7], 5, 0)]);
      return await ledgerOf(ground);
    },
    expected: [counted(0, 7, 5, 0)],
  },
  {
    name: 'later facts add to the document, even negative ones',
    used_by,
    documents: [counted(0, 7, 5, 0)],
    operation: async (ground) => {
      await checkpoints(ground);
      await commit(ground, 0, [0], [add(0, [8, 9], -5, 4)]);
      return await ledgerOf(ground);
    },
    expected: [counted(0, 9, 0, 4)],
  },
  {
    name: 'counted facts are refused with their transaction',
    used_by,
    documents: [counted(0, 7, 5, 0)],
    operation: async (ground) => {
      await checkpoints(ground);
      const fault = await faultOf(() => commit(ground, 0, [0], [add(1, [1, 1], 9, 9), add(0, [7, 9], 1, 1)]));
      return [fault, await ledgerOf(ground), (await all(ground.others)).map(({ next }) => next)];
    },
    expected: [TAKEN, [counted(0, 7, 5, 0)], [0, 0]],
  },
  {
    name: 'a refused guard reverts all additions of its transaction',
    used_by,
    documents: [counted(0, 7, 5, 0)],
    operation: async (ground) => {
      await checkpoints(ground);
      const fault = await faultOf(() => commit(ground, 99, [0], [add(0, [8, 8], 1, 0), add(1, [2, 2], 3, 0)]));
      return [fault, await ledgerOf(ground)];
    },
    expected: ['RangeError', [counted(0, 7, 5, 0)]],
  },
  {
    name: 'an aborted and retried transaction counts once',
    used_by,
    documents: [counted(0, 7, 5, 0)],
    operation: async (ground) => {
      await checkpoints(ground);
      const cutOff = () => {
        throw new RangeError('cut off before the commit');
      };
      const once = [add(0, [8, 8], 2, 0), add(1, [2, 2], 3, 0)];
      await faultOf(() => commit(ground, 0, [0, 1], once, cutOff));
      await commit(ground, 0, [0, 1], once);
      return await ledgerOf(ground);
    },
    expected: [counted(0, 8, 7, 0), counted(1, 2, 3, 0)],
  },
  {
    name: 'two partitions of one account in one transaction',
    used_by,
    operation: async (ground) => {
      await checkpoints(ground);
      await commit(ground, 0, [0, 1], [add(0, [1, 4], 2, 0), add(1, [1, 6], 3, 1)]);
      return await ledgerOf(ground);
    },
    expected: [counted(0, 4, 2, 0), counted(1, 6, 3, 1)],
  },
  {
    name: 'two partitions of one account in two concurrent transactions',
    used_by,
    operation: async (ground) => {
      await checkpoints(ground);
      await Promise.all([
        commit(ground, 0, [0], [add(0, [1, 4], 2, 0)]),
        commit(ground, 0, [1], [add(1, [1, 6], 3, 1)]),
      ]);
      return await ledgerOf(ground);
    },
    expected: [counted(0, 4, 2, 0), counted(1, 6, 3, 1)],
  },
  {
    name: "watermarks with the store's time, which is absent without a watermark",
    used_by: ['read-models/renders/watermarks.ts'],
    documents: [
      { _id: 0, at: 3 },
      { _id: 1, at: 1 },
    ],
    operation: async ({ store, things, others }) => {
      const read = async ({ collectionName }: Ground['things']) =>
        await readWatermarks({ caught_up: store.db.collection(collectionName) });
      const { marks, read_at } = await read(things);
      const later = await read(things);
      const is_time = read_at !== null && Math.abs(read_at - Date.now()) < 60_000;
      const goes_on = later.read_at !== null && read_at !== null && later.read_at >= read_at;
      return [marks.toSorted((a, b) => a._id - b._id), is_time, goes_on, await read(others)];
    },
    expected: [
      [
        { _id: 0, at: 3 },
        { _id: 1, at: 1 },
      ],
      true,
      true,
      { marks: [], read_at: null },
    ],
  },
  {
    name: "a watermark ahead of the store's clock gives no time",
    used_by: ['read-models/renders/watermarks.ts'],
    documents: [
      { _id: 0, at: Date.now() + 31 * 86_400_000 },
      { _id: 1, at: 1 },
    ],
    operation: async ({ store, things }) => {
      const { marks } = await readWatermarks({ caught_up: store.db.collection(things.collectionName) });
      return marks.toSorted((a, b) => a._id - b._id);
    },
    expected: [
      { _id: 0, at: 0 },
      { _id: 1, at: 1 },
    ],
  },
  {
    name: 'the ledger of an account',
    used_by: ['read-models/renders/account-renders.ts'],
    documents: [
      counted(0, 4, 2, 0),
      counted(1, 6, 3, 1),
      { ...counted(0, 1, 100, 100), _id: 'acc_2/0', account_id: 'acc_2' },
    ],
    indexes: [{ key: { account_id: 1 } }],
    operation: async ({ things }) =>
      (await things.find({ account_id: 'acc_1' }).toArray())
        .map(({ reserved_credits, charged_credits }) => reserved_credits + charged_credits)
        .sort(),
    expected: [2, 4],
  },
];
