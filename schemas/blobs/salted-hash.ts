import { createHash } from 'node:crypto';

/**
 * sha256(salt ‖ content), lowercase hex: what stands in the log. Without the salt no guess can be checked against it.
 *
 * @param salt in hex
 */
export const saltedHash = (salt: string, content: Uint8Array): string =>
  createHash('sha256').update(Buffer.from(salt, 'hex')).update(content).digest('hex');
