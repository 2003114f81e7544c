type Field = readonly [value: number | bigint, bits: number];

/** Bit fields, the first in the highest bits of its byte, padded with zeros. */
export const bits = (...fields: readonly Field[]): Buffer => {
  const text = fields
    .map(([value, size]) => BigInt.asUintN(size, BigInt(value)).toString(2).padStart(size, '0'))
    .join('');
  const bytes = text.match(/.{1,8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)));
};

/** Bit fields, the first in the lowest bits of its byte, as in VP8L, GIF and deflate. */
export const bitsFromBelow = (...fields: readonly Field[]): Buffer => {
  const text = fields
    .map(([value, size]) => [...BigInt.asUintN(size, BigInt(value)).toString(2).padStart(size, '0')].reverse().join(''))
    .join('');
  const bytes = text.match(/.{1,8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt([...byte].reverse().join(''), 2)));
};
