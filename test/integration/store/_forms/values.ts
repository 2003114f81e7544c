import { all, type Form, faultOf, idsOf } from './form.ts';

const LARGEST_DOCUMENT_BYTES = 16 * 1024 * 1024;

const VALUES = {
  nothing: null,
  empty: '',
  yes: true,
  whole: 42,
  beyond_32_bits: 5_000_000_000,
  largest: Number.MAX_SAFE_INTEGER,
  negative: -7,
  fraction: 0.1,
  milliseconds: 1_763_700_000_123,
  date: new Date(1_763_700_000_123),
  list: [1, 'two', null, { three: 3 }, []],
  nested: { a: { b: { c: [] } }, empty: {} },
};

/** By their bytes; UTF-16 order, as in JavaScript, would swap the last two. */
const IN_ORDER = ['', ' ', '0', '9', ':', 'A', 'Z', 'a', 'z', 'ß', 'é', 'Ω', '中', '국', '\u{fb01}', '😀'];

const LANGUAGES = [
  'Zażółć gęślą jaźń',
  'ਪੰਜਾਬੀ ਵੀਡੀਓ',
  'שלום \u200f(1)\u200e',
  '👨‍👩‍👧‍👦 🏳️‍🌈',
  'e\u0301 is not \u00e9',
  'a\u0000b',
  'line\nbreak\ttab "quotes" $dollar .dot',
];

export const VALUES_AND_STRINGS: readonly Form[] = [
  {
    name: 'values of every type read back unchanged',
    used_by: [],
    documents: [{ _id: 'one', ...VALUES }],
    operation: ({ things }) => things.findOne({ _id: 'one' }),
    expected: { _id: 'one', ...VALUES },
  },
  {
    name: 'text of any language reads back unchanged',
    used_by: [],
    documents: LANGUAGES.map((name, i) => ({ _id: i, name })),
    operation: async ({ things }) => (await all(things)).map(({ name }) => name),
    expected: LANGUAGES,
  },
  {
    name: 'fields keep their order',
    used_by: [],
    documents: [{ _id: 1, z: 1, a: 2, m: { y: 1, b: 2 } }],
    operation: async ({ things }) => JSON.stringify(await things.findOne({ _id: 1 })),
    expected: '{"_id":1,"z":1,"a":2,"m":{"y":1,"b":2}}',
  },
  {
    name: 'text is ordered by its bytes',
    used_by: [],
    documents: IN_ORDER.toReversed().map((position, i) => ({ _id: i, position })),
    indexes: [{ key: { position: 1 } }],
    operation: async ({ things }) =>
      (await things.find({}).sort({ position: 1 }).toArray()).map(({ position }) => position),
    expected: IN_ORDER,
  },
  {
    name: 'a range ends by the bytes of its text',
    used_by: [],
    documents: IN_ORDER.map((position, i) => ({ _id: i, position })),
    indexes: [{ key: { position: 1 } }],
    operation: async ({ things }) =>
      (
        await things
          .find({ position: { $gte: 'z', $lt: '\u{fb01}' } })
          .sort({ position: -1 })
          .limit(21)
          .toArray()
      ).map(({ position }) => position),
    expected: ['국', '中', 'Ω', 'é', 'ß', 'z'].toSorted((a, b) => Buffer.compare(Buffer.from(b), Buffer.from(a))),
  },
  {
    name: 'text matches only equal text, not similar-looking text',
    used_by: [],
    documents: [
      { _id: 1, search: ['p:é'] },
      { _id: 2, search: ['p:e\u0301'] },
      { _id: 3, search: ['p:E'] },
    ],
    indexes: [{ key: { search: 1, position: 1 } }],
    operation: async ({ things }) => idsOf(await things.find({ search: 'p:é' }).toArray()),
    expected: [1],
  },
  {
    name: 'a document near the limit of 16 MiB',
    used_by: [],
    operation: async ({ things }) => {
      const document = 'y'.repeat(LARGEST_DOCUMENT_BYTES - 1024);
      await things.insertOne({ _id: 'big', document });
      return (await things.findOne({ _id: 'big' }))?.document === document;
    },
    expected: true,
  },
  {
    name: 'a document above the limit is refused, and the connection stays usable',
    used_by: [],
    operation: async ({ things }) => {
      const refused = await faultOf(() =>
        things.insertOne({ _id: 'big', document: 'y'.repeat(LARGEST_DOCUMENT_BYTES) }),
      );
      return [refused !== null, await all(things)];
    },
    expected: [true, []],
  },
];
