import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { HASH_BYTES } from '../merkle/hashes.ts';
import type { Checkpoint } from './checkpoint.ts';
import { parseVerifierKey, type SignerKey, type VerifierKey, verifierKeyText } from './keys.ts';
import { hasSignatureOf, isNoteSigned, noteSignature, noteText, parseNote, type SignedNote } from './signed-note.ts';

/** The old key names the new key, and the tree of the log of heads after which the new key signs. */
export type Succession = {
  readonly from: VerifierKey;
  readonly to: VerifierKey;
  /** The size of the last tree that the old key may sign. */
  readonly size: number;
  readonly root: Buffer;
};

/**
 * The first line of the note. A checkpoint has a size in its second line, so a verifier never takes this note for one.
 */
const FIRST_LINE = 'rendering key succession 1';

const successionText = ({ from, to, size, root }: Succession): string =>
  `${FIRST_LINE}\n${verifierKeyText(from)}\n${verifierKeyText(to)}\n${size}\n${root.toString('base64')}\n`;

/** The note, signed by both keys. The new key's signature proves that its owner has the private key. */
export const successionNote = (
  succession: Succession & { readonly from: SignerKey; readonly to: SignerKey },
): string => {
  const text = successionText(succession);
  return noteText({ text, signatures: [succession.from, succession.to].map((key) => noteSignature(key, text)) });
};

export const isSameKey = (a: VerifierKey, b: VerifierKey): boolean =>
  a.type === b.type && a.name === b.name && a.public_bytes.equals(b.public_bytes);

const keyFault = (from: VerifierKey, to: VerifierKey): string | null => {
  if (to.name !== from.name) return `it names a key of another log: ${verifierKeyText(to)}`;
  if (isSameKey(from, to)) return 'it names the same key again';
  // Two keys with the same id cannot be distinguished, because signatures are found only by the id.
  return from.id.equals(to.id) ? 'both keys have the same id' : null;
};

const parsedKey = (text: string): VerifierKey | undefined => {
  const key = parseVerifierKey(text);
  return key?.type === 'note' ? key : undefined;
};

/** Requires valid signatures of both keys. Left: why the note is not valid. */
export const parseSuccession = (note: string): Either<string, Succession> => {
  const parsed = parseNote(note);
  if (isLeft(parsed)) return parsed;
  const [first, old_key = '', new_key = '', digits = '', base64 = ''] = parsed.right.text.split('\n');
  const [from, to] = [parsedKey(old_key), parsedKey(new_key)];
  if (first !== FIRST_LINE || from === undefined || to === undefined)
    return left(`it is not a "${FIRST_LINE}" with an old and a new key`);
  const succession = { from, to, size: Number(digits), root: Buffer.from(base64, 'base64') };
  const fault = keyFault(from, to);
  if (fault !== null) return left(fault);
  if (!Number.isSafeInteger(succession.size) || succession.size < 1 || succession.root.length !== HASH_BYTES)
    return left('it has no size and root of the log of heads');
  if (parsed.right.text !== successionText(succession)) return left('its lines are not those of a succession');
  const unsigned = [from, to].find((key) => !isNoteSigned(parsed.right, key));
  return unsigned === undefined ? right(succession) : left(`it has no valid signature of ${verifierKeyText(unsigned)}`);
};

export const MAX_SUCCESSIONS = 64;

export type SuccessionNotes = ReadonlyMap<string, string>;

/** The notes by their old key. Refuses an old key that names two new keys, because it was misused. */
export const successionNotes = (notes: readonly string[]): Either<string, SuccessionNotes> => {
  if (notes.length > MAX_SUCCESSIONS) return left(`it has more than ${MAX_SUCCESSIONS} successions of keys`);
  const byKey = new Map<string, string>();
  for (const note of notes) {
    const [, from = ''] = note.split('\n', 2);
    if (parsedKey(from) === undefined) return left('it has a succession that names no old key');
    if (byKey.has(from)) return left(`it has two successions of ${from}`);
    byKey.set(from, note);
  }
  return right(byKey);
};

export type KeyChain = {
  readonly keys: readonly VerifierKey[];
  readonly successions: readonly Succession[];
};

const successionOf = (key: VerifierKey, notes: SuccessionNotes): Either<string, Succession | null> => {
  const note = notes.get(verifierKeyText(key));
  if (note === undefined) return right(null);
  const found = parseSuccession(note);
  if (isLeft(found)) return left(`the succession of ${verifierKeyText(key)} is not valid: ${found.left}`);
  return isSameKey(found.right.from, key)
    ? found
    : left(`the succession of ${verifierKeyText(key)} is that of ${verifierKeyText(found.right.from)}`);
};

const successionsFrom = (key: VerifierKey, notes: SuccessionNotes): Either<string, readonly Succession[]> => {
  const found: Succession[] = [];
  for (let last = key; ; ) {
    const next = successionOf(last, notes);
    if (isLeft(next)) return next;
    if (next.right === null) return right(found);
    found.push(next.right);
    last = next.right.to;
    if (isSameKey(last, key) || found.some(({ from }) => isSameKey(from, last)))
      return left(`the successions of ${verifierKeyText(key)} lead back to ${verifierKeyText(last)}`);
    if (found.length > MAX_SUCCESSIONS)
      return left(`${verifierKeyText(key)} has more than ${MAX_SUCCESSIONS} successions`);
  }
};

/** The given keys and their successors. Left: the first invalid succession. */
export const keyChain = (given: readonly VerifierKey[], notes: SuccessionNotes): Either<string, KeyChain> => {
  const keys = new Map(given.map((key) => [verifierKeyText(key), key]));
  const successions = new Map<string, Succession>();
  for (const key of given) {
    const found = successionsFrom(key, notes);
    if (isLeft(found)) return found;
    for (const one of found.right) {
      keys.set(verifierKeyText(one.to), one.to);
      successions.set(verifierKeyText(one.from), one);
    }
  }
  return right({ keys: [...keys.values()], successions: [...successions.values()] });
};

/** The successions from one of the given keys to `key`, in order; empty if `key` was given. */
export const keySuccessionsBetween = (
  given: readonly VerifierKey[],
  key: VerifierKey,
  { successions }: KeyChain,
): readonly Succession[] => {
  const between: Succession[] = [];
  for (let at = key; !given.some((one) => isSameKey(one, at)); ) {
    const before = successions.find(({ to }) => isSameKey(to, at));
    if (before === undefined) break;
    between.unshift(before);
    at = before.from;
  }
  return between;
};

/**
 * All successions that lead to one of the keys. The new key signed each of these, so a verifier that trusts the new key
 * may trust them.
 */
export const keySuccessionsTo = (keys: readonly VerifierKey[], notes: SuccessionNotes): readonly Succession[] => {
  const all = [...notes.values()].flatMap((note) => {
    const found = parseSuccession(note);
    return isLeft(found) ? [] : [found.right];
  });
  const known = [...keys];
  const leading: Succession[] = [];
  for (let i = 0; i < known.length; i += 1)
    for (const one of all) {
      const [key] = known.slice(i);
      if (key === undefined || !isSameKey(one.to, key) || leading.includes(one)) continue;
      leading.push(one);
      if (!known.some((other) => isSameKey(other, one.from))) known.push(one.from);
    }
  return leading;
};

const unsignedText = ({ signatures }: SignedNote, { keys, successions }: KeyChain, origin: string): string => {
  const own = keys.filter(({ name }) => name === origin);
  const texts = (some: readonly VerifierKey[]): string => some.map(verifierKeyText).join(', ');
  if (own.length === 0) return `these are of another log: ${texts(keys)}`;
  const wrong = own.find((key) => signatures.some(hasSignatureOf(key)));
  if (wrong !== undefined) return `the signature of ${verifierKeyText(wrong)} is wrong`;
  const ids = signatures.filter(({ name }) => name === origin).map(({ id }) => id.toString('hex'));
  const last = own.filter((key) => !successions.some(({ from }) => isSameKey(from, key)));
  const signed_by =
    ids.length === 0 ? 'no key of this name signed it' : `the key with the id ${ids.join(', ')} signed it`;
  return `${signed_by}, and no succession leads there from ${texts(last)}`;
};

/** The key of the chain that signed the checkpoint. A key must not sign after it handed over. Left: the fault. */
export const signerOfCheckpoint = (
  note: SignedNote,
  { origin, size }: Checkpoint,
  chain: KeyChain,
): Either<string, VerifierKey> => {
  const signers = chain.keys.filter((key) => key.name === origin && isNoteSigned(note, key));
  const [first] = signers;
  if (first === undefined)
    return left(
      `the checkpoint of ${origin} is signed by none of the keys that are known: ${unsignedText(note, chain, origin)}`,
    );
  const successionIn = (key: VerifierKey) => chain.successions.find(({ from }) => isSameKey(from, key));
  const signer = signers.find((key) => size <= (successionIn(key)?.size ?? size));
  if (signer !== undefined) return right(signer);
  const ended = successionIn(first);
  return left(
    `the checkpoint of ${size} entries is signed by ${verifierKeyText(first)}, which handed over at ${ended?.size} entries` +
      (ended === undefined ? '' : ` to ${verifierKeyText(ended.to)}`),
  );
};
