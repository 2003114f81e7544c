import { type FrameSpan, visibleFrames } from '../../domain/composition/extents.ts';
import { type Grouped, isMixed, isMoving, type LayerGroup } from '../../domain/composition/layer-groups.ts';
import type { Region } from '../raster/geometry.ts';
import { type Curve, changesContinuously, constantWithin, curveOf, roundConstantPieces } from './curve.ts';
import { mapCurve, productOf, rebasedCurve } from './curve-products.ts';
import type { GroupMix, PositionShift } from './scene.ts';
import type { Composition } from './timing.ts';

/** A layer's motion. The groups change it, the innermost first. */
type Motion = { readonly shifts: readonly PositionShift[]; readonly scale: Curve };

type GroupMotion = {
  readonly middle: { readonly x: number; readonly y: number };
  readonly shift: PositionShift | null;
  readonly scale: Curve;
};

const MIDDLE_OF = { x: 'width', y: 'height' } as const;

const middleOf = (box: Region | LayerGroup, at: 'x' | 'y'): number => box[at] + box[MIDDLE_OF[at]] / 2;

export const isMovedByGroup = ({ groups = [] }: Grouped): boolean => groups.some(isMoving);

/** The motions of the moving groups around a layer, the innermost first, in frames of the layer. */
export const groupMotionsOf = (
  { groups = [] }: Grouped,
  { from }: FrameSpan,
  composition: Composition,
): readonly GroupMotion[] => {
  const { fps } = composition;
  return groups
    .filter(isMoving)
    .toReversed()
    .map((group) => {
      const { position, scale } = group.keyframes;
      const origin = from - visibleFrames(group, composition).from;
      const inLayer = (curve: Curve): Curve => rebasedCurve(curve, origin);
      return {
        middle: { x: middleOf(group, 'x'), y: middleOf(group, 'y') },
        shift:
          position.length === 0
            ? null
            : {
                x: inLayer(curveOf(position, ({ x }) => x - group.x, 0, fps)),
                y: inLayer(curveOf(position, ({ y }) => y - group.y, 0, fps)),
              },
        scale: inLayer(curveOf(scale, ({ value }) => value, 1, fps)),
      };
    });
};

export const isGlidingGroup = ({ scale, shift }: GroupMotion): boolean =>
  [scale, ...(shift === null ? [] : [shift.x, shift.y])].some(changesContinuously);

/**
 * The motion of a layer within a group. The group's scale enlarges the layer, its own shifts, and the distance between
 * the middles of both.
 */
const movedBy = (
  { middle, shift, scale }: GroupMotion,
  motion: Motion,
  box: Region,
  length: number,
  glides: boolean,
): Motion => {
  const rests = constantWithin(scale, 0, length) === 1;
  const apart = (at: 'x' | 'y'): Curve => mapCurve(scale, (factor) => (factor - 1) * (middleOf(box, at) - middle[at]));
  const rounded = glides ? roundConstantPieces : (curve: Curve) => curve;
  return {
    shifts: [
      ...(rests
        ? motion.shifts
        : [
            ...motion.shifts.map(({ x, y }) => ({ x: productOf(scale, x, length), y: productOf(scale, y, length) })),
            { x: apart('x'), y: apart('y') },
          ]),
      ...(shift === null ? [] : [{ x: rounded(shift.x), y: rounded(shift.y) }]),
    ],
    scale: rests ? motion.scale : productOf(scale, motion.scale, length),
  };
};

export const motionInGroups = (
  groups: readonly GroupMotion[],
  motion: Motion,
  box: Region,
  length: number,
  glides: boolean,
): Motion => groups.reduce((moved, group) => movedBy(group, moved, box, length, glides), motion);

/** The groups around a layer that need a picture of their own, the outermost first. */
export const mixesOf = ({ groups = [] }: Grouped, composition: Composition): readonly GroupMix[] =>
  groups.filter(isMixed).map((group) => {
    const { fps } = composition;
    const around = groups.slice(0, groups.indexOf(group));
    const { from, until } = visibleFrames({ ...group, groups: around }, composition);
    const inFrames = (time_s: number): number => Math.min(until - from, Math.round((time_s * fps.num) / fps.den));
    const [frames_in, frames_out] = [inFrames(group.fade_in), inFrames(group.fade_out)];
    const opacity = curveOf(group.keyframes.opacity, ({ value }) => value, group.opacity, fps);
    return {
      id: group.id,
      opacity: rebasedCurve(opacity, -from),
      fades: [
        ...(frames_in > 0 ? [{ type: 'in' as const, at: from, frames: frames_in }] : []),
        ...(frames_out > 0 ? [{ type: 'out' as const, at: until - frames_out, frames: frames_out }] : []),
      ],
    };
  });
