import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { isKeyName, isSignedBy, type SignerKey, signMessage, type VerifierKey } from './keys.ts';

/** Signed notes as in https://c2sp.org/signed-note. */

export type NoteSignature = { readonly name: string; readonly id: Buffer; readonly signature: Buffer };

export type SignedNote = {
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
};

const ID_BYTES = 4;
const MAX_SIGNATURES = 100;

const signatureLine = ({ name, id, signature }: NoteSignature): string =>
  `— ${name} ${Buffer.concat([id, signature]).toString('base64')}\n`;

export const noteText = ({ text, signatures }: SignedNote): string =>
  `${text}\n${signatures.map(signatureLine).join('')}`;

const LINE = /^— (\S+) ([A-Za-z0-9+/]+={0,2})$/;

export const parseSignatures = (lines: string): readonly NoteSignature[] | null => {
  if (!lines.endsWith('\n')) return null;
  const found = lines
    .slice(0, -1)
    .split('\n')
    .map((line) => {
      const [, name = '', base64 = ''] = LINE.exec(line) ?? [];
      const bytes = Buffer.from(base64, 'base64');
      return isKeyName(name) && bytes.length > ID_BYTES
        ? { name, id: bytes.subarray(0, ID_BYTES), signature: bytes.subarray(ID_BYTES) }
        : null;
    });
  const valid = found.flatMap((one) => one ?? []);
  return valid.length === found.length && valid.length <= MAX_SIGNATURES ? valid : null;
};

export const parseNote = (note: string): Either<string, SignedNote> => {
  const at = note.lastIndexOf('\n\n');
  if (at === -1) return left('it is not a signed note: it has no empty line before signatures');
  const text = note.slice(0, at + 1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a note has none but newlines
  if (/[\u0000-\u0009\u000b-\u001f]/.test(note)) return left('it is not a signed note: it has control characters');
  const signatures = parseSignatures(note.slice(at + 2));
  return signatures === null ? left('it is not a signed note: a signature is malformed') : right({ text, signatures });
};

export const noteSignature = (key: SignerKey, text: string): NoteSignature => ({
  ...{ name: key.name, id: key.id },
  signature: signMessage(key, Buffer.from(text)),
});

export const hasSignatureOf =
  (key: VerifierKey) =>
  ({ name, id }: NoteSignature): boolean =>
    name === key.name && id.equals(key.id);

/** False if any signature with this key's name and id is wrong. */
export const isNoteSigned = ({ text, signatures }: SignedNote, key: VerifierKey): boolean => {
  const own = signatures.filter(hasSignatureOf(key));
  return own.length > 0 && own.every(({ signature }) => isSignedBy(key, Buffer.from(text), signature));
};

const TIME_BYTES = 8;

const cosigned = (text: string, time_s: number): Buffer => Buffer.from(`cosignature/v1\ntime ${time_s}\n${text}`);

/**
 * A witness's statement that it saw the text at this time, and that the log had only grown since its last statement.
 */
export const cosignature = (key: SignerKey, text: string, time_s: number): NoteSignature => {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeBigUInt64BE(BigInt(time_s));
  const signature = Buffer.concat([time, signMessage(key, cosigned(text, time_s))]);
  return { name: key.name, id: key.id, signature };
};

/** When the witness saw the text, by its own statement, in seconds since 1970; null without its signature. */
export const cosignedAt = ({ text, signatures }: SignedNote, key: VerifierKey): number | null => {
  for (const one of signatures.filter(hasSignatureOf(key))) {
    if (one.signature.length <= TIME_BYTES) continue;
    const time_s = Number(one.signature.readBigUInt64BE(0));
    if (isSignedBy(key, cosigned(text, time_s), one.signature.subarray(TIME_BYTES))) return time_s;
  }
  return null;
};
