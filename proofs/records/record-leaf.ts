import { leafHash, sha256 } from '../merkle/hashes.ts';

/** The parts of a record that a leaf covers; it does not cover the headers. */
export type LeafRecord = {
  readonly offset: number;
  readonly append_time_ms: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
};

/**
 * Data of a leaf, as in the table of `docs/evidence.md`:
 *
 * - 1 byte: 1
 * - 1 byte: 1 if there is a key, plus 2 if there is a value
 * - 8 bytes: offset, the high byte first
 * - 8 bytes: append time, milliseconds since 1970, the high byte first
 * - 32 bytes: SHA-256 of the key; zeros without a key
 * - 32 bytes: SHA-256 of the value; zeros without a value
 *
 * The leaf of an offset without a record, such as a transaction marker, is a 0 and the 8 bytes of the offset.
 */
const RECORD = 1;
const GAP = 0;
const RECORD_BYTES = 82;
const GAP_BYTES = 9;
const HAS_KEY = 1;
const HAS_VALUE = 2;

const KEY_AT = 18;
const VALUE_AT = 50;

export const recordLeafData = ({ offset, append_time_ms, key, value }: LeafRecord): Buffer => {
  const data = Buffer.alloc(RECORD_BYTES);
  data.writeUInt8(RECORD, 0);
  data.writeUInt8((key === null ? 0 : HAS_KEY) + (value === null ? 0 : HAS_VALUE), 1);
  data.writeBigUInt64BE(BigInt(offset), 2);
  data.writeBigInt64BE(BigInt(append_time_ms), 10);
  if (key !== null) sha256(key).copy(data, KEY_AT);
  if (value !== null) sha256(value).copy(data, VALUE_AT);
  return data;
};

export const gapLeafData = (offset: number): Buffer => {
  const data = Buffer.alloc(GAP_BYTES);
  data.writeUInt8(GAP, 0);
  data.writeBigUInt64BE(BigInt(offset), 1);
  return data;
};

export const recordLeaf = (record: LeafRecord): Buffer => leafHash(recordLeafData(record));

export const gapLeaf = (offset: number): Buffer => leafHash(gapLeafData(offset));
