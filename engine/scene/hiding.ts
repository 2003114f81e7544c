import type { Span } from '../../domain/composition/extents.ts';
import { constantWithin } from './curve.ts';
import type { Scene, Step } from './scene.ts';

type WithStretch = Span & { readonly stretch?: Span };

/** The frames of the composition on which the step is visible. */
export const shownFrames = ({ from, until, stretch }: WithStretch): Span =>
  stretch === undefined ? { from, until } : { from: from + stretch.from, until: from + stretch.until };

/** Converts the composition's frames [from, until) to frames of the step, counted from its layer's first. */
export const ownFrames = (step: WithStretch, from: number, until: number): Span => {
  const shown = shownFrames(step);
  return { from: Math.max(from, shown.from) - step.from, until: Math.min(until, shown.until) - step.from };
};

/** The fades that affect these frames of the step. */
export const fadesWithin = ({ fades }: Step, { from, until }: Span) =>
  fades.filter(({ type, at, frames }) => (type === 'in' ? from < at + frames : until > at + 1));

const contains = (outer: Span, inner: Span): boolean => outer.from <= inner.from && outer.until >= inner.until;

/** Whether the step hides everything below it on the composition's frames [from, until). */
const hidesAll = (step: Step, from: number, until: number): boolean => {
  const own = { from: from - step.from, until: until - step.from };
  return (
    step.hides &&
    contains(shownFrames(step), { from, until }) &&
    fadesWithin(step, own).length === 0 &&
    step.shifts.every(
      ({ x, y }) => constantWithin(x, own.from, own.until) === 0 && constantWithin(y, own.from, own.until) === 0,
    )
  );
};

/** The index of the lowest step that is visible on some frame. */
export const firstVisible = (videoTrack: readonly Step[], frames: number): number =>
  Math.max(
    0,
    videoTrack.findLastIndex((step) => hidesAll(step, 0, frames)),
  );

/** The steps that are visible on the frames [from, until), from the lowest to the highest. */
export const visibleSteps = ({ videoTrack }: Pick<Scene, 'videoTrack'>, from: number, until: number): readonly Step[] =>
  videoTrack
    .slice(
      Math.max(
        0,
        videoTrack.findLastIndex((step) => hidesAll(step, from, until)),
      ),
    )
    .filter((step) => {
      const shown = shownFrames(step);
      return shown.from < until && shown.until > from;
    });
