import {
  type FrameSpan,
  framesUntilReplaced,
  largestScale,
  layerBox,
  rotatedBounds,
  scaledSize,
  visibleFrames,
} from './extents.ts';
import { isMixed, isMoving, largestGroupScale } from './layer-groups.ts';
import type { TimedComposition, TimedLayer } from './layer-times.ts';
import { layerRectangle } from './lenient-decode.ts';

/*
 * The largest load of a composition's layers on any one frame. Members that did not decode are already faults and have
 * no load.
 */

type Frame = { readonly width: number; readonly height: number };
const NO_KEYFRAMES = { position: [], opacity: [], scale: [] };

type Weighed = FrameSpan & { readonly weight: number };

const spanOf = (layer: TimedLayer, { fps, duration, layers = [] }: TimedComposition): FrameSpan | null => {
  const { id, visible, start, duration: length, groups = [] } = layer;
  if (visible !== true || start === undefined || length === undefined) return null;
  if (fps === undefined || duration === undefined) return null;
  const next = layers.find((other) => other.visible === true && id !== undefined && other.transition?.from === id);
  const ends = next?.transition?.duration;
  const span =
    next?.start === undefined || ends === undefined
      ? visibleFrames({ start, duration: length, groups }, { fps, duration })
      : framesUntilReplaced(
          { start, groups },
          { start: next.start, transition: { duration: ends } },
          { fps, duration },
        );
  return span.until <= span.from ? null : span;
};

const most = (all: readonly Weighed[]): number => {
  const changes = all.flatMap(({ from, until, weight }) => [
    { frame: from, change: weight },
    { frame: until, change: -weight },
  ]);
  const inOrder = changes.toSorted((a, b) => a.frame - b.frame || a.change - b.change);
  return inOrder.reduce(({ now, top }, { change }) => ({ now: now + change, top: Math.max(top, now + change) }), {
    now: 0,
    top: 0,
  }).top;
};

const isMixedGroup = ({ opacity = 1, fade_in = 0, fade_out = 0, keyframes = NO_KEYFRAMES }: TimedLayer): boolean =>
  isMixed({ opacity, fade_in, fade_out, keyframes });

const isMovedByGroup = ({ groups = [] }: TimedLayer): boolean => groups.some(isMoving);

/**
 * A layer that moves or rotates is completely in memory, even outside the frame. Other layers are in memory only inside
 * the frame.
 */
const pixelsOf = (layer: TimedLayer, frame: Frame): number => {
  const place = layerRectangle(layer);
  if (place === null) return 0;
  if (layer.type === 'group') return isMixedGroup(layer) ? frame.width * frame.height : 0;
  const box = layerBox(place, frame);
  const { rotation = 0, keyframes, transition } = layer;
  const stays =
    rotation === 0 &&
    !isMovedByGroup(layer) &&
    (keyframes?.position.length ?? 0) + (keyframes?.scale.length ?? 0) === 0 &&
    (transition ?? null) === null;
  const size = stays
    ? { width: Math.min(box.width, frame.width), height: Math.min(box.height, frame.height) }
    : rotatedBounds(scaledSize(box, largestScale(layer) * largestGroupScale(layer)), rotation);
  return Math.max(0, size.width) * Math.max(0, size.height);
};

export const peakPixels = (composition: TimedComposition, frame: Frame): number =>
  most(
    (composition.layers ?? []).flatMap((layer) => {
      const span = spanOf(layer, composition);
      return span === null ? [] : [{ ...span, weight: pixelsOf(layer, frame) }];
    }),
  );

/** True if the layer is a separate ffmpeg input, because it changes. Static layers become one raster. */
const isReadAlone = (layer: TimedLayer): boolean => {
  const { type, fade_in = 0, fade_out = 0, keyframes, transition } = layer;
  if (type === 'group') return isMixedGroup(layer);
  return (
    type === 'video' ||
    type === 'audio' ||
    fade_in > 0 ||
    fade_out > 0 ||
    isMovedByGroup(layer) ||
    (transition ?? null) !== null ||
    Object.values(keyframes ?? {}).some((list) => list.length > 0)
  );
};

export const peakInputs = (composition: TimedComposition): number =>
  most(
    (composition.layers ?? []).flatMap((layer) => {
      const span = isReadAlone(layer) ? spanOf(layer, composition) : null;
      return span === null ? [] : [{ ...span, weight: 1 }];
    }),
  );
