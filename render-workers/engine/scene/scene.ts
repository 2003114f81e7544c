import type { FinalVariant } from '../../../domain/composition/final-composition.ts';
import type { FrameRate } from '../../../domain/composition/frame-rate.ts';
import type { ColorFacts } from '../media/media-facts.ts';
import type { Region } from '../raster/geometry.ts';
import type { Animation, Raster } from '../raster/raster-job.ts';
import type { Curve } from './curve.ts';
import type { SoundStep } from './sound-step.ts';

/** A linear change between nothing and all of a step, from its frame `at` on, its first being 0. */
export type Fade = { readonly type: 'in' | 'out'; readonly at: number; readonly frames: number };

/** How far a step is from where it rests, in pixels. */
export type Shift = { readonly x: Curve; readonly y: Curve };

/** What all steps have. Curves and fades count frames from `from`, so that they know nothing of the composition. */
export type Shown = {
  /** Names the layer in messages: `layers[2]`. */
  readonly field: string;
  /** Frames [from, until) of the composition. */
  readonly from: number;
  readonly until: number;
  readonly fades: readonly Fade[];
  readonly opacity: Curve;
  /** Added up. */
  readonly shifts: readonly Shift[];
  readonly scale: Curve;
  /** The layer's box, in the composition's pixels; it is scaled about its middle. */
  readonly box: Region;
  /** The same box in the step's own pixels, as all its regions are: there are more of them where it grows. */
  readonly dense: Region;
  /** Whether nothing of what is below is seen while all of it shows, where it rests. */
  readonly hides: boolean;
};

/** When a layer is there, and how it moves. */
export type Motion = Pick<Shown, 'from' | 'until' | 'shifts' | 'scale'>;

export type RasterStep = Shown & { readonly kind: 'raster'; readonly raster: string };

/** A picture of several pages. */
export type AnimationStep = Shown & { readonly kind: 'animation'; readonly animation: string };

/** What is taken from a source's file. */
export type Part = {
  readonly asset: string;
  /** In seconds after the file's first moment: frame 0 of the layer shows `begins_s`. */
  readonly begins_s: number;
  /** What comes from here on is not shown; null where that is the source's own end. */
  readonly cut_s: number | null;
  /** Where the picture of the part ends. */
  readonly ends_s: number;
  readonly speed: number;
  /** Frames of the composition after which it begins again; null where its last picture stays. */
  readonly body: number | null;
};

export type VideoStep = Shown & {
  readonly kind: 'video';
  readonly part: Part;
  readonly decoder: string | null;
  /** The file's own time of its first moment, in seconds. */
  readonly file_starts_s: number;
  /** False where only a reading from the beginning on finds every frame. */
  readonly seekable: boolean;
  readonly color: ColorFacts;
  readonly interlaced: boolean;
  readonly transparent: boolean;
  /** Degrees, clockwise, about the middle. */
  readonly rotation: number;
  /** Where the whole source would lie, and the part of it that is seen, before it is turned. */
  readonly placed: Region;
  readonly seen: Region;
};

export type Step = RasterStep | AnimationStep | VideoStep;

/** All that is decided before anything is drawn or run; equal compositions have equal scenes. */
export type Scene = {
  readonly width: number;
  readonly height: number;
  readonly fps: FrameRate;
  readonly frames: number;
  readonly samples: number;
  readonly rasters: readonly Raster[];
  readonly animations: readonly Animation[];
  /** What each raster and animation takes on disk at most, by id. */
  readonly drawn_bytes: ReadonlyMap<string, number>;
  /** From the lowest to the highest; the first fills the frame, on every frame. */
  readonly videoTrack: readonly Step[];
  /** Of layers that would be there, but are hidden or transparent. */
  readonly unseen: readonly Motion[];
  readonly sound: readonly SoundStep[];
  /** SHA-256 of every asset, fonts among them, by id. */
  readonly hashes: Readonly<Record<string, string>>;
  /** SHA-256 and family of the project's own font files, sorted. */
  readonly fonts: readonly string[];
  readonly outputs: readonly FinalVariant[];
  readonly poster_frame: number;
};
