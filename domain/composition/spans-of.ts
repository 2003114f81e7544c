import type { FrameSpan } from './extents.ts';

/** @param numbers ascending */
export const consecutiveSpans = (numbers: Iterable<number>): FrameSpan[] => {
  const spans: FrameSpan[] = [];
  for (const n of numbers) {
    const last = spans.at(-1);
    if (last?.until === n) spans[spans.length - 1] = { from: last.from, until: n + 1 };
    else spans.push({ from: n, until: n + 1 });
  }
  return spans;
};
