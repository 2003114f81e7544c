import { describeEncoder, type Encoding } from '../encode/encoder-options.ts';
import type { Scene } from '../scene/scene.ts';
import { equalParts, MOST_SEGMENT_S, spansBetween } from './cuts.ts';
import { boundaries, chromaOf, describePicture } from './describe-segment.ts';
import type { Segment } from './render-plan.ts';
import { keyOf, type Toolchain } from './segment-key.ts';

export type SegmentOptions = Encoding & {
  /** For tests: cuts after at most so many frames, instead of 4 s. */
  readonly most_segment_frames?: number;
};

/**
 * The scene in the parts that the cache keeps, with their keys: cut wherever a layer begins or ends, then in equal parts of
 * at most 4 s. Equal pixels, encoded alike by the same builds, have equal keys.
 */
export const segmentsOf = (scene: Scene, toolchain: Toolchain, options: SegmentOptions): readonly Segment[] => {
  const { fps, outputs } = scene;
  const most = options.most_segment_frames ?? Math.max(1, Math.floor((MOST_SEGMENT_S * fps.num) / fps.den));
  const encoders = outputs.map((output) => ({
    output,
    encoder: { options: describeEncoder(output, fps, options), build: toolchain.encoders[output.codec] ?? null },
  }));
  const cuts = spansBetween(scene.frames, boundaries(scene)).flatMap((span) => {
    const chroma = chromaOf(scene, span.from, span.until);
    return equalParts(span, most).map((part) => ({ ...part, chroma }));
  });
  return cuts.map(({ from, until, chroma }, index) => {
    // Hashed once, however many outputs there are.
    const picture = keyOf({ drawing: toolchain.drawing, chroma, shown: describePicture(scene, from, until) });
    const keys = encoders.map(({ output: { name, width, height }, encoder }) => [
      name,
      keyOf({ picture, frames: until - from, fps, width, height, encoder }),
    ]);
    return { index, from, until, chroma, keys: Object.fromEntries(keys) };
  });
};
