import { randomBytes } from 'node:crypto';
import { ulid } from 'ulid';
import { sha256Hex } from '../platform/access/sha256.ts';

const HEX_DIGITS = 32;

/** The id of a repeated delivery. It is deterministic, so repeated requests have the same id. */
export const idOfRepeat = (delivery_id: string): string =>
  `hook_${sha256Hex(JSON.stringify(['again', delivery_id])).slice(0, HEX_DIGITS)}`;

export const newDeliveryId = (): string => `hook_${randomBytes(HEX_DIGITS / 2).toString('hex')}`;

/** The render id of a test delivery; no such render exists. */
export const madeUpRenderId = (): string => `rend_${ulid()}`;
