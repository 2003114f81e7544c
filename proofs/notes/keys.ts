import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { sha256 } from '../merkle/hashes.ts';

/** Ed25519 keys of signed notes (https://c2sp.org/signed-note). */

/**
 * The text that a key signs: the note itself, or a witness's statement about it (https://c2sp.org/tlog-cosignature).
 */
export type KeyType = 'note' | 'cosignature';

const TYPE_BYTE: Readonly<Record<KeyType, number>> = { note: 1, cosignature: 4 };

const KEY_BYTES = 32;
const ID_BYTES = 4;

export type VerifierKey = {
  readonly type: KeyType;
  readonly name: string;
  /** The first bytes of a hash of the other members. Two keys may have the same id. */
  readonly id: Buffer;
  readonly public_bytes: Buffer;
};

export type SignerKey = VerifierKey & { readonly private_key: KeyObject };

export const isKeyName = (name: string): boolean => /^[^\s+\p{White_Space}]+$/u.test(name);

const typedBytes = (type: KeyType, public_bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([TYPE_BYTE[type]]), public_bytes]);

const verifierKey = (type: KeyType, name: string, public_bytes: Buffer): VerifierKey => ({
  ...{ type, name, public_bytes },
  id: sha256(Buffer.from(`${name}\n`), typedBytes(type, public_bytes)).subarray(0, ID_BYTES),
});

/** `<name>+<id in hex>+<base64>`, as tools for signed notes write it. */
export const verifierKeyText = ({ type, name, id, public_bytes }: VerifierKey): string =>
  `${name}+${id.toString('hex')}+${typedBytes(type, public_bytes).toString('base64')}`;

/** Undefined for an unknown key type, or if the id does not match the key. */
export const parseVerifierKey = (text: string): VerifierKey | undefined => {
  const [, name = '', id = '', base64 = ''] = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/.exec(text) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  const type = (['note', 'cosignature'] as const).find((one) => TYPE_BYTE[one] === bytes[0]);
  if (type === undefined || !isKeyName(name) || bytes.length !== 1 + KEY_BYTES) return undefined;
  const key = verifierKey(type, name, bytes.subarray(1));
  return key.id.toString('hex') === id ? key : undefined;
};

/** @param private_key an Ed25519 key */
export const signerKey = (type: KeyType, name: string, private_key: KeyObject): SignerKey => {
  const spki = createPublicKey(private_key).export({ format: 'der', type: 'spki' });
  return { ...verifierKey(type, name, spki.subarray(-KEY_BYTES)), private_key };
};

export const signMessage = ({ private_key }: SignerKey, message: Buffer): Buffer => sign(null, message, private_key);

/** The bytes before the 32 bytes of the key in an Ed25519 SubjectPublicKeyInfo (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

export const isSignedBy = ({ public_bytes }: VerifierKey, message: Buffer, signature: Buffer): boolean => {
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, public_bytes]), format: 'der', type: 'spki' });
  return verify(null, message, key, signature);
};

/** @param text base64 of a PKCS #8 private key (RFC 8410); undefined unless it is Ed25519 */
export const signingKeyOf = (text: string): KeyObject | undefined => {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  try {
    const key = createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' });
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
};
