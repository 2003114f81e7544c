import { hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

/**
 * RFC 2104 with one-shot hashes. Each leaf of a tree needs ten HMACs, and `createHmac` takes five times as long.
 * @param key at most 64 bytes
 */
export const hmacSha256 = (key: Buffer, message: Buffer): Buffer => {
  if (key.length > BLOCK_BYTES) throw new TypeError(`an HMAC key has at most ${BLOCK_BYTES} bytes here`);
  const inner = Buffer.alloc(BLOCK_BYTES + message.length, INNER_PAD);
  const outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES, OUTER_PAD);
  for (const [at, byte] of key.entries()) {
    inner[at] = byte ^ INNER_PAD;
    outer[at] = byte ^ OUTER_PAD;
  }
  message.copy(inner, BLOCK_BYTES);
  hash('sha256', inner, 'buffer').copy(outer, BLOCK_BYTES);
  return hash('sha256', outer, 'buffer');
};
