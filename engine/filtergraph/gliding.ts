import { decimal } from './expressions.ts';

/*
 * swscale makes whole sizes from whole sizes, and `overlay` lays at whole pixels: neither places anything between them. So a
 * layer that glides is resampled twice: to a whole size that is a little too large, and, cut anew for each frame, down to
 * what it should be. The second factor is one of a few fractions near 0.95: with each, another size of the first step
 * comes out nearest to what is wanted, and cutting one pixel further left moves the layer by 0.95 pixels, so that one of
 * the next cuts brings its edge to a whole pixel. This costs a sixth of ffmpeg's `perspective`.
 */

/** Limits of the second factor. In between, few fractions have a denominator of less than 14, and none less than 10. */
const LEAST = 0.9;
const MOST = 0.965;
/** Cuts to choose from. */
const CUTS = 28;
/**
 * Sizes to choose from, at most. They are too few, or much alike, for a short length, or for one that the layer nearly
 * fills: it is then cut out longer.
 */
const SIZES = 128;
const SHORT = 1000;
const SHORTEST = 500;
const ROOM = 1.4;
/** Where the scale never changes, lengths to choose from, and the least second factor. */
const LENGTHS = 24;
const STEADY = 0.94;
/** Errors of so many pixels are not improved on. */
const CLOSE_SIZE = 0.02;
const CLOSE_CUT = 0.01;

/** What is known of an axis before it moves; lengths are in pixels of the frame but for `pixels`. */
export type GlidingAxis = {
  /** Its length at scale 1, the largest scale, and the only one, null where there are others. */
  readonly length: number;
  readonly largest: number;
  readonly only: number | null;
  /** Of the frame. */
  readonly frame: number;
  /** Expressions: the scale, of the frame in `ld(0)`, and the begin, of the scale in `ld(1)` too. */
  readonly scale: string;
  readonly begin: string;
};

/** Expressions of the frame in `ld(0)`, and the constant lengths. */
export type Glide = {
  readonly enlarged: string;
  readonly padded: number;
  readonly before: number;
  readonly cut: number;
  readonly at: string;
  readonly reduced: string;
  /** A whole number of pixels. */
  readonly begin: string;
};

const rounded = (of: string): string => `floor(${of}+0.5)`;
const off = (of: string): string => `abs(${of}-${rounded(of)})`;

/** The number in `ld(4)` for which `error` is least goes to `ld(to)`: from `first` on in steps, until one is near enough. */
const nearest = (to: number, first: number, step: 1 | -1, count: number, error: string, close: number): string => {
  const goesOn = step === 1 ? `lt(ld(4),${first + count})` : `gt(ld(4),${first - count})`;
  return (
    `st(4,${first});st(6,9);while(${goesOn}*gt(ld(6),${close}),st(5,${error});st(5,${off('ld(5)')});` +
    `if(lt(ld(5),ld(6)),st(6,ld(5));st(${to},ld(4)));st(4,ld(4)+${step}))`
  );
};

/** The first and the number of the sizes that a cut may be reduced to. */
const sizesOf = (cut: number, least: number) => {
  const first = Math.floor(MOST * cut);
  return { first, count: Math.min(SIZES, first - Math.ceil(least * cut) + 1) };
};

type Lengths = { readonly whole: number; readonly cut: number };

/** The lengths of the picture with room around it, and of what is cut out: no more than the frame shows. */
const lengthsOf = (most: number, frame: number): Lengths => {
  const needed = most + CUTS;
  const whole = Math.max(SHORTEST, needed < SHORT ? Math.ceil(ROOM * needed) : needed);
  return { whole, cut: Math.min(whole, Math.max(SHORTEST, Math.ceil((frame + CUTS + 4) / LEAST))) };
};

/** The same for a length that stays, and the size that the cut is reduced to. */
const steadyLengths = (most: number, frame: number, shown: number): Lengths & { readonly size: number } => {
  const least = Math.min(most + CUTS, Math.ceil((frame + CUTS + 4) / LEAST));
  const all = Array.from({ length: LENGTHS }, (_, more) => least + more).flatMap((cut) => {
    const { first, count } = sizesOf(cut, STEADY);
    return Array.from({ length: Math.max(1, count) }, (_, less) => {
      const ideal = (shown * cut) / (first - less);
      return { cut, size: first - less, error: Math.abs(ideal - Math.floor(ideal + 0.5)) };
    });
  });
  const near = all.find(({ error }) => error < CLOSE_SIZE / 4);
  const { cut, size } = near ?? all.reduce((best, one) => (one.error < best.error ? one : best));
  return { whole: Math.max(most + CUTS, cut), cut, size };
};

export const glideOf = ({ length, largest, only, frame, scale, begin }: GlidingAxis): Glide => {
  const most = Math.ceil((length * largest) / LEAST) + 1;
  const steady = only === null ? null : steadyLengths(most, frame, length * only);
  const { whole, cut } = steady ?? lengthsOf(most, frame);
  const padded = whole + CUTS;
  const { first, count } = sizesOf(cut, LEAST);

  // What is exact without the second step is left as it is.
  const exact = `lt(max(${off('ld(1)')},${off('ld(3)')}),${CLOSE_CUT})`;
  const searched =
    steady === null ? nearest(2, first, -1, count, `ld(1)*${cut}/ld(4)`, CLOSE_SIZE) : `st(2,${steady.size})`;
  const sizes = `st(1,${scale});st(3,${begin});st(1,${decimal(length)}*ld(1));if(${exact},st(2,${cut}),${searched})`;
  // Where the padded picture begins, and the first cut.
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
