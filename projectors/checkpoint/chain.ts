import { createHash } from 'node:crypto';

export type ChainedRecord = {
  readonly offset: number;
  readonly append_time_ms: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
};

/** h_0: 32 zero bytes, in hex like every hash of the chain. */
export const INITIAL_CHAIN_HASH = '0'.repeat(64);

const LENGTH_OF_NULL = 0xffffffff;

const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
};

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/**
 * `sha256(before ‖ u64 offset ‖ u64 append time ‖ u32 length ‖ key ‖ u32 length ‖ value)`, all big-endian, with length
 * 0xFFFFFFFF for a null. Any reader of the log can compute it.
 *
 * @param before hash before the record, 64 hex digits; {@link INITIAL_CHAIN_HASH} before offset 0
 * @returns 64 lowercase hex digits
 */
export const nextChainHash = (before: string, record: ChainedRecord): string => {
  const hash = createHash('sha256').update(Buffer.from(before, 'hex'));
  hash.update(u64(record.offset)).update(u64(record.append_time_ms));
  for (const part of [record.key, record.value]) {
    hash.update(u32(part === null ? LENGTH_OF_NULL : part.length));
    if (part !== null) hash.update(part);
  }
  return hash.digest('hex');
};

export type ChainPosition = {
  readonly next: number;
  readonly chain: string;
  /** Hash before record `next - 1`. */
  readonly chain_before: string;
};

export const INITIAL_CHAIN_POSITION: ChainPosition = {
  next: 0,
  chain: INITIAL_CHAIN_HASH,
  chain_before: INITIAL_CHAIN_HASH,
};

/** @param records continue `from` without a gap */
export const extendChain = (from: ChainPosition, records: readonly ChainedRecord[]): ChainPosition =>
  records.reduce<ChainPosition>(
    ({ chain }, record) => ({ next: record.offset + 1, chain: nextChainHash(chain, record), chain_before: chain }),
    from,
  );
