import * as E from 'fp-ts/lib/Either.js';
import { boxOf } from '../../domain/composition/extents.ts';
import type { FinalComposition } from '../../domain/composition/final-composition.ts';
import { FONT_FAMILIES, isFontFamily } from '../../domain/composition/font-families.ts';
import { framesOf } from '../../domain/composition/frame-rate.ts';
import { NO_GLYPH, noGlyph, undrawable } from '../../domain/composition/glyphs.ts';
import type { Layer, MediaLayer, PlacedLayer, TextLayer } from '../../domain/composition/layers.ts';
import type { Transition } from '../../domain/composition/transitions.ts';
import type { ImageProperties, MediaProperties } from '../media/media-properties.ts';
import { soundOf } from '../media/source-sound.ts';
import { compositionFault, type EngineFault } from '../process/engine-fault.ts';
import { isTooLarge, TOO_LARGE } from '../raster/animation-size.ts';
import { area, frameRegion, intersection, wholePixels } from '../raster/geometry.ts';
import { addAnimation, addRaster, addStretches, addUnseen, type Draft, draftOn } from './draft.ts';
import { type DrawnLayer, denseEnough, drawingOf, fullDensityOf, MAX_INK_PIXELS, TOO_MUCH_INK } from './drawings.ts';
import { drawnBytes, drawnFault } from './drawn-bytes.ts';
import { hiddenAlways } from './hiding.ts';
import { outputFault } from './output-fault.ts';
import { peakLoadFault } from './peak-load.ts';
import type { Scene } from './scene.ts';
import { HEADROOM, hasPath, isMoving, shownOf } from './shown.ts';
import { type FadeOf, SAMPLE_RATE, soundStepOf } from './sound-step.ts';
import { type Composition, hasTransition, layerThatReplaces, sourceEnd, spanOf } from './timing.ts';
import { fullDensity, isStrip, videoStepOf } from './video-step.ts';

/** An unavailable font, by its layer. Its name may be a request's value, which no message repeats. */
export const fontFault = (composition: Composition, own: ReadonlySet<string> = new Set()): EngineFault | null => {
  const index = composition.layers.findIndex(
    (layer) => layer.type === 'text' && !isFontFamily(layer.font_family) && !own.has(layer.font_family),
  );
  return index === -1
    ? null
    : compositionFault(
        'font_not_available',
        `this font family is not available; there are ${[...FONT_FAMILIES, ...own].join(', ')}`,
        `layers[${index}].font_family`,
      );
};

type Numbered<L extends Layer> = { readonly layer: L; readonly field: string };
type MediaOf = (layer: Layer) => MediaProperties | undefined;

const addSound = (
  draft: Draft,
  layer: MediaLayer,
  properties: MediaProperties,
  composition: Composition,
  end_s: number,
) => {
  const source = soundOf(properties);
  if (source === null) return;
  const { until } = spanOf(layer, properties, composition);
  const { num, den } = composition.fps;
  const next = layer.type === 'video' ? layerThatReplaces(layer, composition) : undefined;
  // The audio of a replaced layer fades out while its successor's fades in.
  const own = (duration: number): FadeOf => ({ duration, curve: 'equal_gain' });
  const goingOver = ({ duration, sound }: Transition): FadeOf => ({ duration, curve: sound });
  const fade_out = next === undefined ? own(layer.fade_out) : goingOver(next.transition);
  const fade_in =
    hasTransition(layer) && layer.transition.duration >= layer.fade_in
      ? goingOver(layer.transition)
      : own(layer.fade_in);
  const ends_s = layer.duration === null && next === undefined ? end_s : Math.min(end_s, (until * den) / num);
  const step = soundStepOf(layer, {
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
  if (step !== null) draft.sound.push(step);
};

const addDrawn = (
  { layer, field }: Numbered<DrawnLayer>,
  draft: Draft,
  composition: Composition,
  mediaOf: MediaOf,
): EngineFault | null => {
  const box = wholePixels(boxOf(layer, composition));
  const properties = mediaOf(layer);
  const headroom = layer.type === 'image' && !isAnimated(properties) && hasPath(layer) ? HEADROOM : 1;
  const place = { field, span: spanOf(layer, properties, composition), box, drawn: true, headroom };
  const shownAt = (most_density: number) => shownOf(layer, { ...place, most_density }, composition, mediaOf);
  const full = layer.type === 'image' ? fullDensityOf(layer, properties, box) : Number.POSITIVE_INFINITY;
  const { shown, drawing, region: inked } = denseEnough(drawingOf(layer, field, box), full, shownAt);
  const region = isMoving(layer, composition) ? inked : intersection(inked, frameRegion(composition));
  if (region === null) addUnseen(draft, shown);
  if (region === null) return null;
  if (area(region) > MAX_INK_PIXELS) return compositionFault('layer_too_large', TOO_MUCH_INK, field);
  if (layer.type === 'image' && isAnimated(properties)) {
    if (isTooLarge(properties.frames, region))
      return compositionFault('unreadable_media', `the image "${layer.asset}" ${TOO_LARGE}`, `${field}.asset`);
    addAnimation(draft, layer, drawing, region, shown);
  } else if (headroom > 1) addStretches(draft, { drawing, region, shown }, drawingOf(layer, field, box), full);
  else addRaster(draft, drawing, region, shown);
  return null;
};

/** A character that neither the text's font nor the engine's have: it would be drawn as a box. */
const glyphFault = (
  { text, font_family }: TextLayer,
  field: string,
  { assets }: FinalComposition,
  media: ReadonlyMap<string, MediaProperties>,
): EngineFault | null => {
  const covers = assets.flatMap(({ id, kind, font_family: brings }) => {
    if (kind !== 'font' || brings !== font_family) return [];
    const properties = media.get(id);
    return [properties?.kind === 'font' ? properties.covers : null];
  });
  const code = undrawable(text, covers);
  if (code === null) return null;
  const at = `${field}.text`;
  return { tag: 'composition', code: 'no_glyph', message: NO_GLYPH, field: at, to_requester: noGlyph(code) };
};

const isAnimated = (properties: MediaProperties | undefined): properties is ImageProperties =>
  properties?.kind === 'image' && properties.frames > 1;

const neverSeen = ({ opacity, keyframes }: PlacedLayer): boolean =>
  keyframes.opacity.length === 0 ? opacity === 0 : keyframes.opacity.every(({ value }) => value === 0);

/** A hidden layer, which another value may show: it counts for the cuts, so that they stay. */
const addHidden = (
  { layer, field }: Numbered<PlacedLayer>,
  draft: Draft,
  composition: Composition,
  mediaOf: MediaOf,
): void => {
  const place = {
    field,
    span: spanOf(layer, mediaOf(layer), composition),
    box: wholePixels(boxOf(layer, composition)),
  };
  addUnseen(draft, shownOf(layer, { ...place, drawn: layer.type !== 'video', most_density: 1 }, composition, mediaOf));
};

/** Adds a visible layer; returns a fault or null. */
const addLayer = (
  { layer, field }: Numbered<Layer>,
  draft: Draft,
  composition: Composition,
  end_s: number,
  mediaOf: MediaOf,
): EngineFault | null => {
  const properties = mediaOf(layer);
  if ('asset' in layer && properties?.kind !== layer.type)
    return compositionFault('missing_media', `there is no ${layer.type} "${layer.asset}"`, `${field}.asset`);
  if (layer.type === 'audio') {
    if (properties !== undefined) addSound(draft, layer, properties, composition, end_s);
    return null;
  }
  const never = neverSeen(layer);
  if (never) addHidden({ layer, field }, draft, composition, mediaOf);
  if (layer.type !== 'video') return never ? null : addDrawn({ layer, field }, draft, composition, mediaOf);
  if (properties?.kind !== 'video') return null;
  if (isStrip(properties))
    return compositionFault('media_too_narrow', `the video "${layer.asset}" is a mere strip`, `${field}.asset`);
  addSound(draft, layer, properties, composition, end_s);
  if (never) return null;
  const box = wholePixels(boxOf(layer, composition));
  const span = spanOf(layer, properties, composition);
  const most_density = fullDensity(layer, properties, box);
  const shown = shownOf(layer, { field, span, box, drawn: false, most_density }, composition, mediaOf);
  const step = videoStepOf(layer, properties, shown, composition);
  if (step === null) addUnseen(draft, shown);
  else draft.videoTrack.push(step);
  return null;
};

const familiesOf = ({ assets }: FinalComposition): ReadonlySet<string> =>
  new Set(assets.flatMap(({ kind, font_family }) => (kind === 'font' && font_family !== null ? [font_family] : [])));

/**
 * Resolves a final composition into a scene. Pure: the same composition
 * and media have the same scene, which is independent of cuts. Faults are of the composition: a font, an asset
 * without properties, too many keyframes.
 */
export const composeScene = (
  final: FinalComposition,
  media: ReadonlyMap<string, MediaProperties>,
): E.Either<EngineFault, Scene> => {
  const { composition } = final;
  const font = fontFault(composition, familiesOf(final));
  if (font !== null) return E.left(font);
  const output = outputFault(final.variants);
  if (output !== null) return E.left(output);
  const { width, height, fps } = composition;
  const frames = framesOf(composition.duration, fps);
  const end_s = (frames * fps.den) / fps.num;
  const mediaOf: MediaOf = (layer) => ('asset' in layer ? media.get(layer.asset) : undefined);
  const draft = draftOn(composition, frames);
  for (const [index, layer] of composition.layers.entries()) {
    const { from, until } = spanOf(layer, mediaOf(layer), composition);
    const field = `layers[${index}]`;
    if (until <= from) continue;
    if (!layer.visible) {
      if (layer.type !== 'audio') addHidden({ layer, field }, draft, composition, mediaOf);
      continue;
    }
    const fault =
      addLayer({ layer, field }, draft, composition, end_s, mediaOf) ??
      (layer.type === 'text' && !neverSeen(layer) ? glyphFault(layer, field, final, media) : null);
    if (fault !== null) return E.left(fault);
  }
  const videoTrack = draft.videoTrack.slice(hiddenAlways(draft.videoTrack, frames));
  const tooMuch = peakLoadFault({ videoTrack });
  if (tooMuch !== null) return E.left(tooMuch);
  const used = new Set(videoTrack.flatMap((step) => (step.kind === 'raster' ? [step.raster] : [])));
  const moving = new Set(videoTrack.flatMap((step) => (step.kind === 'animation' ? [step.animation] : [])));
  const rasters = draft.rasters.filter(({ id }) => used.has(id));
  const animations = draft.animations.filter(({ id }) => moving.has(id));
  const drawn_bytes = drawnBytes({ rasters, animations }, media);
  const tooLarge = drawnFault({ rasters, animations }, drawn_bytes);
  if (tooLarge !== null) return E.left(tooLarge);
  return E.right({
    ...{ width, height, fps, frames, videoTrack, unseen: draft.unseen, rasters, animations, drawn_bytes },
    samples: Math.round(end_s * SAMPLE_RATE),
    sound: draft.sound,
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
