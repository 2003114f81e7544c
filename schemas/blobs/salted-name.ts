import { randomBytes } from 'node:crypto';
import { saltedHash } from './salted-hash.ts';

/** A name outside the log. Its salt (lowercase hex) is erased with it. */
export type SaltedName = { readonly name: string; readonly salt: string };

const SALT_BYTES = 16;

export const saltedName = (name: string): SaltedName => ({ name, salt: randomBytes(SALT_BYTES).toString('hex') });

export const nameHash = ({ name, salt }: SaltedName): string => saltedHash(salt, Buffer.from(name, 'utf8'));
