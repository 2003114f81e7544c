import { BT709, type Chromaticities, type Matrix, matrixToBt709 } from './chromaticities.ts';
import { pngChunks } from './png-chunks.ts';

/** Primaries that pictures declare by number (ITU-T H.273), all with white D65. */
export type Primaries = 'bt709' | 'bt470bg' | 'smpte170m' | 'bt2020' | 'p3' | 'ebu3213';

/** `exponent` converts a signal to light. */
export type Transfer = 'srgb' | 'pq' | 'hlg' | { readonly exponent: number };

/** Describes a picture that is not sRGB and has no effective ICC profile. A matrix converts linear light to BT.709. */
export type ImageColors = { readonly primaries: Primaries | Matrix; readonly transfer: Transfer };

const PRIMARIES: ReadonlyMap<number, Primaries> = new Map([
  [5, 'bt470bg'],
  [6, 'smpte170m'],
  [7, 'smpte170m'],
  [9, 'bt2020'],
  [12, 'p3'],
  [22, 'ebu3213'],
]);
/** All other transfer functions of standard range count as sRGB, as in videos. */
const TRANSFERS: ReadonlyMap<number, Transfer> = new Map<number, Transfer>([
  [8, { exponent: 1 }],
  [16, 'pq'],
  [18, 'hlg'],
]);

const colorsOf = (primaries: number, transfer: number): ImageColors | null => {
  const colors = {
    primaries: PRIMARIES.get(primaries) ?? 'bt709',
    transfer: TRANSFERS.get(transfer) ?? 'srgb',
  } as const;
  return colors.primaries === 'bt709' && colors.transfer === 'srgb' ? null : colors;
};

/** gAMA, in 1/100,000. Values near 1/2.2 mean sRGB; values outside the bounds are ignored. */
const [MIN_GAMMA, MAX_GAMMA] = [10_000, 500_000];
const isNearSrgb = (gamma: number): boolean => gamma > 43_000 && gamma < 48_000;

const transferOf = (gamma: Buffer): Transfer | null => {
  const value = gamma.readUInt32BE(0);
  if (value < MIN_GAMMA || value > MAX_GAMMA) return null;
  return isNearSrgb(value) ? 'srgb' : { exponent: 100_000 / value };
};

/** cHRM: chromaticities that differ from sRGB by less count as sRGB. */
const MAX_DIFFERENCE = 0.005;

const chromaticitiesOf = (body: Buffer): Chromaticities => {
  const at = (n: number) => ({ x: body.readUInt32BE(8 * n) / 100_000, y: body.readUInt32BE(8 * n + 4) / 100_000 });
  return { white: at(0), red: at(1), green: at(2), blue: at(3) };
};

const isBt709 = (of: Chromaticities): boolean =>
  (['white', 'red', 'green', 'blue'] as const).every(
    (point) =>
      Math.max(Math.abs(of[point].x - BT709[point].x), Math.abs(of[point].y - BT709[point].y)) < MAX_DIFFERENCE,
  );

/** As in browsers, chromaticities count only together with gAMA. */
const gammaColors = (gamma: Buffer | undefined, chromaticities: Buffer | undefined): ImageColors | null => {
  const transfer = gamma === undefined ? null : transferOf(gamma);
  if (transfer === null) return null;
  const declared = chromaticities === undefined ? BT709 : chromaticitiesOf(chromaticities);
  const primaries = isBt709(declared) ? 'bt709' : (matrixToBt709(declared) ?? 'bt709');
  return primaries === 'bt709' && transfer === 'srgb' ? null : { primaries, transfer };
};

/** cICP has precedence, then a profile and sRGB, then gAMA with cHRM. */
const pngColors = (bytes: Buffer): ImageColors | null => {
  const found = new Map<string, Buffer>();
  for (const { type, body } of pngChunks(bytes)) {
    if (type === 'IDAT') break;
    // The search goes through all chunks, because an encoder may write cICP after the others.
    if (type === 'cICP') return colorsOf(body.readUInt8(0), body.readUInt8(1));
    found.set(type, body);
  }
  return found.has('iCCP') || found.has('sRGB') ? null : gammaColors(found.get('gAMA'), found.get('cHRM'));
};

type Box = { readonly type: string; readonly body: Buffer };

const boxesOf = (bytes: Buffer): readonly Box[] => {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const short = bytes.readUInt32BE(at);
    const size = short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? bytes.length - at : short;
    const head = short === 1 ? 16 : 8;
    if (size < head) break;
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), body: bytes.subarray(at + head, at + size) });
    at += size;
  }
  return boxes;
};

const bodyOf = (boxes: readonly Box[], type: string): Buffer =>
  boxes.find((box) => box.type === type)?.body ?? Buffer.alloc(0);

/** The numbers, from 1, of the item's properties in `ipma`, a box with version and flags. */
const propertiesOf = (ipma: Buffer, item: number): readonly number[] => {
  const [wide_ids, wide_numbers] = [ipma.readUInt8(0) > 0, (ipma.readUInt8(3) & 1) === 1];
  let at = 8;
  for (let left = ipma.readUInt32BE(4); left > 0; left -= 1) {
    const id = wide_ids ? ipma.readUInt32BE(at) : ipma.readUInt16BE(at);
    at += wide_ids ? 4 : 2;
    const count = ipma.readUInt8(at);
    at += 1;
    const numberAt = (n: number): number =>
      wide_numbers ? ipma.readUInt16BE(at + 2 * n) & 0x7fff : ipma.readUInt8(at + n) & 0x7f;
    if (id === item) return Array.from({ length: count }, (_, n) => numberAt(n));
    at += wide_numbers ? 2 * count : count;
  }
  return [];
};

const metaOf = (bytes: Buffer): readonly Box[] => boxesOf(bodyOf(boxesOf(bytes), 'meta').subarray(4));

/** If the alpha of an AVIF is premultiplied, one of its items refers to another one of type `prem`. */
export const isPremultiplied = (bytes: Buffer): boolean =>
  boxesOf(bodyOf(metaOf(bytes), 'iref').subarray(4)).some(({ type }) => type === 'prem');

/** Reads the `colr` boxes of the primary item. A profile has precedence over numbers. */
const avifColors = (bytes: Buffer): ImageColors | null => {
  const meta = metaOf(bytes);
  const pitm = bodyOf(meta, 'pitm');
  const item = pitm.readUInt8(0) === 0 ? pitm.readUInt16BE(4) : pitm.readUInt32BE(4);
  const iprp = boxesOf(bodyOf(meta, 'iprp'));
  const known = boxesOf(bodyOf(iprp, 'ipco'));
  const colors = propertiesOf(bodyOf(iprp, 'ipma'), item).flatMap((number) => {
    const box = known[number - 1];
    return box?.type === 'colr' ? [box.body] : [];
  });
  const kinds = colors.map((body) => body.toString('latin1', 0, 4));
  const declared = colors[kinds.indexOf('nclx')];
  return declared === undefined || kinds.some((kind) => kind !== 'nclx')
    ? null
    : colorsOf(declared.readUInt16BE(4), declared.readUInt16BE(6));
};

/** Null for sRGB, and if a profile describes the colours. */
export const imageColors = (bytes: Buffer, format: string | undefined): ImageColors | null => {
  try {
    if (format === 'png') return pngColors(bytes);
    return format === 'heif' ? avifColors(bytes) : null;
  } catch (cause) {
    // A truncated field declares nothing. The decoder decides whether the file can be read.
    if (cause instanceof RangeError) return null;
    throw cause;
  }
};
