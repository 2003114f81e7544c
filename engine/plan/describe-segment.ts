import type { FrameSpan } from '../../domain/composition/extents.ts';
import { FONT_FAMILIES } from '../../domain/composition/font-families.ts';
import { engineFamiliesFor, fontHash } from '../../domain/composition/glyphs.ts';
import { cacheKeyOf } from '../cache/key-of.ts';
import type { Animation, Drawing, TypesettingOptions } from '../raster/raster-job.ts';
import { changingFrames, constantWithin, describeCurve, maxOfCurve, minOfCurve } from '../scene/curve.ts';
import { fadesWithin, mixesWithin, toLayerFrameSpan, visibleSteps } from '../scene/hiding.ts';
import { isUnscaledAtRest } from '../scene/resting.ts';
import type { LayerMotion, Scene, Step, VideoStep } from '../scene/scene.ts';

/**
 * Names of the dissolves that are active in these frames, in the order of their layers. Descriptions use the index in
 * this list, so that a name does not change the key of a part.
 */
const dissolvesWithin = (steps: readonly Step[], from: number, until: number): readonly string[] => [
  ...new Set(
    steps.flatMap((step) =>
      fadesWithin(step, toLayerFrameSpan(step, from, until)).flatMap(({ dissolve }) => dissolve ?? []),
    ),
  ),
];

/** Names of the groups that are mixed in these frames, in the order of their layers. */
const groupsWithin = (steps: readonly Step[], from: number, until: number): readonly string[] => [
  ...new Set(steps.flatMap((step) => mixesWithin(step, from, until).map(({ id }) => id))),
];

const describeMixes = (step: Step, from: number, until: number, groups: readonly string[]) =>
  mixesWithin(step, from, until).map(({ id, opacity, fades }) => ({
    group: groups.indexOf(id),
    opacity: describeCurve(opacity, from, until),
    fades: fades.map(({ at, ...fade }) => ({ ...fade, at: at - from })),
  }));

const isStatic = (step: Step, own: FrameSpan): boolean =>
  isUnscaledAtRest(step, own) &&
  step.shifts.every(({ x, y }) => [x, y].every((curve) => constantWithin(curve, own.from, own.until) !== null));

const describeShown = (step: Step, from: number, until: number, dissolves: readonly string[]) => {
  const own = toLayerFrameSpan(step, from, until);
  const curve = (of: Step['scale']) => describeCurve(of, own.from, own.until);
  return {
    shows: [step.from + own.from - from, step.from + own.until - from],
    fades: fadesWithin(step, own).map(({ type, at, frames, dissolve }) => ({
      ...{ type, at: at - own.from, frames },
      ...(dissolve === null ? {} : { dissolve: dissolves.indexOf(dissolve) }),
    })),
    opacity: curve(step.opacity),
    shifts: step.shifts.map(({ x, y }) => [curve(x), curve(y)]),
    scale: curve(step.scale),
    ...(isUnscaledAtRest(step, own) ? {} : { box: step.box, dense: step.dense }),
    // The lengths to which a gliding layer is resampled depend on all its scales.
    ...(step.glides && !isStatic(step, own)
      ? {
          box: step.box,
          surround: step.surround,
          solid: step.solid,
          scales: [minOfCurve(step.scale), maxOfCurve(step.scale)],
        }
      : {}),
  };
};

const describeVideo = (step: VideoStep, own: FrameSpan, scene: Scene) => {
  const { part, decoder, color, interlaced, by_field, transparent, rotation, placed, seen } = step;
  const { crop, flip, corners, blur } = step;
  const { asset, body, ...described } = part;
  return {
    ...{ ...described, body, decoder, color, interlaced, transparent, rotation, placed, seen },
    ...(by_field ? { by_field } : {}),
    ...{ crop, flip, corners, blur },
    asset: scene.hashes[asset],
    // The number of the repetition does not change the frame.
    at: body === null ? own.from : own.from % body,
    ...(rotation === 0 ? {} : { about: step.dense }),
  };
};

/** Returns only faces that may draw a character of the text, so that fonts for other scripts do not change the key. */
export const fontHashesOfText = (
  {
    text,
    font_family,
    language,
    ellipsis = '',
  }: Pick<TypesettingOptions, 'text' | 'font_family' | 'language' | 'ellipsis'>,
  { fonts }: Pick<Scene, 'fonts'>,
): readonly string[] => {
  const own = fonts.filter((font) => font.slice(font.indexOf(' ') + 1) === font_family);
  // A project's font with the name of an engine family has precedence over all engine families.
  return [...own, ...engineFamiliesFor(text + ellipsis, own.length === 0 ? font_family : '', language).map(fontHash)];
};

/** The text of a vector graphic may request any font. */
const facesOfImage = (asset: string, { fonts, with_text }: Scene): readonly string[] | null =>
  with_text.has(asset) ? [...fonts, ...FONT_FAMILIES.map(fontHash)] : null;

/** Replaces asset ids by hashes, and omits `field`, which is only for messages. */
const describeDrawing = (drawing: Drawing | Omit<Animation, 'id'>, scene: Scene) => {
  const { field: _, ...drawn } = drawing;
  if ('setting' in drawing) return { ...drawn, fonts: fontHashesOfText(drawing.setting, scene) };
  if (!('asset' in drawing)) return drawn;
  const fonts = facesOfImage(drawing.asset, scene);
  return { ...drawn, asset: scene.hashes[drawing.asset], ...(fonts === null ? {} : { fonts }) };
};

const drawnKeys = new WeakMap<Scene, ReadonlyMap<string, string>>();

/** By id of the raster or animation: equal keys have equal pixels. Computed once for all segments. */
export const keysOfDrawn = (scene: Scene): ReadonlyMap<string, string> => {
  const cached = drawnKeys.get(scene);
  if (cached !== undefined) return cached;
  const keys = new Map([
    ...scene.rasters.map(({ id, region, surround, drawings }): [string, string] => [
      id,
      cacheKeyOf({ region, surround, drawings: drawings.map((drawing) => describeDrawing(drawing, scene)) }),
    ]),
    ...scene.animations.map(({ id, ...drawn }): [string, string] => [id, cacheKeyOf(describeDrawing(drawn, scene))]),
  ]);
  drawnKeys.set(scene, keys);
  return keys;
};

const describeStep = (
  step: Step,
  { from, until }: FrameSpan,
  dissolves: readonly string[],
  groups: readonly string[],
  scene: Scene,
): unknown => {
  const own = toLayerFrameSpan(step, from, until);
  const mixes = describeMixes(step, from, until, groups);
  const shown = { ...describeShown(step, from, until, dissolves), ...(mixes.length === 0 ? {} : { mixes }) };
  switch (step.kind) {
    case 'video':
      return { kind: step.kind, ...shown, ...describeVideo(step, own, scene) };
    case 'raster':
      // Cache keys say "still", so that the keys of cached parts stay valid.
      return { kind: 'still', ...shown, drawn: keysOfDrawn(scene).get(step.raster) ?? null };
    case 'animation':
      return { kind: step.kind, ...shown, at: own.from, drawn: keysOfDrawn(scene).get(step.animation) ?? null };
  }
};

/** Everything that decides the pixels of frames [from, until). Equal descriptions have equal pixels. */
export const describeVideoTrack = (scene: Scene, from: number, until: number): unknown => {
  const visible = visibleSteps(scene, from, until);
  const dissolves = dissolvesWithin(visible, from, until);
  const groups = groupsWithin(visible, from, until);
  return {
    ...{ width: scene.width, height: scene.height, fps: scene.fps, frames: until - from },
    steps: visible.map((step) => describeStep(step, { from, until }, dissolves, groups, scene)),
  };
};

const motions = (step: LayerMotion): readonly FrameSpan[] =>
  [step.scale, ...step.shifts.flatMap(({ x, y }) => [x, y])].flatMap((curve) => {
    const change = changingFrames(curve);
    return change === null ? [] : [{ from: step.from + change.from, until: step.from + change.until }];
  });

/** Includes the boundaries of invisible layers, so that hiding one changes only the parts that contain it. */
export const sceneCutFrames = (scene: Scene): readonly number[] => {
  const edges = [...scene.videoTrack, ...scene.unseen].flatMap((step) => [
    step.from,
    step.until,
    ...motions(step)
      .flatMap(({ from, until }) => [from, until])
      .filter((n) => n > step.from && n < step.until),
  ]);
  return [...new Set([0, ...edges, scene.frames])].sort((a, b) => a - b);
};
