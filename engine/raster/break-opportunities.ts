const ZERO_WIDTH_SPACE = '\u200b';
const WORD_JOINER = '\u2060';

/** Pango finds no line breaks in these scripts without spaces, so ICU's word lists (`Intl.Segmenter`) find them. */
const UNSPACED = String.raw`\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u');
/** Marks of repetition and abbreviation. A line never begins with them. */
const REPETITIONS = 'ๆฯໆຯៗ';
/** Burmese particles written with one sign, which Unicode classifies as punctuation. */
const ENDING_SIGNS = '၌၍၏';
const BEGINNING_SIGN = '၎';

/** Breaks next to digits, spaces and punctuation are left to Pango, which follows UAX 14. */
const ENDS_WORD = new RegExp(`[\\p{L}\\p{M}${ENDING_SIGNS}]$`, 'u');
const BEGINS_WORD = new RegExp(`^[[\\p{L}${BEGINNING_SIGN}]--[${REPETITIONS}]]`, 'v');
const ENDS_UNSPACED = new RegExp(`[${UNSPACED}]$`, 'u');
const BEGINS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');
const SPACED_REPETITION = new RegExp(` (?=[${REPETITIONS}])`, 'gu');

const isOpportunity = (before: string, after: string): boolean =>
  ENDS_WORD.test(before) && BEGINS_WORD.test(after) && (ENDS_UNSPACED.test(before) || BEGINS_UNSPACED.test(after));

const betweenWords = (text: string): string => {
  if (!HAS_UNSPACED.test(text)) return text;
  const joined = text.replace(SPACED_REPETITION, ` ${WORD_JOINER}`);
  const words = [...new Intl.Segmenter('en', { granularity: 'word' }).segment(joined)].map(({ segment }) => segment);
  return words
    .map((word, at) => (isOpportunity(words[at - 1] ?? '', word) ? `${ZERO_WIDTH_SPACE}${word}` : word))
    .join('');
};

/**
 * The middle dot between names, and the full-width tilde, which Windows types for the wave dash. UAX 14 lets a line
 * begin with them, because they occur in other scripts; Chinese and Japanese do not.
 */
const CONNECTORS = /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{N}ー々])(?=[·～])/gu;

/** Corrects Pango's line breaks with zero width spaces and word joiners. */
export const withBreakOpportunities = (text: string): string => betweenWords(text.replace(CONNECTORS, WORD_JOINER));
