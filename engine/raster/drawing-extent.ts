import type { TextLayer } from '../../domain/composition/layers.ts';
import { BLUR_REACH } from './blur.ts';
import { type Effects, regionWithEffects, scaleEffects } from './effects.ts';
import { expandRegion, type Region } from './geometry.ts';
import type { Drawing, TypesettingOptions } from './raster-job.ts';
import { centerOf, rotatedRegion } from './turn.ts';

const DEFAULT_ELLIPSIS = '…';

/** As CSS: only `max_lines` has an ellipsis by default. */
const ellipsisOf = ({ ellipsis, max_lines }: TextLayer): string =>
  ellipsis ?? (max_lines === undefined ? '' : DEFAULT_ELLIPSIS);

const newerOptionsOf = (layer: TextLayer) => {
  const { italic, underline, strike, letter_spacing, tabular_figures, font_features, max_lines } = layer;
  const { background, background_fit = 'box' } = layer;
  const features = [tabular_figures === true ? 'tnum=1' : '', font_features ?? ''].filter((one) => one !== '');
  const ellipsis = ellipsisOf(layer);
  return {
    ...(italic === true ? { italic } : {}),
    ...(underline === true ? { underline } : {}),
    ...(strike === true ? { strike } : {}),
    ...(letter_spacing === undefined || letter_spacing === 0 ? {} : { letter_spacing }),
    ...(features.length === 0 ? {} : { font_features: features.join(', ') }),
    ...(max_lines === undefined ? {} : { max_lines }),
    ...(ellipsis === '' ? {} : { ellipsis }),
    ...(background === null || background_fit === 'box' ? {} : { background_fit }),
  };
};

export const typesettingOptionsOf = (layer: TextLayer): TypesettingOptions => {
  const { text, font_family, font_size, font_weight, color, align, vertical_align, line_height, shrink_to_fit } = layer;
  const { background, background_opacity, background_radius, outline_color, outline_width, padding } = layer;
  const { language, hyphenate } = layer;
  const { shadow_color, shadow_opacity, shadow_x, shadow_y, shadow_blur } = layer;
  return {
    ...{ text, font_family, font_size, font_weight, color, align, vertical_align, line_height, shrink_to_fit, padding },
    language,
    hyphenate,
    background:
      background === null || background_opacity === 0
        ? null
        : { color: background, opacity: background_opacity, radius: background_radius },
    outline: outline_width === 0 ? null : { color: outline_color, width: outline_width },
    shadow:
      shadow_opacity === 0
        ? null
        : { color: shadow_color, opacity: shadow_opacity, x: shadow_x, y: shadow_y, blur: shadow_blur },
    ...newerOptionsOf(layer),
  };
};

const scaledSetting = (setting: TypesettingOptions, factor: number): TypesettingOptions => {
  const { background, outline, shadow, letter_spacing } = setting;
  return {
    ...setting,
    ...(letter_spacing === undefined ? {} : { letter_spacing: letter_spacing * factor }),
    font_size: setting.font_size * factor,
    padding: setting.padding * factor,
    background: background === null ? null : { ...background, radius: background.radius * factor },
    outline: outline === null ? null : { ...outline, width: outline.width * factor },
    shadow:
      shadow === null ? null : { ...shadow, x: shadow.x * factor, y: shadow.y * factor, blur: shadow.blur * factor },
  };
};

const effectsIn = (drawing: Drawing): Effects => (drawing.kind === 'fill' || drawing.kind === 'shadow' ? {} : drawing);

export const scaleDrawing = (drawing: Drawing, box: Region, factor: number): Drawing => {
  const scaled = { box, ...scaleEffects(effectsIn(drawing), factor) };
  switch (drawing.kind) {
    case 'rectangle':
      return { ...drawing, ...scaled, radius: drawing.radius * factor };
    case 'image':
      return { ...drawing, ...scaled, ...(drawing.radius === undefined ? {} : { radius: drawing.radius * factor }) };
    case 'text':
      return { ...drawing, ...scaled, setting: scaledSetting(drawing.setting, factor) };
    default:
      return { ...drawing, ...scaled };
  }
};

/** Descenders, slanted letters, outlines, shadows and the backgrounds of lines exceed the box of the lines. */
const textMargin = ({ font_size, outline, shadow, background_fit, padding }: TypesettingOptions): number =>
  Math.ceil(
    font_size +
      (background_fit === undefined ? 0 : padding) +
      (outline?.width ?? 0) +
      (shadow === null ? 0 : Math.max(Math.abs(shadow.x), Math.abs(shadow.y)) + BLUR_REACH * shadow.blur),
  );

export const inkRegion = (drawing: Drawing): Region => {
  const { kind, box, rotation } = drawing;
  const plain = kind === 'text' ? expandRegion(box, textMargin(drawing.setting)) : box;
  const flat =
    kind === 'shadow'
      ? regionWithEffects(box, { shadow: drawing.shadow }, true)
      : regionWithEffects(plain, effectsIn(drawing), kind === 'image');
  return rotatedRegion(flat, rotation, centerOf(box));
};
