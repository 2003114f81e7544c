import type { TextSetting } from './raster-job.ts';

type Direction = 'ltr' | 'rtl';
type Side = 'left' | 'center' | 'right';

/** A text whose paragraphs say their direction to Pango. */
export type DirectedText = {
  readonly text: string;
  /** Pango's `left` is where a paragraph of its direction begins, its `right` where it ends. */
  readonly pango_align: Side;
  /** The side that lines lie on; the centre where they lie on both. */
  readonly side: Side;
  /** Before what is set with the text, so that it lies on the same side. */
  readonly mark: string;
};

const MARKS: Readonly<Record<Direction, string>> = { ltr: '\u200e', rtl: '\u200f' };
const [RIGHT_TO_LEFT_ISOLATE, POP_ISOLATE] = ['\u2067', '\u2069'];

/** What separates paragraphs of UAX 9; a line separator does not. */
const PARAGRAPH_ENDS = /([\n\u2029])/u;
/** Letters of the blocks that Unicode keeps for scripts from right to left, and the marks of that direction. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const FIRST_STRONG = /[\p{L}\u200e\u200f\u061c]/u;
const ISOLATED = /[\u2066-\u2068][^\u2069]*(?:\u2069|$)/gu;
const BIDIRECTIONAL = new RegExp(`${RIGHT_TO_LEFT.source}|\\p{Bidi_Control}`, 'u');

const firstStrong = (text: string): Direction | null => {
  const found = FIRST_STRONG.exec(text);
  return found === null ? null : RIGHT_TO_LEFT.test(found[0]) ? 'rtl' : 'ltr';
};

/** As UAX 9 does, what is isolated does not count, unless nothing else does. */
const ownDirection = (paragraph: string): Direction | null =>
  firstStrong(paragraph.replace(ISOLATED, '')) ?? firstStrong(paragraph);

/** Of each paragraph; of one without letters, that of the one before it, or else of the first that has letters. */
const directionsOf = (paragraphs: readonly string[]): readonly Direction[] => {
  const own = paragraphs.map(ownDirection);
  let last: Direction = own.find((direction) => direction !== null) ?? 'ltr';
  return own.map((direction) => {
    last = direction ?? last;
    return last;
  });
};

/** Without what ends an isolate that does not begin in it. */
const balanced = (paragraph: string): string => {
  let depth = 0;
  return paragraph.replace(/[\u2066-\u2069]/gu, (control) => {
    if (control !== POP_ISOLATE) depth += 1;
    else if (depth === 0) return '';
    else depth -= 1;
    return control;
  });
};

/** In a paragraph from left to right, so that Pango lays it on the side that is asked for. */
const isolated = (paragraph: string): string =>
  `${MARKS.ltr}${RIGHT_TO_LEFT_ISOLATE}${balanced(paragraph)}${POP_ISOLATE}`;

/** Spaces at the end of a paragraph would keep it from its side. A line separator is none: it makes a line. */
const TRAILING_SPACES = /(?<![^\S\u2028])[^\S\u2028]+$/u;

const OPPOSITE = { left: 'right', center: 'center', right: 'left' } as const;
const AT_LEFT_TO_RIGHT = { left: 'left', center: 'center', right: 'right', start: 'left', end: 'right' } as const;

/**
 * Pango aligns each paragraph by its direction. So `start` and `end` are what it does; for `left` and `right` in a text of
 * both directions, paragraphs from right to left are isolated in ones from left to right.
 */
export const withDirections = (text: string, align: TextSetting['align']): DirectedText => {
  const side = AT_LEFT_TO_RIGHT[align];
  if (!BIDIRECTIONAL.test(text)) return { text, pango_align: side, side, mark: '' };
  const [parts, logical] = [text.split(PARAGRAPH_ENDS), align === 'start' || align === 'end'];
  const directions = directionsOf(parts.filter((_, at) => at % 2 === 0));
  const [one] = directions;
  const is_mixed = directions.some((direction) => direction !== one);
  const isolates = is_mixed && !logical && align !== 'center';
  const directed = parts.map((part, at) => {
    const direction = directions[at / 2];
    if (direction === undefined) return part;
    const shown = part.replace(TRAILING_SPACES, '');
    if (shown === '') return '';
    return isolates && direction === 'rtl' ? isolated(shown) : `${MARKS[direction]}${shown}`;
  });
  const all = { text: directed.join('') };
  if (is_mixed) return { ...all, pango_align: side, side: logical ? 'center' : side, mark: MARKS.ltr };
  if (one !== 'rtl') return { ...all, pango_align: side, side, mark: MARKS.ltr };
  return logical
    ? { ...all, pango_align: side, side: OPPOSITE[side], mark: MARKS.rtl }
    : { ...all, pango_align: OPPOSITE[side], side, mark: MARKS.rtl };
};
