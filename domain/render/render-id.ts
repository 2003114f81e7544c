import { decodeTime } from 'ulid';

const FORM = /^rend_([0-7][0-9A-HJKMNP-TV-Z]{25})$/;

/** @param ulid has the time of creation; time 0 marks ids derived from an Idempotency-Key */
export const renderId = (ulid: string): string => `rend_${ulid}`;

/** The creation time in the id, ms since the epoch; null if it is not a render id. */
export const renderIdTime = (id: string): number | null => {
  const ulid = FORM.exec(id)?.[1];
  return ulid === undefined ? null : decodeTime(ulid);
};

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_ZERO = '0000000000';
const RANDOM_DIGITS = 16;
const RANDOM_BYTES = 10;

/**
 * The render id for an Idempotency-Key: time 0, then the first 80 bits of the HMAC as 16 digits.
 *
 * @param hmac at least 10 bytes
 */
export const keyedRenderId = (hmac: Uint8Array): string => {
  const value = hmac.subarray(0, RANDOM_BYTES).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const digits = Array.from({ length: RANDOM_DIGITS }, (_, i) => {
    const shift = BigInt(5 * (RANDOM_DIGITS - 1 - i));
    return DIGITS[Number((value >> shift) & 31n)];
  });
  return renderId(`${TIME_ZERO}${digits.join('')}`);
};
