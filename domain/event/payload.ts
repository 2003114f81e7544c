import * as t from 'io-ts';

/**
 * A document outside the log, because it may name a person. The `path` is in the blob container; the `sha256` is
 * sha256(salt ‖ bytes) in lowercase hex. The salt is stored with the blob: without the blob, the hash in the log cannot
 * confirm a guess.
 */
export const PayloadRef = t.strict({ path: t.string, sha256: t.string });
export type PayloadRef = t.TypeOf<typeof PayloadRef>;

/** With the salt, in hex, to check the hash. The salt is never in the log. */
export type SaltedPayload = PayloadRef & { readonly salt: string };
