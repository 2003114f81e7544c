import { LIMITS } from '../../domain/composition/limits.ts';
import { compositionFault, type EngineFault } from '../process/engine-fault.ts';
import type { Curve } from './curve.ts';
import { visibleFrameSpan, visibleSteps } from './hiding.ts';
import type { Scene, Step } from './scene.ts';

export const MAX_GRAPH_BYTES = 800 * 1024;
/**
 * Estimated filter graph of a layer: bytes without its curves, bytes of the longest piece of a curve, and how often
 * each curve occurs.
 */
const GLIDING = { bytes: 8000, piece: 160, scale: 10, shift: 5 };
const JUMPING = { bytes: 1500, piece: 100, scale: 6, shift: 2 };
const RESTING_BYTES = 340;
const FADE_BYTES = 70;
/** Bytes of the mix of a group with the picture below it. */
const MIX_BYTES = 400;
/** Bytes of a fade in a dissolve, which overlays the layer on a second picture. */
const DISSOLVE_BYTES = 150;
/** Bytes of the mask of round corners. */
const CORNERS_BYTES = 1200;

const piecesOf = (curves: readonly Curve[]): number => curves.reduce((sum, curve) => sum + curve.length, 0);

const isStatic = ({ kind, opacity, scale, shifts, box, dense }: Step): boolean =>
  kind === 'raster' && opacity.length + scale.length === 2 && shifts.length === 0 && box.width === dense.width;

/** Bytes of the opacity of the groups around a step, which count for each of their steps. */
const mixBytes = ({ mixes = [] }: Step): number =>
  mixes.reduce(
    (sum, { opacity, fades }) => sum + MIX_BYTES + GLIDING.piece * opacity.length + FADE_BYTES * fades.length,
    0,
  );

const graphBytes = (step: Step): number => stepBytes(step) + mixBytes(step);

const stepBytes = (step: Step): number => {
  const { opacity, scale, shifts, fades, glides } = step;
  const fading = fades.reduce((sum, { dissolve }) => sum + (dissolve === null ? FADE_BYTES : DISSOLVE_BYTES), 0);
  if (isStatic(step)) return RESTING_BYTES + fading;
  const corners = step.kind === 'video' && step.corners !== undefined ? CORNERS_BYTES : 0;
  const of = glides ? GLIDING : JUMPING;
  return (
    of.bytes +
    corners +
    GLIDING.piece * (opacity.length > 1 ? opacity.length : 0) +
    of.piece *
      ((scale.length > 1 ? of.scale * scale.length : 0) +
        of.shift * shifts.reduce((sum, { x, y }) => sum + piecesOf([x, y]), 0))
  );
};

/** The fault names the layer with the most keyframes. */
export const tooManyKeyframesFault = (live: readonly Step[]): EngineFault => {
  const [largest] = live.toSorted((a, b) => graphBytes(b) - graphBytes(a));
  return compositionFault(
    'too_many_keyframes',
    'has too many keyframes together with the layers visible at the same time: use fewer',
    `${largest?.field}.keyframes`,
  );
};

/** Rasters are read once and do not count. */
const inputsFault = (live: readonly Step[]): EngineFault | null => {
  const streams = live.filter(({ kind }) => kind !== 'raster');
  const first_excess = streams[LIMITS.inputs_at_once];
  return first_excess === undefined
    ? null
    : compositionFault(
        'too_many_inputs',
        `is one of ${streams.length} videos and animated images visible at the same time (at most ${LIMITS.inputs_at_once} are allowed): show some of them at another time`,
        first_excess.field,
      );
};

/** Null if no frame needs more inputs or a longer graph than allowed. */
export const peakLoadFault = (scene: Pick<Scene, 'videoTrack'>): EngineFault | null => {
  for (const step of scene.videoTrack) {
    const { from } = visibleFrameSpan(step);
    const live = visibleSteps(scene, from, from + 1);
    const fault = inputsFault(live);
    if (fault !== null) return fault;
    if (live.reduce((sum, step) => sum + graphBytes(step), 0) > MAX_GRAPH_BYTES) return tooManyKeyframesFault(live);
  }
  return null;
};
