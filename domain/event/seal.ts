import * as t from 'io-ts';
import { Integer } from './integer.ts';

/**
 * Free text of a record, encrypted. The key is leaf `leaf` (0 to 1,023) of the account's key tree `tree` (a ULID). The
 * `box` is base64url. A puncture of the leaf makes the text unreadable in every copy of the log.
 */
export const Seal = t.strict({ tree: t.string, leaf: Integer, box: t.string });
export type Seal = t.TypeOf<typeof Seal>;

/** The key of a seal, without its text. */
export const SealKey = t.strict({ tree: t.string, leaf: Integer });
export type SealKey = t.TypeOf<typeof SealKey>;
