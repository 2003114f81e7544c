import { didYouMean } from '../near-name.ts';
import { ENGINE_VERSION, ROUNDED_TIMES_SINCE } from './engine-version.ts';
import type { Fault } from './fault.ts';
import { type FrameRate, frameAt, lengthSeconds } from './frame-rate.ts';
import type { LenientComposition, LenientLayer, LenientProject } from './lenient-decode.ts';
import { LIMITS } from './limits.ts';
import type { ProjectDocument } from './project-shape.ts';
import { roundedInterval, roundedTime } from './rounded-times.ts';
import { secondsText } from './source-end-rules.ts';
import { trimmedFrames } from './trimmed-frames.ts';

/*
 * Starts of layers that begin after other layers, and the duration "auto" of a composition. A time is undefined if a
 * length that it depends on is unknown, or if a member that it depends on did not decode.
 */

/** The end of a layer's source, in its own seconds; undefined if it is unknown. */
export type LengthOf = (layer: LenientLayer) => number | undefined;

type Options = {
  readonly lengthOf: LengthOf;
  /** Whether times in milliseconds mean the frames that they were rounded from. */
  readonly rounds: boolean;
};

/** `end` is the end of the layer itself, and null if the layer reaches to the end of the composition. */
export type LayerTimes = { readonly start: number | undefined; readonly end: number | null | undefined };

/** Paths of faults begin in the composition. */
export type CompositionTimes = {
  readonly duration: number | undefined;
  readonly layers: readonly LayerTimes[];
  readonly faults: readonly Fault[];
};

export type TimedLayer = Omit<LenientLayer, 'start'> & { readonly start?: number };

/** A composition whose unknown times are missing. */
export type TimedComposition = Omit<LenientComposition, 'duration' | 'layers'> & {
  readonly duration?: number;
  readonly layers?: readonly TimedLayer[] | undefined;
};

const UNKNOWN: LayerTimes = { start: undefined, end: undefined };

/** Tolerates one microsecond, because of sums like 0.1 + 0.2. */
const TOLERANCE_S = 1e-6;

/** The end of the last frame before a time, as `visibleFrames` rounds it. */
const onFrame = (time_s: number, fps: FrameRate): number => (frameAt(time_s, fps) * fps.den) / fps.num;

const endOf = (layer: LenientLayer, start: number, fps: FrameRate, { lengthOf, rounds }: Options) => {
  const { duration, trim_start, trim_end, speed } = layer;
  if (duration === null || duration === undefined) return duration;
  if (duration !== 'media') {
    const exact = rounds ? roundedInterval(start, duration, fps) : { start, duration };
    return onFrame(exact.start + exact.duration, fps);
  }
  const source_s = lengthOf(layer);
  if (source_s === undefined || trim_start === undefined || trim_end === undefined || speed === undefined)
    return undefined;
  const first = frameAt(rounds ? roundedTime(start, fps) : start, fps);
  return ((first + trimmedFrames({ trim_start, trim_end, speed }, source_s, fps)) * fps.den) / fps.num;
};

/** Resolves the layers that a layer begins after, before the layer itself. */
const layerTimes = (layers: readonly LenientLayer[], fps: FrameRate, options: Options, faults: Fault[]) => {
  const known = new Map<number, LayerTimes>();
  const open = new Set<number>();
  const at = (index: number, message: string, member = ''): undefined => {
    faults.push({ path: `layers[${index}].start${member}`, message });
  };
  const startAfter = (index: number, after: string, offset: number): number | undefined => {
    const target = layers.findIndex(({ id }) => id === after);
    if (target === index) return at(index, 'must be another layer', '.after');
    if (target === -1) {
      const others = layers.flatMap(({ id }, n) => (id === undefined || n === index ? [] : [id]));
      return at(index, `there is no layer "${after}"${didYouMean(after, others)}`, '.after');
    }
    if (open.has(target)) return at(index, 'must not lead back to this layer', '.after');
    const { end } = timesAt(target);
    if (end === null)
      return at(index, `"${after}" reaches to the end of the composition: give it a duration`, '.after');
    if (end === undefined) return undefined;
    const start = end + offset;
    if (start < -TOLERANCE_S)
      return at(index, `is ${secondsText(start)}, because "${after}" ends at ${secondsText(end)}; must be >= 0`);
    if (start > LIMITS.duration_s)
      return at(
        index,
        `is ${secondsText(start)}, because "${after}" ends at ${secondsText(end)}; must be <= ${LIMITS.duration_s}`,
      );
    return Math.max(0, start);
  };
  const timesAt = (index: number): LayerTimes => {
    const found = known.get(index);
    const layer = layers[index];
    if (found !== undefined || layer === undefined) return found ?? UNKNOWN;
    open.add(index);
    const { start: written } = layer;
    const start = typeof written === 'object' ? startAfter(index, written.after, written.offset ?? 0) : written;
    open.delete(index);
    // A layer without a duration has no end, also where its start is unknown.
    const end = start === undefined ? (layer.duration === null ? null : undefined) : endOf(layer, start, fps, options);
    const times = { start, end };
    known.set(index, times);
    return times;
  };
  return layers.map((_, index) => timesAt(index));
};

const isShown = ({ visible }: LenientLayer): boolean => visible !== false;

/** The layer that replaces another one by a transition. Hidden layers neither replace nor are replaced. */
const replacingIndex = (layer: LenientLayer, layers: readonly LenientLayer[]): number =>
  isShown(layer) && layer.id !== undefined
    ? layers.findIndex((other) => isShown(other) && other.transition?.from === layer.id)
    : -1;

/** The end of a layer, or that of the transition which replaces it. */
const lastEnd = (
  layers: readonly LenientLayer[],
  times: readonly LayerTimes[],
  index: number,
  fps: FrameRate,
  options: Options,
): number | null | undefined => {
  const layer = layers[index];
  const next = layer === undefined ? -1 : replacingIndex(layer, layers);
  if (next === -1) return times[index]?.end;
  const [start, duration] = [times[next]?.start, layers[next]?.transition?.duration];
  return start === undefined || duration === undefined ? undefined : endOf({ duration }, start, fps, options);
};

const autoDuration = (
  layers: readonly LenientLayer[],
  times: readonly LayerTimes[],
  fps: FrameRate,
  options: Options,
  faults: Fault[],
): number | undefined => {
  const ends = layers
    .map((layer, index) => (isShown(layer) ? lastEnd(layers, times, index, fps, options) : null))
    .filter((end) => end !== null);
  const at = (message: string): undefined => {
    faults.push({ path: 'duration', message });
  };
  if (ends.length === 0) return at('is "auto", but no visible layer has an end: give a layer a duration');
  const known = ends.filter((end) => end !== undefined);
  if (known.length < ends.length) return undefined;
  const duration = Math.max(fps.den / fps.num, ...known);
  return duration > LIMITS.duration_s
    ? at(`is "auto", and the last layer ends at ${secondsText(duration)}; must be <= ${LIMITS.duration_s}`)
    : duration;
};

export const timesOf = (composition: LenientComposition, options: Options): CompositionTimes => {
  const { fps, duration, layers } = composition;
  const plain = duration === 'auto' ? undefined : duration;
  if (fps === undefined || layers === undefined) return { duration: plain, layers: [], faults: [] };
  const faults: Fault[] = [];
  const times = layerTimes(layers, fps, options, faults);
  // A fault in a start would be a second fault of the duration.
  if (duration !== 'auto' || faults.length > 0) return { duration: plain, layers: times, faults };
  return { duration: autoDuration(layers, times, fps, options, faults), layers: times, faults };
};

/** True if a layer begins after another one, or if the duration follows from the layers. */
const hasOpenTimes = ({ duration, layers = [] }: LenientComposition): boolean =>
  duration === 'auto' || layers.some(({ start }) => typeof start === 'object');

/** True if times of a template's composition, or of the main one, can follow from lengths of media. */
export const followsLengths = (
  { compositions, templates, main_composition_id }: ProjectDocument,
  template_id: string | null,
): boolean => {
  const template = templates.find(({ id }) => id === template_id);
  const composition_id = template?.target_composition_id ?? main_composition_id;
  return compositions.some((composition) => composition.id === composition_id && hasOpenTimes(composition));
};

const timedLayer = ({ start: _, ...layer }: LenientLayer, start: number | undefined): TimedLayer =>
  start === undefined ? layer : { ...layer, start };

/** The composition with its times. A composition without open times has exactly its own. */
export const timedComposition = (
  composition: LenientComposition,
  options: Options,
): { readonly composition: TimedComposition; readonly faults: readonly Fault[] } => {
  const { duration: _, layers, ...others } = composition;
  const times = hasOpenTimes(composition) ? timesOf(composition, options) : null;
  const startAt = (index: number, { start }: LenientLayer): number | undefined =>
    times !== null ? times.layers[index]?.start : typeof start === 'number' ? start : undefined;
  const duration = times === null ? composition.duration : times.duration;
  return {
    composition: {
      ...others,
      ...(typeof duration === 'number' ? { duration } : {}),
      layers: layers?.map((layer, index) => timedLayer(layer, startAt(index, layer))),
    },
    faults: times?.faults ?? [],
  };
};

/** The times of a project's composition, as far as the lengths of its assets are known. */
export const timedInProject = (
  composition: LenientComposition,
  { assets = [], engine = ENGINE_VERSION }: Pick<LenientProject, 'assets' | 'engine'>,
): ReturnType<typeof timedComposition> =>
  timedComposition(composition, {
    lengthOf: ({ asset }) => assets.find(({ id }) => id !== undefined && id === asset)?.duration_s,
    rounds: engine >= ROUNDED_TIMES_SINCE,
  });

/**
 * The largest duration that the composition can have, in seconds, if sources of unknown length are as long as possible.
 * All ends grow with the lengths of the sources.
 */
export const longestDuration = (composition: LenientComposition, { lengthOf, rounds }: Options): number => {
  if (typeof composition.duration === 'number') return composition.duration;
  const options = { lengthOf: (layer: LenientLayer) => lengthOf(layer) ?? LIMITS.source_s, rounds };
  return timesOf(composition, options).duration ?? LIMITS.duration_s;
};

/** In seconds, on frames of the composition. A time is null if it depends on an unknown length. */
export type ShownTimes = { readonly id: string; readonly start_s: number | null; readonly end_s: number | null };

/** When each layer of a composition shows, in the order of the layers. */
export const shownTimes = (
  composition: LenientComposition & { readonly fps: FrameRate; readonly duration: number },
  options: Options,
): readonly ShownTimes[] => {
  const { fps, duration, layers = [] } = composition;
  const times = timesOf(composition, options).layers;
  const film_s = lengthSeconds({ duration, fps });
  return layers.flatMap(({ id }, index): readonly ShownTimes[] => {
    const start = times[index]?.start;
    if (id === undefined) return [];
    if (start === undefined) return [{ id, start_s: null, end_s: null }];
    const end = lastEnd(layers, times, index, fps, options);
    const start_s = Math.min(film_s, onFrame(options.rounds ? roundedTime(start, fps) : start, fps));
    return [{ id, start_s, end_s: end === undefined ? null : Math.max(start_s, Math.min(film_s, end ?? film_s)) }];
  });
};
