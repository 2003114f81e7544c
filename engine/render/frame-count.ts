import type { Span } from '../../domain/composition/extents.ts';
import type { Run, Segment } from '../plan/render-plan.ts';
import { hasAllParts, type PartFiles } from './cached-parts.ts';

export type OnProgress = (progress: { readonly frames_done: number; readonly frames_total: number }) => void;

const framesOf = ({ from, until }: Span): number => until - from;
export const framesIn = (spans: readonly Span[]): number => spans.reduce((sum, span) => sum + framesOf(span), 0);

/**
 * Counts frames that are in every output: those of segments whose parts are all there, and of others as they are encoded. A
 * segment that occurs again is encoded once, and counts wherever it occurs. What is reported never decreases.
 *
 * @param parts what is there by key, now and later
 */
export const countFrames = (segments: readonly Segment[], parts: PartFiles, report: OnProgress) => {
  const equal = [...Map.groupBy(segments, ({ keys }) => JSON.stringify(keys)).values()];
  /** Encoded frames of segments, by the segment's index. */
  const encoded = new Map<number, number>();
  const frames_total = framesIn(segments);
  const isThere = hasAllParts(parts);
  let last = -1;

  const done = (): number =>
    equal.reduce((sum, those) => {
      const [one] = those;
      if (one === undefined) return sum;
      const frames = isThere(one) ? framesOf(one) : Math.max(...those.map(({ index }) => encoded.get(index) ?? 0));
      return sum + those.length * frames;
    }, 0);
  const say = (): void => {
    const frames_done = done();
    if (frames_done <= last) return;
    last = frames_done;
    report({ frames_done, frames_total });
  };

  return {
    /** Parts are there now that were not. */
    added: say,
    /** Frames of a run that are encoded, from its start. */
    of_run: ({ from, segments: own }: Pick<Run, 'from' | 'segments'>, frames: number): void => {
      for (const segment of own) {
        const within = Math.min(framesOf(segment), from + frames - segment.from);
        if (within > (encoded.get(segment.index) ?? 0)) encoded.set(segment.index, within);
      }
      say();
    },
  };
};

export type FrameCount = ReturnType<typeof countFrames>;
