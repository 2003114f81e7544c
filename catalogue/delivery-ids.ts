import { randomBytes } from 'node:crypto';
import { ulid } from 'ulid';
import { sha256Hex } from '../platform/access/sha256.ts';

const HEX_DIGITS = 32;

/** Derived from the id of the original delivery, so that several requests to repeat it create only one delivery. */
export const repeatedDeliveryId = (delivery_id: string): string =>
  `hook_${sha256Hex(JSON.stringify(['again', delivery_id])).slice(0, HEX_DIGITS)}`;

export const newDeliveryId = (): string => `hook_${randomBytes(HEX_DIGITS / 2).toString('hex')}`;

export const placeholderRenderId = (): string => `rend_${ulid()}`;
