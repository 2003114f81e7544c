import { HASH_BYTES } from '../merkle/hashes.ts';

export const tileBytes = (hashes: readonly Buffer[]): Buffer => Buffer.concat(hashes);

export const hashesOfTile = (bytes: Buffer, width: number): readonly Buffer[] | null =>
  bytes.length === width * HASH_BYTES
    ? Array.from({ length: width }, (_, i) => bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES))
    : null;

const LENGTH_BYTES = 2;
/** The longest entry, because the length before each entry has two bytes. */
export const MAX_ENTRY_BYTES = 65_535;

/** The bytes of a bundle: each entry, after its length in two bytes, big-endian. */
export const bundleBytes = (entries: readonly Buffer[]): Buffer =>
  Buffer.concat(
    entries.flatMap((entry) => {
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt16BE(entry.length);
      return [length, entry];
    }),
  );

export const entriesOfBundle = (bytes: Buffer, width: number): readonly Buffer[] | null => {
  const entries: Buffer[] = [];
  let at = 0;
  while (at + LENGTH_BYTES <= bytes.length) {
    const end = at + LENGTH_BYTES + bytes.readUInt16BE(at);
    if (end > bytes.length) return null;
    entries.push(bytes.subarray(at + LENGTH_BYTES, end));
    at = end;
  }
  return at === bytes.length && entries.length === width ? entries : null;
};
