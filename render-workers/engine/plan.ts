import * as E from 'fp-ts/lib/Either.js';
import { boxOf, framesShown } from '../../domain/composition/extents.ts';
import type { FinalComposition } from '../../domain/composition/final-composition.ts';
import { FONT_FAMILIES, isFontFamily } from '../../domain/composition/font-families.ts';
import { framesOf } from '../../domain/composition/frame-rate.ts';
import type { Layer, MediaLayer, PlacedLayer, VideoLayer } from '../../domain/composition/layers.ts';
import { LIMITS } from '../../domain/composition/limits.ts';
import { compositionFault, type EngineFault } from './engine-fault.ts';
import { area, fitted, frameRegion, intersection, type Region, union, wholePixels } from './geometry.ts';
import type { MediaFacts, VideoFacts } from './media-facts.ts';
import {
  type RenderPlan,
  SAMPLE_RATE,
  type Shown,
  type SoundStep,
  type Source,
  type StillStep,
  type VideoStep,
} from './render-plan.ts';
import type { Drawing, Still } from './stills/still.ts';

/** Seeking goes to before this much ahead of what is needed: decoding is exact from a little later on. */
const SEEK_AHEAD_S = 1;
/** Two stills become one picture if that has at most this many times their pixels: each overlay costs by its area. */
const FLATTEN_WASTE = 1.5;

/** A narrower source would have to be scaled to an enormous picture before it is cut to its box. */
const MAX_ASPECT = 16;

type Composition = FinalComposition['composition'];
type Numbered<L extends Layer> = { readonly layer: L; readonly field: string };

/** A font that is not the engine's own, by its layer. Its name may be a client's value, which no message repeats. */
export const fontFault = (composition: Composition): EngineFault | null => {
  const index = composition.layers.findIndex((layer) => layer.type === 'text' && !isFontFamily(layer.font_family));
  return index === -1
    ? null
    : compositionFault(
        'font_not_available',
        `this font family is not available; there are ${FONT_FAMILIES.join(', ')}`,
        `layers[${index}].font_family`,
      );
};

const shownOf = (layer: PlacedLayer, composition: Composition): Shown => {
  const { from, until } = framesShown(layer, composition);
  const inFrames = (time_s: number) =>
    Math.min(until - from, Math.round((time_s * composition.fps.num) / composition.fps.den));
  return { from, until, fade_in_frames: inFrames(layer.fade_in), fade_out_frames: inFrames(layer.fade_out) };
};

const sameSpan = (a: Shown, b: Shown): boolean => a.from === b.from && a.until === b.until && !fades(a) && !fades(b);
const fades = ({ fade_in_frames, fade_out_frames }: Shown): boolean => fade_in_frames > 0 || fade_out_frames > 0;

const drawingOf = ({ layer, field }: Numbered<Exclude<PlacedLayer, VideoLayer>>, box: Region): Drawing => {
  const common = { field, box, opacity: layer.opacity };
  switch (layer.type) {
    case 'image':
      return { ...common, kind: 'image', asset: layer.asset, fit: layer.fit };
    case 'shape':
      return layer.shape === 'ellipse'
        ? { ...common, kind: 'ellipse', color: layer.color }
        : { ...common, kind: 'rectangle', color: layer.color, radius: layer.radius };
    case 'text': {
      const { text, font_family, font_size, font_weight, color, align, vertical_align, line_height, shrink_to_fit } =
        layer;
      const style = { font_family, font_size, font_weight, color, align, vertical_align, line_height, shrink_to_fit };
      return { ...common, kind: 'text', setting: { text, ...style } };
    }
  }
};

/** Descenders and slanted letters reach past the box that their lines fill. */
const withOverhang = (box: Region, font_size: number): Region => {
  const margin = Math.ceil(font_size);
  return { x: box.x - margin, y: box.y - margin, width: box.width + 2 * margin, height: box.height + 2 * margin };
};

type Draft = {
  readonly sources: Source[];
  readonly stills: Still[];
  readonly picture: (StillStep | VideoStep)[];
  readonly sound: SoundStep[];
};

const addSource = (draft: Draft, layer: MediaLayer, decoder: string | null): number => {
  const seek_s = layer.loop ? 0 : Math.max(0, layer.trim_start - SEEK_AHEAD_S);
  return draft.sources.push({ asset: layer.asset, seek_s, looped: layer.loop, decoder }) - 1;
};

const addSound = (draft: Draft, layer: MediaLayer, source: number, end_s: number): void => {
  const stop = layer.duration === null ? end_s : Math.min(end_s, layer.start + layer.duration);
  draft.sound.push({
    source,
    trim_start_s: layer.trim_start,
    length_s: stop - layer.start,
    starts_at_sample: Math.round(layer.start * SAMPLE_RATE),
    volume: layer.volume,
    fade_in_s: Math.min(layer.fade_in, stop - layer.start),
    fade_out_s: Math.min(layer.fade_out, stop - layer.start),
  });
};

const addVideo = (
  draft: Draft,
  layer: VideoLayer,
  facts: VideoFacts,
  composition: Composition,
  end_s: number,
): void => {
  const source = addSource(draft, layer, facts.alpha_decoder);
  if (facts.has_audio && layer.volume > 0) addSound(draft, layer, source, end_s);
  const frame = frameRegion(composition);
  const box = wholePixels(boxOf(layer, composition));
  const placed = fitted(facts, box, layer.fit, 2);
  const inBox = intersection(placed, box);
  const seen = inBox === null ? null : intersection(inBox, frame);
  if (seen === null || layer.opacity === 0) return;
  draft.picture.push({
    kind: 'video',
    source,
    ...shownOf(layer, composition),
    shift_s: layer.start - layer.trim_start,
    color: facts.color,
    interlaced: facts.interlaced,
    transparent: facts.has_alpha,
    opacity: layer.opacity,
    placed,
    seen,
  });
};

const addStill = (draft: Draft, drawing: Drawing, region: Region, shown: Shown): void => {
  const last = draft.picture.at(-1);
  const below = draft.stills.at(-1);
  if (last?.kind === 'still' && below?.id === last.still && sameSpan(last, shown)) {
    const both = union(below.region, region);
    if (area(both) <= FLATTEN_WASTE * (area(below.region) + area(region))) {
      draft.stills[draft.stills.length - 1] = { ...below, region: both, drawings: [...below.drawings, drawing] };
      return;
    }
  }
  const id = `still-${draft.stills.length}`;
  draft.stills.push({ id, region, drawings: [drawing] });
  draft.picture.push({ kind: 'still', still: id, ...shown });
};

/** What lies below a video that hides it on every frame is not drawn. */
const hiddenBelow = (picture: readonly (StillStep | VideoStep)[], whole: Region, frames: number): number =>
  Math.max(
    0,
    picture.findLastIndex(
      (step) =>
        step.kind === 'video' &&
        !step.transparent &&
        step.opacity === 1 &&
        !fades(step) &&
        step.from === 0 &&
        step.until === frames &&
        area(step.seen) === area(whole),
    ),
  );

/** Stills are given even edges when they are drawn; a clip has those of its box. */
const liesEven = (step: StillStep | VideoStep): boolean =>
  step.kind === 'still' ||
  [
    step.seen.x,
    step.seen.y,
    step.seen.width,
    step.seen.height,
    step.seen.x - step.placed.x,
    step.seen.y - step.placed.y,
  ].every((length) => length % 2 === 0);

/**
 * Turns a final composition into what is to be drawn, read, composited, mixed and encoded. Pure: the same composition
 * and media have the same plan. Faults are of the composition: a font, an asset without facts, too much at once.
 */
export const plan = (
  final: FinalComposition,
  media: ReadonlyMap<string, MediaFacts>,
): E.Either<EngineFault, RenderPlan> => {
  const { composition } = final;
  const font = fontFault(composition);
  if (font !== null) return E.left(font);
  const frames = framesOf(composition.duration, composition.fps);
  const end_s = (frames * composition.fps.den) / composition.fps.num;
  const whole = frameRegion(composition);
  const draft: Draft = { sources: [], stills: [], picture: [], sound: [] };
  const always: Shown = { from: 0, until: frames, fade_in_frames: 0, fade_out_frames: 0 };
  addStill(
    draft,
    { kind: 'fill', color: composition.background, box: whole, opacity: 1, field: 'background' },
    whole,
    always,
  );

  for (const [index, layer] of composition.layers.entries()) {
    const field = `layers[${index}]`;
    const { from, until } = framesShown(layer, composition);
    if (!layer.visible || until <= from) continue;
    const facts = 'asset' in layer ? media.get(layer.asset) : undefined;
    if ('asset' in layer && facts?.kind !== layer.type)
      return E.left(compositionFault('missing_media', `there is no ${layer.type} "${layer.asset}"`, `${field}.asset`));
    if (layer.type === 'audio') {
      if (layer.volume > 0) addSound(draft, layer, addSource(draft, layer, null), end_s);
    } else if (layer.type === 'video') {
      if (facts?.kind !== 'video') continue;
      if (Math.max(facts.width / facts.height, facts.height / facts.width) > MAX_ASPECT)
        return E.left(
          compositionFault('media_too_narrow', `the video "${layer.asset}" is a mere strip`, `${field}.asset`),
        );
      addVideo(draft, layer, facts, composition, end_s);
    } else {
      const box = wholePixels(boxOf(layer, composition));
      const region = intersection(layer.type === 'text' ? withOverhang(box, layer.font_size) : box, whole);
      if (region !== null && layer.opacity > 0)
        addStill(draft, drawingOf({ layer, field }, box), region, shownOf(layer, composition));
    }
  }

  const picture = draft.picture.slice(hiddenBelow(draft.picture, whole, frames));
  const used = new Set(picture.flatMap((step) => (step.kind === 'still' ? [step.still] : [])));
  const stills = draft.stills.filter(({ id }) => used.has(id));
  if (draft.sources.length + stills.length > LIMITS.inputs_at_once)
    return E.left(
      compositionFault(
        'too_many_inputs',
        `has ${draft.sources.length + stills.length} media and pictures to read at once, more than ${LIMITS.inputs_at_once}`,
        'layers',
      ),
    );
  return E.right({
    width: composition.width,
    height: composition.height,
    fps: composition.fps,
    frames,
    chroma: picture.every(liesEven) ? '420' : '444',
    samples: Math.round(end_s * SAMPLE_RATE),
    sources: draft.sources,
    stills,
    picture,
    sound: draft.sound,
    outputs: final.variants,
    poster_frame: Math.min(final.poster_frame, frames - 1),
  });
};
