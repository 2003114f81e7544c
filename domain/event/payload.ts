import * as t from 'io-ts';

/**
 * A document outside the log, because it may name a person: its path in the blob container, and sha256(salt ‖ bytes) in
 * lowercase hex. The salt is stored with the blob. After an erasure of the blob, the hash in the log can therefore not
 * confirm a guess.
 */
export const PayloadRef = t.strict({ path: t.string, sha256: t.string });
export type PayloadRef = t.TypeOf<typeof PayloadRef>;

/**
 * With the salt, in hex. The salt is never in the log; it is stored next to the content. A reader with both can check
 * the hash.
 */
export type SaltedPayload = PayloadRef & { readonly salt: string };
