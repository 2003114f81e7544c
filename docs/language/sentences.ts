const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });
/** Replaces each code span with one word. */
export const withoutCode = (text: string): string => text.replace(/`[^`]*`/g, 'code');

/** Paragraphs, and items of lists, of a comment. */
const blocksOf = (text: string): readonly string[] =>
  text
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s)|\n(?=@\w)/)
    .map((block) => block.replace(/\s+/g, ' ').trim())
    .filter((block) => block !== '');

/** The sentences of a text, without list markers. An abbreviation such as "e.g." does not end a sentence. */
export const sentencesOf = (text: string): readonly string[] =>
  blocksOf(withoutCode(text).replace(/\b(e\.g|i\.e|cf|vs|no)\./gi, '$1')).flatMap((block) =>
    [...SENTENCES.segment(block.replace(/^(?:[-*]|\d+\.)\s+/, ''))].map(({ segment }) => segment.trim()),
  );

export const countWords = (sentence: string): number =>
  sentence.split(/[\s—–]+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
