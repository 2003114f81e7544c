import type { FinalVariant } from '../../domain/composition/final-composition.ts';
import type { FrameRate } from '../../domain/composition/frame-rate.ts';
import type { Region } from './geometry.ts';
import type { ColorFacts } from './media-facts.ts';
import type { Still } from './stills/still.ts';

/** Frames [from, until) of the composition, and how many of the first and last of them fade. */
export type Shown = {
  readonly from: number;
  readonly until: number;
  readonly fade_in_frames: number;
  readonly fade_out_frames: number;
};

/** A file to read. `seek_s` is where to begin, well before what is needed; `looped` begins it again for ever. */
export type Source = {
  readonly asset: string;
  readonly seek_s: number;
  readonly looped: boolean;
  readonly decoder: string | null;
};

export type StillStep = Shown & { readonly kind: 'still'; readonly still: string };

export type VideoStep = Shown & {
  readonly kind: 'video';
  /** Index into the plan's sources. */
  readonly source: number;
  /** Seconds to add to the file's own times to have times of the composition. */
  readonly shift_s: number;
  readonly color: ColorFacts;
  readonly interlaced: boolean;
  readonly transparent: boolean;
  readonly opacity: number;
  /** Where the whole source would lie in the frame, and the part of it that is seen. */
  readonly placed: Region;
  readonly seen: Region;
};

/** One voice of the mix. Times in seconds, `starts_at_sample` in samples of the composition. */
export type SoundStep = {
  readonly source: number;
  readonly trim_start_s: number;
  readonly length_s: number;
  readonly starts_at_sample: number;
  readonly volume: number;
  readonly fade_in_s: number;
  readonly fade_out_s: number;
};

/** All that is decided before anything is drawn or run; equal compositions have equal plans. */
export type RenderPlan = {
  readonly width: number;
  readonly height: number;
  readonly fps: FrameRate;
  readonly frames: number;
  readonly samples: number;
  /** In which the picture is composited: 4:4:4 where a clip does not lie on even pixels, else 4:2:0, twice as fast. */
  readonly chroma: '420' | '444';
  readonly sources: readonly Source[];
  readonly stills: readonly Still[];
  /** From the lowest to the highest; the first fills the frame, on every frame. */
  readonly picture: readonly (StillStep | VideoStep)[];
  readonly sound: readonly SoundStep[];
  readonly outputs: readonly FinalVariant[];
  readonly poster_frame: number;
};

export const SAMPLE_RATE = 48_000;
