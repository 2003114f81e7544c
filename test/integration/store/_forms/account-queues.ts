import { queryTimeout } from '../../../../platform/read-store/query-timeout.ts';
import type { Form, Ground, Stored } from './form.ts';

const used_by = ['read-models/renders/account-queues.ts'];

const render = (n: number, account_id: string, status: string, change: Partial<Stored> = {}): Stored => ({
  ...{ _id: `rend_${n}`, account_id, status, open: true, partition: n % 2, position: `176370000000${n}rend_${n}` },
  ...{ render: { id: `rend_${n}`, charged_credits: 0 }, facts: [], search: [], ...change },
});

const documents: readonly Stored[] = [
  render(5, 'acc_1', 'queued'),
  render(3, 'acc_1', 'queued'),
  render(4, 'acc_1', 'processing'),
  render(7, 'acc_10', 'queued'),
  render(1, 'acc_1', 'complete', { open: false }),
  { _id: 'rend_none', account_id: null, status: null, open: false, position: null, render: null },
];

const indexes = [
  { key: { open: 1 as const }, partialFilterExpression: { open: true } },
  { key: { account_id: 1 as const, open: 1 as const }, partialFilterExpression: { open: true } },
];

const groups = async ({ things }: Ground, most: number): Promise<readonly unknown[]> => {
  const pipeline = [
    { $match: { open: true } },
    { $limit: most },
    {
      $group: {
        _id: { account_id: '$account_id', status: '$status' },
        renders: { $sum: 1 },
        first: { $min: '$position' },
      },
    },
  ];
  return await things.aggregate(pipeline, { ...queryTimeout(), maxTimeMS: 5_000 }).toArray();
};

export const ACCOUNT_QUEUES: readonly Form[] = [
  {
    name: 'the number of open renders by account and status, with each first position',
    used_by,
    ...{ documents, indexes },
    operation: async (ground) =>
      (await groups(ground, 10)).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    expected: [
      { _id: { account_id: 'acc_1', status: 'processing' }, renders: 1, first: '1763700000004rend_4' },
      { _id: { account_id: 'acc_1', status: 'queued' }, renders: 2, first: '1763700000003rend_3' },
      { _id: { account_id: 'acc_10', status: 'queued' }, renders: 1, first: '1763700000007rend_7' },
    ],
  },
  {
    name: 'the number of open renders by account and status, up to a limit',
    used_by,
    ...{ documents, indexes },
    operation: async (ground) =>
      (await groups(ground, 2)).reduce<number>((all, one) => all + Number(Object(one).renders), 0),
    expected: 2,
  },
];
