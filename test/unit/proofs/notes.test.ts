import { generateKeyPairSync } from 'node:crypto';
import test from 'ava';
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import { addCheckpointBody } from '../../../proofs/notes/add-checkpoint.ts';
import { checkpointText, parseCheckpoint } from '../../../proofs/notes/checkpoint.ts';
import { parseVerifierKey, signerKey, signingKeyOf, verifierKeyText } from '../../../proofs/notes/keys.ts';
import {
  cosignature,
  cosignedAt,
  isNoteSigned,
  noteSignature,
  noteText,
  parseNote,
  parseSignatures,
} from '../../../proofs/notes/signed-note.ts';

/** From the documentation of Go's package `note`. */
const FOREIGN_KEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const FOREIGN_NOTE = `If you think cryptography is the answer to your problem,
then you don't know what your problem is.

— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
`;

const root = Buffer.alloc(32, 7);
const ORIGIN = 'rendering/cluster/4';

test('a note from another implementation verifies, and a changed one does not', (t) => {
  const key = parseVerifierKey(FOREIGN_KEY);
  const note = parseNote(FOREIGN_NOTE);
  if (key === undefined || isLeft(note)) return t.fail();
  t.true(isNoteSigned(note.right, key));
  t.false(isNoteSigned({ ...note.right, text: note.right.text.replace('answer', 'Answer') }, key));
  t.false(isNoteSigned({ ...note.right, signatures: [] }, key));
  t.is(noteText(note.right), FOREIGN_NOTE);
  t.is(verifierKeyText(key), FOREIGN_KEY);
});

test('a checkpoint is signed under the name of its log and reads back', (t) => {
  const pair = generateKeyPairSync('ed25519');
  const key = signerKey('note', ORIGIN, pair.privateKey);
  const text = checkpointText({ origin: ORIGIN, size: 20_852_163, root });
  t.is(text, `rendering/cluster/4\n20852163\n${root.toString('base64')}\n`);
  const note = parseNote(noteText({ text, signatures: [noteSignature(key, text)] }));
  const known = parseVerifierKey(verifierKeyText(key));
  if (isLeft(note) || known === undefined) return t.fail();
  t.true(isNoteSigned(note.right, known));
  t.deepEqual(parseCheckpoint(note.right.text), parseCheckpoint(`${text}an extension\n`));
  t.true(isRight(parseCheckpoint(text)));
  const other = signerKey('note', ORIGIN, generateKeyPairSync('ed25519').privateKey);
  t.false(isNoteSigned(note.right, other));
});

test('a cosignature is valid only for its checkpoint, witness key and time', (t) => {
  const text = checkpointText({ origin: ORIGIN, size: 3, root });
  const witness = signerKey('cosignature', 'witness.example', generateKeyPairSync('ed25519').privateKey);
  const one = cosignature(witness, text, 1_700_000_000);
  t.is(cosignedAt({ text, signatures: [one] }, witness), 1_700_000_000);
  t.is(cosignedAt({ text: `${text}more\n`, signatures: [one] }, witness), null);
  const later = Buffer.from(one.signature);
  later.writeBigUInt64BE(1_700_000_001n);
  t.is(cosignedAt({ text, signatures: [{ ...one, signature: later }] }, witness), null);
  const other = signerKey('cosignature', 'witness.example', generateKeyPairSync('ed25519').privateKey);
  t.is(cosignedAt({ text, signatures: [one] }, other), null);
  t.not(verifierKeyText(witness), verifierKeyText({ ...witness, type: 'note' }));
});

test('invalid notes, checkpoints and keys are refused', (t) => {
  for (const note of [
    '',
    'a\n',
    'a\n\nb\n',
    'a\n\n— b c\n',
    'a\n\n— b YWJj\n',
    'a\t\n\n— b YWJjZGVm\n',
    'a\n\n— b YWJjZGVm',
  ])
    t.true(isLeft(parseNote(note)), JSON.stringify(note));
  t.is(parseSignatures('— a b\n'), null);
  const base64 = root.toString('base64');
  for (const text of [`\n1\n${base64}\n`, `a\n01\n${base64}\n`, `a\n-1\n${base64}\n`, 'a\n1\nAA==\n', 'a\n1\n', 'a\n'])
    t.true(isLeft(parseCheckpoint(text)), JSON.stringify(text));
  for (const key of [
    '',
    'a+b',
    FOREIGN_KEY.replace('c74f20a3', 'c74f20a4'),
    FOREIGN_KEY.replace('P', 'Q'),
    'a b+00000000+AAAA',
  ])
    t.is(parseVerifierKey(key), undefined, key);
  t.is(signingKeyOf('AAAA'), undefined);
  const x25519 = generateKeyPairSync('x25519').privateKey.export({ format: 'der', type: 'pkcs8' });
  t.is(signingKeyOf(x25519.toString('base64')), undefined);
});

test('a request to a witness has its last size, the proof and the checkpoint', (t) => {
  t.is(addCheckpointBody(0, [], 'note\n'), 'old 0\n\nnote\n');
  t.is(addCheckpointBody(3, [root, root], 'note\n'), `old 3\n${`${root.toString('base64')}\n`.repeat(2)}\nnote\n`);
});
