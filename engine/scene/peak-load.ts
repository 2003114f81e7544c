import { LIMITS } from '../../domain/composition/limits.ts';
import { compositionFault, type EngineFault } from '../process/engine-fault.ts';
import type { Curve } from './curve.ts';
import { seenWithin, shownFrames } from './hiding.ts';
import type { Scene, Step } from './scene.ts';

/** Largest filter graph of one run. */
export const MAX_GRAPH_BYTES = 800 * 1024;
/** Of a layer: bytes without its curves, those of the longest piece of a curve, and how often each curve occurs. */
const GLIDING = { bytes: 8000, piece: 160, scale: 10, shift: 5 };
const JUMPING = { bytes: 1500, piece: 100, scale: 6, shift: 2 };
/** Bytes of a static raster, and of each of its fades. */
const RESTING_BYTES = 340;
const FADE_BYTES = 70;
/** Of a fade that is part of a dissolve: the layer is laid on a second picture. */
const DISSOLVE_BYTES = 150;

const piecesOf = (curves: readonly Curve[]): number => curves.reduce((sum, curve) => sum + curve.length, 0);

const rests = ({ kind, opacity, scale, shifts, box, dense }: Step): boolean =>
  kind === 'raster' && opacity.length + scale.length === 2 && shifts.length === 0 && box.width === dense.width;

/** Upper bound of a step's bytes in a graph. */
const graphBytes = (step: Step): number => {
  const { opacity, scale, shifts, fades, glides } = step;
  const fading = fades.reduce((sum, { dissolve }) => sum + (dissolve === null ? FADE_BYTES : DISSOLVE_BYTES), 0);
  if (rests(step)) return RESTING_BYTES + fading;
  const of = glides ? GLIDING : JUMPING;
  return (
    of.bytes +
    GLIDING.piece * (opacity.length > 1 ? opacity.length : 0) +
    of.piece *
      ((scale.length > 1 ? of.scale * scale.length : 0) +
        of.shift * shifts.reduce((sum, { x, y }) => sum + piecesOf([x, y]), 0))
  );
};

/** A graph that is too long: names the layer with most keyframes. */
export const keyframesFault = (live: readonly Step[]): EngineFault => {
  const [largest] = live.toSorted((a, b) => graphBytes(b) - graphBytes(a));
  return compositionFault(
    'too_many_keyframes',
    'has too many keyframes together with the layers that show at the same time: use fewer',
    `${largest?.field}.keyframes`,
  );
};

/** Names the first layer past the limit of continuous inputs; rasters are read once and do not count. */
const inputsFault = (live: readonly Step[]): EngineFault | null => {
  const streams = live.filter(({ kind }) => kind !== 'raster');
  const oneTooMany = streams[LIMITS.inputs_at_once];
  return oneTooMany === undefined
    ? null
    : compositionFault(
        'too_many_inputs',
        `is one of ${streams.length} videos and animated pictures at one moment, of more than ${LIMITS.inputs_at_once}`,
        oneTooMany.field,
      );
};

/** A fault if a frame needs more inputs, or a longer graph, than allowed; or null. */
export const peakLoadFault = (scene: Pick<Scene, 'videoTrack'>): EngineFault | null => {
  for (const step of scene.videoTrack) {
    const { from } = shownFrames(step);
    const live = seenWithin(scene, from, from + 1);
    const fault = inputsFault(live);
    if (fault !== null) return fault;
    if (live.reduce((sum, step) => sum + graphBytes(step), 0) > MAX_GRAPH_BYTES) return keyframesFault(live);
  }
  return null;
};
