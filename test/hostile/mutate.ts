import { crc32 } from 'node:zlib';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { BaseName, Bases } from './bases.ts';
import { lengthFields } from './length-fields.ts';
import { pagesOf, resealed } from './write/ogg-pages.ts';

/** A mutant and the steps that made it; the same bases, name and seed give the same mutant. */
export type Mutant = { readonly bytes: Buffer; readonly recipe: readonly string[] };

type Draw = (from: number, to: number) => number;
type Step = (bytes: Buffer, draw: Draw, bases: Bases) => readonly [bytes: Buffer, what: string];

const MAX_STEPS = 8;
const MAX_BYTES = 2 * 2 ** 20;
const LONGEST_BLOCK = 4096;
/** Values at which programs often miscount. */
const BOUNDARIES = [
  0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff,
] as const;
const BYTES = [0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff] as const;

const oneOf = <A>(draw: Draw, list: readonly A[]): A => list[draw(0, list.length - 1)] as A;
const placeIn = (bytes: Buffer, draw: Draw): number => draw(0, Math.max(0, bytes.length - 1));
/** Half of the places are in the first 512 bytes, because most decisions of a decoder depend on the start of a file. */
const earlyPlaceIn = (bytes: Buffer, draw: Draw): number =>
  draw(0, 1) === 0 ? draw(0, Math.max(0, Math.min(bytes.length - 1, 512))) : placeIn(bytes, draw);
const blockIn = (bytes: Buffer, draw: Draw): readonly [from: number, to: number] => {
  const from = placeIn(bytes, draw);
  return [from, Math.min(bytes.length, from + draw(1, LONGEST_BLOCK))];
};

const altered = (bytes: Buffer, change: (copy: Buffer) => void): Buffer => {
  const copy = Buffer.from(bytes);
  if (copy.length > 0) change(copy);
  return copy;
};
const inserted = (bytes: Buffer, at: number, part: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)]).subarray(0, MAX_BYTES);

const flipBit: Step = (bytes, draw) => {
  const [at, bit] = [earlyPlaceIn(bytes, draw), draw(0, 7)];
  return [altered(bytes, (copy) => copy.writeUInt8((copy[at] ?? 0) ^ (1 << bit), at)), `flip bit ${bit} at ${at}`];
};

const setByte: Step = (bytes, draw) => {
  const [at, value] = [earlyPlaceIn(bytes, draw), oneOf(draw, BYTES)];
  return [altered(bytes, (copy) => copy.writeUInt8(value, at)), `byte ${value} at ${at}`];
};

const setNumber: Step = (bytes, draw) => {
  const [at, value, size] = [earlyPlaceIn(bytes, draw), oneOf(draw, BOUNDARIES), oneOf(draw, [2, 4])];
  if (at + size > bytes.length) return [bytes, 'nothing'];
  return [
    altered(bytes, (copy) => copy.writeUIntBE(size === 2 ? value & 0xffff : value, at, size)),
    `${size} bytes ${value} at ${at}`,
  ];
};

const setLength: Step = (bytes, draw) => {
  const fields = lengthFields(bytes);
  if (fields.length === 0) return setNumber(bytes, draw, {} as Bases);
  const { at, bytes: size, little } = oneOf(draw, fields);
  const before = little ? bytes.readUIntLE(at, size) : bytes.readUIntBE(at, size);
  const wanted = oneOf(draw, [...BOUNDARIES, before + 1, before - 1, before * 2, before + 8, bytes.length]);
  const value = ((wanted % 2 ** (8 * size)) + 2 ** (8 * size)) % 2 ** (8 * size);
  const change = (copy: Buffer) => (little ? copy.writeUIntLE(value, at, size) : copy.writeUIntBE(value, at, size));
  return [altered(bytes, change), `length ${before} at ${at} becomes ${value}`];
};

const fill: Step = (bytes, draw) => {
  const [[from, to], value] = [blockIn(bytes, draw), oneOf(draw, BYTES)];
  return [altered(bytes, (copy) => copy.fill(value, from, to)), `fill ${from} to ${to} with ${value}`];
};

const remove: Step = (bytes, draw) => {
  const [from, to] = blockIn(bytes, draw);
  return [Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]), `remove ${from} to ${to}`];
};

const copyBlock: Step = (bytes, draw) => {
  const [[from, to], at, times] = [blockIn(bytes, draw), placeIn(bytes, draw), oneOf(draw, [1, 1, 2, 16, 256])];
  const part = bytes.subarray(from, to);
  return [
    inserted(bytes, at, Buffer.alloc(part.length * times, part)),
    `insert ${from} to ${to} at ${at}, ${times} times`,
  ];
};

const insertNoise: Step = (bytes, draw) => {
  const [at, length] = [placeIn(bytes, draw), draw(1, 64)];
  const noise = Buffer.from(Array.from({ length }, () => draw(0, 255)));
  return [inserted(bytes, at, noise), `insert ${length} bytes of noise at ${at}`];
};

const moveBlock: Step = (bytes, draw) => {
  const [[from, to], at] = [blockIn(bytes, draw), placeIn(bytes, draw)];
  return [altered(bytes, (copy) => bytes.copy(copy, at, from, to)), `write ${from} to ${to} over ${at}`];
};

const cutOff: Step = (bytes, draw) => {
  const at = placeIn(bytes, draw);
  return [bytes.subarray(0, at), `cut off at ${at}`];
};

const splice: Step = (bytes, draw, bases) => {
  const name = oneOf(draw, Object.keys(bases).sort() as BaseName[]);
  const [at, from] = [placeIn(bytes, draw), placeIn(bases[name], draw)];
  return [
    Buffer.concat([bytes.subarray(0, at), bases[name].subarray(from)]),
    `continue at ${at} with ${name} from ${from}`,
  ];
};

/** Likely steps occur several times. */
const STEPS: readonly Step[] = [
  ...[flipBit, flipBit, flipBit, setByte, setByte, setNumber, setNumber, setLength, setLength, setLength, setLength],
  ...[fill, remove, copyBlock, insertNoise, moveBlock, cutOff, splice],
];

const pngResealed = (bytes: Buffer): Buffer => {
  const copy = Buffer.from(bytes);
  for (let at = 8; at + 12 <= copy.length; ) {
    const end = at + 8 + copy.readUInt32BE(at);
    if (end + 4 > copy.length) break;
    copy.writeUInt32BE(crc32(copy.subarray(at + 4, end)), end);
    at = end + 4;
  }
  return copy;
};

/** Corrects checksums, so that a reader gets to the mutated bytes. */
const reseal = (bytes: Buffer): Buffer => {
  if (bytes.toString('latin1', 1, 4) === 'PNG') return pngResealed(bytes);
  if (bytes.toString('latin1', 0, 4) !== 'OggS') return bytes;
  return Buffer.concat(pagesOf(bytes).map((page) => (page.length < 27 ? page : resealed(page))));
};

export const mutate = (bases: Bases, name: BaseName, seed: number): Mutant => {
  const generator = xoroshiro128plus(seed ^ crc32(name));
  const draw: Draw = (from, to) => uniformInt(generator, from, to);
  const recipe: string[] = [];
  let bytes = bases[name];
  for (let left = draw(1, MAX_STEPS); left > 0; left -= 1) {
    const [next, what] = oneOf(draw, STEPS)(bytes, draw, bases);
    bytes = next;
    recipe.push(what);
  }
  if (draw(0, 3) > 0) {
    bytes = reseal(bytes);
    recipe.push('check sums made to fit');
  }
  return { bytes, recipe };
};
