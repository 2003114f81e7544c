import { queryTimeout } from '../../../../platform/read-store/query-timeout.ts';
import { all, type Form, type Ground, idsOf, type Stored } from './form.ts';

const used_by = ['read-models/renders/charges.ts'];

const DAY = 1_763_700_000_000;

const render = (_id: string, account_id: string, status: string, at: number, charged_credits: number): Stored => ({
  ...{ _id, account_id, status, partition: 0, open: status === 'processing' },
  render: { name: `Of ${_id}`, project_id: 'proj_1', charged_credits, updated_at: DAY + at },
});

const documents: readonly Stored[] = [
  render('rend_c', 'acc_1', 'complete', 5, 3),
  render('rend_b', 'acc_1', 'complete', 2, 5),
  render('rend_a', 'acc_1', 'complete', 5, 7),
  render('rend_failed', 'acc_1', 'failed', 3, 0),
  render('rend_open', 'acc_1', 'processing', 3, 0),
  render('rend_other', 'acc_10', 'complete', 3, 100),
  { _id: 'rend_none', account_id: null, status: null, render: null },
];

const indexes = [
  {
    key: {
      account_id: 1 as const,
      'render.updated_at': 1 as const,
      _id: 1 as const,
      'render.charged_credits': 1 as const,
    },
    partialFilterExpression: { 'render.charged_credits': { $gt: 0 } },
  },
  { key: { open: 1 as const }, partialFilterExpression: { open: true } },
  { key: { account_id: 1 as const, open: 1 as const }, partialFilterExpression: { open: true } },
];

const charged = { 'render.charged_credits': { $gt: 0 } };

const shown = {
  projection: {
    ...{ name: 1, 'render.name': 1, 'render.erased_at': 1 },
    ...{ 'render.project_id': 1, 'render.charged_credits': 1, 'render.updated_at': 1 },
  },
} as const;

const during = async ({ things }: Ground, period: { readonly $gte: number; readonly $lt?: number }) =>
  await things
    .find({ account_id: 'acc_1', ...charged, 'render.updated_at': period }, shown)
    .sort({ 'render.updated_at': 1, _id: 1 })
    .batchSize(1_000)
    .toArray();

const sum = async ({ things }: Ground, period: { readonly $gte: number; readonly $lt?: number }) =>
  await things
    .aggregate(
      [
        { $match: { account_id: 'acc_1', ...charged, 'render.updated_at': period } },
        { $group: { _id: null, credits: { $sum: '$render.charged_credits' } } },
      ],
      queryTimeout(),
    )
    .toArray();

export const CHARGES: readonly Form[] = [
  {
    name: 'the charges of an account, in order',
    used_by,
    documents,
    indexes,
    operation: async (ground) => idsOf(await during(ground, { $gte: 0 })),
    expected: ['rend_b', 'rend_a', 'rend_c'],
  },
  {
    name: 'the charges of a period',
    used_by,
    documents,
    indexes,
    operation: async (ground) => idsOf(await during(ground, { $gte: DAY + 2, $lt: DAY + 5 })),
    expected: ['rend_b'],
  },
  {
    name: 'a charge has only the fields of a statement',
    used_by,
    documents,
    indexes,
    operation: async (ground) => await during(ground, { $gte: 0, $lt: DAY + 5 }),
    expected: [
      { _id: 'rend_b', render: { name: 'Of rend_b', project_id: 'proj_1', charged_credits: 5, updated_at: DAY + 2 } },
    ],
  },
  {
    name: 'the number of completed renders of an account in a period',
    used_by: ['read-models/renders/completed-counts.ts'],
    documents,
    indexes,
    operation: async ({ things }) => {
      const count = async (period: { readonly $gte: number; readonly $lt?: number }) =>
        await things
          .aggregate(
            [
              { $match: { account_id: 'acc_1', ...charged, 'render.updated_at': period } },
              { $group: { _id: null, renders: { $sum: 1 } } },
            ],
            queryTimeout(),
          )
          .toArray();
      return [await count({ $gte: DAY + 3 }), await count({ $gte: 0, $lt: DAY + 3 }), await count({ $gte: DAY + 6 })];
    },
    expected: [[{ _id: null, renders: 2 }], [{ _id: null, renders: 1 }], []],
  },
  {
    name: 'a render that becomes complete becomes a charge',
    used_by,
    documents,
    indexes,
    operation: async (ground) => {
      await ground.things.bulkWrite([
        {
          updateOne: {
            filter: { _id: 'rend_open' },
            update: { $set: render('rend_open', 'acc_1', 'complete', 9, 1) },
            upsert: true,
          },
        },
      ]);
      return [idsOf(await during(ground, { $gte: DAY + 3 })), (await all(ground.things)).length];
    },
    expected: [['rend_a', 'rend_c', 'rend_open'], documents.length],
  },
  {
    name: 'queries of other renders miss none because of the index of charges',
    used_by: ['read-models/renders/waiting-renders.ts', 'read-models/renders/account-renders.ts'],
    documents,
    indexes,
    operation: async ({ things }) => {
      const under_way = { account_id: 'acc_1', open: true, status: 'processing', partition: { $in: [0, 1] } };
      return [
        idsOf(await things.find(under_way).toArray()),
        await things.countDocuments({ account_id: 'acc_1', open: true }, { limit: 5, ...queryTimeout() }),
        await things.countDocuments({ status: 'complete' }),
      ];
    },
    expected: [['rend_open'], 1, 4],
  },
  {
    name: 'more charges than one batch contains',
    used_by,
    documents: Array.from({ length: 1_100 }, (_, n) =>
      render(`rend_${String(n).padStart(4, '0')}`, 'acc_1', 'complete', n % 7, 1),
    ),
    indexes,
    operation: async (ground) => new Set(idsOf(await during(ground, { $gte: 0 }))).size,
    expected: 1_100,
  },
  {
    name: 'the sum of earlier charges',
    used_by,
    documents,
    indexes,
    operation: async (ground) => await sum(ground, { $gte: 0, $lt: DAY + 5 }),
    expected: [{ _id: null, credits: 5 }],
  },
  {
    name: 'the sum of earlier charges without any',
    used_by,
    documents,
    indexes,
    operation: async (ground) => await sum(ground, { $gte: 0, $lt: DAY }),
    expected: [],
  },
];
