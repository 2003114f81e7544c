import { createHash } from 'node:crypto';

/** The hashes of RFC 6962, section 2.1: SHA-256, with different prefixes for leaves and inner nodes. */

export const HASH_BYTES = 32;

const LEAF = Buffer.from([0]);
const NODE = Buffer.from([1]);

export const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

export const leafHash = (data: Uint8Array): Buffer => sha256(LEAF, data);

export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => sha256(NODE, left, right);

export const EMPTY_ROOT: Buffer = sha256();
