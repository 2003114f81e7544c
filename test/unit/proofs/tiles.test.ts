import test from 'ava';
import fc from 'fast-check';
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import { type HeadsEntry, headsEntryText, MAX_HEADS, parseHeadsEntry } from '../../../proofs/heads/heads-entry.ts';
import { gapLeafData, recordLeafData } from '../../../proofs/records/record-leaf.ts';
import {
  bundleBytes,
  entriesOfBundle,
  hashesOfTile,
  MAX_ENTRY_BYTES,
  tileBytes,
} from '../../../proofs/tiles/tile-bytes.ts';
import { entriesPath, tilePath } from '../../../proofs/tiles/tile-path.ts';

test('tiles and bundles have the paths of the specification', (t) => {
  t.is(tilePath(0, 0), 'tile/0/000');
  t.is(tilePath(2, 999), 'tile/2/999');
  t.is(tilePath(1, 1_000), 'tile/1/x001/000');
  t.is(tilePath(0, 1_234_067), 'tile/0/x001/x234/067');
  t.is(tilePath(0, 1_234_067, 8), 'tile/0/x001/x234/067.p/8');
  t.is(entriesPath(0, 1), 'tile/entries/000.p/1');
  t.is(entriesPath(1_234_067), 'tile/entries/x001/x234/067');
});

test('bundles and tiles read back, and other bytes are refused', (t) => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 600 }), { maxLength: 20 }), (arrays) => {
      const entries = arrays.map((bytes) => Buffer.from(bytes));
      const bytes = bundleBytes(entries);
      t.deepEqual(entriesOfBundle(bytes, entries.length), entries);
      t.is(entriesOfBundle(bytes, entries.length + 1), null);
      t.is(entriesOfBundle(Buffer.concat([bytes, Buffer.of(1)]), entries.length), null);
      if (entries.length > 0) t.is(entriesOfBundle(bytes.subarray(0, -1), entries.length), null);
    }),
  );
  t.deepEqual(bundleBytes([Buffer.from('ab')]), Buffer.from([0, 2, 97, 98]));
  const hashes = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  t.deepEqual(hashesOfTile(tileBytes(hashes), 2), hashes);
  t.is(hashesOfTile(tileBytes(hashes), 3), null);
});

const record = { offset: 258, append_time_ms: 1_764_141_000_000, key: Buffer.from('rend_1'), value: Buffer.from('v') };

test('a leaf has offset, time, key and value; a missing key is not empty', (t) => {
  const data = recordLeafData(record);
  t.is(data.length, 82);
  t.is(data.subarray(0, 18).toString('hex'), '010300000000000001020000019abeff6540');
  const others = [
    { ...record, offset: 259 },
    { ...record, append_time_ms: 1_764_141_000_001 },
    { ...record, key: null },
    { ...record, key: Buffer.of() },
    { ...record, value: null },
    { ...record, value: Buffer.of() },
    { ...record, key: record.value, value: record.key },
  ];
  const all = [data, ...others.map(recordLeafData), gapLeafData(258)].map((one) => one.toString('hex'));
  t.is(new Set(all).size, all.length);
  t.is(gapLeafData(258).toString('hex'), '000000000000000102');
});

const root = Buffer.alloc(32, 9);
const entry: HeadsEntry = {
  time_ms: Date.UTC(2025, 10, 26, 7, 30),
  heads: [
    { topic: 'render-events', partition: 10, size: 3, root },
    { topic: 'render-events', partition: 9, size: 1_000_000, root },
    { topic: 'catalogue-events', partition: 0, size: 1, root },
  ],
};

test('heads are sorted lines, and only such lines are read', (t) => {
  const text = headsEntryText(entry);
  const base64 = root.toString('base64');
  const lines = [`catalogue-events 0 1 ${base64}`, `render-events 9 1000000 ${base64}`, `render-events 10 3 ${base64}`];
  t.is(text, `rendering heads 1\n2025-11-26T07:30:00.000Z\n${lines.join('\n')}\n`);
  const read = parseHeadsEntry(text);
  if (isLeft(read)) return t.fail(read.left);
  t.is(headsEntryText(read.right), text);
  const [first = '', second = '', ...rest] = lines;
  const wrong = [
    text.replace('heads 1', 'heads 2'),
    text.replace('.000Z', ''),
    text.replace(' 3 ', ' 03 '),
    text.replace(base64, base64.slice(4)),
    text.slice(0, -1),
    `${text}\n`,
    text.replace(`${first}\n${second}`, `${second}\n${first}`),
  ];
  t.is(rest.length, 1);
  for (const one of wrong) t.true(isLeft(parseHeadsEntry(one)), one);
});

test('an entry with the maximum of heads fits into a bundle', (t) => {
  const largest = { topic: 'catalogue-events', size: Number.MAX_SAFE_INTEGER, root };
  const heads = Array.from({ length: MAX_HEADS }, (_, i) => ({ ...largest, partition: 1_000 + i }));
  const text = headsEntryText({ ...entry, heads });
  t.true(isRight(parseHeadsEntry(text)));
  t.true(Buffer.byteLength(text) <= MAX_ENTRY_BYTES);
});
