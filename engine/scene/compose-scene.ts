import * as E from 'fp-ts/lib/Either.js';
import { layerBox } from '../../domain/composition/extents.ts';
import type { FinalComposition } from '../../domain/composition/final-composition.ts';
import { FONT_FAMILIES, isFontFamily } from '../../domain/composition/font-families.ts';
import { framesOf } from '../../domain/composition/frame-rate.ts';
import { firstUndrawableIn, MISSING_GLYPH, missingGlyphMessage } from '../../domain/composition/glyphs.ts';
import { fieldOf, withGroups } from '../../domain/composition/layer-groups.ts';
import type { Layer, MediaLayer, PlacedLayer, TextLayer, VideoLayer } from '../../domain/composition/layers.ts';
import type { Transition } from '../../domain/composition/transitions.ts';
import type { ImageProperties, MediaProperties } from '../media/media-properties.ts';
import { sourceSoundOf } from '../media/source-sound.ts';
import { compositionFault, type EngineFault } from '../process/engine-fault.ts';
import { ANIMATION_TOO_LARGE, isAnimationTooLarge } from '../raster/animation-size.ts';
import { inkRegion } from '../raster/drawing-extent.ts';
import { area, frameRegion, intersection, type Region, roundToPixels } from '../raster/geometry.ts';
import type { Drawing } from '../raster/raster-job.ts';
import {
  DRAWING_TOO_LARGE,
  type DrawnLayer,
  drawingAtMaxDensity,
  drawingOf,
  maxPixelsOf,
  nativeImageDensity,
} from './drawings.ts';
import { drawnSizeFault, maxDrawnBytes } from './drawn-bytes.ts';
import { shadowOf } from './effects.ts';
import { groupFadesOf } from './group-sound.ts';
import { lowestVisibleIndex } from './hiding.ts';
import { outputFault } from './output-fault.ts';
import { peakLoadFault } from './peak-load.ts';
import type { Scene, StepBase } from './scene.ts';
import {
  addAnimation,
  addGlidingPicture,
  addInvisibleLayer,
  addRaster,
  emptySceneBuilder,
  type SceneBuilder,
} from './scene-builder.ts';
import { audioClipOf, type FadeDuration, SAMPLE_RATE } from './sound-step.ts';
import { DENSITY_HEADROOM, hasMotionKeyframes, isMoving, stepBaseOf } from './step-base.ts';
import { type Composition, hasTransition, layerSpan, replacingLayer, sourceEnd } from './timing.ts';
import { nativeDensity, tooNarrowMember, videoBox, videoStepOf } from './video-step.ts';

/** The message does not repeat the font's name, which may come from the request's values. */
export const fontFault = (
  composition: Composition,
  project_families: ReadonlySet<string> = new Set(),
): EngineFault | null => {
  const index = composition.layers.findIndex(
    (layer) => layer.type === 'text' && !isFontFamily(layer.font_family) && !project_families.has(layer.font_family),
  );
  return index === -1
    ? null
    : compositionFault(
        'font_not_available',
        `this font family is not available. Available families: ${[...FONT_FAMILIES, ...project_families].join(', ')}`,
        `${fieldOf(composition.layers[index], index)}.font_family`,
      );
};

type Numbered<L extends Layer> = { readonly layer: L; readonly field: string };
type MediaOf = (layer: Layer) => MediaProperties | undefined;

const addSound = (
  builder: SceneBuilder,
  layer: MediaLayer,
  properties: MediaProperties,
  composition: Composition,
  end_s: number,
) => {
  const source = sourceSoundOf(properties);
  if (source === null) return;
  const { until } = layerSpan(layer, properties, composition);
  const { num, den } = composition.fps;
  const next = layer.type === 'video' ? replacingLayer(layer, composition) : undefined;
  // The audio of a replaced layer fades out while its successor's fades in.
  const ownFade = (duration: number): FadeDuration => ({ duration, curve: 'equal_gain' });
  const crossFade = ({ duration, sound }: Transition): FadeDuration => ({ duration, curve: sound });
  const fade_out = next === undefined ? ownFade(layer.fade_out) : crossFade(next.transition);
  const fade_in =
    hasTransition(layer) && layer.transition.duration >= layer.fade_in
      ? crossFade(layer.transition)
      : ownFade(layer.fade_in);
  const is_open = layer.duration === null && next === undefined && layer.groups === undefined;
  const ends_s = is_open ? end_s : Math.min(end_s, (until * den) / num);
  const step = audioClipOf(layer, {
    ...{
      fade_in,
      fade_out,
      start_s: layer.start,
      end_s: ends_s,
      source_s: sourceEnd(properties),
      fps: composition.fps,
    },
    source,
  });
  const group_fades = groupFadesOf(layer, composition);
  if (step !== null) builder.sound.push(group_fades.length === 0 ? step : { ...step, group_fades });
};

const addDrawnLayer = (
  { layer, field }: Numbered<DrawnLayer>,
  builder: SceneBuilder,
  composition: Composition,
  mediaOf: MediaOf,
): EngineFault | null => {
  const box = roundToPixels(layerBox(layer, composition));
  const properties = mediaOf(layer);
  const headroom =
    layer.type === 'image' && !isAnimated(properties) && hasMotionKeyframes(layer) ? DENSITY_HEADROOM : 1;
  const place = { field, span: layerSpan(layer, properties, composition), box, drawn: true, headroom };
  const shownAt = (max_density: number) => stepBaseOf(layer, { ...place, max_density }, composition, mediaOf);
  const full_density = layer.type === 'image' ? nativeImageDensity(layer, properties, box) : Number.POSITIVE_INFINITY;
  const {
    shown,
    drawing,
    region: ink_region,
  } = drawingAtMaxDensity(drawingOf(layer, field, box), full_density, shownAt);
  const region = isMoving(layer, composition) ? ink_region : intersection(ink_region, frameRegion(composition));
  if (region === null) addInvisibleLayer(builder, shown);
  if (region === null) return null;
  if (area(region) > maxPixelsOf(drawing)) return compositionFault('layer_too_large', DRAWING_TOO_LARGE, field);
  if (drawing.kind === 'image' && isAnimated(properties)) {
    if (isAnimationTooLarge(properties.frames, region))
      return compositionFault(
        'unreadable_media',
        `the image "${drawing.asset}" ${ANIMATION_TOO_LARGE}`,
        `${field}.asset`,
      );
    addAnimation(builder, drawing, region, shown);
  } else if (headroom > 1)
    addGlidingPicture(builder, { drawing, region, shown }, drawingOf(layer, field, box), full_density);
  else addRaster(builder, drawing, region, shown);
  return null;
};

/** Fault for a character that no available font has, because it would be drawn as a box. */
const glyphFault = (
  { text, font_family, ellipsis = '' }: TextLayer,
  field: string,
  { assets }: FinalComposition,
  media: ReadonlyMap<string, MediaProperties>,
): EngineFault | null => {
  const covers = assets.flatMap(({ id, kind, font_family: brings }) => {
    if (kind !== 'font' || brings !== font_family) return [];
    const properties = media.get(id);
    return [properties?.kind === 'font' ? properties.covers : null];
  });
  const in_text = firstUndrawableIn(text, covers);
  const code = in_text ?? firstUndrawableIn(ellipsis, covers);
  if (code === null) return null;
  const at = `${field}.${in_text === null ? 'ellipsis' : 'text'}`;
  return {
    tag: 'composition',
    code: 'no_glyph',
    message: MISSING_GLYPH,
    field: at,
    to_requester: missingGlyphMessage(code),
  };
};

const isAnimated = (properties: MediaProperties | undefined): properties is ImageProperties =>
  properties?.kind === 'image' && properties.frames > 1;

const isInvisible = ({ opacity, keyframes }: PlacedLayer): boolean =>
  keyframes.opacity.length === 0 ? opacity === 0 : keyframes.opacity.every(({ value }) => value === 0);

/**
 * A hidden layer still decides where the video is cut into parts. So the cuts stay the same if other values show the
 * layer.
 */
const addHidden = (
  { layer, field }: Numbered<PlacedLayer>,
  builder: SceneBuilder,
  composition: Composition,
  mediaOf: MediaOf,
): void => {
  const place = {
    field,
    span: layerSpan(layer, mediaOf(layer), composition),
    box: roundToPixels(layerBox(layer, composition)),
  };
  addInvisibleLayer(
    builder,
    stepBaseOf(layer, { ...place, drawn: layer.type !== 'video', max_density: 1 }, composition, mediaOf),
  );
};

const addLayer = (
  { layer, field }: Numbered<Layer>,
  builder: SceneBuilder,
  composition: Composition,
  end_s: number,
  mediaOf: MediaOf,
): EngineFault | null => {
  const properties = mediaOf(layer);
  if ('asset' in layer && properties?.kind !== layer.type)
    return compositionFault('missing_media', `there is no ${layer.type} asset "${layer.asset}"`, `${field}.asset`);
  if (layer.type === 'audio') {
    if (properties !== undefined) addSound(builder, layer, properties, composition, end_s);
    return null;
  }
  const is_invisible = isInvisible(layer);
  if (is_invisible) addHidden({ layer, field }, builder, composition, mediaOf);
  if (layer.type !== 'video')
    return is_invisible ? null : addDrawnLayer({ layer, field }, builder, composition, mediaOf);
  if (properties?.kind !== 'video') return null;
  const narrow_member = tooNarrowMember(layer, properties);
  if (narrow_member !== null)
    return compositionFault(
      'media_too_narrow',
      `the video "${layer.asset}" is too narrow: one side may be at most 16 times the other`,
      `${field}.${narrow_member}`,
    );
  addSound(builder, layer, properties, composition, end_s);
  if (is_invisible) return null;
  const box = roundToPixels(layerBox(layer, composition));
  const span = layerSpan(layer, properties, composition);
  const max_density = nativeDensity(layer, properties, box);
  const shown = stepBaseOf(layer, { field, span, box, drawn: false, max_density }, composition, mediaOf);
  const step = videoStepOf(layer, properties, shown, composition);
  if (step === null) addInvisibleLayer(builder, shown);
  const fault = addVideoShadow(builder, { layer, field }, shown, videoBox(layer, properties, shown), composition);
  if (fault !== null) return fault;
  if (step !== null) builder.videoTrack.push(step);
  return null;
};

/** The shadow is a picture of its own, which moves and fades with the video. */
const addVideoShadow = (
  builder: SceneBuilder,
  { layer, field }: Numbered<VideoLayer>,
  shown: StepBase,
  box: Region | null,
  composition: Composition,
): EngineFault | null => {
  const shadow = shadowOf(layer);
  if (shadow === null || box === null) return null;
  const factor = shown.dense.width / shown.box.width;
  const { x, y, blur } = shadow;
  const drawing: Drawing = {
    ...{ kind: 'shadow', field, box, opacity: 1, rotation: layer.rotation },
    radius: (layer.border_radius ?? 0) * factor,
    shadow: { ...shadow, x: x * factor, y: y * factor, blur: blur * factor },
  };
  const ink_region = inkRegion(drawing);
  const region = isMoving(layer, composition) ? ink_region : intersection(ink_region, frameRegion(composition));
  if (region === null) return null;
  if (area(region) > maxPixelsOf(drawing)) return compositionFault('layer_too_large', DRAWING_TOO_LARGE, field);
  const surround = { ...shown.surround, opaque: 0 };
  addRaster(builder, drawing, region, { ...shown, surround, hides: false, solid: false });
  return null;
};

const familiesOf = ({ assets }: FinalComposition): ReadonlySet<string> =>
  new Set(assets.flatMap(({ kind, font_family }) => (kind === 'font' && font_family !== null ? [font_family] : [])));

/** The same composition and media always give the same scene. Left: a fault of the composition. */
export const composeScene = (
  final: FinalComposition,
  media: ReadonlyMap<string, MediaProperties>,
): E.Either<EngineFault, Scene> => {
  const { layers } = final.composition;
  const composition = { ...final.composition, layers: withGroups(layers, final.composition.groups) };
  const font = fontFault(composition, familiesOf(final));
  if (font !== null) return E.left(font);
  const output = outputFault(final.variants);
  if (output !== null) return E.left(output);
  const { width, height, fps } = composition;
  const frames = framesOf(composition.duration, fps);
  const end_s = (frames * fps.den) / fps.num;
  const mediaOf: MediaOf = (layer) => ('asset' in layer ? media.get(layer.asset) : undefined);
  const builder = emptySceneBuilder(composition, frames);
  for (const [index, layer] of composition.layers.entries()) {
    const { from, until } = layerSpan(layer, mediaOf(layer), composition);
    const field = fieldOf(layer, index);
    if (until <= from) continue;
    if (!layer.visible) {
      if (layer.type !== 'audio') addHidden({ layer, field }, builder, composition, mediaOf);
      continue;
    }
    const fault =
      addLayer({ layer, field }, builder, composition, end_s, mediaOf) ??
      (layer.type === 'text' && !isInvisible(layer) ? glyphFault(layer, field, final, media) : null);
    if (fault !== null) return E.left(fault);
  }
  const videoTrack = builder.videoTrack.slice(lowestVisibleIndex(builder.videoTrack, frames));
  const load_fault = peakLoadFault({ videoTrack });
  if (load_fault !== null) return E.left(load_fault);
  const used_rasters = new Set(videoTrack.flatMap((step) => (step.kind === 'raster' ? [step.raster] : [])));
  const used_animations = new Set(videoTrack.flatMap((step) => (step.kind === 'animation' ? [step.animation] : [])));
  const rasters = builder.rasters.filter(({ id }) => used_rasters.has(id));
  const animations = builder.animations.filter(({ id }) => used_animations.has(id));
  const drawn_bytes = maxDrawnBytes({ rasters, animations }, media);
  const size_fault = drawnSizeFault({ rasters, animations }, drawn_bytes);
  if (size_fault !== null) return E.left(size_fault);
  return E.right({
    ...{ width, height, fps, frames, videoTrack, unseen: builder.unseen, rasters, animations, drawn_bytes },
    samples: Math.round(end_s * SAMPLE_RATE),
    sound: builder.sound,
    hashes: Object.fromEntries(final.assets.map(({ id, sha256 }) => [id, sha256])),
    fonts: final.assets
      .flatMap(({ kind, sha256, font_family }) => (kind === 'font' ? [`${sha256} ${font_family}`] : []))
      .sort(),
    with_text: new Set(
      final.assets.flatMap(({ id }) => {
        const properties = media.get(id);
        return properties?.kind === 'image' && properties.has_text ? [id] : [];
      }),
    ),
    outputs: final.variants,
    poster_frame: Math.min(final.poster_frame, frames - 1),
  });
};
