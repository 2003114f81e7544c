import { queryTimeout } from '../../../../platform/read-store/query-timeout.ts';
import type { FailedWorkDocument } from '../../../../read-models/renders/failed-work.ts';
import { all, type Form, faultOf, type Ground, idsOf, type Stored } from './form.ts';

const TAKEN = 11_000;
const UNTIL = new Date(1_763_701_200_000);

/** Adds the cost of one failed render; refuses a render that is already counted. */
const count = ({ store, things }: Ground, work_id: string, cpu_ms: number, fetched_bytes: number) =>
  store.db.collection<FailedWorkDocument>(things.collectionName).updateOne(
    { _id: 'acc_1/489917', counted: { $ne: work_id } },
    {
      $inc: { cpu_ms, fetched_bytes },
      $push: { counted: { $each: [work_id], $slice: -3 } },
      $setOnInsert: { until: UNTIL },
    },
    { upsert: true },
  );

const counted = (cpu_ms: number, fetched_bytes: number, ids: readonly string[]): Stored => ({
  ...{ _id: 'acc_1/489917', cpu_ms, fetched_bytes, counted: ids, until: UNTIL },
});

const render = (_id: string, partition: number, change: Partial<Stored> = {}): Stored => ({
  ...{ _id, account_id: 'acc_1', open: true, status: 'initializing', partition, position: `0000000000001${_id}` },
  ...{ render: { id: _id }, facts: [], search: [], ...change },
});

const RENDERS: readonly Stored[] = [
  render('rend_1', 0),
  render('rend_2', 1),
  render('rend_3', 2),
  render('rend_4', 0, { status: 'ready' }),
  render('rend_5', 0, { status: 'failed', open: false }),
  render('rend_6', 0, { account_id: 'acc_2' }),
];

const INDEXES = [
  { key: { open: 1 as const }, partialFilterExpression: { open: true } },
  { key: { account_id: 1 as const, open: 1 as const }, partialFilterExpression: { open: true } },
];

const failed_work = ['read-models/renders/failed-work.ts'];
const waiting = ['read-models/renders/waiting-renders.ts'];
const listed = () => ({ projection: { account_id: 1, position: 1 }, ...queryTimeout() });

export const ACCOUNT_LIMITS: readonly Form[] = [
  {
    name: 'the first failed work of an hour creates its document, and later work adds to it',
    used_by: failed_work,
    operation: async (ground) => {
      await count(ground, 'rend_1', 5, 0);
      await count(ground, 'rend_2', 7, 2 ** 40);
      return await all(ground.things);
    },
    expected: [counted(12, 2 ** 40, ['rend_1', 'rend_2'])],
  },
  {
    name: 'counted failed work is refused, and the list of counted work is bounded',
    used_by: failed_work,
    documents: [counted(12, 3, ['rend_1', 'rend_2', 'rend_3'])],
    operation: async (ground) => {
      const fault = await faultOf(() => count(ground, 'rend_2', 7, 1));
      await count(ground, 'rend_4', 1, 0);
      return [fault, await all(ground.things)];
    },
    expected: [TAKEN, [counted(13, 3, ['rend_2', 'rend_3', 'rend_4'])]],
  },
  {
    name: 'failed work counts once under concurrent counts',
    used_by: failed_work,
    documents: [counted(1, 0, [])],
    operation: async (ground) => {
      const ids = ['rend_1', 'rend_2', 'rend_1', 'rend_2', 'rend_1'];
      const ends = await Promise.all(ids.map((id) => faultOf(() => count(ground, id, 10, 0))));
      const [document] = await all(ground.things);
      return [ends.filter((fault) => fault === null).length, document?.cpu_ms];
    },
    expected: [2, 21],
  },
  {
    name: 'the cost of failed work, without the list of counted work',
    used_by: failed_work,
    documents: [counted(12, 3, ['rend_1'])],
    indexes: [{ key: { until: 1 }, expireAfterSeconds: 1_000_000_000 }],
    operation: ({ things }) =>
      things.findOne({ _id: 'acc_1/489917' }, { projection: { cpu_ms: 1, fetched_bytes: 1 }, ...queryTimeout() }),
    expected: { _id: 'acc_1/489917', cpu_ms: 12, fetched_bytes: 3 },
  },
  {
    name: 'the open renders of an account, up to a limit',
    used_by: ['read-models/renders/account-renders.ts'],
    documents: RENDERS,
    indexes: INDEXES,
    operation: async ({ things }) => {
      const of = (account_id: string, limit: number) =>
        things.countDocuments({ account_id, open: true }, { limit, ...queryTimeout() });
      return [await of('acc_1', 10), await of('acc_1', 2), await of('acc_2', 10), await of('acc_3', 10)];
    },
    expected: [4, 2, 1, 0],
  },
  {
    name: 'all checkpoints',
    used_by: ['read-models/renders/account-renders.ts'],
    documents: [
      { _id: 0, next: 7, chain: 'aa' },
      { _id: 1, next: 0, chain: '00' },
    ],
    operation: async ({ things }) => (await things.find({}, queryTimeout()).toArray()).map(({ next }) => next).sort(),
    expected: [0, 7],
  },
  {
    name: 'renders in preparation of some partitions, and of one account among them',
    used_by: waiting,
    documents: RENDERS,
    indexes: INDEXES,
    operation: async ({ things }) => {
      const some = { open: true, status: 'initializing', partition: { $in: [0, 1] } };
      const of_all = await things.find(some, listed()).toArray();
      const of_one = await things
        .find({ account_id: 'acc_1', ...some }, listed())
        .limit(100)
        .toArray();
      return [[...idsOf(of_all)].sort(), [...idsOf(of_one)].sort()];
    },
    expected: [
      ['rend_1', 'rend_2', 'rend_6'],
      ['rend_1', 'rend_2'],
    ],
  },
  {
    name: 'renders with the fields that their preparation needs',
    used_by: waiting,
    documents: RENDERS,
    operation: async ({ things }) =>
      await things
        .find(
          { _id: { $in: ['rend_1', 'none'] } },
          { projection: { render: 1, partition: 1, facts: 1 }, ...queryTimeout() },
        )
        .toArray(),
    expected: [{ _id: 'rend_1', render: { id: 'rend_1' }, partition: 0, facts: [] }],
  },
];
