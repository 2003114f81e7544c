import type { FrameSpan } from '../../domain/composition/extents.ts';
import type { FinalVariant } from '../../domain/composition/final-composition.ts';
import { LIMITS } from '../../domain/composition/limits.ts';
import { hasExactCuts } from '../encode/encoder-options.ts';
import { decodedSecondsBefore } from '../filtergraph/source-times.ts';
import { visibleSteps } from '../scene/hiding.ts';

import type { Scene } from '../scene/scene.ts';
import type { Run, Segment } from './render-plan.ts';

const canBeCut = (outputs: readonly FinalVariant[]): boolean => outputs.every(({ codec }) => hasExactCuts(codec));

const within = (few: readonly FinalVariant[], many: readonly FinalVariant[]): boolean =>
  few.every(({ name }) => many.some((other) => other.name === name));

/**
 * A run continues if the next segment lacks the same outputs. An interrupted render may have cached some outputs of one
 * segment. A run of one segment may therefore lack fewer: encoding those again costs less than another process.
 */
const canContinue = (last: Run, outputs: readonly FinalVariant[]): boolean =>
  within(last.outputs, outputs) && (last.segments.length === 1 || within(outputs, last.outputs));

/** If a shorter segment occurs several times, each occurrence is encoded: this costs less than another process. */
const MIN_REPEATED_S = 1;

/** The joined run may have as many inputs as the limit allows, or as one of the two runs alone if that is more. */
const hasFewInputs = (scene: Scene, last: Run, next: Segment): boolean => {
  const shown = ({ from, until }: FrameSpan): number => visibleSteps(scene, from, until).length;
  return shown({ from: last.from, until: next.until }) <= Math.max(LIMITS.inputs_at_once, shown(last), shown(next));
};

/** Merges adjacent segments that lack the same outputs, within the limit of inputs for each run. */
const fewestRuns = (scene: Scene, segments: readonly Segment[], cached: ReadonlySet<string>): readonly Run[] => {
  const runs: Run[] = [];
  const planned = new Set(cached);
  const { num, den } = scene.fps;
  for (const segment of segments) {
    const { from, until, keys } = segment;
    const outputs = scene.outputs.filter(({ name }) => !planned.has(keys[name] ?? ''));
    if (outputs.length === 0) continue;
    if ((until - from) * den >= MIN_REPEATED_S * num) for (const { name } of outputs) planned.add(keys[name] ?? '');
    const last = runs.at(-1);
    const continues =
      last !== undefined &&
      last.until === from &&
      canContinue(last, outputs) &&
      canBeCut(outputs) &&
      hasFewInputs(scene, last, segment);
    if (continues) runs[runs.length - 1] = { ...last, until, outputs, segments: [...last.segments, segment] };
    else runs.push({ from, until, outputs, segments: [segment] });
  }
  return runs;
};

/**
 * Minimum length of each half of a divided run. Encoding a shorter half takes less time than its process, or than the
 * frames decoded twice.
 */
const MIN_HALF_S = { decoded_twice: 5, otherwise: 2 } as const;
/** Minimum share of a run's frames in each half, so that both end at about the same time. */
const MIN_SHARE = 0.3;

/**
 * Number of frames that both processes would decode if a run were divided at `cut`. Null if no video continues across
 * the cut.
 */
const framesDecodedTwice = ({ videoTrack, fps }: Scene, cut: number): number | null => {
  const across = videoTrack.flatMap((step) =>
    step.kind === 'video' && step.from < cut && step.until > cut
      ? [decodedSecondsBefore(step, cut - step.from, fps)]
      : [],
  );
  return across.length === 0 ? null : (across.reduce((sum, one) => sum + one, 0) * fps.num) / fps.den;
};

export const splitRunAt = (run: Run, cut: number): readonly [Run, Run] => [
  { ...run, until: cut, segments: run.segments.filter(({ from }) => from < cut) },
  { ...run, from: cut, segments: run.segments.filter(({ from }) => from >= cut) },
];

const halve = (scene: Scene, run: Run): readonly [Run, Run] | null => {
  const { from, until, segments } = run;
  const cuts = segments
    .map(({ from: at }) => ({
      at,
      decoded_twice: framesDecodedTwice(scene, at),
      distance: Math.abs(at - (from + until) / 2),
    }))
    .filter(({ at, decoded_twice }) => {
      const min_s = decoded_twice === null ? MIN_HALF_S.otherwise : MIN_HALF_S.decoded_twice;
      const min = Math.max((min_s * scene.fps.num) / scene.fps.den, MIN_SHARE * (until - from));
      return at - from >= min && until - at >= min;
    });
  const costOf = ({
    decoded_twice,
    distance,
  }: {
    readonly decoded_twice: number | null;
    readonly distance: number;
  }): number => (decoded_twice ?? 0) + distance;
  const [cut] = cuts.toSorted((a, b) => costOf(a) - costOf(b) || a.distance - b.distance);
  return cut === undefined ? null : splitRunAt(run, cut.at);
};

/** The missing parts in as few runs as keep all cores busy, because a process composites in one thread. */
export const planRuns = (
  scene: Scene,
  segments: readonly Segment[],
  cached: ReadonlySet<string>,
  cores: number,
): readonly Run[] => {
  const runs = [...fewestRuns(scene, segments, cached)];
  const frames = ({ from, until }: FrameSpan): number => until - from;
  const divideOne = (): boolean => {
    for (const run of runs.toSorted((a, b) => frames(b) - frames(a))) {
      const halves = halve(scene, run);
      if (halves === null) continue;
      runs.splice(runs.indexOf(run), 1, ...halves);
      return true;
    }
    return false;
  };
  while (runs.length < cores && divideOne());
  return runs;
};
