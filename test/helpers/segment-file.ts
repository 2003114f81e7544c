import { crc32c } from './crc32c.ts';

/** A record batch of a segment file (`RecordBatch`, magic 2): https://kafka.apache.org/documentation/#recordbatch */
export type SegmentBatch = {
  readonly bytes: Buffer;
  readonly base_offset: number;
  readonly last_offset: number;
};

const BASE_OFFSET = 0;
const LENGTH = 8;
const HEAD = 12;
const CRC = 17;
const ATTRIBUTES = 21;
const LAST_OFFSET_DELTA = 23;
const RECORDS = 61;

export const batchesOf = (segment: Buffer): readonly SegmentBatch[] => {
  const batches: SegmentBatch[] = [];
  for (let at = 0; at < segment.length; ) {
    const bytes = segment.subarray(at, at + HEAD + segment.readInt32BE(at + LENGTH));
    const base_offset = Number(bytes.readBigInt64BE(BASE_OFFSET));
    batches.push({ bytes, base_offset, last_offset: base_offset + bytes.readInt32BE(LAST_OFFSET_DELTA) });
    at += bytes.length;
  }
  return batches;
};

/** The batch with a correct checksum, so that the broker accepts it. */
const sealed = (bytes: Buffer): Buffer => {
  bytes.writeUInt32BE(crc32c(bytes.subarray(ATTRIBUTES)), CRC);
  return bytes;
};

/** The same records at other offsets, which the checksum does not cover. */
export const movedTo = ({ bytes }: SegmentBatch, base_offset: number): Buffer => {
  const moved = Buffer.from(bytes);
  moved.writeBigInt64BE(BigInt(base_offset), BASE_OFFSET);
  return moved;
};

export const flippedAt = ({ bytes }: SegmentBatch, text: string, is_sealed = true): Buffer => {
  const flipped = Buffer.from(bytes);
  const at = flipped.indexOf(text, RECORDS);
  if (at < 0) throw new Error(`${text} is not in the batch`);
  flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at);
  return is_sealed ? sealed(flipped) : flipped;
};

const APPEND_TIME = 27;

export const datedTo = ({ bytes }: SegmentBatch, change_ms: number): Buffer => {
  const dated = Buffer.from(bytes);
  for (const at of [APPEND_TIME, APPEND_TIME + 8])
    dated.writeBigInt64BE(dated.readBigInt64BE(at) + BigInt(change_ms), at);
  return sealed(dated);
};
