import type { FrameSpan } from '../../domain/composition/extents.ts';
import { constantWithin } from './curve.ts';
import type { GroupMix, Scene, Step } from './scene.ts';

type WithStretch = FrameSpan & { readonly stretch?: FrameSpan };

export const visibleFrameSpan = ({ from, until, stretch }: WithStretch): FrameSpan =>
  stretch === undefined ? { from, until } : { from: from + stretch.from, until: from + stretch.until };

/** Converts frames of the composition to frames of the step, counted from its layer's first. */
export const toLayerFrameSpan = (step: WithStretch, from: number, until: number): FrameSpan => {
  const shown = visibleFrameSpan(step);
  return { from: Math.max(from, shown.from) - step.from, until: Math.min(until, shown.until) - step.from };
};

export const fadesWithin = ({ fades }: Step, { from, until }: FrameSpan) =>
  fades.filter(({ type, at, frames }) => (type === 'in' ? from < at + frames : until > at + 1));

/** The groups around a step whose pictures are mixed with the picture below them on these frames of the composition. */
export const mixesWithin = ({ mixes = [] }: Step, from: number, until: number): readonly GroupMix[] =>
  mixes.filter(
    ({ opacity, fades }) =>
      constantWithin(opacity, from, until) !== 1 ||
      fades.some(({ type, at, frames }) => (type === 'in' ? from < at + frames : until > at + 1)),
  );

const contains = (outer: FrameSpan, inner: FrameSpan): boolean =>
  outer.from <= inner.from && outer.until >= inner.until;

const hidesAll = (step: Step, from: number, until: number): boolean => {
  const own = { from: from - step.from, until: until - step.from };
  return (
    step.hides &&
    contains(visibleFrameSpan(step), { from, until }) &&
    fadesWithin(step, own).length === 0 &&
    mixesWithin(step, from, until).length === 0 &&
    step.shifts.every(
      ({ x, y }) => constantWithin(x, own.from, own.until) === 0 && constantWithin(y, own.from, own.until) === 0,
    )
  );
};

export const lowestVisibleIndex = (videoTrack: readonly Step[], frames: number): number =>
  Math.max(
    0,
    videoTrack.findLastIndex((step) => hidesAll(step, 0, frames)),
  );

/** The lowest step comes first. */
export const visibleSteps = ({ videoTrack }: Pick<Scene, 'videoTrack'>, from: number, until: number): readonly Step[] =>
  videoTrack
    .slice(
      Math.max(
        0,
        videoTrack.findLastIndex((step) => hidesAll(step, from, until)),
      ),
    )
    .filter((step) => {
      const shown = visibleFrameSpan(step);
      return shown.from < until && shown.until > from;
    });
