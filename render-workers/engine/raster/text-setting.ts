import sharp from 'sharp';
import { facesOf } from '../../../domain/composition/glyphs.ts';
import { type Canvas, rgbOf } from './canvas.ts';
import { STRUT_FACE } from './engine-fonts.ts';
import type { Region } from './geometry.ts';
import type { TextSetting } from './raster-job.ts';

export class TextTooLong extends Error {}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

const EMOJI_AND_SPACE = /(\p{Extended_Pictographic})( +)/gu;

/** A space takes the face of the preceding character, and an emoji's space is as wide as an emoji: it gets its own span. */
const markupOf = (text: string, families: string): string =>
  escaped(text).replace(
    EMOJI_AND_SPACE,
    (_, picture: string, space: string) =>
      `${picture}<span font_family="${escaped(families)},${STRUT_FACE.family}">${space}</span>`,
  );

/** Struts: one line above and one below the text, of a height that keeps their letters clear of it. */
const STRUT_LINE = 3;
const STRUT_LETTER = 'H';
const RIGHT_TO_LEFT = /^[^\p{L}]*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const RIGHT_TO_LEFT_MARK = '\u200f';

/** Pango swaps left and right in a right-to-left paragraph; here they are sides of the box. */
const pangoAlign = (setting: TextSetting): 'left' | 'center' | 'right' => {
  if (setting.align === 'center' || !RIGHT_TO_LEFT.test(setting.text)) return setting.align;
  return setting.align === 'left' ? 'right' : 'left';
};

type TextLayout = {
  readonly pixels: Buffer;
  readonly width: number;
  readonly height: number;
  readonly lines: number;
  readonly size: number;
  readonly line_px: number;
  /** Row of the image at which the first line's box begins. */
  readonly top: number;
};

/**
 * Sets the text at one size. libvips returns the inked pixels but not their position, so a strut is set above and
 * below: the image then begins at the top of the upper strut's capital and ends at the lower one's baseline, which
 * gives each line's box.
 */
const layoutText = async (
  setting: TextSetting,
  size: number,
  width: number,
  wrap: 'word' | 'word-char',
): Promise<TextLayout> => {
  const line_px = Math.max(1, Math.round(size * setting.line_height));
  const strut_px = Math.round(size * STRUT_LINE);
  const direction = RIGHT_TO_LEFT.test(setting.text) ? RIGHT_TO_LEFT_MARK : '';
  const strut = (before: string, after: string) =>
    `<span font_family="${STRUT_FACE.family}" font_weight="400" line_height="${strut_px * 1024}">${before}${direction}${STRUT_LETTER}${after}</span>`;
  const families = [...new Set([setting.font_family, ...facesOf(setting.text, setting.font_family)])].join(',');
  const body = `<span line_height="${line_px * 1024}" foreground="${setting.color}" insert_hyphens="false" font_family="${escaped(families)}" font_weight="${setting.font_weight}">${markupOf(setting.text, families)}</span>`;
  const { data, info } = await sharp({
    text: {
      text: `<span size="${Math.round(size * 1024)}">${strut('', '\n')}${body}${strut('\n', '')}</span>`,
      font: STRUT_FACE.family,
      width,
      align: pangoAlign(setting),
      wrap,
      rgba: true,
      dpi: 72,
    },
  })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { ascent, descent, cap_height } = STRUT_FACE;
  const upper_baseline = cap_height * size;
  const below_baseline = strut_px - ((strut_px - (ascent + descent) * size) / 2 + ascent * size);
  const above_baseline = strut_px - below_baseline;
  const top = Math.round(upper_baseline + below_baseline);
  const lines = Math.max(1, Math.round((info.height - top - above_baseline) / line_px));
  return { pixels: data, width: info.width, height: info.height, lines, size, line_px, top };
};

/** Ink may exceed the width at which lines are broken. */
const fits = (layout: TextLayout, box: Region): boolean =>
  layout.lines * layout.line_px <= box.height && layout.width <= box.width + Math.max(1, layout.line_px / 12);

const SMALLEST_SIZE = 4;

/** The largest size at which the whole text fits its box, without breaking words; at least 4 pixels. */
const shrunk = async (setting: TextSetting, box: Region): Promise<TextLayout> => {
  const whole = await layoutText(setting, setting.font_size, box.width, 'word').catch(() => null);
  if (whole !== null && fits(whole, box)) return whole;
  let small = Math.min(SMALLEST_SIZE, setting.font_size);
  let large = setting.font_size;
  let best: TextLayout | null = null;
  while (large - small > 0.5) {
    const size = (small + large) / 2;
    const layout = await layoutText(setting, size, box.width, 'word').catch(() => null);
    if (layout !== null && fits(layout, box)) {
      small = size;
      best = layout;
    } else large = size;
  }
  return best ?? layoutText(setting, small, box.width, 'word-char');
};

/**
 * Pango mixes colours at eight bits, so edges of letters are slightly off the requested colour: they are set to exactly
 * that. Clearly different colours belong to glyphs with colours of their own, like emoji.
 */
const withExactColor = (pixels: Buffer, color: string): Buffer => {
  const [red, green, blue] = rgbOf(color);
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = pixels[at + 3] ?? 0;
    if (alpha === 0) continue;
    const off = Math.max(
      Math.abs((pixels[at] ?? 0) - red),
      Math.abs((pixels[at + 1] ?? 0) - green),
      Math.abs((pixels[at + 2] ?? 0) - blue),
    );
    if (off === 0 || off > 1 + 255 / alpha) continue;
    pixels[at] = red;
    pixels[at + 1] = green;
    pixels[at + 2] = blue;
  }
  return pixels;
};

/** The first half of a text, cut between words if possible. */
const firstHalf = (text: string): string => {
  const half = text.slice(0, Math.floor(text.length / 2));
  const space = half.search(/\s\S*$/);
  return (space > 0 ? half.slice(0, space) : half).toWellFormed();
};

/**
 * As much of the text from its start as fills the box: a long text may be higher than an image can be. Its last lines,
 * which would break differently in the whole text, are below the box.
 */
const layoutBeginning = async (setting: TextSetting, box: Region): Promise<TextLayout> => {
  try {
    return await layoutText(setting, setting.font_size, box.width, 'word-char');
  } catch (cause) {
    const text = firstHalf(setting.text);
    if (text === setting.text || text.trim() === '') throw cause;
    const layout = await layoutBeginning({ ...setting, text }, box);
    if (layout.lines * layout.line_px < box.height + 2 * layout.line_px) throw cause;
    return layout;
  }
};

/**
 * Sets a text into its box: wrapped at its width, aligned in both directions, with only the lines that fit the box
 * whole (the first always is). Null for a text without ink. Throws TextTooLong if no image can hold it.
 */
export const setText = async (setting: TextSetting, box: Region): Promise<Canvas | null> => {
  if (setting.text.trim() === '') return null;
  const layout = await (setting.shrink_to_fit ? shrunk(setting, box) : layoutBeginning(setting, box)).catch(
    (cause: unknown) => {
      throw new TextTooLong('is too long for its box: use a smaller font size or a wider box', { cause });
    },
  );
  const shown = Math.max(1, Math.min(layout.lines, Math.floor(box.height / layout.line_px)));
  const all = shown === layout.lines;
  const overhang = Math.floor(layout.size);
  const first = Math.max(0, layout.top - overhang);
  const last = Math.min(layout.height, layout.top + shown * layout.line_px + (all ? overhang : 0));
  const spare = box.height - shown * layout.line_px;
  const above = { top: 0, middle: Math.round(spare / 2), bottom: spare }[setting.vertical_align];
  const beside = { left: 0, center: Math.round((box.width - layout.width) / 2), right: box.width - layout.width };
  return {
    region: {
      x: box.x + beside[setting.align],
      y: box.y + above - (layout.top - first),
      width: layout.width,
      height: last - first,
    },
    pixels: withExactColor(layout.pixels.subarray(first * layout.width * 4, last * layout.width * 4), setting.color),
  };
};

/**
 * Whether the engine's font is used. If a fonts.conf is not read, fontconfig silently falls back to the system's fonts,
 * whose capitals have another height.
 */
export const ownFontsInForce = async (): Promise<boolean> => {
  const size = 1000;
  const { info } = await sharp({
    text: { text: STRUT_LETTER, font: `${STRUT_FACE.family} ${size}`, dpi: 72, rgba: true },
  })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return Math.abs(info.height - STRUT_FACE.cap_height * size) <= 2;
};
