/** The limits of a project document. Sides are in pixels, times in seconds, and sizes in bytes or code points. */
export const LIMITS = {
  document_bytes: 256 * 1024,
  side: 4096,
  fps: 120,
  duration_s: 3600,
  /** The length of a video or audio source. */
  source_s: 24 * 3600,
  compositions: 50,
  layers: 200,
  /** For each property of each layer. */
  keyframes: 64,
  /** Media and images that one encoder run reads at once. */
  inputs_at_once: 50,
  /** Sum over the layers that are visible in the same frame: eight times the largest frame. */
  peak_pixels: 8 * 4096 * 4096,
  assets: 500,
  templates: 100,
  fields: 200,
  variants: 8,
  name: 250,
  text: 10_000,
  values: 200,
  values_bytes: 128 * 1024,
  /** Values of one render that are URLs. */
  remote_media: 50,
  font_size: 1000,
  /** The largest faces, of whole CJK families, have about 30 MiB. */
  font_file_bytes: 64 * 1024 ** 2,
  /**
   * The length of the encoded characters that a project's font adds to the engine's. The full set has a length of
   * 9,182.
   */
  font_covers: 12_000,
} as const;
