import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';

/** The first sealed form: one key of the deployment seals and opens. */
export type SealerV1 = {
  /** `v1.<base64url iv>.<base64url ciphertext and tag>`; different at each call. */
  readonly seal: (endpoint_id: string, secret: string) => string;
  /** Left, for operators: the secret was sealed with another key or for another endpoint, or it was altered. */
  readonly open: (endpoint_id: string, sealed: string) => E.Either<string, string>;
};

const VERSION = 'v1';
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Key derivation context: the same secret gives other keys for other purposes. */
const PURPOSE = 'webhook signing secrets, v1';
const FORM = new RegExp(`^${VERSION}\\.([A-Za-z0-9_-]+)\\.([A-Za-z0-9_-]+)$`);

const UNOPENED = E.left('it cannot be opened with this WEBHOOK_SECRETS_KEY');

export const sealerV1 = (key_text: string): SealerV1 => {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', key_text, '', PURPOSE, KEY_BYTES)));
  const options = { authTagLength: TAG_BYTES };
  return {
    seal: (endpoint_id, secret) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, key, iv, options).setAAD(Buffer.from(endpoint_id));
      const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${VERSION}.${iv.toString('base64url')}.${sealed.toString('base64url')}`;
    },
    open: (endpoint_id, sealed) => {
      const [, iv_text = '', sealed_text = ''] = FORM.exec(sealed) ?? [];
      const [iv, bytes] = [Buffer.from(iv_text, 'base64url'), Buffer.from(sealed_text, 'base64url')];
      if (iv.length !== IV_BYTES || bytes.length < TAG_BYTES) return UNOPENED;
      const decipher = createDecipheriv(CIPHER, key, iv, options)
        .setAAD(Buffer.from(endpoint_id))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const opened = Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
        return E.right(opened.toString('utf8'));
      } catch {
        // The tag does not match: the secret is not ours, or was altered.
        return UNOPENED;
      }
    },
  };
};
