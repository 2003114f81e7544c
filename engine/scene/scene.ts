import type { Span } from '../../domain/composition/extents.ts';
import type { FinalVariant } from '../../domain/composition/final-composition.ts';
import type { FrameRate } from '../../domain/composition/frame-rate.ts';
import type { ColorProperties, VideoProperties } from '../media/media-properties.ts';
import type { Region, Surround } from '../raster/geometry.ts';
import type { Animation, Raster } from '../raster/raster-job.ts';
import type { Curve } from './curve.ts';
import type { SoundStep } from './sound-step.ts';

/**
 * A linear change of opacity from or to 0, from frame `at` of the step. In a dissolve, which several steps share, pictures
 * with and without the step are mixed instead.
 */
export type Fade = {
  readonly type: 'in' | 'out';
  readonly at: number;
  readonly frames: number;
  readonly dissolve: string | null;
};

/** Offset from the layer's position, in pixels. */
export type Shift = { readonly x: Curve; readonly y: Curve };

/** Members of all steps. Curves and fades count frames from `from`. */
export type Shown = {
  /** Names the layer in messages: `layers[2]`. */
  readonly field: string;
  /** Frames [from, until) of the composition. */
  readonly from: number;
  readonly until: number;
  /** The layer's frames that this step shows, where other steps show the others. */
  readonly stretch?: Span;
  readonly fades: readonly Fade[];
  readonly opacity: Curve;
  /** Their sum applies. */
  readonly shifts: readonly Shift[];
  readonly scale: Curve;
  /** The layer's box, in the composition's pixels; it is scaled about its middle. */
  readonly box: Region;
  /** The same box in the step's own pixels, of which a scaled layer has more. */
  readonly dense: Region;
  /** Whether it moves or grows other than by jumps: it is then placed between pixels where it must be. */
  readonly glides: boolean;
  /** In the step's own pixels. */
  readonly surround: Surround;
  /** Whether it is a text. */
  readonly letters: boolean;
  /** Whether it glides and hides everything below at all times: it is then composited without alpha. */
  readonly solid: boolean;
  /** Whether it hides everything below, at its position and full opacity. */
  readonly hides: boolean;
};

/** The frames and the movement of a layer. */
export type Motion = Pick<Shown, 'from' | 'until' | 'shifts' | 'scale'>;

export type RasterStep = Shown & { readonly kind: 'raster'; readonly raster: string };

/** An animated image. */
export type AnimationStep = Shown & { readonly kind: 'animation'; readonly animation: string };

/** The part of a source that plays. */
export type Part = {
  readonly asset: string;
  /** In seconds after the file's first moment: frame 0 of the layer shows `begins_s`. */
  readonly begins_s: number;
  /** End of the part; null for the source's own end. */
  readonly cut_s: number | null;
  /** End of the part's video. */
  readonly ends_s: number;
  readonly speed: number;
  /** Frames of the composition after which it loops; null if its last frame is held. */
  readonly body: number | null;
};

export type VideoStep = Shown & {
  readonly kind: 'video';
  readonly part: Part;
  /** The index of the track in its file. */
  readonly track: number;
  readonly decoder: string | null;
  /** The file's own time of its first moment, in seconds. */
  readonly file_starts_s: number;
  readonly tick_s: number;
  /** False if every frame is found only by reading from the beginning. */
  readonly seekable: boolean;
  /** Its frames as decoded, whose size and format may change in mid-stream. */
  readonly coded: VideoProperties['coded'];
  /** Some of the source's key frames, in seconds after the file's first moment; they decide no pixel. */
  readonly key_frames_s: readonly number[];
  readonly color: ColorProperties;
  readonly interlaced: boolean;
  /** Of what is interlaced: each field is shown as a frame, and not two of them as one. */
  readonly by_field: boolean;
  readonly transparent: boolean;
  /** Degrees, clockwise, about the middle. */
  readonly rotation: number;
  /** Region of the whole source, and its visible part, before rotation. */
  readonly placed: Region;
  readonly seen: Region;
};

export type Step = RasterStep | AnimationStep | VideoStep;

/** A resolved composition; equal compositions and media have equal scenes. */
export type Scene = {
  readonly width: number;
  readonly height: number;
  readonly fps: FrameRate;
  readonly frames: number;
  readonly samples: number;
  readonly rasters: readonly Raster[];
  readonly animations: readonly Animation[];
  /** Largest size on disk of each raster and animation, by id. */
  readonly drawn_bytes: ReadonlyMap<string, number>;
  /** From the lowest to the highest; the first fills the frame, on every frame. */
  readonly videoTrack: readonly Step[];
  /** Motion of layers that are hidden or transparent. */
  readonly unseen: readonly Motion[];
  readonly sound: readonly SoundStep[];
  /** SHA-256 of every asset, fonts among them, by id. */
  readonly hashes: Readonly<Record<string, string>>;
  /** SHA-256 and family of the project's own font files, sorted. */
  readonly fonts: readonly string[];
  /** Images that may hold text, by id. */
  readonly with_text: ReadonlySet<string>;
  readonly outputs: readonly FinalVariant[];
  readonly poster_frame: number;
};
