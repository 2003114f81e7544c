import * as t from 'io-ts';

/**
 * A document kept outside the log because it may name a person: its path in the blob container
 * and sha256(salt ‖ bytes) in lowercase hex. The salt stays with the blob, so erasing the blob leaves
 * nothing in the log that a guess could be checked against.
 */
export const PayloadRef = t.strict({ path: t.string, sha256: t.string });
export type PayloadRef = t.TypeOf<typeof PayloadRef>;

/** With the salt, in hex: never in the log, but where the content stands too. Who has both can check the hash. */
export type SaltedPayload = PayloadRef & { readonly salt: string };
