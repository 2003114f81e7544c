type Field = readonly [value: number | bigint, bits: number];

/** Fields of bits, the first the highest of its byte; filled up with zeros. */
export const bits = (...fields: readonly Field[]): Buffer => {
  const text = fields
    .map(([value, size]) => BigInt.asUintN(size, BigInt(value)).toString(2).padStart(size, '0'))
    .join('');
  const bytes = text.match(/.{1,8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)));
};

/** Fields of bits, the lowest bit first, in the lowest bit of its byte, as VP8L, GIF and deflate have it. */
export const bitsFromBelow = (...fields: readonly Field[]): Buffer => {
  const text = fields
    .map(([value, size]) => [...BigInt.asUintN(size, BigInt(value)).toString(2).padStart(size, '0')].reverse().join(''))
    .join('');
  const bytes = text.match(/.{1,8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt([...byte].reverse().join(''), 2)));
};
