import type { FinalVariant } from '../../domain/composition/final-composition.ts';
import type { Scene } from '../scene/scene.ts';

/** Frames [from, until) between two cuts: the unit of the cache, with one encoded part for each output. */
export type Segment = {
  /** Counts from 0. */
  readonly index: number;
  readonly from: number;
  readonly until: number;
  /** Cache keys of the encoded part, by output name. */
  readonly keys: Readonly<Record<string, string>>;
};

/** The work of one ffmpeg process: adjacent segments that lack the same outputs. */
export type Run = {
  readonly from: number;
  readonly until: number;
  readonly outputs: readonly FinalVariant[];
  /** The run consists of the frames of these segments. */
  readonly segments: readonly Segment[];
};

/** All the work of a render; `runs` contains what is not cached. Equal scenes and caches have equal plans. */
export type RenderPlan = {
  readonly scene: Scene;
  readonly segments: readonly Segment[];
  /** Cache key of the audio mix. */
  readonly sound_key: string;
  readonly runs: readonly Run[];
};
