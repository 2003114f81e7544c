import type { Document } from 'mongodb';
import { queryTimeout } from '../../../../platform/read-store/query-timeout.ts';
import { type Form, type Ground, idsOf, type Stored } from './form.ts';

const T = 1_763_700_000_000;

const delivery = (endpoint_id: string, n: number, state: string): Stored => ({
  _id: `hook_${endpoint_id}_${n}`,
  state,
  body: '{}',
  attempts: [{ n: 1 }, { n: 2 }],
  by_endpoint: `${endpoint_id}/${T + n}hook_${endpoint_id}_${n}`,
});

/** Neighbouring ids: `whe_1` is a prefix of the next two, whose strings lie before and after its own. */
const DOCUMENTS: readonly Stored[] = [
  delivery('whe_1', 3, 'exhausted'),
  delivery('whe_1', 1, 'succeeded'),
  delivery('whe_1', 2, 'skipped'),
  delivery('whe_10', 2, 'exhausted'),
  delivery('whe_1-', 2, 'exhausted'),
  delivery('whe_0', 2, 'exhausted'),
];

const OF_DELIVERIES = {
  used_by: ['read-models/deliveries/delivery-log.ts'],
  documents: DOCUMENTS,
  indexes: [{ key: { by_endpoint: 1 as const } }],
};

const SHOWN = { body: 0 };

const stretch = async (
  { things }: Ground,
  range: Document,
  keep: Document,
  order: 1 | -1,
  limit = 20,
): Promise<readonly (string | number)[]> => {
  const pipeline = [
    { $match: { by_endpoint: range } },
    { $match: keep },
    { $sort: { by_endpoint: order } },
    { $limit: limit },
    { $project: SHOWN },
  ];
  return idsOf(await things.aggregate<Stored>(pipeline, queryTimeout()).toArray());
};

const at = (n: number): string => `whe_1/${T + n}`;

export const WEBHOOK_LOG: readonly Form[] = [
  {
    name: 'deliveries of an endpoint in a period, newest first',
    ...OF_DELIVERIES,
    operation: (ground) => stretch(ground, { $gte: at(1), $lt: at(4) }, {}, -1),
    expected: ['hook_whe_1_3', 'hook_whe_1_2', 'hook_whe_1_1'],
  },
  {
    name: 'deliveries of an endpoint in a period, in one state',
    ...OF_DELIVERIES,
    operation: (ground) => stretch(ground, { $gte: at(2), $lt: at(4) }, { state: 'exhausted' }, -1, 1),
    expected: ['hook_whe_1_3'],
  },
  {
    name: 'deliveries of an endpoint in some states, in order, page by page',
    ...OF_DELIVERIES,
    operation: async (ground) => {
      const keep = { state: { $in: ['exhausted', 'skipped'] } };
      return [
        await stretch(ground, { $gte: at(0), $lt: at(9) }, keep, 1, 1),
        await stretch(ground, { $gt: `${at(2)}hook_whe_1_2`, $lt: at(9) }, keep, 1, 1),
      ];
    },
    expected: [['hook_whe_1_2'], ['hook_whe_1_3']],
  },
  {
    name: 'deliveries by their ids, without bodies',
    ...OF_DELIVERIES,
    operation: async ({ things }) => {
      const ids = ['hook_whe_1_1', 'hook_none', 'hook_whe_10_2'];
      const found = await things.find({ _id: { $in: ids } }, { projection: SHOWN, ...queryTimeout() }).toArray();
      return found.map(({ _id, body, attempts }) => [_id, body, attempts.length]).sort();
    },
    expected: [
      ['hook_whe_10_2', undefined, 2],
      ['hook_whe_1_1', undefined, 2],
    ],
  },
  {
    name: 'a delivery by its id',
    ...OF_DELIVERIES,
    operation: async ({ things }) => (await things.findOne({ _id: 'hook_whe_1_3' }, queryTimeout()))?.state,
    expected: 'exhausted',
  },
];
