import { join, times, u8, u32le, u64le } from './numbers.ts';

const POLYNOMIAL = 0x04c11db7;
const TABLE = times(256, (index) => {
  let value = index << 24;
  for (let bit = 0; bit < 8; bit += 1) value = (value << 1) ^ (value & 0x80000000 ? POLYNOMIAL : 0);
  return value >>> 0;
});

const checksum = (bytes: Buffer): number => {
  let sum = 0;
  for (const byte of bytes) sum = ((sum << 8) ^ (TABLE[((sum >>> 24) ^ byte) & 255] ?? 0)) >>> 0;
  return sum;
};

export const CHECKSUM_AT = 22;

/** The same page with a correct checksum. */
export const resealed = (page: Buffer): Buffer => {
  const copy = Buffer.from(page);
  copy.writeUInt32LE(0, CHECKSUM_AT);
  copy.writeUInt32LE(checksum(copy), CHECKSUM_AT);
  return copy;
};

export type Page = {
  /** 1 continued, 2 first, 4 last */
  readonly flags?: number;
  readonly granule?: bigint;
  readonly serial?: number;
  readonly number?: number;
  readonly lacing: readonly number[];
  readonly data: Buffer;
};

export const page = ({ flags = 0, granule = 0n, serial = 1, number = 0, lacing, data }: Page): Buffer =>
  resealed(join('OggS', u8(0, flags), u64le(granule), u32le(serial, number, 0), u8(lacing.length, ...lacing), data));

export const lacingOf = (bytes: number): readonly number[] => [
  ...times(Math.floor(bytes / 255), () => 255),
  bytes % 255,
];

/** A page with one packet of at most 65,024 bytes. */
export const packetPage = (data: Buffer, more: Omit<Page, 'lacing' | 'data'> = {}): Buffer =>
  page({ ...more, lacing: lacingOf(data.length), data });

export const pagesOf = (bytes: Buffer): readonly Buffer[] => {
  const pages: Buffer[] = [];
  for (let at = bytes.indexOf('OggS'); at >= 0; ) {
    const next = bytes.indexOf('OggS', at + 4);
    pages.push(bytes.subarray(at, next < 0 ? bytes.length : next));
    at = next;
  }
  return pages;
};
