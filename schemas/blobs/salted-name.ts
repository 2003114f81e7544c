import { createHash, randomBytes } from 'node:crypto';

/** A name outside the log, with the salt (lowercase hex) that is erased with it. */
export type SaltedName = { readonly name: string; readonly salt: string };

const SALT_BYTES = 16;

export const saltedName = (name: string): SaltedName => ({ name, salt: randomBytes(SALT_BYTES).toString('hex') });

/** sha256(salt ‖ name), lowercase hex: what stands in the log. Without the salt no guess can be checked against it. */
export const nameHash = ({ name, salt }: SaltedName): string =>
  createHash('sha256').update(Buffer.from(salt, 'hex')).update(name, 'utf8').digest('hex');
