/*
 * Browsers show the area behind a GIF where no frame has drawn, or where a frame was disposed of. In libvips, only a
 * frame with a transparent colour has this effect. Such frames therefore get a transparent colour that no pixel uses.
 */

const HEADER_BYTES = 13;
const EXTENSION = 0x21;
const CONTROL = 0xf9;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const DISPOSE_TO_BACKGROUND = 2;
const MAX_CODE_BITS = 12;

type Frame = {
  /** Offset of the graphic control (-1 without one) and of the image descriptor. */
  readonly control: number;
  readonly descriptor: number;
  readonly data: number;
  readonly covers: boolean;
  readonly disposal: number;
  readonly transparent: boolean;
};

const tableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

const afterBlocks = (gif: Buffer, first: number): number => {
  let at = first;
  while (gif.readUInt8(at) !== 0) at += 1 + gif.readUInt8(at);
  return at + 1;
};

const blocksOf = (gif: Buffer, first: number): Buffer => {
  const blocks: Buffer[] = [];
  for (let at = first; gif.readUInt8(at) !== 0; at += 1 + gif.readUInt8(at))
    blocks.push(gif.subarray(at + 1, at + 1 + gif.readUInt8(at)));
  return Buffer.concat(blocks);
};

/** The trailer may be missing, or follow other bytes. Throws RangeError if the file ends within a block. */
const framesOf = (gif: Buffer): readonly Frame[] => {
  const [width, height] = [gif.readUInt16LE(6), gif.readUInt16LE(8)];
  const frames: Frame[] = [];
  let control = -1;
  let at = HEADER_BYTES + tableBytes(gif.readUInt8(10));
  for (;;) {
    const type = gif[at] ?? TRAILER;
    if (type === EXTENSION) {
      if (gif.readUInt8(at + 1) === CONTROL) control = at;
      at = afterBlocks(gif, at + 2);
    } else if (type === IMAGE) {
      const data = at + 10 + tableBytes(gif.readUInt8(at + 9));
      const flags = control === -1 ? 0 : gif.readUInt8(control + 3);
      const whole = gif.readUInt16LE(at + 5) >= width && gif.readUInt16LE(at + 7) >= height;
      const covers = whole && gif.readUInt32LE(at + 1) === 0;
      const [disposal, transparent] = [(flags >> 2) & 7, (flags & 1) === 1];
      frames.push({ control, descriptor: at, data, covers, disposal, transparent });
      control = -1;
      at = afterBlocks(gif, data + 1);
    } else return frames;
  }
};

/**
 * A colour that no pixel of the frame has; null if all are used. LZW codes are built from earlier codes, so each used
 * colour first occurs as a code of its own. Only the length of the code table is needed, not its content.
 */
const unusedColor = (gif: Buffer, { data }: Frame): number | null => {
  const min_bits = gif.readUInt8(data);
  if (min_bits < 8) return 255;
  const codes = blocksOf(gif, data + 1);
  const clear = 2 ** min_bits;
  const used = new Set<number>();
  let [bits, next, bit] = [min_bits + 1, clear + 1, 0];
  while (bit + bits <= codes.length * 8) {
    const at = bit >> 3;
    const word = (codes[at] ?? 0) | ((codes[at + 1] ?? 0) << 8) | ((codes[at + 2] ?? 0) << 16);
    const code = (word >> (bit & 7)) & (2 ** bits - 1);
    bit += bits;
    if (code === clear + 1) break;
    if (code === clear) [bits, next] = [min_bits + 1, clear + 1];
    else {
      if (code < clear) used.add(code);
      // The first code after a clear adds no table entry, so `next` starts one below the first free code.
      next += 1;
      if (next === 2 ** bits && bits < MAX_CODE_BITS) bits += 1;
    }
  }
  for (let color = 255; color >= 0; color -= 1) if (!used.has(color)) return color;
  return null;
};

const withTransparentColors = (gif: Buffer, frames: readonly Frame[]): Buffer => {
  const parts: Buffer[] = [];
  let done = 0;
  for (const frame of frames) {
    const color = frame.transparent ? null : unusedColor(gif, frame);
    if (color === null) continue;
    const { control, descriptor } = frame;
    const own = Buffer.from([EXTENSION, CONTROL, 4, 0, 0, 0, 0, 0]);
    if (control !== -1) gif.copy(own, 0, control, control + own.length);
    own[3] = (own[3] ?? 0) | 1;
    own[6] = color;
    const [until, from] = control === -1 ? [descriptor, descriptor] : [control, control + own.length];
    parts.push(gif.subarray(done, until), own);
    done = from;
  }
  return Buffer.concat([...parts, gif.subarray(done)]);
};

/** Adds transparent colours where something behind the picture may be visible. Does not change an invalid file. */
export const withClearBackground = (gif: Buffer): Buffer => {
  if (gif.toString('latin1', 0, 3) !== 'GIF') return gif;
  try {
    const frames = framesOf(gif);
    const is_cleared =
      frames.some(({ covers }) => !covers) && frames.some(({ disposal }) => disposal >= DISPOSE_TO_BACKGROUND);
    return frames[0]?.covers !== false && !is_cleared ? gif : withTransparentColors(gif, frames);
  } catch (cause) {
    if (cause instanceof RangeError) return gif;
    throw cause;
  }
};
