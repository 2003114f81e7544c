import { readFile } from 'node:fs/promises';
import * as E from 'fp-ts/lib/Either.js';
import { messageOf } from '../../platform/logging/message-of.ts';
import { type SignedCheckpoint, verifyCheckpoint } from '../../platform/proof-log/heads-log.ts';
import { loadListedKeys } from '../../platform/proof-log/key-chain.ts';
import { type SignerKey, signerKey, signingKeyOf, verifierKeyText } from '../../proofs/notes/keys.ts';
import { isNoteSigned, noteSignature, noteText } from '../../proofs/notes/signed-note.ts';
import { isSameKey, parseSuccession, type Succession, successionNote } from '../../proofs/notes/succession.ts';
import type { CliFault } from '../fault.ts';
import type { Proofs } from './proofs.ts';
import { type SuccessionAnswer, successionAnswer } from './succession-text.ts';

export type HandOverResult = SuccessionAnswer & {
  readonly path: string;
  readonly note: string;
};

/**
 * An attempt fails if the notary publishes a checkpoint in the meantime. It publishes at most one between two attempts,
 * and stops when it sees the succession.
 */
const MAX_ATTEMPTS = 10;

const refused = (message: string): E.Left<CliFault> => ({
  _tag: 'Left',
  left: { tag: 'refused', reason: 'not_handed_over', message: `the key was not replaced: ${message}` },
});

export type KeyPair = { readonly from: SignerKey; readonly to: SignerKey };

type Stored = Pick<Proofs, 'origin' | 'paths' | 'blobs'>;

/** Null if the old key has no succession. Left: the succession is invalid or names another new key. */
const storedSuccession = async (
  { blobs, paths }: Stored,
  { from, to }: KeyPair,
): Promise<E.Either<CliFault, { readonly known: Succession; readonly version: string } | null>> => {
  const found = await blobs.read(paths.succession(from));
  if (found === null) return E.right(null);
  const parsed = parseSuccession(found.bytes.toString('utf8'));
  if (E.isLeft(parsed)) return refused(`${paths.succession(from)} is not valid: ${parsed.left}`);
  return isSameKey(parsed.right.from, from) && isSameKey(parsed.right.to, to)
    ? E.right({ known: parsed.right, version: found.version })
    : refused(
        `${verifierKeyText(parsed.right.from)} is already replaced by ${verifierKeyText(parsed.right.to)}; ` +
          'a key can be replaced only once',
      );
};

type Published = { readonly checkpoint: SignedCheckpoint; readonly version: string };

const published = async (
  { blobs, paths, origin }: Stored,
  { from, to }: KeyPair,
): Promise<E.Either<CliFault, Published>> => {
  const found = await blobs.read(paths.checkpoint);
  if (found === null) return refused('there is no checkpoint yet: set NOTARY_KEY to the new key');
  const opened = verifyCheckpoint(found.bytes.toString('utf8'), [to, from]);
  if (E.isLeft(opened)) return refused(`${opened.left}; is this the old key?`);
  return opened.right.origin === origin
    ? E.right({ checkpoint: opened.right, version: found.version })
    : refused(`the checkpoint belongs to another log: ${opened.right.origin}`);
};

/**
 * Why this pair cannot be the old and the new key of this log, for example because the files are swapped. Null if it
 * can.
 */
const swapFault = async (proofs: Stored, { from, to }: KeyPair, is_new: boolean): Promise<string | null> => {
  const listed = await loadListedKeys(proofs);
  const isListed = (key: SignerKey): boolean => listed.some((one) => isSameKey(one, key));
  if (is_new && !isListed(from))
    return `${verifierKeyText(to)} already signs checkpoints, but ${verifierKeyText(from)} never did: are the two files swapped?`;
  if (!is_new && isListed(to))
    return `${verifierKeyText(to)} is an earlier key than ${verifierKeyText(from)}: are the two files swapped?`;
  return null;
};

/** Stores the note about the succession. Null if another process wrote it in the meantime. */
const storeNote = async (
  proofs: Stored,
  pair: KeyPair,
  { size, root }: SignedCheckpoint,
  is_new: boolean,
): Promise<E.Either<CliFault, Succession | null>> => {
  const there = await storedSuccession(proofs, pair);
  if (E.isLeft(there)) return there;
  // The stored note is still valid: the new key already signs, or the log of heads has not grown since.
  if (there.right !== null && (is_new || there.right.known.size === size)) return E.right(there.right.known);
  const fault = there.right === null ? await swapFault(proofs, pair, is_new) : null;
  if (fault !== null) return refused(fault);
  const succession = { ...pair, size, root };
  const bytes = Buffer.from(successionNote(succession));
  const stored = await proofs.blobs.replace(proofs.paths.succession(pair.from), bytes, there.right?.version ?? null);
  return E.right(stored ? succession : null);
};

/** Adds the new key's signature to the checkpoint. False if another checkpoint was published in the meantime. */
const cosign = async (
  { blobs, paths }: Stored,
  { to }: KeyPair,
  { checkpoint, version }: Published,
): Promise<boolean> => {
  const { text, signatures } = checkpoint.note;
  if (isNoteSigned(checkpoint.note, to)) return true;
  const note = noteText({ text, signatures: [...signatures, noteSignature(to, text)] });
  return await blobs.replace(paths.checkpoint, Buffer.from(note), version);
};

export const readSigner = async (origin: string, path: string): Promise<E.Either<CliFault, SignerKey>> => {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    return E.left({ tag: 'unreadable_file', path, message: messageOf(error) });
  }
  const private_key = signingKeyOf(text.trim());
  return private_key === undefined
    ? refused(`${path} must contain an Ed25519 private key in base64, in the format of NOTARY_KEY`)
    : E.right(signerKey('note', origin, private_key));
};

/**
 * Both keys sign a note about the newest checkpoint, and the new key also signs that checkpoint. A notary with the old
 * key may publish at the same time. If it publishes first, the note covers its checkpoint; otherwise its write fails
 * and it finds the note. The command can be repeated.
 */
export const handOverKey = async (proofs: Stored, pair: KeyPair): Promise<E.Either<CliFault, HandOverResult>> => {
  const { from, to } = pair;
  if (isSameKey(from, to)) return refused('the old key and the new key are the same');
  if (from.id.equals(to.id)) return refused('both keys have the same key id: create another new key');
  if ((await proofs.blobs.read(proofs.paths.succession(to))) !== null)
    return refused(`${verifierKeyText(to)} is already replaced by another key: create a new key`);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const newest = await published(proofs, pair);
    if (E.isLeft(newest)) return newest;
    const is_new = isNoteSigned(newest.right.checkpoint.note, pair.to);
    const stored = await storeNote(proofs, pair, newest.right.checkpoint, is_new);
    if (E.isLeft(stored)) return stored;
    if (stored.right === null || !(await cosign(proofs, pair, newest.right))) continue;
    const note = (await proofs.blobs.read(proofs.paths.succession(pair.from)))?.bytes.toString('utf8') ?? '';
    return E.right({ ...successionAnswer(stored.right), path: proofs.paths.succession(pair.from), note });
  }
  return refused('the notary published a checkpoint during each attempt: stop the notary and try again');
};
