import { decimal } from './expressions.ts';

/*
 * swscale scales whole sizes to whole sizes, and `overlay` places layers at whole pixels, so neither supports subpixel
 * positions. A gliding layer is therefore resampled twice: to a whole size that is slightly too large, then by a
 * fraction near 0.95. Each frame is cropped differently before the second step: one pixel further left moves the layer
 * by about 0.95 pixels. The search takes the fraction and the crop that bring size and edge closest to their targets.
 * This takes a sixth of the time of ffmpeg's `perspective`.
 */

/**
 * Limits of the second step's scale factor. A factor with a small denominator gives few subpixel positions. Between the
 * limits, no fraction has a denominator below 10, and few have one below 14.
 */
const MIN_FACTOR = 0.9;
const MAX_FACTOR = 0.965;
const CUTS = 28;
/**
 * A second step from a short region has too few sizes to choose from. The cropped region is therefore at least
 * `MIN_LENGTH` long, and a layer below `SHORT_LENGTH` gets more padding, by the factor `ROOM`.
 */
const MAX_SIZES = 128;
const SHORT_LENGTH = 1000;
const MIN_LENGTH = 500;
const ROOM = 1.4;
/** For a constant scale: the number of lengths to choose from. */
const LENGTHS = 24;
/** For a constant scale: the minimum scale factor of the second step. */
const MIN_CONSTANT_FACTOR = 0.94;
/** Errors of at most this many pixels are not improved further. */
const CLOSE_SIZE = 0.02;
const CLOSE_CUT = 0.01;

/** Lengths are in pixels of the frame. */
export type GlidingAxis = {
  /** Length at scale 1, maximum scale, and the constant scale; null if the scale changes. */
  readonly length: number;
  readonly largest: number;
  readonly only: number | null;
  readonly frame: number;
  /** ffmpeg expressions that read the frame number from `ld(0)`; `begin` also reads the scale from `ld(1)`. */
  readonly scale: string;
  readonly begin: string;
};

/** Strings are ffmpeg expressions that read the frame number from `ld(0)`. Numbers are constant lengths in pixels. */
export type GlideExpressions = {
  readonly enlarged: string;
  readonly padded: number;
  readonly before: number;
  readonly cut: number;
  readonly at: string;
  readonly reduced: string;
  readonly begin: string;
};

const rounded = (of: string): string => `floor(${of}+0.5)`;
const off = (of: string): string => `abs(${of}-${rounded(of)})`;

/**
 * An expression that tries `count` numbers in `ld(4)` and stores in `ld(to)` the one whose `error` is nearest to a
 * whole number. It stops at the first number that is `close` enough.
 */
const nearest = (to: number, first: number, step: 1 | -1, count: number, error: string, close: number): string => {
  const has_next = step === 1 ? `lt(ld(4),${first + count})` : `gt(ld(4),${first - count})`;
  return (
    `st(4,${first});st(6,9);while(${has_next}*gt(ld(6),${close}),st(5,${error});st(5,${off('ld(5)')});` +
    `if(lt(ld(5),ld(6)),st(6,ld(5));st(${to},ld(4)));st(4,ld(4)+${step}))`
  );
};

const sizesOf = (cut: number, least: number) => {
  const first = Math.floor(MAX_FACTOR * cut);
  return { first, count: Math.min(MAX_SIZES, first - Math.ceil(least * cut) + 1) };
};

type Lengths = { readonly whole: number; readonly cut: number };

/** `whole` is the length of the padded picture. `cut` is the length of the cropped region. */
const lengthsOf = (most: number, frame: number): Lengths => {
  const needed = most + CUTS;
  const whole = Math.max(MIN_LENGTH, needed < SHORT_LENGTH ? Math.ceil(ROOM * needed) : needed);
  return { whole, cut: Math.min(whole, Math.max(MIN_LENGTH, Math.ceil((frame + CUTS + 4) / MIN_FACTOR))) };
};

/** The scale is constant. `size` is the length to which the cropped region is reduced. */
const constantLengths = (most: number, frame: number, shown: number): Lengths & { readonly size: number } => {
  const least = Math.min(most + CUTS, Math.ceil((frame + CUTS + 4) / MIN_FACTOR));
  const all = Array.from({ length: LENGTHS }, (_, more) => least + more).flatMap((cut) => {
    const { first, count } = sizesOf(cut, MIN_CONSTANT_FACTOR);
    return Array.from({ length: Math.max(1, count) }, (_, less) => {
      const ideal = (shown * cut) / (first - less);
      return { cut, size: first - less, error: Math.abs(ideal - Math.floor(ideal + 0.5)) };
    });
  });
  const near = all.find(({ error }) => error < CLOSE_SIZE / 4);
  const { cut, size } = near ?? all.reduce((best, one) => (one.error < best.error ? one : best));
  return { whole: Math.max(most + CUTS, cut), cut, size };
};

export const glideExpressions = ({ length, largest, only, frame, scale, begin }: GlidingAxis): GlideExpressions => {
  const most = Math.ceil((length * largest) / MIN_FACTOR) + 1;
  const constant = only === null ? null : constantLengths(most, frame, length * only);
  const { whole, cut } = constant ?? lengthsOf(most, frame);
  const padded = whole + CUTS;
  const { first, count } = sizesOf(cut, MIN_FACTOR);

  // If size and position are already whole pixels, the second step does not scale.
  const exact = `lt(max(${off('ld(1)')},${off('ld(3)')}),${CLOSE_CUT})`;
  const searched =
    constant === null ? nearest(2, first, -1, count, `ld(1)*${cut}/ld(4)`, CLOSE_SIZE) : `st(2,${constant.size})`;
  const sizes = `st(1,${scale});st(3,${begin});st(1,${decimal(length)}*ld(1));if(${exact},st(2,${cut}),${searched})`;
  // `room` is the last possible start of the crop within the padded picture. `from` is the first start to try.
  const room = padded - cut - CUTS;
  const from = room <= 0 ? '0' : `clip(floor(-ld(3)/ld(8))-${CUTS},0,${room})`;
  const cuts =
    `${sizes};st(8,ld(2)/${cut});st(3,ld(3)-${CUTS}*ld(8));st(9,${from});` +
    nearest(7, 0, 1, CUTS, 'ld(3)+ld(8)*(ld(9)+ld(4))', CLOSE_CUT);
  return {
    enlarged: `${sizes};clip(${rounded(`ld(1)*${cut}/ld(2)`)},1,${whole})`,
    padded,
    before: CUTS,
    cut,
    at: `${cuts};ld(9)+ld(7)`,
    reduced: `${sizes};ld(2)`,
    begin: `${cuts};${rounded('ld(3)+ld(8)*(ld(9)+ld(7))')}`,
  };
};
