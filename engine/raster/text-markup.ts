import { facesOf } from '../../domain/composition/glyphs.ts';
import { withBreakOpportunities } from './break-opportunities.ts';
import { STRUT_FACE } from './engine-fonts.ts';
import { facesFor } from './face.ts';
import { EMOJI_FAMILY, type Face, type FaceRun, faceRuns, sinkOf } from './face-runs.ts';
import { withSoftHyphens } from './hyphenation.ts';
import { type DirectedText, withDirections } from './paragraph-direction.ts';
import type { TextSetting } from './raster-job.ts';

/** A text with what is known of it before its size is. */
export type PreparedText = {
  readonly setting: TextSetting;
  /** That of the setting, with where its words end and may be broken, and in which direction its paragraphs run. */
  readonly text: string;
  readonly directed: Pick<DirectedText, 'pango_align' | 'side' | 'mark'>;
  /** Its own family, and those that are asked for what it lacks. */
  readonly families: string;
  /** Its own face first; null if it is drawn in that alone. */
  readonly faces: readonly [Face, ...Face[]] | null;
  /** The runs of each paragraph; none if it is drawn in its own face. */
  readonly paragraphs: readonly (readonly FaceRun[])[];
};

/** What ends a line has the height of the text's own face: it is within no run. */
const LINE_ENDS = /[\n\u2028\u2029]/u;

/** @param font_files the files of the project's own families */
export const prepareText = async (
  setting: TextSetting,
  font_files: Readonly<Record<string, readonly string[]>>,
): Promise<PreparedText> => {
  const { language } = setting;
  const words = withBreakOpportunities(setting.text);
  const hyphenated_words = setting.hyphenate && language !== null ? withSoftHyphens(words, language) : words;
  const { text, ...directed } = withDirections(hyphenated_words, setting.align);
  const order = [...new Set([setting.font_family, ...facesOf(text, setting.font_family, language)])];
  const faces = await facesFor(text, order, font_files);
  const of = { setting, text, directed, families: order.join(',') };
  if (faces === null || faces.length === 1) return { ...of, faces: null, paragraphs: [] };
  return { ...of, faces, paragraphs: text.split(LINE_ENDS).map((paragraph) => faceRuns(paragraph, faces)) };
};

/**
 * What of a text is drawn at once. Pango centres each face's own height in the line, so a line that holds several is
 * higher, with its baseline lower. Runs of other faces are therefore moved (`rise`), so that their line boxes are that of
 * the text's own face; drawn apart, they are moved back to the baseline, `up` by whole pixels.
 */
export type TextLayer = { readonly faces: ReadonlySet<Face>; readonly up: number; readonly emoji: boolean };

/** The layers of a text at one size, from the lowest; one where nothing is to be moved against anything else. */
export const layersOf = ({ faces, paragraphs }: PreparedText, size: number): readonly [TextLayer, ...TextLayer[]] => {
  const inked = new Set(paragraphs.flat().flatMap(({ text, face }) => (text.trim() === '' ? [] : [face])));
  if (faces === null || inked.size === 0) return [{ faces: inked, up: 0, emoji: false }];
  const keyed = Map.groupBy(
    faces.filter((face) => inked.has(face)),
    (face) => `${Math.round(sinkOf(face, faces[0], size))} ${face.family === EMOJI_FAMILY}`,
  );
  const [first, ...others] = [...keyed].map(([key, of]) => ({
    faces: new Set(of),
    up: Number.parseInt(key, 10),
    emoji: key.endsWith('true'),
  }));
  if (first === undefined || others.every(({ up }) => up === first.up))
    return [{ faces: inked, up: first?.up ?? 0, emoji: false }];
  return [first, ...others];
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

const inFamily = (families: string, spaces: string): string =>
  `<span font_family="${escaped(families)},${STRUT_FACE.family}">${spaces}</span>`;

const EMOJI_AND_SPACE = /(\p{Extended_Pictographic})( +)/gu;

/**
 * Pango would hyphenate a word that it breaks for want of room; only what ends at a soft hyphen is to be. Pieces of a few
 * letters, which no line is too narrow for, are left to it: each span costs as much as a line of text.
 */
const UNBROKEN = /[^\s\u00ad]{9,}/gu;
const hyphenated = (markup: string, { setting }: PreparedText): string =>
  setting.hyphenate && setting.language !== null
    ? markup.replace(UNBROKEN, (piece) => `<span insert_hyphens="false">${piece}</span>`)
    : markup;

/** A space takes the face of the preceding character, and an emoji's space is as wide as an emoji: it gets its own span. */
const plainMarkup = (of: PreparedText): string =>
  hyphenated(escaped(of.text), of).replace(
    EMOJI_AND_SPACE,
    (_, picture: string, space: string) => `${picture}${inFamily(of.families, space)}`,
  );

/**
 * Pango aligns the runs of a line on the baseline of the script of its first letter. Where that is another one than that
 * of Latin letters, faces would be moved against each other by what their tables say of it. So a character without ink
 * and width, of a script with the baseline of Latin letters, stands before each ideograph that a line may begin with,
 * and before numbers and brackets with which it may begin if an ideograph follows.
 */
const ON_BASELINE = '<span size="1" line_height="1025">\u180e</span>';
/** It allows no break beside itself, as that one does. */
const ON_BASELINE_AFTER_BREAK = ON_BASELINE.replace('>', '>\u200b');
const IDEOGRAPHS = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}`;
const FIRST_IDEOGRAPH = new RegExp(`^[^\\p{L}]*[${IDEOGRAPHS}]`, 'u');
/** No line begins with these, which UAX 14 calls nonstarters. */
const SMALL_KANA = 'ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶㇰ-ㇿｧ-ｯー々〻ゝゞヽヾ';
/** Vowels and final consonants of Hangul that is written in letters: they belong to the syllable before. */
const HANGUL_PARTS = String.raw`\u1160-\u11ff\ud7b0-\ud7ff`;
const CLOSING = '、。，．！？：；）］」』】》〉';
/** Before an ideograph, after what a line may end with: a space, a letter, a number, closing punctuation. */
const BEFORE_IDEOGRAPH = `(?<=(\\s)|[\\p{L}\\p{N}${CLOSING}])(?=[[${IDEOGRAPHS}]--[${SMALL_KANA}${HANGUL_PARTS}]])`;
/** Before a number, a bracket or a sign of currency that an ideograph follows, after an ideograph or a space. */
const BEFORE_NUMBER = `(?<=(\\s)|[${IDEOGRAPHS}${CLOSING}])(?=[\\p{Nd}\\p{Ps}\\p{Pi}$£¥€₩][^\\s\\p{L}]{0,12}[${IDEOGRAPHS}])`;
const LINE_START = new RegExp(`${BEFORE_IDEOGRAPH}|${BEFORE_NUMBER}`, 'gv');
/** Characters of a text: a longer one has them at the beginnings of paragraphs alone, as each takes as long as a line. */
const LONGEST_WITH_ALL = 500;

/** The markup of a run, of which the characters before and after it are known. */
const onBaseline = (before: string, markup: string, after: string): string => {
  const end = before.length + markup.length;
  return `${before}${markup}${after}`
    .replace(LINE_START, (_, space: string | undefined, other_space: string | undefined, at: number) => {
      if (at >= end) return '';
      return (space ?? other_space) === undefined ? ON_BASELINE_AFTER_BREAK : ON_BASELINE;
    })
    .slice(before.length, after === '' ? undefined : -after.length);
};

/** Takes its room, but is not seen; only the colours of emoji are. */
const UNSEEN = ' alpha="1"';
const SEEN = ' alpha="65535"';

/** Where direction changes at the end of a run, Pango would take these from another face, at the run's height. */
const TRAILING = /(?<![\p{Z}\p{Cc}\p{Bidi_Control}\u200b\u2060])[\p{Z}\p{Cc}\p{Bidi_Control}\u200b\u2060]+$/u;

/** @param alpha unlike that of the text around it, or empty */
const runMarkup = (
  run: FaceRun,
  { before, after }: { readonly before: FaceRun | undefined; readonly after: FaceRun | undefined },
  of: PreparedText,
  size: number,
  alpha: string,
): string => {
  const sink = of.faces === null ? 0 : sinkOf(run.face, of.faces[0], size);
  const rise = sink === 0 ? '' : ` rise="${Math.round(-sink * 1024)}"`;
  const spaces = before?.face.family === EMOJI_FAMILY ? (/^ +/.exec(run.text)?.[0] ?? '') : '';
  const rest = run.text.slice(spaces.length);
  const trailing = sink === 0 ? '' : (TRAILING.exec(rest)?.[0] ?? '');
  const preceding = escaped(`${before?.text ?? ''}${spaces}`.slice(-1));
  const following = trailing === '' ? (/^[^\s&<>]/u.exec(after?.text ?? '')?.[0] ?? '') : '';
  const letters = hyphenated(escaped(rest.slice(0, rest.length - trailing.length)), of);
  const parts = [
    ...(spaces === '' ? [] : [inFamily(of.families, spaces)]),
    of.text.length > LONGEST_WITH_ALL ? letters : onBaseline(preceding, letters, following),
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

/** Struts: one line above and one below the text, of a height that keeps their letters clear of it. */
export const STRUT_LETTER = 'H';

/** The text between its two struts as Pango markup, of which only the layer is seen. */
export const markupOf = (
  of: PreparedText,
  layer: TextLayer,
  { size, line_px, strut_px }: { size: number; line_px: number; strut_px: number },
): string => {
  const { color, font_weight, language, hyphenate } = of.setting;
  const strut = (before: string, after: string) =>
    `<span font_family="${STRUT_FACE.family}" font_weight="400" line_height="${strut_px * 1024}"${UNSEEN}>${before}${of.directed.mark}${STRUT_LETTER}${after}</span>`;
  const ends = [...of.text].filter((character) => LINE_ENDS.test(character));
  const own_seen = of.faces === null || layer.faces.has(of.faces[0]);
  const alphaOf = (run: FaceRun): string => {
    const seen = layer.faces.has(run.face);
    return seen === own_seen ? '' : seen ? SEEN : UNSEEN;
  };
  const text =
    of.faces === null
      ? plainMarkup(of)
      : of.paragraphs
          .map((runs) => paragraphMarkup(runs, of, size, alphaOf))
          .reduce((text, paragraph, at) => `${text}${ends[at - 1]}${paragraph}`);
  const lang = language === null ? '' : ` lang="${language.toLowerCase()}"`;
  const hyphens = hyphenate && language !== null ? '' : ' insert_hyphens="false"';
  const body = `<span line_height="${line_px * 1024}" foreground="${color}"${own_seen ? '' : UNSEEN}${hyphens}${lang} font_family="${escaped(of.families)}" font_weight="${font_weight}">${text}</span>`;
  return `<span size="${Math.round(size * 1024)}">${strut('', '\n')}${body}${strut('\n', '')}</span>`;
};
