import { familyOrder } from './family-order.ts';
import { FONT_COVERAGE } from './font-coverage.ts';
import { FONT_FAMILIES, type FontAsset, type FontFamily } from './font-families.ts';
import { holds, type Range, rangesOf } from './glyph-ranges.ts';

/*
 * Which characters can be drawn. The engine's fonts are read once, by `write-font-coverage.ts`; a project's own when they
 * are imported, and by the engine. The rules below are those of Pango, which draws a box with the code point in it where
 * no font has a character.
 */

/** What draws nothing, or ends a line, whatever the fonts have. */
const NEEDS_NO_GLYPH = /[\t\n\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Whether it is drawn as a box, though a font may have it: controls, signs that Pango takes for controls, noncharacters.
 * Numbers, as expressions for these take ten times as long.
 */
const isNeverDrawn = (code: number): boolean =>
  (code < 0x20 && code !== 0x09 && code !== 0x0a) ||
  (code >= 0x7f && code < 0xa0) ||
  code === 0x890 ||
  code === 0x891 ||
  (code >= 0xfdd0 && code <= 0xfdef) ||
  (code >= 0xfff9 && code <= 0xfffb) ||
  (code >= 0x1bca0 && code <= 0x1bca3) ||
  (code & 0xfffe) === 0xfffe;

/** A picture, a flag or a keycap. */
const MAYBE_EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Presentation}|\ufe0f|\u20e3/u;

const rangesByFamily = new Map<FontFamily, readonly Range[]>();

const rangesOfFamily = (family: FontFamily): readonly Range[] => {
  const before = rangesByFamily.get(family);
  if (before !== undefined) return before;
  const ranges = rangesOf(FONT_COVERAGE[family].ranges);
  rangesByFamily.set(family, ranges);
  return ranges;
};

/** A bit for each code point: what the API asks for every character of every value. */
let in_any: Uint8Array | null = null;

const addRange = (bits: Uint8Array, [first, last]: Range): void => {
  for (let code = first; code <= last; code += 1) {
    // Whole bytes at once: a hostile font may claim to have every character.
    if ((code & 7) === 0 && last - code >= 7) {
      const end = (last + 1) >> 3;
      bits.fill(0xff, code >> 3, end);
      code = end * 8 - 1;
    } else bits[code >> 3] = (bits[code >> 3] ?? 0) | (1 << (code & 7));
  }
};

const bitsOf = (files: readonly (readonly Range[])[]): Uint8Array => {
  const bits = new Uint8Array(0x110000 / 8);
  for (const ranges of files) for (const range of ranges) addRange(bits, range);
  return bits;
};

const isIn = (bits: Uint8Array, code: number): boolean => ((bits[code >> 3] ?? 0) & (1 << (code & 7))) !== 0;

const isInEngine = (code: number): boolean => {
  in_any ??= bitsOf(FONT_FAMILIES.map(rangesOfFamily));
  return isIn(in_any, code);
};

/** Of a character that is but another code of one, as of a compatibility ideograph: fonts draw that one. */
const sameAs = (code: number): number => {
  const decomposed = String.fromCodePoint(code).normalize('NFD');
  const same = decomposed.codePointAt(0) ?? code;
  return String.fromCodePoint(same) === decomposed ? same : code;
};

/** Whether one of the engine's families draws it, or it is not to be seen. */
export const engineDraws = (code: number): boolean =>
  !isNeverDrawn(code) &&
  (isInEngine(code) || NEEDS_NO_GLYPH.test(String.fromCodePoint(code)) || isInEngine(sameAs(code)));

/** Whether a project's own font adds something by having this character. */
export const isAdded = (code: number): boolean => !engineDraws(code) && !isNeverDrawn(code);

/** What a text's own font has beyond the engine's families; null where that is not known. */
export type OwnGlyphs = { readonly has: (code: number) => boolean } | null;

/**
 * @param covers each of the font's files as `rangesText` has it, none of a text in one of the engine's families; null
 * where that is not known
 */
const ownGlyphs = (covers: readonly (string | null)[]): OwnGlyphs => {
  const known = covers.flatMap((file) => (file === null ? [] : [file]));
  if (known.length < covers.length) return null;
  // Read when the first character is asked for, which is seldom; of many files as one set.
  let has: ((code: number) => boolean) | null = null;
  const read = (): ((code: number) => boolean) => {
    const files = known.map(rangesOf);
    if (files.length < 2) return (code) => files.some((file) => holds(file, code));
    const bits = bitsOf(files);
    return (code) => isIn(bits, code);
  };
  return {
    has: (code) => {
      has ??= read();
      return has(code);
    },
  };
};

/** The first character of a text that no face may draw; null if all are drawn, or where that is not known. */
export const undrawableBy = (text: string, own: OwnGlyphs): number | null => {
  if (own === null) return null;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (!engineDraws(code) && (isNeverDrawn(code) || !own.has(code))) return code;
  }
  return null;
};

/** The same for a single text. @param covers as of `ownGlyphs` */
export const undrawable = (text: string, covers: readonly (string | null)[]): number | null =>
  undrawableBy(text, ownGlyphs(covers));

const coversOf = (family: string, assets: readonly FontAsset[]): readonly (string | null)[] =>
  assets.flatMap(({ kind, font_family, font_covers = null }) =>
    kind === 'font' && font_family === family ? [font_covers] : [],
  );

/**
 * For `undrawableBy`: what a family among a project's assets has. Each is read once, as there may be many texts; not kept
 * any longer, as there may be many projects.
 */
export const glyphsByFamily = (assets: readonly FontAsset[]): ((family: string) => OwnGlyphs) => {
  const read = new Map<string, OwnGlyphs>();
  return (family) => {
    const before = read.get(family);
    if (before !== undefined) return before;
    const glyphs = ownGlyphs(coversOf(family, assets));
    read.set(family, glyphs);
    return glyphs;
  };
};

/** What a fault says to everybody: a recorded one never tells what a value holds. */
export const NO_GLYPH = 'has a character that no font has';

/** What it says to whoever gave the text. */
export const noGlyph = (code: number): string => `${NO_GLYPH}: U+${code.toString(16).toUpperCase().padStart(4, '0')}`;

/** Where the lines of every text are measured. */
const MEASURING: FontFamily = 'Noto Sans';

/**
 * The engine's families that may draw a text, in the order in which they are asked: the one that it names, and of each of
 * its characters the first that has it. No other is looked at, so a text looks the same whatever other fonts there are.
 *
 * @param named perhaps a font of the project's own, which is asked before all of these
 */
export const facesOf = (text: string, named: string, language: string | null): readonly FontFamily[] => {
  const order = familyOrder(named, language);
  const used = new Set<FontFamily>([MEASURING, ...order.filter((family) => family === named)]);
  if (MAYBE_EMOJI.test(text)) used.add('Noto Color Emoji');
  // Most are in the first ones, so that the others are never read.
  const firstWith = (code: number) => order.find((family) => holds(rangesOfFamily(family), code));
  for (const char of new Set(text)) {
    const code = char.codePointAt(0) ?? 0;
    const face = firstWith(code) ?? firstWith(sameAs(code));
    if (face !== undefined) used.add(face);
  }
  return order.filter((family) => used.has(family));
};

/** The SHA-256 of a family's files. */
export const fontHash = (family: FontFamily): string => FONT_COVERAGE[family].sha256;
