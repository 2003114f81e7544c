import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';

/** Seals secrets; it cannot open them. */
export type SealingKey = { readonly id: string; readonly public_key: KeyObject };

/** `id` is the id of the public key. */
export type OpeningKey = SealingKey & { readonly private_key: KeyObject };

const TYPE = 'x25519';
const ID_BYTES = 8;

/** The raw key is the last 32 bytes of the encoded public key. */
const RAW_BYTES = 32;

const idOf = (public_key: KeyObject): string =>
  createHash('sha256')
    .update(public_key.export({ format: 'der', type: 'spki' }).subarray(-RAW_BYTES))
    .digest('hex')
    .slice(0, ID_BYTES * 2);

const parsed = (text: string, parse: (der: Buffer) => KeyObject): KeyObject | undefined => {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  try {
    const key = parse(Buffer.from(text, 'base64'));
    return key.asymmetricKeyType === TYPE ? key : undefined;
  } catch {
    return undefined;
  }
};

/** @param text base64 of a SubjectPublicKeyInfo (RFC 8410); the result is undefined if it is not an X25519 key */
export const sealingKey = (text: string): SealingKey | undefined => {
  const public_key = parsed(text, (key) => createPublicKey({ key, format: 'der', type: 'spki' }));
  return public_key && { id: idOf(public_key), public_key };
};

/** @param text base64 of a PKCS #8 private key (RFC 8410); the result is undefined if it is not an X25519 key */
export const openingKey = (text: string): OpeningKey | undefined => {
  const private_key = parsed(text, (key) => createPrivateKey({ key, format: 'der', type: 'pkcs8' }));
  if (private_key === undefined) return undefined;
  const public_key = createPublicKey(private_key);
  return { id: idOf(public_key), public_key, private_key };
};

/** The public key in the form of the configuration: base64 of the DER bytes that `openssl pkey -pubout` also writes. */
export const publicKeyText = ({ public_key }: SealingKey): string =>
  public_key.export({ format: 'der', type: 'spki' }).toString('base64');

/**
 * A new private key in the form of the configuration: base64 of the DER bytes that `openssl genpkey -algorithm X25519`
 * also writes.
 */
export const mintPrivateKey = (): string =>
  generateKeyPairSync(TYPE).privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
