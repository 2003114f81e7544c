/** Big-endian, as in most formats. */
export const u8 = (...values: readonly number[]): Buffer => Buffer.from(values);

const each = (values: readonly number[], size: number, write: (buffer: Buffer, value: number, at: number) => void) => {
  const buffer = Buffer.alloc(values.length * size);
  for (const [index, value] of values.entries()) write(buffer, value, index * size);
  return buffer;
};

export const u16 = (...values: readonly number[]): Buffer =>
  each(values, 2, (buffer, value, at) => buffer.writeUInt16BE(value & 0xffff, at));
export const u32 = (...values: readonly number[]): Buffer =>
  each(values, 4, (buffer, value, at) => buffer.writeUInt32BE(value >>> 0, at));
export const u64 = (...values: readonly (number | bigint)[]): Buffer => {
  const buffer = Buffer.alloc(values.length * 8);
  for (const [index, value] of values.entries()) buffer.writeBigUInt64BE(BigInt.asUintN(64, BigInt(value)), index * 8);
  return buffer;
};

export const u24 = (value: number): Buffer => u32(value).subarray(1);

/** Little-endian. */
export const u16le = (...values: readonly number[]): Buffer =>
  each(values, 2, (buffer, value, at) => buffer.writeUInt16LE(value & 0xffff, at));
export const u24le = (value: number): Buffer => u32le(value).subarray(0, 3);
export const u32le = (...values: readonly number[]): Buffer =>
  each(values, 4, (buffer, value, at) => buffer.writeUInt32LE(value >>> 0, at));
export const u64le = (value: bigint): Buffer => {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt.asUintN(64, value));
  return buffer;
};

export const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

export type Part = Buffer | string;
/** Texts have one byte per character. */
export const join = (...parts: readonly Part[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? latin(part) : part)));

export const repeated = (part: Buffer, times: number): Buffer => Buffer.alloc(part.length * times, part);

export const times = <A>(count: number, make: (index: number) => A): readonly A[] =>
  Array.from({ length: count }, (_, index) => make(index));

export const many = (count: number, make: (index: number) => Buffer): Buffer => Buffer.concat(times(count, make));

export const patched = (bytes: Buffer, at: number, part: Buffer): Buffer => {
  const copy = Buffer.from(bytes);
  part.copy(copy, at);
  return copy;
};
