import sharp from 'sharp';
import { FONT_FAMILIES } from '../../../domain/composition/font-families.ts';
import { STRUT_FACE } from '../font-families.ts';
import type { Region } from '../geometry.ts';
import type { TextSetting } from './still.ts';

/** A text that is set: how much each pixel of `region` is covered, 0 to 255. Null where nothing is to be seen. */
export type TextMask = { readonly region: Region; readonly coverage: Buffer };

export class TextTooLong extends Error {}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

/** Struts: one line above and one below the text, of a height that keeps their letters clear of it. */
const STRUT_LINE = 3;
const STRUT_LETTER = 'H';
const RIGHT_TO_LEFT = /^[^\p{L}]*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const RIGHT_TO_LEFT_MARK = '\u200f';

/** Pango turns left and right around in a paragraph that runs from right to left; here they are sides of the box. */
const pangoAlign = (setting: TextSetting): 'left' | 'center' | 'right' => {
  if (setting.align === 'center' || !RIGHT_TO_LEFT.test(setting.text)) return setting.align;
  return setting.align === 'left' ? 'right' : 'left';
};

type Laid = {
  readonly pixels: Buffer;
  readonly width: number;
  readonly height: number;
  readonly lines: number;
  readonly line_px: number;
  /** Row of the image at which the first line's box begins. */
  readonly top: number;
};

/**
 * Sets the text at one size. libvips gives back what is inked and not where that lies, so a strut is set above and below:
 * the image then begins at the top of the upper strut's capital and ends at the lower one's baseline, which tells where
 * each line's box is.
 */
const layOut = async (setting: TextSetting, size: number, width: number, wrap: 'word' | 'word-char'): Promise<Laid> => {
  const line_px = Math.max(1, Math.round(size * setting.line_height));
  const strut_px = Math.round(size * STRUT_LINE);
  const direction = RIGHT_TO_LEFT.test(setting.text) ? RIGHT_TO_LEFT_MARK : '';
  const strut = (before: string, after: string) =>
    `<span font_family="${STRUT_FACE.family}" font_weight="400" line_height="${strut_px * 1024}">${before}${direction}${STRUT_LETTER}${after}</span>`;
  const families = [setting.font_family, ...FONT_FAMILIES.filter((family) => family !== setting.font_family)].join(',');
  const body = `<span line_height="${line_px * 1024}" font_family="${escaped(families)}" font_weight="${setting.font_weight}">${escaped(setting.text)}</span>`;
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
    .extractChannel(3)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { ascent, descent, cap_height } = STRUT_FACE;
  const upper_baseline = cap_height * size;
  const below_baseline = strut_px - ((strut_px - (ascent + descent) * size) / 2 + ascent * size);
  const above_baseline = strut_px - below_baseline;
  const top = Math.round(upper_baseline + below_baseline);
  const lines = Math.max(1, Math.round((info.height - top - above_baseline) / line_px));
  return { pixels: data, width: info.width, height: info.height, lines, line_px, top };
};

/** Ink may reach a little past the width at which lines are broken. */
const fits = (laid: Laid, box: Region): boolean =>
  laid.lines * laid.line_px <= box.height && laid.width <= box.width + Math.max(1, laid.line_px / 12);

const SMALLEST_SIZE = 4;

/** The largest size at which the whole text fits its box, without breaking words; at least 4 pixels. */
const shrunk = async (setting: TextSetting, box: Region): Promise<Laid> => {
  const whole = await layOut(setting, setting.font_size, box.width, 'word').catch(() => null);
  if (whole !== null && fits(whole, box)) return whole;
  let small = Math.min(SMALLEST_SIZE, setting.font_size);
  let large = setting.font_size;
  let best: Laid | null = null;
  while (large - small > 0.5) {
    const size = (small + large) / 2;
    const laid = await layOut(setting, size, box.width, 'word').catch(() => null);
    if (laid !== null && fits(laid, box)) {
      small = size;
      best = laid;
    } else large = size;
  }
  return best ?? layOut(setting, small, box.width, 'word-char');
};

/**
 * Sets a text into its box: wrapped at its width, aligned in both directions, and only lines that fit the box whole are
 * drawn (the first always is). Null for a text without ink. Throws TextTooLong where no picture can hold it.
 */
export const setText = async (setting: TextSetting, box: Region): Promise<TextMask | null> => {
  if (setting.text.trim() === '') return null;
  const laid = await (setting.shrink_to_fit
    ? shrunk(setting, box)
    : layOut(setting, setting.font_size, box.width, 'word-char')
  ).catch((cause: unknown) => {
    throw new TextTooLong('is too long for its box: use a smaller font size or a wider box', { cause });
  });
  const shown = Math.max(1, Math.min(laid.lines, Math.floor(box.height / laid.line_px)));
  const all = shown === laid.lines;
  const overhang = Math.round(laid.line_px / 2);
  const first = Math.max(0, laid.top - overhang);
  const last = Math.min(laid.height, laid.top + shown * laid.line_px + (all ? overhang : 0));
  const spare = box.height - shown * laid.line_px;
  const above = { top: 0, middle: Math.round(spare / 2), bottom: spare }[setting.vertical_align];
  const beside = { left: 0, center: Math.round((box.width - laid.width) / 2), right: box.width - laid.width };
  return {
    region: {
      x: box.x + beside[setting.align],
      y: box.y + above - (laid.top - first),
      width: laid.width,
      height: last - first,
    },
    coverage: laid.pixels.subarray(first * laid.width, last * laid.width),
  };
};

/**
 * Is the engine's own face in force? A fonts.conf that is not read makes fontconfig fall back to the system's fonts
 * without a word; their capitals have another height.
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
