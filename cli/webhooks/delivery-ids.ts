import { randomBytes } from 'node:crypto';
import { ulid } from 'ulid';
import { sha256Hex } from '../../platform/access/sha256.ts';

const HEX_DIGITS = 32;

/** Of the delivery that makes another one again: the same, however often it is asked for. */
export const idOfRepeat = (delivery_id: string): string =>
  `hook_${sha256Hex(JSON.stringify(['again', delivery_id])).slice(0, HEX_DIGITS)}`;

export const newDeliveryId = (): string => `hook_${randomBytes(HEX_DIGITS / 2).toString('hex')}`;

/** Of the render in a test delivery, which does not exist. */
export const madeUpRenderId = (): string => `rend_${ulid()}`;
