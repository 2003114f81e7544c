import { engineFamiliesFor } from '../../domain/composition/glyphs.ts';
import { withBreakOpportunities } from './break-opportunities.ts';
import { STRUT_FACE } from './engine-fonts.ts';
import { loadFacesFor } from './face.ts';
import { baselineShift, EMOJI_FAMILY, type FaceRun, type FontFace, faceRuns } from './face-runs.ts';
import { withSoftHyphens } from './hyphenation.ts';
import { type DirectedText, withDirections, withoutNeedlessMarks } from './paragraph-direction.ts';
import type { TypesettingOptions } from './raster-job.ts';

/** Everything that does not depend on the text's size. */
export type PreparedText = {
  readonly setting: TypesettingOptions;
  /** The setting's text, with marks for word ends, hyphenation and the direction of each paragraph. */
  readonly text: string;
  readonly directed: Pick<DirectedText, 'pango_align' | 'side' | 'mark'>;
  /** The text's own family, and the fallback families for characters that it lacks. */
  readonly families: string;
  /** The text's own face first; null if the text is drawn only in that face. */
  readonly faces: readonly [FontFace, ...FontFace[]] | null;
  /** The runs of each paragraph; empty if the text is drawn only in its own face. */
  readonly paragraphs: readonly (readonly FaceRun[])[];
};

/** Line ends belong to no run, so they have the height of the text's own face. */
const LINE_ENDS = /[\n\u2028\u2029]/u;

export const prepareText = async (
  setting: TypesettingOptions,
  font_files: Readonly<Record<string, readonly string[]>>,
): Promise<PreparedText> => {
  const { language } = setting;
  const words = withBreakOpportunities(setting.text);
  const hyphenated_words = setting.hyphenate && language !== null ? withSoftHyphens(words, language) : words;
  const { text: marked, ...directed } = withDirections(hyphenated_words, setting.align);
  const text = setting.letter_spacing === undefined ? marked : withoutNeedlessMarks(marked);
  const order = [...new Set([setting.font_family, ...engineFamiliesFor(text, setting.font_family, language)])];
  const faces = await loadFacesFor(text, order, font_files);
  const of = { setting, text, directed, families: order.join(',') };
  if (faces === null || faces.length === 1) return { ...of, faces: null, paragraphs: [] };
  return { ...of, faces, paragraphs: text.split(LINE_ENDS).map((paragraph) => faceRuns(paragraph, faces)) };
};

/**
 * The part of a text that is drawn in one image. Pango centres each face's height in the line, so a line with several
 * faces would be higher. Runs of other faces are therefore shifted (`rise`), drawn separately, and shifted back to the
 * baseline, `up` by whole pixels.
 */
export type GlyphLayer = { readonly faces: ReadonlySet<FontFace>; readonly up: number; readonly emoji: boolean };

/** The lowest layer comes first. A text whose faces have the same shift has one layer. */
export const glyphLayersOf = (
  { faces, paragraphs }: PreparedText,
  size: number,
): readonly [GlyphLayer, ...GlyphLayer[]] => {
  const inked_faces = new Set(paragraphs.flat().flatMap(({ text, face }) => (text.trim() === '' ? [] : [face])));
  if (faces === null || inked_faces.size === 0) return [{ faces: inked_faces, up: 0, emoji: false }];
  const groups = Map.groupBy(
    faces.filter((face) => inked_faces.has(face)),
    (face) => `${Math.round(baselineShift(face, faces[0], size))} ${face.family === EMOJI_FAMILY}`,
  );
  const [first, ...others] = [...groups].map(([key, of]) => ({
    faces: new Set(of),
    up: Number.parseInt(key, 10),
    emoji: key.endsWith('true'),
  }));
  if (first === undefined || others.every(({ up }) => up === first.up))
    return [{ faces: inked_faces, up: first?.up ?? 0, emoji: false }];
  return [first, ...others];
};

const escapeXml = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

const inFamily = (families: string, spaces: string): string =>
  `<span font_family="${escapeXml(families)},${STRUT_FACE.family}">${spaces}</span>`;

const EMOJI_AND_SPACE = /(\p{Extended_Pictographic})( +)/gu;

/**
 * Only soft hyphens may add a hyphen, but Pango adds one to any word that it breaks. Short pieces fit every line, and
 * get no span because each span costs as much time as a line.
 */
const UNBROKEN = /[^\s\u00ad]{9,}/gu;
const withoutHyphens = (markup: string, { setting }: PreparedText): string =>
  setting.hyphenate && setting.language !== null
    ? markup.replace(UNBROKEN, (piece) => `<span insert_hyphens="false">${piece}</span>`)
    : markup;

/**
 * A space takes the face of the preceding text. After emoji it would be as wide as an emoji, so it gets its own span in
 * the text's families.
 */
const plainMarkup = (of: PreparedText): string =>
  withoutHyphens(escapeXml(of.text), of).replace(
    EMOJI_AND_SPACE,
    (_, picture: string, space: string) => `${picture}${inFamily(of.families, space)}`,
  );

/**
 * Pango aligns a line on the baseline of the script of its first letter. Any other baseline than the Latin one would
 * shift faces against each other. A zero-width character of a script with the Latin baseline therefore precedes each
 * ideograph that may begin a line. It also precedes numbers and brackets that may begin a line before an ideograph.
 */
const ON_BASELINE = '<span size="1" line_height="1025">\u180e</span>';
/** `ON_BASELINE` allows no line break next to itself. This variant allows one. */
const ON_BASELINE_AFTER_BREAK = ON_BASELINE.replace('>', '>\u200b');
const IDEOGRAPHS = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}`;
const FIRST_IDEOGRAPH = new RegExp(`^[^\\p{L}]*[${IDEOGRAPHS}]`, 'u');
/** Nonstarters of UAX 14: a line never begins with these. */
const SMALL_KANA = 'ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶㇰ-ㇿｧ-ｯー々〻ゝゞヽヾ';
/** Vowels and final consonants of decomposed Hangul: they belong to the preceding syllable. */
const HANGUL_PARTS = String.raw`\u1160-\u11ff\ud7b0-\ud7ff`;
const CLOSING = '、。，．！？：；）］」』】》〉';
/** A position before an ideograph where a line may begin: after a space, a letter, a number or closing punctuation. */
const BEFORE_IDEOGRAPH = `(?<=(\\s)|[\\p{L}\\p{N}${CLOSING}])(?=[[${IDEOGRAPHS}]--[${SMALL_KANA}${HANGUL_PARTS}]])`;
/**
 * Where a line may begin with a number, a bracket or a currency sign. An ideograph, a space or closing punctuation comes
 * before it, and an ideograph follows within 12 characters.
 */
const BEFORE_NUMBER = `(?<=(\\s)|[${IDEOGRAPHS}${CLOSING}])(?=[\\p{Nd}\\p{Ps}\\p{Pi}$£¥€₩][^\\s\\p{L}]{0,12}[${IDEOGRAPHS}])`;
const LINE_START = new RegExp(`${BEFORE_IDEOGRAPH}|${BEFORE_NUMBER}`, 'gv');
/**
 * A longer text gets `ON_BASELINE` only at the start of paragraphs, because each one takes as long to lay out as a
 * line.
 */
const MAX_WITH_ALL = 500;

const onBaseline = (before: string, markup: string, after: string): string => {
  const end = before.length + markup.length;
  return `${before}${markup}${after}`
    .replace(LINE_START, (_, space: string | undefined, other_space: string | undefined, at: number) => {
      if (at >= end) return '';
      return (space ?? other_space) === undefined ? ON_BASELINE_AFTER_BREAK : ON_BASELINE;
    })
    .slice(before.length, after === '' ? undefined : -after.length);
};

/** Attribute for text that takes up space but is invisible. Only the colours of emoji stay visible. */
const INVISIBLE = ' alpha="1"';
const VISIBLE = ' alpha="65535"';

/** If the direction changes at a run's end, Pango would take these characters from another face, at another height. */
const TRAILING = /(?<![\p{Z}\p{Cc}\p{Bidi_Control}\u200b\u2060])[\p{Z}\p{Cc}\p{Bidi_Control}\u200b\u2060]+$/u;

/** @param alpha the attribute for the run's opacity; empty if the surrounding text has the same opacity */
const runMarkup = (
  run: FaceRun,
  { before, after }: { readonly before: FaceRun | undefined; readonly after: FaceRun | undefined },
  of: PreparedText,
  size: number,
  alpha: string,
): string => {
  const sink = of.faces === null ? 0 : baselineShift(run.face, of.faces[0], size);
  const rise = sink === 0 ? '' : ` rise="${Math.round(-sink * 1024)}"`;
  const spaces = before?.face.family === EMOJI_FAMILY ? (/^ +/.exec(run.text)?.[0] ?? '') : '';
  const rest = run.text.slice(spaces.length);
  const trailing = sink === 0 ? '' : (TRAILING.exec(rest)?.[0] ?? '');
  const preceding = escapeXml(`${before?.text ?? ''}${spaces}`.slice(-1));
  const following = trailing === '' ? (/^[^\s&<>]/u.exec(after?.text ?? '')?.[0] ?? '') : '';
  const letters = withoutHyphens(escapeXml(rest.slice(0, rest.length - trailing.length)), of);
  const parts = [
    ...(spaces === '' ? [] : [inFamily(of.families, spaces)]),
    of.text.length > MAX_WITH_ALL ? letters : onBaseline(preceding, letters, following),
    ...(trailing === '' ? [] : [inFamily(run.face.family, trailing)]),
  ];
  const attributes = `${rise}${alpha}`;
  return attributes === '' ? parts.join('') : `<span${attributes}>${parts.join('')}</span>`;
};

const paragraphMarkup = (
  runs: readonly FaceRun[],
  of: PreparedText,
  size: number,
  alphaOf: (run: FaceRun) => string,
): string => {
  const markup = runs
    .map((run, at) => runMarkup(run, { before: runs[at - 1], after: runs[at + 1] }, of, size, alphaOf(run)))
    .join('');
  return FIRST_IDEOGRAPH.test(runs.map(({ text }) => text).join('')) ? ON_BASELINE + markup : markup;
};

/**
 * Struts are lines with this letter above and below the text. They are so far away that their letters do not touch the
 * text.
 */
export const STRUT_LETTER = 'H';

/** As in CSS, letters of these scripts get no spacing, because it would break their joins. */
const JOINED = ['Arab', 'Syrc', 'Nkoo', 'Mong', 'Adlm', 'Mand', 'Rohg', 'Phag']
  .map((code) => `\\p{scx=${code}}`)
  .join('');
const JOINED_LETTERS = `[[${JOINED}]--[\\p{M}\\p{N}\\p{P}]][[${JOINED}\\p{M}\u200c\u200d]--[\\p{N}\\p{P}]]*`;
/** Invisible characters get no spacing either: it would add to that of the next letter. */
const NOT_SPACED = new RegExp(`[\u00ad\u200b\u200e\u200f\u2060\u2066-\u2069]|${JOINED_LETTERS}`, 'gv');

const withSpacing = (markup: string, spacing: number): string =>
  spacing === 0 ? markup : markup.replace(NOT_SPACED, (letters) => `<span letter_spacing="0">${letters}</span>`);

const spacingOf = ({ letter_spacing = 0, font_size }: TypesettingOptions, size: number): number =>
  Math.round((letter_spacing * size * 1024) / font_size);

const styleAttributes = ({ italic, underline, strike, font_features }: TypesettingOptions, spacing: number): string =>
  [
    italic === true ? ' font_style="italic"' : '',
    underline === true ? ' underline="single"' : '',
    strike === true ? ' strikethrough="true"' : '',
    spacing === 0 ? '' : ` letter_spacing="${spacing}"`,
    font_features === undefined ? '' : ` font_features="${escapeXml(font_features)}"`,
  ].join('');

export const markupOf = (
  of: PreparedText,
  layer: GlyphLayer,
  { size, line_px, strut_px }: { size: number; line_px: number; strut_px: number },
): string => {
  const { color, font_weight, language, hyphenate } = of.setting;
  // The spacing shrinks with the text.
  const spacing = spacingOf(of.setting, size);
  const strut = (before: string, after: string) =>
    `<span font_family="${STRUT_FACE.family}" font_weight="400" line_height="${strut_px * 1024}"${INVISIBLE}>${before}${of.directed.mark}${STRUT_LETTER}${after}</span>`;
  const ends = [...of.text].filter((character) => LINE_ENDS.test(character));
  const own_visible = of.faces === null || layer.faces.has(of.faces[0]);
  const alphaOf = (run: FaceRun): string => {
    const visible = layer.faces.has(run.face);
    return visible === own_visible ? '' : visible ? VISIBLE : INVISIBLE;
  };
  const text =
    of.faces === null
      ? plainMarkup(of)
      : of.paragraphs
          .map((runs) => paragraphMarkup(runs, of, size, alphaOf))
          .reduce((text, paragraph, at) => `${text}${ends[at - 1]}${paragraph}`);
  const lang = language === null ? '' : ` lang="${language.toLowerCase()}"`;
  const hyphens = hyphenate && language !== null ? '' : ' insert_hyphens="false"';
  const body = `<span line_height="${line_px * 1024}" foreground="${color}"${own_visible ? '' : INVISIBLE}${hyphens}${lang} font_family="${escapeXml(of.families)}" font_weight="${font_weight}"${styleAttributes(of.setting, spacing)}>${withSpacing(text, spacing)}</span>`;
  return `<span size="${Math.round(size * 1024)}">${strut('', '\n')}${body}${strut('\n', '')}</span>`;
};
