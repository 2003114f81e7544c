import { join, type Part } from './numbers.ts';

export const vint = (value: number | bigint, size = 0): Buffer => {
  const wanted = BigInt(value);
  let bytes = size || 1;
  while (size === 0 && wanted >= 2n ** BigInt(7 * bytes) - 1n) bytes += 1;
  const marked = wanted | (1n << BigInt(7 * bytes));
  return Buffer.from(marked.toString(16).padStart(bytes * 2, '0'), 'hex');
};

export const UNKNOWN_SIZE = Buffer.from('01ffffffffffffff', 'hex');

const idOf = (id: number): Buffer => {
  const hex = id.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
};

export const element = (id: number, ...parts: readonly Part[]): Buffer => {
  const body = join(...parts);
  return join(idOf(id), vint(body.length), body);
};

export const lyingElement = (id: number, size: Buffer, ...parts: readonly Part[]): Buffer =>
  join(idOf(id), size, ...parts);

export const uint = (value: number | bigint): Buffer => {
  const hex = BigInt(value).toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
};

export const float = (value: number): Buffer => {
  const buffer = Buffer.alloc(8);
  buffer.writeDoubleBE(value);
  return buffer;
};

export const nestedElements = (id: number, depth: number, inside: Buffer = Buffer.alloc(0)): Buffer => {
  const heads: Buffer[] = [];
  let length = inside.length;
  for (let level = 0; level < depth; level += 1) {
    const head = join(idOf(id), vint(length));
    heads.push(head);
    length += head.length;
  }
  return Buffer.concat([...heads.reverse(), inside]);
};
