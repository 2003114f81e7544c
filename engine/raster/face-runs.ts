export type FontFace = {
  readonly family: string;
  readonly has: (code_point: number) => boolean;
  /** Above and below the baseline, as fractions of the font size. */
  readonly ascent: number;
  readonly descent: number;
};

export type FaceRun = { readonly text: string; readonly face: FontFace };

export const EMOJI_FAMILY = 'Noto Color Emoji';

/** Pango always draws these with the emoji family, even if other faces have them. */
const EMOJI = /\p{RGI_Emoji}|\p{Emoji}\uFE0F\u20E3?|\p{Emoji_Presentation}(?!\uFE0E)/v;
/** Pango draws these in the face of the preceding text; at the beginning of a paragraph, of the following text. */
const FACELESS = /^[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Variation_Selector}]$/u;
const OGHAM_SPACE = '\u1680';
const isFaceless = (character: string): boolean => character !== OGHAM_SPACE && FACELESS.test(character);

export const hasEmoji = (text: string): boolean => EMOJI.test(text);

const EMOJIS = new RegExp(EMOJI.source, 'gv');

/** Excludes emoji and characters that take the face of their neighbours. */
export const facedCharacters = (text: string): readonly number[] =>
  [...new Set(text.replaceAll(EMOJIS, ''))]
    .filter((character) => !isFaceless(character))
    .map((character) => character.codePointAt(0) ?? 0);

const EACH = new RegExp(`(${EMOJI.source})|.`, 'gsv');

/**
 * Splits as Pango does: the first face that has a character draws it, or the first of all if none has. A space beside
 * emoji gets the first face, because in the emoji face it would be as wide as an emoji.
 */
export const faceRuns = (
  paragraph: string,
  [own, ...others]: readonly [FontFace, ...FontFace[]],
): readonly FaceRun[] => {
  const faces = [own, ...others];
  const emoji_face = others.find(({ family }) => family === EMOJI_FAMILY) ?? own;
  const runs: { text: string; readonly face: FontFace }[] = [];
  let leading = '';
  for (const [text, found] of paragraph.matchAll(EACH)) {
    const last = runs.at(-1);
    const emoji = found !== undefined;
    const faceless = !emoji && isFaceless(text);
    if (faceless && last === undefined) leading += text;
    else if (faceless && last !== undefined && (last.face.family !== EMOJI_FAMILY || text !== ' ')) last.text += text;
    else {
      const character = text.codePointAt(0) ?? 0;
      const face = emoji ? emoji_face : faceless ? own : (faces.find((one) => one.has(character)) ?? own);
      if (last === undefined && leading !== '' && emoji) runs.push({ text: leading, face: own }, { text, face });
      else if (last?.face === face) last.text += text;
      else runs.push({ text: last === undefined ? leading + text : text, face });
    }
  }
  return runs.length === 0 && leading !== '' ? [{ text: leading, face: own }] : runs;
};

/** Pango rounds ascent and descent up to whole pixels. */
const middleAboveBaseline = ({ ascent, descent }: FontFace, size: number): number => {
  const whole = (length: number): number => Math.ceil(Math.round(length * size * 1024) / 1024);
  return (whole(ascent) - whole(descent)) / 2;
};

/** Pango centres a face's letters lower by this many pixels than the text's own face, in steps of a half. */
export const baselineShift = (face: FontFace, own: FontFace, size: number): number =>
  middleAboveBaseline(face, size) - middleAboveBaseline(own, size);
