import type { Span } from '../../../domain/composition/extents.ts';

/** Seconds that one part of the cache holds at most: what a small change costs, and what a lost worker has to repeat. */
export const MOST_SEGMENT_S = 4;

/** All frames, once each and in order, between neighbouring boundaries. */
export const spansBetween = (frames: number, boundaries: readonly number[]): readonly Span[] => {
  const edges = [...new Set([0, ...boundaries, frames])].filter((n) => n >= 0 && n <= frames).sort((a, b) => a - b);
  return edges.slice(1).map((until, index) => ({ from: edges[index] ?? 0, until }));
};

/** A span in equal parts of at most `most` frames. They depend on the span alone, so that changes elsewhere keep them. */
export const equalParts = ({ from, until }: Span, most: number): readonly Span[] => {
  const parts = Math.ceil((until - from) / most);
  const edge = (part: number): number => from + Math.round((part * (until - from)) / parts);
  return Array.from({ length: parts }, (_, part) => ({ from: edge(part), until: edge(part + 1) }));
};
