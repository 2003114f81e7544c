import type { Span } from '../../domain/composition/extents.ts';
import type { FinalVariant } from '../../domain/composition/final-composition.ts';
import { LIMITS } from '../../domain/composition/limits.ts';
import { holdsCuts } from '../encode/encoder-options.ts';
import { decodedBefore } from '../filtergraph/source-times.ts';
import { visibleSteps } from '../scene/hiding.ts';

import type { Scene } from '../scene/scene.ts';
import type { Run, Segment } from './render-plan.ts';

const canBeCut = (outputs: readonly FinalVariant[]): boolean => outputs.every(({ codec }) => holdsCuts(codec));

const within = (few: readonly FinalVariant[], many: readonly FinalVariant[]): boolean =>
  few.every(({ name }) => many.some((other) => other.name === name));

/**
 * Whether a segment that lacks these outputs is made by the run before it: where that lacks the same, or has just begun
 * and lacks some of them. (Where a render was broken off some outputs have a part more than others: to make one part of
 * them again costs less than a process for those that lack it.)
 */
const goOn = (last: Run, outputs: readonly FinalVariant[]): boolean =>
  within(last.outputs, outputs) && (last.segments.length === 1 || within(outputs, last.outputs));

/** A shorter part that occurs again is encoded again: another process would cost more. */
const LEAST_REPEATED_S = 1;

/** Whether both together need few inputs, or no more than one of them needs alone. */
const fewEnough = (scene: Scene, last: Run, next: Segment): boolean => {
  const shown = ({ from, until }: Span): number => visibleSteps(scene, from, until).length;
  return shown({ from: last.from, until: next.until }) <= Math.max(LIMITS.inputs_at_once, shown(last), shown(next));
};

/** Adjacent segments that lack the same outputs, up to 50 inputs for each run, or more if one segment alone needs them. */
const fewestRuns = (scene: Scene, segments: readonly Segment[], cached: ReadonlySet<string>): readonly Run[] => {
  const runs: Run[] = [];
  const made = new Set(cached);
  const { num, den } = scene.fps;
  for (const segment of segments) {
    const { from, until, keys } = segment;
    const outputs = scene.outputs.filter(({ name }) => !made.has(keys[name] ?? ''));
    if (outputs.length === 0) continue;
    if ((until - from) * den >= LEAST_REPEATED_S * num) for (const { name } of outputs) made.add(keys[name] ?? '');
    const last = runs.at(-1);
    const goesOn =
      last !== undefined &&
      last.until === from &&
      goOn(last, outputs) &&
      canBeCut(outputs) &&
      fewEnough(scene, last, segment);
    if (goesOn) runs[runs.length - 1] = { ...last, until, outputs, segments: [...last.segments, segment] };
    else runs.push({ from, until, outputs, segments: [segment] });
  }
  return runs;
};

/** Each half of a run that is divided takes as long at least, or its process would cost more, or what it decodes anew. */
const LEAST_HALF_S = { decoded_anew: 5, otherwise: 2 } as const;
/** Of a run's frames, the part in each half at least: so that they end about together. */
const LEAST_SHARE = 0.3;

/** About as many frames as take as long as what a cut makes two processes decode; null where no video goes on. */
const decodedAnew = ({ videoTrack, fps }: Scene, cut: number): number | null => {
  const across = videoTrack.flatMap((step) =>
    step.kind === 'video' && step.from < cut && step.until > cut ? [decodedBefore(step, cut - step.from, fps)] : [],
  );
  return across.length === 0 ? null : (across.reduce((sum, one) => sum + one, 0) * fps.num) / fps.den;
};

/** A run in two, at the frame at which one of its segments begins. */
export const dividedAt = (run: Run, cut: number): readonly [Run, Run] => [
  { ...run, until: cut, segments: run.segments.filter(({ from }) => from < cut) },
  { ...run, from: cut, segments: run.segments.filter(({ from }) => from >= cut) },
];

/** A run in two, about in the middle, where little is decoded anew; null where that is not worth it. */
const halved = (scene: Scene, run: Run): readonly [Run, Run] | null => {
  const { from, until, segments } = run;
  const cuts = segments
    .map(({ from: at }) => ({ at, anew: decodedAnew(scene, at), off: Math.abs(at - (from + until) / 2) }))
    .filter(({ at, anew }) => {
      const least_s = anew === null ? LEAST_HALF_S.otherwise : LEAST_HALF_S.decoded_anew;
      const least = Math.max((least_s * scene.fps.num) / scene.fps.den, LEAST_SHARE * (until - from));
      return at - from >= least && until - at >= least;
    });
  const costOf = ({ anew, off }: { readonly anew: number | null; readonly off: number }): number => (anew ?? 0) + off;
  const [cut] = cuts.toSorted((a, b) => costOf(a) - costOf(b) || a.off - b.off);
  return cut === undefined ? null : dividedAt(run, cut.at);
};

/**
 * The missing parts in as few runs as keep all cores busy: a process composites in one thread. A repeated part is encoded once.
 *
 * @param cached the keys of the cached parts
 * @param cores processes that run at a time
 */
export const runsOf = (
  scene: Scene,
  segments: readonly Segment[],
  cached: ReadonlySet<string>,
  cores: number,
): readonly Run[] => {
  const runs = [...fewestRuns(scene, segments, cached)];
  const frames = ({ from, until }: Span): number => until - from;
  /** Divides the longest run that can be. */
  const divided = (): boolean => {
    for (const run of runs.toSorted((a, b) => frames(b) - frames(a))) {
      const halves = halved(scene, run);
      if (halves === null) continue;
      runs.splice(runs.indexOf(run), 1, ...halves);
      return true;
    }
    return false;
  };
  while (runs.length < cores && divided());
  return runs;
};
