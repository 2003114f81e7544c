import { randomBytes } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { NONCE_BYTES, openBox, type SealContext, sealBox } from '../../../../schemas/seal/box.ts';
import { decodeSealedText, encodeSealedText, PADDED_BYTES } from '../../../../schemas/seal/plain-text.ts';
import { runs } from '../../../helpers/runs.ts';

const KEY = randomBytes(32);
const CONTEXT: SealContext = {
  type: 'RenderRequested',
  account_id: 'acc_1',
  project_id: 'proj_1',
  render_id: 'rend_1',
  tree: '01JD0000000000000000000000',
  leaf: 7,
};
const TEXT = { name: 'Spring sale', values: { title: 'Äpfel "rot"' }, draft: true };
const seal = (plain: Buffer = encodeSealedText(TEXT)) => sealBox(KEY, CONTEXT, plain, randomBytes(NONCE_BYTES));

test('a box opens with its key and context only', (t) => {
  const box = seal();
  t.deepEqual(openBox(KEY, CONTEXT, box), encodeSealedText(TEXT));
  t.is(openBox(randomBytes(32), CONTEXT, box), null);
  const others: Partial<SealContext>[] = [
    { account_id: 'acc_2' },
    { project_id: 'proj_2' },
    { render_id: 'rend_2' },
    { tree: '01JD0000000000000000000001' },
    { leaf: 8 },
    { account_id: 'acc_1","proj_1', project_id: '' },
  ];
  for (const other of others) t.is(openBox(KEY, { ...CONTEXT, ...other }, box), null, JSON.stringify(other));
});

test('an altered, truncated or extended box does not open', (t) => {
  const box = seal();
  for (let at = 0; at < box.length; at += 1) {
    for (const other of ['A', 'B', '+', ' '])
      if (box[at] !== other) t.is(openBox(KEY, CONTEXT, box.slice(0, at) + other + box.slice(at + 1)), null, `${at}`);
    t.is(openBox(KEY, CONTEXT, box.slice(0, at)), null, `${at} characters`);
  }
  for (const more of ['A', '=', '\n']) t.is(openBox(KEY, CONTEXT, box + more), null);
});

test('equal texts have different boxes', (t) => {
  t.not(seal(), seal());
});

test('a text of any length becomes the next step, and returns unchanged', (t) => {
  const values = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme', maxLength: 400 }));
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), values, fc.boolean(), (name, own, draft) => {
      const text = { name, values: own, draft };
      const plain = encodeSealedText(text);
      const json_bytes = Buffer.byteLength(JSON.stringify(text));
      t.is(plain.length, PADDED_BYTES.find((step) => step >= json_bytes) ?? 0);
      // A dictionary has no prototype, in contrast to parsed JSON.
      t.deepEqual(decodeSealedText(plain), structuredClone(text));
    }),
    { numRuns: runs(200) },
  );
});

test('the length counts bytes, not characters', (t) => {
  t.is(encodeSealedText({ name: 'a'.repeat(117) }).length, 128);
  t.is(encodeSealedText({ name: 'a'.repeat(118) }).length, 256);
  t.is(encodeSealedText({ name: 'ä'.repeat(59) }).length, 256);
  t.throws(() => encodeSealedText({ name: 'a'.repeat(16_384) }));
});

test('bytes that are no sealed text decode to null', (t) => {
  for (const text of ['', '{}', '{"name":1}', '{"name":"a","values":{"b":1}}', 'null', '[]'])
    t.is(decodeSealedText(Buffer.from(text)), null);
});
