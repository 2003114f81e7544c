import type { FrameSpan } from '../../domain/composition/extents.ts';
import { cacheKeyOf } from '../cache/key-of.ts';
import { describeEncoder, type EncodingOptions } from '../encode/encoder-options.ts';
import type { Scene } from '../scene/scene.ts';
import { describeVideoTrack, sceneCutFrames } from './describe-segment.ts';
import type { Segment } from './render-plan.ts';
import type { Toolchain } from './toolchain.ts';

/** A small change, or a lost worker, costs at most one segment of this length. */
const MAX_SEGMENT_S = 4;

const spansBetween = (frames: number, boundaries: readonly number[]): readonly FrameSpan[] => {
  const edges = [...new Set([0, ...boundaries, frames])].filter((n) => n >= 0 && n <= frames).sort((a, b) => a - b);
  return edges.slice(1).map((until, index) => ({ from: edges[index] ?? 0, until }));
};

/**
 * Divides a span into equal parts of at most `max` frames. They depend only on the span, not on changes elsewhere in
 * the video.
 */
const equalParts = ({ from, until }: FrameSpan, max: number): readonly FrameSpan[] => {
  const parts = Math.ceil((until - from) / max);
  const edge = (part: number): number => from + Math.round((part * (until - from)) / parts);
  return Array.from({ length: parts }, (_, part) => ({ from: edge(part), until: edge(part + 1) }));
};

export type SegmentOptions = EncodingOptions & {
  /** For tests: replaces the maximum of 4 s. */
  readonly max_segment_frames?: number;
};

/** Cuts wherever a layer begins or ends. Equal pixels, encoded identically by the same builds, have equal keys. */
export const splitIntoSegments = (scene: Scene, toolchain: Toolchain, options: SegmentOptions): readonly Segment[] => {
  const { fps, outputs } = scene;
  const max = options.max_segment_frames ?? Math.max(1, Math.floor((MAX_SEGMENT_S * fps.num) / fps.den));
  const encoders = outputs.map((output) => ({
    output,
    encoder: { options: describeEncoder(output, fps, options), build: toolchain.encoders[output.codec] ?? null },
  }));
  const cuts = spansBetween(scene.frames, sceneCutFrames(scene)).flatMap((span) => equalParts(span, max));
  return cuts.map(({ from, until }, index) => {
    const picture = cacheKeyOf({ drawing: toolchain.drawing, shown: describeVideoTrack(scene, from, until) });
    const keys = encoders.map(({ output: { name, width, height }, encoder }) => [
      name,
      cacheKeyOf({ picture, frames: until - from, fps, width, height, encoder }),
    ]);
    return { index, from, until, keys: Object.fromEntries(keys) };
  });
};
