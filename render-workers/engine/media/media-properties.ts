/** How the numbers of a video's pixels are to be read. `matrix` null: RGB, which has none. */
export type ColorProperties = {
  readonly matrix: 'bt601' | 'bt709' | 'smpte240m' | 'fcc' | 'bt2020' | null;
  readonly full_range: boolean;
  readonly hdr: boolean;
};

export type VideoProperties = {
  readonly kind: 'video';
  /** As it is to be seen: turned as the file says, pixels made square. */
  readonly width: number;
  readonly height: number;
  readonly color: ColorProperties;
  readonly interlaced: boolean;
  /** The decoder to ask for by name, where the usual one would drop the alpha channel. */
  readonly alpha_decoder: 'libvpx' | 'libvpx-vp9' | null;
  readonly has_alpha: boolean;
  readonly has_audio: boolean;
  /** Where the picture ends, in seconds after the file's first moment: counted from its packets, as headers lie. */
  readonly duration_s: number;
  /** The same of its sound; 0 where it has none. */
  readonly sound_duration_s: number;
  /** The file's own time of its first moment, in seconds. */
  readonly starts_s: number;
  /** False of a container without an index, in which only a reading from the beginning finds every frame. */
  readonly seekable: boolean;
};
export type AudioProperties = Pick<VideoProperties, 'duration_s' | 'starts_s'> & { readonly kind: 'audio' };

/**
 * A picture, or an animated one: its pages are then drawn as `frames` frames of `frame_ms` each, after which it begins
 * again. One of a single page has one frame and no duration.
 */
export type ImageProperties = {
  readonly kind: 'image';
  readonly width: number;
  readonly height: number;
  readonly has_alpha: boolean;
  readonly pages: number;
  readonly duration_s: number;
  readonly frame_ms: number;
  readonly frames: number;
};

export type FontProperties = { readonly kind: 'font' };

/** Properties of an asset's file on which a scene depends. */
export type MediaProperties = VideoProperties | AudioProperties | ImageProperties | FontProperties;
