import { boxOf, framesShown, framesUntilReplaced, type Span } from './extents.ts';
import { largestScale, scaled, turned } from './sides.ts';
import { type CompositionSketch, type LayerSketch, placeOf } from './sketch.ts';

/*
 * What is at work at one moment. Where something cannot be read it counts for nothing: it is at fault already.
 */

type Frame = { readonly width: number; readonly height: number };
type Weighed = Span & { readonly weight: number };

/** The layer's frames; null of one that is not shown, and where they cannot be read. */
const spanOf = (layer: LayerSketch, { fps, duration, layers = [] }: CompositionSketch): Span | null => {
  const { id, visible, start, duration: length } = layer;
  if (visible !== true || start === undefined || length === undefined) return null;
  if (fps === undefined || duration === undefined) return null;
  const next = layers.find((other) => other.visible === true && id !== undefined && other.transition?.from === id);
  const ends = next?.transition?.duration;
  const span =
    next?.start === undefined || ends === undefined
      ? framesShown({ start, duration: length }, { fps, duration })
      : framesUntilReplaced({ start }, { start: next.start, transition: { duration: ends } }, { fps, duration });
  return span.until <= span.from ? null : span;
};

/** The largest sum of what goes on at one frame. */
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

/** What moves or turns is held as a whole, also where it reaches past the frame; of the rest, what is in it. */
const pixelsOf = (layer: LayerSketch, frame: Frame): number => {
  const place = placeOf(layer);
  if (place === null) return 0;
  const box = boxOf(place, frame);
  const { rotation = 0, keyframes, transition } = layer;
  const stays =
    rotation === 0 &&
    (keyframes?.position.length ?? 0) + (keyframes?.scale.length ?? 0) === 0 &&
    (transition ?? null) === null;
  const size = stays
    ? { width: Math.min(box.width, frame.width), height: Math.min(box.height, frame.height) }
    : turned(scaled(box, largestScale(layer)), rotation);
  return Math.max(0, size.width) * Math.max(0, size.height);
};

/** Sum over the layers that show at one moment. */
export const livePixels = (composition: CompositionSketch, frame: Frame): number =>
  most(
    (composition.layers ?? []).flatMap((layer) => {
      const span = spanOf(layer, composition);
      return span === null ? [] : [{ ...span, weight: pixelsOf(layer, frame) }];
    }),
  );

/** What is drawn with others into one picture, where they all stay as they are: what changes is read by itself. */
const isReadAlone = ({ type, fade_in = 0, fade_out = 0, keyframes, transition }: LayerSketch): boolean =>
  type === 'video' ||
  type === 'audio' ||
  fade_in > 0 ||
  fade_out > 0 ||
  (transition ?? null) !== null ||
  Object.values(keyframes ?? {}).some((list) => list.length > 0);

/** Videos, sounds, and pictures that change, at one moment. */
export const liveInputs = (composition: CompositionSketch): number =>
  most(
    (composition.layers ?? []).flatMap((layer) => {
      const span = isReadAlone(layer) ? spanOf(layer, composition) : null;
      return span === null ? [] : [{ ...span, weight: 1 }];
    }),
  );
