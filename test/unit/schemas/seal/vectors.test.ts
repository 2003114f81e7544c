import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import { openBox, type SealContext, sealBox } from '../../../../schemas/seal/box.ts';
import { decodeKeyTree, deriveLeaf, encodeKeyTree, newTree, puncture } from '../../../../schemas/seal/key-tree.ts';
import { decodeSealedText, encodeSealedText } from '../../../../schemas/seal/plain-text.ts';

const FOLDER = new URL('../../../vectors/', import.meta.url);
const VECTORS = JSON.parse(readFileSync(new URL('seal.json', FOLDER), 'utf8'));
const TREE = newTree(Buffer.from(VECTORS.root, 'hex'));

test('leaves and punctured trees are those of the vectors', (t) => {
  for (const [leaf, key] of Object.entries(VECTORS.leaves))
    t.is(deriveLeaf(TREE, Number(leaf))?.toString('hex'), String(key));
  const punctured = puncture(TREE, VECTORS.punctured_leaves);
  t.is(encodeKeyTree(punctured).toString('hex'), VECTORS.punctured_tree);
  t.deepEqual(decodeKeyTree(Buffer.from(VECTORS.punctured_tree, 'hex')), E.right(punctured));
});

test('boxes are those of the vectors', (t) => {
  const { text, nonce, box, aes_key: _, additional_data: __, ...context } = VECTORS.box;
  const of: SealContext = context;
  const key = deriveLeaf(TREE, of.leaf) ?? Buffer.alloc(0);
  t.is(sealBox(key, of, encodeSealedText(text), Buffer.from(nonce, 'hex')), box);
  t.deepEqual(decodeSealedText(openBox(key, of, box) ?? Buffer.alloc(0)), text);
});

test('a Python script computes the same tree and AES key, and opens the box', async (t) => {
  // Without the user's settings and packages (`-I` would also hide the file next to the script).
  const { stdout } = await execa('python3', ['-E', '-s', '-B', fileURLToPath(new URL('seal.py', FOLDER))]);
  t.is(stdout, '1038');
});
