import type { FinalVariant } from '../../../domain/composition/final-composition.ts';
import type { Scene } from '../scene/scene.ts';

/** In which a part of the picture is composited: 4:4:4 where something moves or lies on odd pixels. */
export type Chroma = '420' | '444';

/** Frames [from, until) of the composition, between two cuts: what the cache keeps, one encoded part for each output. */
export type Segment = {
  /** Counts from 0. */
  readonly index: number;
  readonly from: number;
  readonly until: number;
  readonly chroma: Chroma;
  /** Under which the encoded part is kept, by the output's name. */
  readonly keys: Readonly<Record<string, string>>;
};

/** What one process of the encoder makes: adjacent segments that lack the same outputs. */
export type Run = {
  readonly from: number;
  readonly until: number;
  readonly chroma: Chroma;
  readonly outputs: readonly FinalVariant[];
  /** Cut where these end; their frames are the run's, each once. */
  readonly segments: readonly Segment[];
};

/** All the work of a render: what is kept already is not part of `runs`. Equal scenes and caches have equal plans. */
export type RenderPlan = {
  readonly scene: Scene;
  readonly segments: readonly Segment[];
  /** Under which the finished sound is kept. */
  readonly sound_key: string;
  readonly runs: readonly Run[];
};
