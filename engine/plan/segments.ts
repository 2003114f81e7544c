import type { Span } from '../../domain/composition/extents.ts';
import { keyOf } from '../cache/key-of.ts';
import { describeEncoder, type Encoding } from '../encode/encoder-options.ts';
import type { Scene } from '../scene/scene.ts';
import { boundaries, describeVideoTrack } from './describe-segment.ts';
import type { Segment } from './render-plan.ts';
import type { Toolchain } from './toolchain.ts';

/** Longest segment in seconds: what a small change, or a lost worker, has to encode again. */
const MOST_SEGMENT_S = 4;

/** The spans between neighbouring boundaries, in order. */
const spansBetween = (frames: number, boundaries: readonly number[]): readonly Span[] => {
  const edges = [...new Set([0, ...boundaries, frames])].filter((n) => n >= 0 && n <= frames).sort((a, b) => a - b);
  return edges.slice(1).map((until, index) => ({ from: edges[index] ?? 0, until }));
};

/** Divides a span into equal parts of at most `most` frames. They depend on the span alone, not on changes elsewhere. */
const equalParts = ({ from, until }: Span, most: number): readonly Span[] => {
  const parts = Math.ceil((until - from) / most);
  const edge = (part: number): number => from + Math.round((part * (until - from)) / parts);
  return Array.from({ length: parts }, (_, part) => ({ from: edge(part), until: edge(part + 1) }));
};

export type SegmentOptions = Encoding & {
  /** For tests: the longest segment in frames, instead of 4 s. */
  readonly most_segment_frames?: number;
};

/**
 * The segments of a scene with their cache keys: cut wherever a layer begins or ends, then in equal parts of
 * at most 4 s. Equal pixels, encoded alike by the same builds, have equal keys.
 */
export const segmentsOf = (scene: Scene, toolchain: Toolchain, options: SegmentOptions): readonly Segment[] => {
  const { fps, outputs } = scene;
  const most = options.most_segment_frames ?? Math.max(1, Math.floor((MOST_SEGMENT_S * fps.num) / fps.den));
  const encoders = outputs.map((output) => ({
    output,
    encoder: { options: describeEncoder(output, fps, options), build: toolchain.encoders[output.codec] ?? null },
  }));
  const cuts = spansBetween(scene.frames, boundaries(scene)).flatMap((span) => equalParts(span, most));
  return cuts.map(({ from, until }, index) => {
    // Hashed once for all outputs.
    const picture = keyOf({ drawing: toolchain.drawing, shown: describeVideoTrack(scene, from, until) });
    const keys = encoders.map(({ output: { name, width, height }, encoder }) => [
      name,
      keyOf({ picture, frames: until - from, fps, width, height, encoder }),
    ]);
    return { index, from, until, keys: Object.fromEntries(keys) };
  });
};
