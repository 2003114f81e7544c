import type { Downmix } from './downmix.ts';

/** `matrix` is null for RGB. */
export type ColorProperties = {
  readonly matrix: 'bt601' | 'bt709' | 'smpte240m' | 'fcc' | 'bt2020' | null;
  readonly full_range: boolean;
  readonly hdr: HdrProperties | null;
  /** Standard-range colours other than BT.709, by ffmpeg's names. */
  readonly converted?: { readonly primaries: string; readonly transfer: 'iec61966-2-1' | 'linear' };
};

/** ffmpeg's names of a matrix and primaries that zscale can convert. `matrix` is null for RGB. */
export type HdrProperties = {
  readonly transfer: 'smpte2084' | 'arib-std-b67';
  readonly matrix: string | null;
  readonly primaries: string;
};

/** Frames as the decoder outputs them, before the rotation that the file requests. */
export type CodedFrames = {
  readonly width: number;
  readonly height: number;
  readonly rotation: 0 | 90 | 180 | 270;
  /** Width divided by height as displayed, before the rotation. */
  readonly aspect: number;
};

export type VideoProperties = {
  readonly kind: 'video';
  /** The displayed size: rotated as the file says, with square pixels. */
  readonly width: number;
  readonly height: number;
  /** Length of one unit of the time base, in seconds; 0 if unknown. */
  readonly tick_s: number;
  /** Null if the file mirrors the video, or rotates it by other than quarter turns. */
  readonly coded: CodedFrames | null;
  readonly color: ColorProperties;
  readonly interlaced: boolean;
  /** Average frames per second, of two fields each for interlaced video; 0 if unknown. */
  readonly frame_rate: number;
  /** The decoder to select by name if the default one would drop the alpha channel. */
  readonly alpha_decoder: 'libvpx' | 'libvpx-vp9' | null;
  readonly has_alpha: boolean;
  readonly track: number;
  /** Index of the audio stream; null without audio. */
  readonly sound_track: number | null;
  readonly downmix: Downmix;
  /** Seconds after the file's start, computed from packets, because headers may be wrong. */
  readonly duration_s: number;
  readonly sound_duration_s: number;
  readonly starts_s: number;
  /** Timestamp of the audio at the file's start. Differs from `starts_s` if the audio is early by its priming. */
  readonly sound_starts_s: number;
  /** False for a container without an index: frames are found only by reading from the beginning. */
  readonly seekable: boolean;
  /** True if the timestamps of an MPEG-TS file restart in the middle. The rest of the file is not shown. */
  readonly begins_again?: true;
  /** Some of the key frames in order, in seconds after the file's start; empty if unknown. */
  readonly key_frames_s: readonly number[];
};
export type AudioProperties = Pick<
  VideoProperties,
  'track' | 'duration_s' | 'starts_s' | 'downmix' | 'begins_again'
> & {
  readonly kind: 'audio';
  /** True for chained Ogg streams: several sounds in sequence, each with its own timestamps. */
  readonly chained?: true;
};

/** A still image has one frame and no duration. */
export type ImageProperties = {
  readonly kind: 'image';
  readonly width: number;
  readonly height: number;
  readonly has_alpha: boolean;
  /** True for an SVG, because it may contain text, which is drawn with the installed fonts. */
  readonly has_text: boolean;
  readonly pages: number;
  readonly duration_s: number;
  readonly frame_ms: number;
  readonly frames: number;
};

/** `covers`: the characters that the engine's families lack and this font has; null if unknown. */
export type FontProperties = { readonly kind: 'font'; readonly covers: string | null };

export type MediaProperties = VideoProperties | AudioProperties | ImageProperties | FontProperties;
