import type { FrameSpan } from '../../domain/composition/extents.ts';
import type { FinalVariant } from '../../domain/composition/final-composition.ts';
import type { FrameRate } from '../../domain/composition/frame-rate.ts';
import type { ColorProperties, VideoProperties } from '../media/media-properties.ts';
import type { Crop, Flip } from '../raster/framing.ts';
import type { EdgePadding, Region } from '../raster/geometry.ts';
import type { Animation, Raster } from '../raster/raster-job.ts';
import type { Curve } from './curve.ts';
import type { AudioClip } from './sound-step.ts';

/** `at` is a frame of the step. Several steps share a dissolve, which mixes the pictures with and without the steps. */
export type LayerFade = {
  readonly type: 'in' | 'out';
  readonly at: number;
  readonly frames: number;
  readonly dissolve: string | null;
};

/** Offset from the layer's position, in pixels. */
export type PositionShift = { readonly x: Curve; readonly y: Curve };

/**
 * A group whose picture is mixed with the picture below it. The share of the group's picture is its opacity, times the
 * fades. Frames are those of the composition.
 */
export type GroupMix = {
  readonly id: string;
  readonly opacity: Curve;
  readonly fades: readonly Omit<LayerFade, 'dissolve'>[];
};

/** Members of all steps. Curves and fades count frames from `from`. */
export type StepBase = {
  /** Names the layer in messages: `layers[2]`. */
  readonly field: string;
  readonly from: number;
  readonly until: number;
  /** The layer's frames that this step shows, if other steps show the others. */
  readonly stretch?: FrameSpan;
  readonly fades: readonly LayerFade[];
  readonly opacity: Curve;
  /** The layer's offset is the sum of all shifts. */
  readonly shifts: readonly PositionShift[];
  readonly scale: Curve;
  /** The layer's box, in the composition's pixels; scaling keeps its middle. */
  readonly box: Region;
  /** The same box in the step's own pixels. A scaled layer has more of them. */
  readonly dense: Region;
  /**
   * Whether the layer moves or grows other than by jumps. If so, it is placed at subpixel positions where necessary.
   */
  readonly glides: boolean;
  readonly surround: EdgePadding;
  readonly letters: boolean;
  /** Whether the layer glides and always hides everything below it. If so, it is composited without alpha. */
  readonly solid: boolean;
  /** Whether the layer, in its original position and fully opaque, hides everything below it. */
  readonly hides: boolean;
  /** The outermost group first. */
  readonly mixes?: readonly GroupMix[];
};

export type LayerMotion = Pick<StepBase, 'from' | 'until' | 'shifts' | 'scale'>;

export type RasterStep = StepBase & { readonly kind: 'raster'; readonly raster: string };

export type AnimationStep = StepBase & { readonly kind: 'animation'; readonly animation: string };

export type SourceInterval = {
  readonly asset: string;
  /** Frame 0 of the layer shows this position, in seconds after the file's start. */
  readonly begins_s: number;
  /** End of the part; null for the source's end. */
  readonly cut_s: number | null;
  readonly ends_s: number;
  readonly speed: number;
  /** Frames of the composition after which the part loops; null if it plays once and its last frame is held. */
  readonly body: number | null;
};

export type VideoStep = StepBase & {
  readonly kind: 'video';
  readonly part: SourceInterval;
  readonly track: number;
  readonly decoder: string | null;
  /** Timestamp of the file's start, in seconds. */
  readonly file_starts_s: number;
  readonly tick_s: number;
  readonly seekable: boolean;
  /** Size and format of the decoded frames may change within the stream. */
  readonly coded: VideoProperties['coded'];
  /** Some of the source's key frames, in seconds after the file's start. They affect no pixel. */
  readonly key_frames_s: readonly number[];
  readonly color: ColorProperties;
  readonly interlaced: boolean;
  /** For interlaced video: whether each field becomes a frame, instead of two fields together. */
  readonly by_field: boolean;
  readonly transparent: boolean;
  /** Degrees, clockwise, about the middle. */
  readonly rotation: number;
  /** Region of the whole source after its crop, and its visible part, before rotation. */
  readonly placed: Region;
  readonly seen: Region;
  readonly crop?: Crop;
  readonly flip?: Flip;
  /** Standard deviation in the step's own pixels. */
  readonly blur?: number;
  /** The corners of the region `of` are round; it contains `seen`. The radius is in the step's own pixels. */
  readonly corners?: { readonly radius: number; readonly of: Region };
};

export type Step = RasterStep | AnimationStep | VideoStep;

/** Equal compositions and media have equal scenes. */
export type Scene = {
  readonly width: number;
  readonly height: number;
  readonly fps: FrameRate;
  readonly frames: number;
  readonly samples: number;
  readonly rasters: readonly Raster[];
  readonly animations: readonly Animation[];
  readonly drawn_bytes: ReadonlyMap<string, number>;
  /** The lowest step comes first, and fills the frame at all times. */
  readonly videoTrack: readonly Step[];
  /** Motion of layers that are hidden or transparent. */
  readonly unseen: readonly LayerMotion[];
  readonly sound: readonly AudioClip[];
  readonly hashes: Readonly<Record<string, string>>;
  /** SHA-256 and family of the project's own font files, sorted. */
  readonly fonts: readonly string[];
  /** Ids of the images that may contain text. */
  readonly with_text: ReadonlySet<string>;
  readonly outputs: readonly FinalVariant[];
  readonly poster_frame: number;
};
