import type { FrameSpan } from '../../domain/composition/extents.ts';
import type { Run, Segment } from '../plan/render-plan.ts';
import { hasAllParts, type PartFiles } from './cached-parts.ts';

export type OnProgress = (progress: { readonly frames_done: number; readonly frames_total: number }) => void;

const framesOf = ({ from, until }: FrameSpan): number => until - from;
export const totalFrames = (spans: readonly FrameSpan[]): number =>
  spans.reduce((sum, span) => sum + framesOf(span), 0);

/**
 * Counts the frames that are in every output: those of present parts, and others as they are encoded. A repeated
 * segment counts for each occurrence. The reported number never decreases.
 * @param parts the present parts by key; parts added later count too
 */
export const createFrameCounter = (segments: readonly Segment[], parts: PartFiles, report: OnProgress) => {
  const groups = [...Map.groupBy(segments, ({ keys }) => JSON.stringify(keys)).values()];
  const encoded = new Map<number, number>();
  const frames_total = totalFrames(segments);
  const isPresent = hasAllParts(parts);
  let last = -1;

  const done = (): number =>
    groups.reduce((sum, occurrences) => {
      const [one] = occurrences;
      if (one === undefined) return sum;
      const frames = isPresent(one)
        ? framesOf(one)
        : Math.max(...occurrences.map(({ index }) => encoded.get(index) ?? 0));
      return sum + occurrences.length * frames;
    }, 0);
  const reportProgress = (): void => {
    const frames_done = done();
    if (frames_done <= last) return;
    last = frames_done;
    report({ frames_done, frames_total });
  };

  return {
    added: reportProgress,
    /** Call it with the number of encoded frames of a run, from its start. */
    of_run: ({ from, segments: own }: Pick<Run, 'from' | 'segments'>, frames: number): void => {
      for (const segment of own) {
        const within = Math.min(framesOf(segment), from + frames - segment.from);
        if (within > (encoded.get(segment.index) ?? 0)) encoded.set(segment.index, within);
      }
      reportProgress();
    },
  };
};

export type FrameCount = ReturnType<typeof createFrameCounter>;
