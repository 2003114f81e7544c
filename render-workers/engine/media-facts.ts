/** How the numbers of a video's pixels are to be read. `matrix` null: RGB, which has none. */
export type ColorFacts = {
  readonly matrix: 'bt601' | 'bt709' | 'smpte240m' | 'fcc' | 'bt2020' | null;
  readonly full_range: boolean;
  readonly hdr: boolean;
};

export type VideoFacts = {
  readonly kind: 'video';
  /** As it is to be seen: turned as the file says, pixels made square. */
  readonly width: number;
  readonly height: number;
  readonly color: ColorFacts;
  readonly interlaced: boolean;
  /** The decoder to ask for by name, where the usual one would drop the alpha channel. */
  readonly alpha_decoder: 'libvpx' | 'libvpx-vp9' | null;
  readonly has_alpha: boolean;
  readonly has_audio: boolean;
};
export type AudioFacts = { readonly kind: 'audio' };
export type ImageFacts = { readonly kind: 'image'; readonly width: number; readonly height: number };

/** What was found in an asset's file, as far as a plan depends on it. */
export type MediaFacts = VideoFacts | AudioFacts | ImageFacts;
