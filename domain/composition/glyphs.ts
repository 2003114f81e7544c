import { fontFallbackOrder } from './family-order.ts';
import { FONT_COVERAGE } from './font-coverage.ts';
import { FONT_FAMILIES, type FontAsset, type FontFamily } from './font-families.ts';
import { type CodePointRange, codePointRangesOf, containsCodePoint } from './glyph-ranges.ts';

/*
 * The rules of this file are those of Pango. If no font has a character, Pango draws a box with its code point.
 * `write-font-coverage.ts` reads the characters of the engine's fonts once. The import and the engine read the fonts of
 * a project.
 */

/** Characters that draw nothing or end a line in every font. */
const NEEDS_NO_GLYPH = /[\t\n\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/**
 * True if Pango draws a box even if a font has the character: controls, characters that Pango treats as controls, and
 * noncharacters. Comparing numbers is ten times as fast as a regular expression.
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

const MAYBE_EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Presentation}|\ufe0f|\u20e3/u;

const rangesByFamily = new Map<FontFamily, readonly CodePointRange[]>();

const rangesOfFamily = (family: FontFamily): readonly CodePointRange[] => {
  const before = rangesByFamily.get(family);
  if (before !== undefined) return before;
  const ranges = codePointRangesOf(FONT_COVERAGE[family].ranges);
  rangesByFamily.set(family, ranges);
  return ranges;
};

/** One bit per code point, because the API checks every character of every value. */
let in_any: Uint8Array | null = null;

const addRange = (bits: Uint8Array, [first, last]: CodePointRange): void => {
  for (let code = first; code <= last; code += 1) {
    // Whole bytes at once: a hostile font may claim to have every character.
    if ((code & 7) === 0 && last - code >= 7) {
      const end = (last + 1) >> 3;
      bits.fill(0xff, code >> 3, end);
      code = end * 8 - 1;
    } else bits[code >> 3] = (bits[code >> 3] ?? 0) | (1 << (code & 7));
  }
};

const bitsOf = (files: readonly (readonly CodePointRange[])[]): Uint8Array => {
  const bits = new Uint8Array(0x110000 / 8);
  for (const ranges of files) for (const range of ranges) addRange(bits, range);
  return bits;
};

const isIn = (bits: Uint8Array, code: number): boolean => ((bits[code >> 3] ?? 0) & (1 << (code & 7))) !== 0;

const isInEngine = (code: number): boolean => {
  in_any ??= bitsOf(FONT_FAMILIES.map(rangesOfFamily));
  return isIn(in_any, code);
};

/**
 * The code point to which a character is canonically equivalent, such as that of a compatibility ideograph. Fonts draw
 * this code point.
 */
const sameAs = (code: number): number => {
  const decomposed = String.fromCodePoint(code).normalize('NFD');
  const same = decomposed.codePointAt(0) ?? code;
  return String.fromCodePoint(same) === decomposed ? same : code;
};

/** True if a family of the engine draws the character, or if it is invisible. */
export const isDrawnByEngine = (code: number): boolean =>
  !isNeverDrawn(code) &&
  (isInEngine(code) || NEEDS_NO_GLYPH.test(String.fromCodePoint(code)) || isInEngine(sameAs(code)));

export const isAddedByProjectFont = (code: number): boolean => !isDrawnByEngine(code) && !isNeverDrawn(code);

/** The characters that a project's font adds to the engine's families; null if unknown. */
export type ProjectGlyphs = { readonly has: (code: number) => boolean } | null;

/**
 * @param covers the `rangesText` of each of the font's files, null for an unknown file; empty for a family of the
 * engine
 */
const ownGlyphs = (covers: readonly (string | null)[]): ProjectGlyphs => {
  const known = covers.flatMap((file) => (file === null ? [] : [file]));
  if (known.length < covers.length) return null;
  // The ranges are parsed only when a character needs them, which is rare. Several files become one bit set.
  let has: ((code: number) => boolean) | null = null;
  const read = (): ((code: number) => boolean) => {
    const files = known.map(codePointRangesOf);
    if (files.length < 2) return (code) => files.some((file) => containsCodePoint(file, code));
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

/**
 * The first character of a text that no font can draw. Null if the fonts can draw all characters, or if the characters
 * of the project's font are unknown.
 */
export const firstUndrawableCharacter = (text: string, own: ProjectGlyphs): number | null => {
  if (own === null) return null;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (!isDrawnByEngine(code) && (isNeverDrawn(code) || !own.has(code))) return code;
  }
  return null;
};

export const firstUndrawableIn = (text: string, covers: readonly (string | null)[]): number | null =>
  firstUndrawableCharacter(text, ownGlyphs(covers));

const coversOf = (family: string, assets: readonly FontAsset[]): readonly (string | null)[] =>
  assets.flatMap(({ kind, font_family, font_covers = null }) =>
    kind === 'font' && font_family === family ? [font_covers] : [],
  );

/**
 * Returns a function that parses each family only once, because there may be many texts. Its cache ends with the
 * function, because there may be many projects.
 */
export const glyphsByFamily = (assets: readonly FontAsset[]): ((family: string) => ProjectGlyphs) => {
  const read = new Map<string, ProjectGlyphs>();
  return (family) => {
    const before = read.get(family);
    if (before !== undefined) return before;
    const glyphs = ownGlyphs(coversOf(family, assets));
    read.set(family, glyphs);
    return glyphs;
  };
};

/** The message in records. It never quotes a value. */
export const MISSING_GLYPH = 'has a character that no font has';

export const missingGlyphMessage = (code: number): string =>
  `${MISSING_GLYPH}: U+${code.toString(16).toUpperCase().padStart(4, '0')}`;

/** Every text needs this family, because Pango measures the lines of every text by it. */
const MEASURING: FontFamily = 'Noto Sans';

/**
 * The named family and, for each character, the first family that has it, in order of preference. A text thus looks the
 * same if the engine gets more fonts.
 *
 * @param named the family in the text layer; if it is a font of the project, that font comes before all of these
 */
export const engineFamiliesFor = (text: string, named: string, language: string | null): readonly FontFamily[] => {
  const order = fontFallbackOrder(named, language);
  const used = new Set<FontFamily>([MEASURING, ...order.filter((family) => family === named)]);
  if (MAYBE_EMOJI.test(text)) used.add('Noto Color Emoji');
  const firstWith = (code: number) => order.find((family) => containsCodePoint(rangesOfFamily(family), code));
  for (const char of new Set(text)) {
    const code = char.codePointAt(0) ?? 0;
    const face = firstWith(code) ?? firstWith(sameAs(code));
    if (face !== undefined) used.add(face);
  }
  return order.filter((family) => used.has(family));
};

export const fontHash = (family: FontFamily): string => FONT_COVERAGE[family].sha256;
