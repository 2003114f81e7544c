import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import { canonicalJson } from '../../domain/composition/canonical-json.ts';
import type { SealKey } from '../../domain/event/seal.ts';
import { hmacSha256 } from './hmac-sha256.ts';

/** Types of records with sealed text. */
export type SealedRecordType = 'RenderRequested';

/** A box opens only with the members that it was sealed with, so it cannot move to another record. */
export type SealContext = SealKey & {
  readonly type: SealedRecordType;
  readonly account_id: string;
  readonly project_id: string;
  readonly render_id: string;
};

const BOX_VERSION = 1;
const ALGORITHM = 'aes-256-gcm';
export const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES;

/** Each type of record derives its own key from the leaf. */
const aesKey = (leaf_key: Buffer, type: SealedRecordType): KeyObject =>
  createSecretKey(hmacSha256(leaf_key, Buffer.from(`seal/${BOX_VERSION}/${type}`, 'latin1')));

const additionalData = ({ type, account_id, project_id, render_id, tree, leaf }: SealContext): Buffer =>
  Buffer.from(canonicalJson([type, BOX_VERSION, account_id, project_id, render_id, tree, leaf]), 'utf8');

/**
 * AES-256-GCM. The box is base64url of: version (0x01), nonce (12 bytes), ciphertext, tag (16 bytes).
 *
 * @param leaf_key from `takeFirstLeaf`; use it for one record only
 * @param nonce 12 random bytes
 */
export const sealBox = (leaf_key: Buffer, context: SealContext, plain: Buffer, nonce: Buffer): string => {
  const cipher = createCipheriv(ALGORITHM, aesKey(leaf_key, context.type), nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(additionalData(context));
  const parts = [Buffer.of(BOX_VERSION), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(parts).toString('base64url');
};

/** Null if the box, its context or the key is not the sealed one. */
export const openBox = (leaf_key: Buffer, context: SealContext, box: string): Buffer | null => {
  const bytes = Buffer.from(box, 'base64url');
  // Node ignores characters that are not base64url, so the text is compared.
  if (bytes.toString('base64url') !== box) return null;
  if (bytes.length < HEADER_BYTES + TAG_BYTES || bytes[0] !== BOX_VERSION) return null;
  const nonce = bytes.subarray(1, HEADER_BYTES);
  const decipher = createDecipheriv(ALGORITHM, aesKey(leaf_key, context.type), nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(additionalData(context));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(HEADER_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
};
