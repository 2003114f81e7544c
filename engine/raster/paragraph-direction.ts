import type { TypesettingOptions } from './raster-job.ts';

type Direction = 'ltr' | 'rtl';
type Side = 'left' | 'center' | 'right';

/** A text whose paragraphs declare their direction to Pango. */
export type DirectedText = {
  readonly text: string;
  /** Pango's `left` means the start of a paragraph in its direction, its `right` the end. */
  readonly pango_align: Side;
  /** The side of the box on which lines lie; `center` if they lie on both. */
  readonly side: Side;
  /** Direction mark to put before text that is drawn together with this text, so that both lie on the same side. */
  readonly mark: string;
};

const MARKS: Readonly<Record<Direction, string>> = { ltr: '\u200e', rtl: '\u200f' };
const [RIGHT_TO_LEFT_ISOLATE, POP_ISOLATE] = ['\u2067', '\u2069'];

/** Paragraph separators of UAX 9; a line separator is not one. */
const PARAGRAPH_ENDS = /([\n\u2029])/u;
/** Letters of the blocks reserved for right-to-left scripts, and the marks of that direction. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const FIRST_STRONG = /[\p{L}\u200e\u200f\u061c]/u;
const ISOLATED = /[\u2066-\u2068][^\u2069]*(?:\u2069|$)/gu;
const BIDIRECTIONAL = new RegExp(`${RIGHT_TO_LEFT.source}|\\p{Bidi_Control}`, 'u');

const firstStrong = (text: string): Direction | null => {
  const found = FIRST_STRONG.exec(text);
  return found === null ? null : RIGHT_TO_LEFT.test(found[0]) ? 'rtl' : 'ltr';
};

/** As in UAX 9, isolated text does not count, unless all text is isolated. */
const ownDirection = (paragraph: string): Direction | null =>
  firstStrong(paragraph.replace(ISOLATED, '')) ?? firstStrong(paragraph);

/** A paragraph without letters takes the direction of the previous one, or else of the first one with letters. */
const directionsOf = (paragraphs: readonly string[]): readonly Direction[] => {
  const own = paragraphs.map(ownDirection);
  let last: Direction = own.find((direction) => direction !== null) ?? 'ltr';
  return own.map((direction) => {
    last = direction ?? last;
    return last;
  });
};

const withoutUnmatchedPops = (paragraph: string): string => {
  let depth = 0;
  return paragraph.replace(/[\u2066-\u2069]/gu, (control) => {
    if (control !== POP_ISOLATE) depth += 1;
    else if (depth === 0) return '';
    else depth -= 1;
    return control;
  });
};

/**
 * Makes a right-to-left paragraph an isolated part of a left-to-right one, so that Pango aligns it to the requested
 * side.
 */
const isolate = (paragraph: string): string =>
  `${MARKS.ltr}${RIGHT_TO_LEFT_ISOLATE}${withoutUnmatchedPops(paragraph)}${POP_ISOLATE}`;

/**
 * Spaces at the end of a paragraph, which would move it away from its side. Line separators do not match, because they
 * make a line.
 */
const TRAILING_SPACES = /(?<![^\S\u2028])[^\S\u2028]+$/u;

const OPPOSITE = { left: 'right', center: 'center', right: 'left' } as const;
/** The last line of a justified paragraph is at its start. */
const AT_LEFT_TO_RIGHT = {
  left: 'left',
  center: 'center',
  right: 'right',
  start: 'left',
  end: 'right',
  justify: 'left',
} as const;

/**
 * Pango aligns each paragraph by its direction, as `start` and `end` request. For `left` and `right` in a text of both
 * directions, right-to-left paragraphs are isolated within left-to-right ones.
 */
export const withDirections = (text: string, align: TypesettingOptions['align']): DirectedText => {
  const side = AT_LEFT_TO_RIGHT[align];
  if (!BIDIRECTIONAL.test(text)) return { text, pango_align: side, side, mark: '' };
  const [parts, logical] = [text.split(PARAGRAPH_ENDS), align === 'start' || align === 'end' || align === 'justify'];
  const directions = directionsOf(parts.filter((_, at) => at % 2 === 0));
  const [one] = directions;
  const is_mixed = directions.some((direction) => direction !== one);
  const isolates = is_mixed && !logical && align !== 'center';
  const marked = parts.map((part, at) => {
    const direction = directions[at / 2];
    if (direction === undefined) return part;
    const shown = part.replace(TRAILING_SPACES, '');
    if (shown === '') return '';
    return isolates && direction === 'rtl' ? isolate(shown) : `${MARKS[direction]}${shown}`;
  });
  const all = { text: marked.join('') };
  if (is_mixed) return { ...all, pango_align: side, side: logical ? 'center' : side, mark: MARKS.ltr };
  if (one !== 'rtl') return { ...all, pango_align: side, side, mark: MARKS.ltr };
  return logical
    ? { ...all, pango_align: side, side: OPPOSITE[side], mark: MARKS.rtl }
    : { ...all, pango_align: OPPOSITE[side], side, mark: MARKS.rtl };
};

const NEEDLESS_MARK = new RegExp(`(?<![^\n\u2028\u2029])${MARKS.ltr}(?!${RIGHT_TO_LEFT.source})(?=\\p{L})`, 'gu');

/** Pango puts half of the letter spacing between a mark and the first letter, which would indent the paragraph. */
export const withoutNeedlessMarks = (text: string): string => text.replace(NEEDLESS_MARK, '');
