import * as E from 'fp-ts/lib/Either.js';
import { AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_X25519_HKDF_SHA256 } from 'hpke';
import type { OpeningKey, SealingKey } from './key-pair.ts';

// The second sealed form: HPKE (RFC 9180, base mode). The public key can only seal.

const VERSION = 'v2';
/** Part of the sealed text. It distinguishes a text that another version sealed from an altered text. */
const ALGORITHM = 'hpke-x25519-sha256-aes256gcm';
const SUITE = new CipherSuite(KEM_DHKEM_X25519_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_256_GCM);
const ENCAPSULATED_BYTES = 32;
/** A secret that was sealed for another purpose does not open. */
const PURPOSE = 'webhook signing secret, v2: ';
const FORM = new RegExp(`^${VERSION}\\.([0-9a-f]{16})\\.([a-z0-9-]+)\\.([A-Za-z0-9_-]+)$`);

/** The endpoint is part of `info`, and not of additional data, because one-shot calls of other libraries take none. */
const bound = (endpoint_id: string) => ({ info: Buffer.from(`${PURPOSE}${endpoint_id}`) });

/** `v2.<key id>.<algorithm>.<base64url of encapsulated key, ciphertext and tag>`; different at each call. */
export const sealV2 = ({ id, public_key }: SealingKey): ((endpoint_id: string, secret: string) => Promise<string>) => {
  const key = public_key.toCryptoKey('X25519', true, []);
  return async (endpoint_id, secret) => {
    const { encapsulatedSecret, ciphertext } = await SUITE.Seal(key, Buffer.from(secret), bound(endpoint_id));
    const bytes = Buffer.concat([encapsulatedSecret, ciphertext]);
    return `${VERSION}.${id}.${ALGORITHM}.${bytes.toString('base64url')}`;
  };
};

/** Left: why the secret cannot be opened, for operators. */
export const openV2 = (
  keys: readonly OpeningKey[],
): ((endpoint_id: string, sealed: string) => Promise<E.Either<string, string>>) => {
  const pairs = new Map(
    keys.map(({ id, public_key, private_key }) => [
      id,
      {
        publicKey: public_key.toCryptoKey('X25519', true, []),
        privateKey: private_key.toCryptoKey('X25519', false, ['deriveBits']),
      },
    ]),
  );
  return async (endpoint_id, sealed) => {
    const [, id = '', algorithm = '', text = ''] = FORM.exec(sealed) ?? [];
    if (id === '') return E.left('it is sealed in a form that this version does not know');
    if (algorithm !== ALGORITHM) return E.left(`it is sealed with ${algorithm}, which this version does not know`);
    const pair = pairs.get(id);
    if (pair === undefined) return E.left(`it is sealed to the key ${id}, which is not among WEBHOOK_PRIVATE_KEYS`);
    const bytes = Buffer.from(text, 'base64url');
    try {
      const [encapsulated, ciphertext] = [bytes.subarray(0, ENCAPSULATED_BYTES), bytes.subarray(ENCAPSULATED_BYTES)];
      return E.right(
        Buffer.from(await SUITE.Open(pair, encapsulated, ciphertext, bound(endpoint_id))).toString('utf8'),
      );
    } catch {
      // The tag does not match, or the encapsulated key is not a valid public key.
      return E.left(`it does not open with the key ${id}: it was sealed for another endpoint, or altered since`);
    }
  };
};
