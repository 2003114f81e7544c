import { createHash } from 'node:crypto';

/** The hash in a reference: of salt and content. @param salt in hex @returns lowercase hex */
export const payloadHash = (salt: string, bytes: Uint8Array): string =>
  createHash('sha256').update(Buffer.from(salt, 'hex')).update(bytes).digest('hex');
