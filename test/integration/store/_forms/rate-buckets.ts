import { type TokenDemand, takeFromBucket } from '../../../../read-models/limits/rate-buckets.ts';
import type { Form, Ground } from './form.ts';

const SETTINGS = { per_s: 1, burst: 100 };
const _id = 'query-api/key_1';
const used_by = ['read-models/limits/rate-buckets.ts'];

const take = async ({ things }: Ground, ask: Partial<TokenDemand>) => {
  const asked = { process: 'first', waiting: 1, wanted: 1, returned: 0, ...ask };
  const options = { upsert: true, returnDocument: 'after', writeConcern: { w: 1 } } as const;
  const after = await things.findOneAndUpdate({ _id }, takeFromBucket(SETTINGS, asked), options);
  return [after?.taken, Math.floor(after?.level)];
};

const bucket = (level: number, slices: readonly unknown[] = []) => ({
  ...{ _id, now: Date.now() - 3_600_000, level, slices, taken: 0, until: new Date() },
});

export const RATE_BUCKETS: readonly Form[] = [
  {
    name: 'a bucket starts full, and concurrent withdrawals reduce it',
    used_by,
    operation: async (ground) => [
      await take(ground, {}),
      await take(ground, { process: 'second', wanted: 50, waiting: 50 }),
      await take(ground, { process: 'third', returned: 100 }),
    ],
    // Nine of the first slice are reserved for the one that waited, so others get at most 91.
    expected: [
      [10, 90],
      [50, 40],
      [9, 82],
    ],
  },
  {
    name: "a bucket fills by the store's clock up to its burst",
    used_by,
    documents: [bucket(-5, [{ process: 'gone', tokens: 60, until: Date.now() - 1 }])],
    operation: async (ground) => [await take(ground, {}), await take(ground, { returned: 9 })],
    expected: [
      [10, 90],
      [9, 90],
    ],
  },
  {
    name: 'an empty bucket grants nothing, and never a negative amount',
    used_by,
    documents: [{ ...bucket(-5), now: Date.now() + 3_600_000 }],
    operation: async (ground) => [await take(ground, {}), await take(ground, { wanted: 3, waiting: 3 })],
    expected: [
      [0, -5],
      [0, -5],
    ],
  },
  {
    name: 'concurrent withdrawals get exactly the contents',
    used_by,
    documents: [bucket(0)],
    operation: async (ground) => {
      const asks = Array.from({ length: 30 }, (_, i) => ({ process: `process ${i}`, waiting: 7, wanted: 7 }));
      const taken = await Promise.all(asks.map((ask) => take(ground, ask)));
      const sum = taken.reduce((all, [one = 0]) => all + one, 0);
      return sum >= 100 && sum <= 103;
    },
    expected: true,
  },
];
