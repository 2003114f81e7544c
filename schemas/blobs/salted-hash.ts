import { createHash } from 'node:crypto';

/**
 * The log contains only this hash. Without the salt, a guessed content cannot be checked against it. @param salt in hex
 */
export const saltedHash = (salt: string, content: Uint8Array): string =>
  createHash('sha256').update(Buffer.from(salt, 'hex')).update(content).digest('hex');
