import type { FinalVariant } from '../../domain/composition/final-composition.ts';
import type { Scene } from '../scene/scene.ts';

/** Frames [from, until) between two cuts: the unit of the cache, with one encoded part for each output. */
export type Segment = {
  readonly index: number;
  readonly from: number;
  readonly until: number;
  readonly keys: Readonly<Record<string, string>>;
};

export type Run = {
  readonly from: number;
  readonly until: number;
  readonly outputs: readonly FinalVariant[];
  readonly segments: readonly Segment[];
};

/** `runs` contains what is not cached. Equal scenes and caches have equal plans. */
export type RenderPlan = {
  readonly scene: Scene;
  readonly segments: readonly Segment[];
  readonly sound_key: string;
  readonly runs: readonly Run[];
};
