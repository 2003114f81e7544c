import { createHmac, timingSafeEqual } from 'node:crypto';

/** The next offset of each partition of `render-status`, by partition number. */
export type StreamPositions = readonly number[];

export type EventIds = {
  /** Signs an event id. It is valid in every process, for listeners of this account. */
  readonly encode: (account_id: string, positions: StreamPositions) => string;
  /** Null unless the id was signed for this account. */
  readonly decode: (account_id: string, id: string) => StreamPositions | null;
};

const VERSION = 1;
const MAC_BYTES = 16;
/** The longest accepted event id, enough for 1,000 partitions with large offsets. */
const LONGEST_CHARACTERS = 8_192;
const BASE64URL = /^[A-Za-z0-9_-]+$/;
const LOW_BITS = 0x80;

const varint = (value: number): readonly number[] =>
  value < LOW_BITS ? [value] : [(value % LOW_BITS) | LOW_BITS, ...varint(Math.floor(value / LOW_BITS))];

const varintsIn = (bytes: Uint8Array): StreamPositions => {
  const found: number[] = [];
  let value = 0;
  let factor = 1;
  for (const byte of bytes) {
    value += (byte % LOW_BITS) * factor;
    factor *= LOW_BITS;
    if (byte >= LOW_BITS) continue;
    found.push(value);
    value = 0;
    factor = 1;
  }
  return found;
};

/** @param secret also signs list cursors, whose texts begin with a bracket, so they never equal event ids */
export const openEventIds = (secret: string): EventIds => {
  const macOf = (account_id: string, bytes: Uint8Array): Buffer =>
    createHmac('sha256', secret).update(`changes\0${account_id}\0`).update(bytes).digest().subarray(0, MAC_BYTES);
  return {
    encode: (account_id, positions) => {
      const bytes = Buffer.from([VERSION, ...positions.flatMap(varint)]);
      return Buffer.concat([bytes, macOf(account_id, bytes)]).toString('base64url');
    },
    decode: (account_id, id) => {
      if (id.length > LONGEST_CHARACTERS || !BASE64URL.test(id)) return null;
      const all = Buffer.from(id, 'base64url');
      // The last base64url character has unused bits; accept only the canonical spelling.
      if (all.length <= MAC_BYTES || all.toString('base64url') !== id) return null;
      const bytes = all.subarray(0, -MAC_BYTES);
      if (!timingSafeEqual(macOf(account_id, bytes), all.subarray(-MAC_BYTES))) return null;
      return bytes[0] === VERSION ? varintsIn(bytes.subarray(1)) : null;
    },
  };
};
