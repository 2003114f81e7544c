import type { Downmix } from './downmix.ts';

/** How a video's pixel values are encoded. `matrix` is null for RGB. */
export type ColorProperties = {
  readonly matrix: 'bt601' | 'bt709' | 'smpte240m' | 'fcc' | 'bt2020' | null;
  readonly full_range: boolean;
  readonly hdr: HdrProperties | null;
  /** Standard-range colours other than BT.709, by ffmpeg's names. */
  readonly converted?: { readonly primaries: string; readonly transfer: 'iec61966-2-1' | 'linear' };
};

/** High dynamic range, by ffmpeg's names: a matrix and primaries that zscale can convert. `matrix` is null for RGB. */
export type HdrProperties = {
  readonly transfer: 'smpte2084' | 'arib-std-b67';
  readonly matrix: string | null;
  readonly primaries: string;
};

/** Frames as the decoder outputs them, before the rotation that the file asks for. */
export type CodedPictures = {
  readonly width: number;
  readonly height: number;
  /** Clockwise, in degrees. */
  readonly rotation: 0 | 90 | 180 | 270;
  /** Width divided by height as displayed, before the rotation. */
  readonly aspect: number;
};

export type VideoProperties = {
  readonly kind: 'video';
  /** As displayed: rotated as the file says, with square pixels. */
  readonly width: number;
  readonly height: number;
  /** Length of one unit of the time base, in seconds; 0 if unknown. */
  readonly tick_s: number;
  /** Null if the file mirrors the video, or rotates it by other than quarter turns. */
  readonly coded: CodedPictures | null;
  readonly color: ColorProperties;
  readonly interlaced: boolean;
  /** Average frames per second, of two fields each for interlaced video; 0 if unknown. */
  readonly frame_rate: number;
  /** The decoder to select by name if the default one would drop the alpha channel. */
  readonly alpha_decoder: 'libvpx' | 'libvpx-vp9' | null;
  readonly has_alpha: boolean;
  /** Index of the video stream in the file. */
  readonly track: number;
  /** Index of the audio stream; null if it has none. */
  readonly sound_track: number | null;
  /** How the audio is mixed down to two channels. */
  readonly downmix: Downmix;
  /** End of the video, in seconds after the file's start. It is computed from packets, since headers may be wrong. */
  readonly duration_s: number;
  /** The same for the audio; 0 without audio. */
  readonly sound_duration_s: number;
  /** Timestamp of the file's start, in seconds. */
  readonly starts_s: number;
  /**
   * Timestamp of the audio that plays at the file's start. It differs from `starts_s` if the audio is early by its
   * priming.
   */
  readonly sound_starts_s: number;
  /** False for a container without an index: frames are found only by reading from the beginning. */
  readonly seekable: boolean;
  /** The timestamps of an MPEG-TS file restart in the middle. The rest is not shown. */
  readonly begins_again?: true;
  /** Some of its key frames in order, in seconds after the file's start; empty if unknown. */
  readonly key_frames_s: readonly number[];
};
export type AudioProperties = Pick<
  VideoProperties,
  'track' | 'duration_s' | 'starts_s' | 'downmix' | 'begins_again'
> & {
  readonly kind: 'audio';
  /** Chained Ogg streams: several sounds in sequence, each with its own timestamps. */
  readonly chained?: true;
};

/**
 * A still or animated image. The pages of an animation are drawn as `frames` frames of `frame_ms` each, which loop. An
 * image with one page has one frame and no duration.
 */
export type ImageProperties = {
  readonly kind: 'image';
  readonly width: number;
  readonly height: number;
  readonly has_alpha: boolean;
  /** An SVG may contain text, which is drawn with the installed fonts. */
  readonly has_text: boolean;
  readonly pages: number;
  readonly duration_s: number;
  readonly frame_ms: number;
  readonly frames: number;
};

/** `covers`, as for a project's asset: the characters that the engine's families lack, or null if unknown. */
export type FontProperties = { readonly kind: 'font'; readonly covers: string | null };

/** Properties of an asset's file on which a scene depends. */
export type MediaProperties = VideoProperties | AudioProperties | ImageProperties | FontProperties;
