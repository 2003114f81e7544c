import type { Downmix } from './downmix.ts';

/** How a video's pixel values are encoded. `matrix` is null for RGB. */
export type ColorProperties = {
  readonly matrix: 'bt601' | 'bt709' | 'smpte240m' | 'fcc' | 'bt2020' | null;
  readonly full_range: boolean;
  readonly hdr: HdrProperties | null;
  /** Colours of standard range that are not of BT.709, by ffmpeg's names. */
  readonly converted?: { readonly primaries: string; readonly transfer: 'iec61966-2-1' | 'linear' };
};

/** High dynamic range, by ffmpeg's names: a matrix and primaries that zscale can convert. `matrix` is null for RGB. */
export type HdrProperties = {
  readonly transfer: 'smpte2084' | 'arib-std-b67';
  readonly matrix: string | null;
  readonly primaries: string;
};

/** Frames as their decoder gives them, before the file rotates them. */
export type CodedPictures = {
  readonly width: number;
  readonly height: number;
  /** Clockwise, in degrees. */
  readonly rotation: 0 | 90 | 180 | 270;
  /** Width by height as displayed, before the rotation. */
  readonly aspect: number;
};

export type VideoProperties = {
  readonly kind: 'video';
  /** As displayed: rotated as the file says, with square pixels. */
  readonly width: number;
  readonly height: number;
  /** The length of a tick of its clock, in seconds; 0 where it is not known. */
  readonly tick_s: number;
  /** Null where the file mirrors it, or rotates it by other than quarter turns. */
  readonly coded: CodedPictures | null;
  readonly color: ColorProperties;
  readonly interlaced: boolean;
  /** Frames a second on average, of two fields each where it is interlaced; 0 where it is not known. */
  readonly frame_rate: number;
  /** The decoder to request by name where the default one would drop the alpha channel. */
  readonly alpha_decoder: 'libvpx' | 'libvpx-vp9' | null;
  readonly has_alpha: boolean;
  /** The index of its picture's track in the file. */
  readonly track: number;
  /** That of its sound's; null where it has none. */
  readonly sound_track: number | null;
  /** How its audio becomes two channels. */
  readonly downmix: Downmix;
  /** The end of the video, in seconds after the file's start; counted from packets, as headers may be wrong. */
  readonly duration_s: number;
  /** The same for its audio; 0 where it has none. */
  readonly sound_duration_s: number;
  /** The timestamp of the file's start, in seconds. */
  readonly starts_s: number;
  /** The timestamp in its audio that is heard with the file's start: another one where the audio is early by its priming. */
  readonly sound_starts_s: number;
  /** False for a container without an index, where frames are found only by reading from the beginning. */
  readonly seekable: boolean;
  /** The clock of an MPEG-TS file begins again in the middle: what follows is not shown. Absent: it does not. */
  readonly begins_again?: true;
  /** Some of its key frames in order, in seconds after the file's start: none where they are not known. */
  readonly key_frames_s: readonly number[];
};
export type AudioProperties = Pick<
  VideoProperties,
  'track' | 'duration_s' | 'starts_s' | 'downmix' | 'begins_again'
> & {
  readonly kind: 'audio';
  /** Several sounds one after the other, each with a clock of its own: chained Ogg streams. Absent: it is one. */
  readonly chained?: true;
};

/**
 * A still or animated image: an animation's pages are drawn as `frames` frames of `frame_ms` each, repeated. An image
 * with a single page has one frame and no duration.
 */
export type ImageProperties = {
  readonly kind: 'image';
  readonly width: number;
  readonly height: number;
  readonly has_alpha: boolean;
  /** A vector graphic may hold text, which is drawn in whatever fonts there are. */
  readonly has_text: boolean;
  readonly pages: number;
  readonly duration_s: number;
  readonly frame_ms: number;
  readonly frames: number;
};

/** `covers` as of a project's asset: the characters that the engine's families lack, or null where that is unknown. */
export type FontProperties = { readonly kind: 'font'; readonly covers: string | null };

/** Properties of an asset's file on which a scene depends. */
export type MediaProperties = VideoProperties | AudioProperties | ImageProperties | FontProperties;
