import type { TextLayer } from '../../domain/composition/layers.ts';
import { type Effects, regionWithEffects, scaleEffects } from './effects.ts';
import { expandRegion, type Region } from './geometry.ts';
import type { Drawing, TypesettingOptions } from './raster-job.ts';
import { centerOf, rotatedRegion } from './turn.ts';

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
  };
};

const scaledSetting = (setting: TypesettingOptions, factor: number): TypesettingOptions => {
  const { background, outline, shadow } = setting;
  return {
    ...setting,
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

/** A blurred edge is invisible beyond this many standard deviations. */
const BLUR_REACH = 3;

/** Descenders, slanted letters, outlines and shadows exceed the box of the lines. */
const textMargin = ({ font_size, outline, shadow }: TypesettingOptions): number =>
  Math.ceil(
    font_size +
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
