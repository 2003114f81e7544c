import sharp from 'sharp';
import { type Canvas, compositeOver, emptyCanvas, rgbOf } from './canvas.ts';
import { STRUT_FACE } from './engine-fonts.ts';
import { intersection, type Region } from './geometry.ts';
import type { TypesettingOptions } from './raster-job.ts';
import {
  type GlyphLayer,
  glyphLayersOf,
  markupOf,
  type PreparedText,
  prepareText,
  STRUT_LETTER,
} from './text-markup.ts';

type FontFiles = Parameters<typeof prepareText>[1];

export class TextTooLong extends Error {}

/** The height of a strut's line is this factor of the font size, so that its letter does not touch the text. */
const STRUT_LINE = 3;

/** The line height at which the letters of two lines do not touch, as a factor of the font size. */
const SPREAD_LINE = 2;

/** The layout is not yet cropped to its box. Rows are counted from the top of the first line's box. */
type TextLayout = {
  readonly width: number;
  readonly side: PreparedText['directed']['side'];
  readonly lines: number;
  readonly size: number;
  readonly line_px: number;
  /** Rows that may contain ink: the boxes of the lines, and what may overhang them. */
  readonly from: number;
  readonly until: number;
  readonly draw: (from: number, until: number) => Promise<Buffer>;
  /** The same lines, so far apart that their letters do not touch. */
  readonly spread: () => Promise<TextLayout>;
};

const rowsOf = (pixels: Buffer, width: number, from: number, until: number): Buffer => {
  const row_bytes = 4 * width;
  const rows = Buffer.alloc((until - from) * row_bytes);
  pixels.copy(rows, Math.max(0, -from) * row_bytes, Math.max(0, from) * row_bytes, Math.max(0, until) * row_bytes);
  return rows;
};

/**
 * Clears the emoji from the pixels of one pass over a text, because every pass draws them. A pixel that equals the
 * emoji's pixel belongs to one.
 */
const removeEmoji = (emoji: Buffer, pixels: Buffer): void => {
  for (let at = 0; at < pixels.length; at += 4)
    if (emoji[at + 3] !== 0 && emoji.readUInt32LE(at) === pixels.readUInt32LE(at)) pixels.writeUInt32LE(0, at);
};

/**
 * libvips returns the inked pixels but not their position, so a strut is set above and below the text. The image begins
 * at the top of the upper strut's capital and ends at the lower one's baseline.
 */
const layoutText = async (
  of: PreparedText,
  size: number,
  width: number,
  wrap: 'word' | 'word-char',
): Promise<TextLayout> => {
  const { setting } = of;
  const line_px = Math.max(1, Math.round(size * setting.line_height));
  const strut_px = Math.round(size * STRUT_LINE);
  const image = (layer: GlyphLayer) =>
    sharp({
      text: {
        text: markupOf(of, layer, { size, line_px, strut_px }),
        font: STRUT_FACE.family,
        width,
        align: of.directed.pango_align,
        wrap,
        justify: setting.align === 'justify',
        rgba: true,
        dpi: 72,
      },
    })
      .raw()
      .toBuffer({ resolveWithObject: true });
  const [first, ...others] = glyphLayersOf(of, size);
  const { data, info } = await image(first);
  const { ascent, descent, cap_height } = STRUT_FACE;
  const upper_baseline = cap_height * size;
  const below_baseline = strut_px - ((strut_px - (ascent + descent) * size) / 2 + ascent * size);
  const above_baseline = strut_px - below_baseline;
  const top = Math.round(upper_baseline + below_baseline);
  const lines = Math.max(1, Math.round((info.height - top - above_baseline) / line_px));
  const overhang = Math.floor(size);
  const draw = async (from: number, until: number): Promise<Buffer> => {
    if (others.length === 0) return rowsOf(data, info.width, top + from + first.up, top + until + first.up);
    const reach = Math.max(...[first, ...others].map(({ up }) => Math.abs(up)));
    /**
     * Keeps only the needed rows of a layer's image, because it may be much higher than the box. Only one whole image
     * is in memory at a time.
     */
    const bandOf = async (layer: GlyphLayer): Promise<Buffer> => {
      const pixels = layer === first ? data : (await image(layer)).data;
      return rowsOf(pixels, info.width, top + from - reach, top + until + reach);
    };
    const canvas = emptyCanvas({ x: 0, y: 0, width: info.width, height: until - from });
    const emoji = others.find((layer) => layer.emoji);
    const emoji_band = emoji === undefined ? null : await bandOf(emoji);
    for (const layer of [first, ...others]) {
      const band = layer === emoji && emoji_band !== null ? emoji_band : await bandOf(layer);
      if (emoji_band !== null && layer !== emoji) removeEmoji(emoji_band, band);
      const pixels = rowsOf(band, info.width, reach + layer.up, reach + layer.up + until - from);
      compositeOver(canvas, { region: canvas.region, pixels }, 1);
    }
    return canvas.pixels;
  };
  const from = Math.max(-top, -overhang);
  return {
    ...{ width: info.width, side: of.directed.side, lines, size, line_px, draw, from },
    until: Math.min(info.height - top, lines * line_px + overhang),
    spread: () => layoutText({ ...of, setting: { ...setting, line_height: SPREAD_LINE } }, size, width, wrap),
  };
};

/** The lines must be in `box`, the ink in `within`. */
type Room = { readonly box: Region; readonly within: Region };

/** The pixels begin at row `layout.from`. */
type DrawnLayout = { readonly layout: TextLayout; readonly pixels: Buffer };

/** Rows are counted as in the layout; null if all are transparent. */
const inkedRows = ({ layout, pixels }: DrawnLayout): { readonly first: number; readonly last: number } | null => {
  const height = pixels.length / (4 * layout.width);
  const hasInk = (row: number): boolean => {
    for (let at = row * layout.width * 4 + 3; at < (row + 1) * layout.width * 4; at += 4)
      if (pixels[at] !== 0) return true;
    return false;
  };
  let first = 0;
  while (first < height && !hasInk(first)) first += 1;
  if (first === height) return null;
  let last = height - 1;
  while (!hasInk(last)) last -= 1;
  return { first: layout.from + first, last: layout.from + last };
};

const drawIfFits = async (
  layout: TextLayout,
  { box, within }: Room,
  { max_lines = Number.POSITIVE_INFINITY }: TypesettingOptions,
): Promise<DrawnLayout | null> => {
  if (layout.lines > max_lines || layout.lines * layout.line_px > box.height || layout.width > within.width)
    return null;
  const drawn = { layout, pixels: await layout.draw(layout.from, layout.until) };
  const ink = inkedRows(drawn);
  return ink === null || ink.last - ink.first < within.height ? drawn : null;
};

/** Pixels by which ink may exceed the wrap width, which is measured in advances. */
const slack = ({ line_px }: TextLayout): number => Math.max(1, line_px / 12);

const MIN_SIZE = 4;

/** The largest size at which the whole text fits its box without breaking words; at least 4 pixels. */
const shrinkToFit = async (of: PreparedText, room: Room, font_files: FontFiles): Promise<DrawnLayout> => {
  const width = Math.min(room.box.width, room.within.width);
  const { font_size } = of.setting;
  const layoutAt = (size: number, wrap_px: number) =>
    layoutText(of, size, Math.max(1, wrap_px), 'word').catch(() => null);
  const attempt = async (size: number): Promise<DrawnLayout | null> => {
    const layout = await layoutAt(size, width);
    if (layout === null) return null;
    const excess = layout.width - room.within.width;
    if (excess <= 0) return await drawIfFits(layout, room, of.setting);
    if (excess > slack(layout)) return null;
    const narrower = await layoutAt(size, width - Math.ceil(slack(layout)));
    return narrower === null ? null : await drawIfFits(narrower, room, of.setting);
  };
  const whole = await attempt(font_size);
  if (whole !== null) return whole;
  let small = Math.min(MIN_SIZE, font_size);
  let large = font_size;
  let best: DrawnLayout | null = null;
  while (large - small > 0.5) {
    const size = (small + large) / 2;
    const found = await attempt(size);
    if (found !== null) {
      small = size;
      best = found;
    } else large = size;
  }
  if (best !== null) return best;
  const layout = await layoutText(of, small, width, 'word-char');
  return await shownPart(layout, of.setting, { ...room.box, width }, font_files);
};

const shownLines = (
  { lines, line_px }: TextLayout,
  { max_lines = lines }: TypesettingOptions,
  { height }: Region,
): number => Math.max(1, Math.min(lines, max_lines, Math.floor(height / line_px)));

/** A host's own language must never decide. */
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The longest beginning of the text that has these lines with the ellipsis; null if the ellipsis has more lines. */
const ellipsizedLayout = async (
  setting: TypesettingOptions,
  { size, width, lines }: { readonly size: number; readonly width: number; readonly lines: number },
  font_files: FontFiles,
): Promise<TextLayout | null> => {
  const ends = Array.from(graphemes.segment(setting.text), ({ index }) => index);
  let best: TextLayout | null = null;
  let [low, high] = [0, ends.length - 1];
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const text = `${setting.text.slice(0, ends[middle]).trimEnd()}${setting.ellipsis}`;
    const prepared = await prepareText({ ...setting, text }, font_files);
    const layout = await layoutText(prepared, size, width, 'word-char').catch(() => null);
    if (layout !== null && layout.lines <= lines) {
      best = layout;
      low = middle + 1;
    } else high = middle - 1;
  }
  return best;
};

/** Draws only lines that fit the box completely, but at least the first line. */
const shownPart = async (
  whole: TextLayout,
  setting: TypesettingOptions,
  box: Region,
  font_files: FontFiles,
): Promise<DrawnLayout> => {
  const lines = shownLines(whole, setting, box);
  const cut = lines < whole.lines && setting.ellipsis !== undefined;
  const of = { size: whole.size, width: box.width, lines };
  const layout = (cut ? await ellipsizedLayout(setting, of, font_files) : null) ?? whole;
  const until = lines >= layout.lines ? layout.until : lines * layout.line_px;
  return { layout, pixels: await layout.draw(layout.from, until) };
};

/**
 * Pango mixes colours at eight bits, so letters get slightly different colours. This restores the exact colour. Clearly
 * different colours belong to glyphs with their own colours, like emoji.
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

const firstHalf = (text: string): string => {
  const half = text.slice(0, Math.floor(text.length / 2));
  const space = half.search(/\s\S*$/);
  return (space > 0 ? half.slice(0, space) : half).toWellFormed();
};

/**
 * A long text may exceed the maximum image height, so only its beginning is set. Its last lines, which would break
 * differently in the whole text, are below the box.
 */
const layoutBeginning = async (of: PreparedText, box: Region, font_files: FontFiles): Promise<TextLayout> => {
  const { setting } = of;
  try {
    return await layoutText(of, setting.font_size, box.width, 'word-char');
  } catch (cause) {
    const text = firstHalf(setting.text);
    if (text === setting.text || text.trim() === '') throw cause;
    const layout = await layoutBeginning(await prepareText({ ...setting, text }, font_files), box, font_files);
    if (layout.lines * layout.line_px < box.height + 2 * layout.line_px) throw cause;
    return layout;
  }
};

const clamp = (min: number, place: number, max: number): number => Math.max(min, Math.min(place, max));

/** How far the ink must move to be within the region. */
const shiftInto = (ink: Region, within: Region): { readonly x: number; readonly y: number } => ({
  x: clamp(within.x, ink.x, within.x + within.width - ink.width) - ink.x,
  y: clamp(within.y, ink.y, within.y + within.height - ink.height) - ink.y,
});

const cropTo = (within: Region, { region, pixels }: Canvas): Canvas => {
  const visible = intersection(region, within);
  if (visible === null) return { region, pixels };
  const canvas = emptyCanvas(visible);
  compositeOver(canvas, { region, pixels }, 1);
  return canvas;
};

/** The first and the last inked column of some rows; null if all are transparent. */
const inkedColumns = (rows: Buffer, width: number): { readonly left: number; readonly right: number } | null => {
  let [left, right] = [width, -1];
  for (let at = 0; at < rows.length / 4; at += 1) {
    if (rows[at * 4 + 3] === 0) continue;
    left = Math.min(left, at % width);
    right = Math.max(right, at % width);
  }
  return right < 0 ? null : { left, right };
};

/** The boxes of the lines with ink, as wide as it, in pixels from the layout's upper left corner. */
const lineBoxes = async (layout: TextLayout, lines: number): Promise<readonly Region[]> => {
  const spread = await layout.spread();
  const pixels = await spread.draw(0, lines * spread.line_px);
  const bytes = 4 * spread.width * spread.line_px;
  return Array.from({ length: lines }, (_, line) => line).flatMap((line) => {
    const columns = inkedColumns(pixels.subarray(line * bytes, (line + 1) * bytes), spread.width);
    if (columns === null) return [];
    const { left, right } = columns;
    return [{ x: left, y: line * layout.line_px, width: right - left + 1, height: layout.line_px }];
  });
};

/** `lines` has the boxes of the lines, if the background surrounds them. */
export type TypesetText = { readonly letters: Canvas; readonly lines: readonly Region[] };

/**
 * Draws only lines that fit completely, but at least the first. Null for a text without ink. Throws TextTooLong.
 * @param within bounds for the letters of a text that is shrunk to fit
 */
export const typesetText = async (
  setting: TypesettingOptions,
  { box, within }: Room,
  font_files: FontFiles,
): Promise<TypesetText | null> => {
  if (setting.text.trim() === '') return null;
  const of = await prepareText(setting, font_files);
  const set = async (): Promise<DrawnLayout & { readonly boxes: readonly Region[] }> => {
    const drawn = setting.shrink_to_fit
      ? await shrinkToFit(of, { box, within }, font_files)
      : await shownPart(await layoutBeginning(of, box, font_files), setting, box, font_files);
    const lines = shownLines(drawn.layout, setting, box);
    return { ...drawn, boxes: setting.background_fit === undefined ? [] : await lineBoxes(drawn.layout, lines) };
  };
  const { layout, pixels, boxes } = await set().catch((cause: unknown) => {
    throw new TextTooLong('is too long for its box: use a smaller font size or a wider box', { cause });
  });
  const free_height = box.height - shownLines(layout, setting, box) * layout.line_px;
  const above = { top: 0, middle: Math.round(free_height / 2), bottom: free_height }[setting.vertical_align];
  const beside = { left: 0, center: Math.round((box.width - layout.width) / 2), right: box.width - layout.width };
  const place = { x: box.x + beside[layout.side], y: box.y + above };
  const ink = setting.shrink_to_fit ? inkedRows({ layout, pixels }) : null;
  const height = ink === null ? 0 : ink.last - ink.first + 1;
  const shift =
    ink === null
      ? { x: 0, y: 0 }
      : shiftInto({ x: place.x, y: place.y + ink.first, width: layout.width, height }, within);
  const [x, y] = [place.x + shift.x, place.y + shift.y];
  const letters = {
    region: { x, y: y + layout.from, width: layout.width, height: pixels.length / (4 * layout.width) },
    pixels: withExactColor(pixels, setting.color),
  };
  return {
    letters: ink === null ? letters : cropTo(within, letters),
    lines: boxes.map((line) => ({ ...line, x: x + line.x, y: y + line.y })),
  };
};

/** If fontconfig cannot read a fonts.conf, it silently uses the system's fonts, whose capitals have another height. */
export const usesEngineFonts = async (): Promise<boolean> => {
  const size = 1000;
  const { info } = await sharp({
    text: { text: STRUT_LETTER, font: `${STRUT_FACE.family} ${size}`, dpi: 72, rgba: true },
  })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return Math.abs(info.height - STRUT_FACE.cap_height * size) <= 2;
};
