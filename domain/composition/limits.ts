/** The bounds of a project document. Sides in pixels, times in seconds, sizes in bytes or code points. */
export const LIMITS = {
  document_bytes: 256 * 1024,
  side: 4096,
  fps: 120,
  duration_s: 3600,
  /** Of a video or sound that layers take a part of. */
  source_s: 24 * 3600,
  compositions: 50,
  layers: 200,
  /** Of one property of one layer. */
  keyframes: 64,
  /** Media and pictures that one run of the encoder reads at once. */
  inputs_at_once: 50,
  /** Sum over the layers that show at one moment: eight of the largest frame. */
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
  /** As text, of the characters of a project's font that the engine's lack: all that there can be are 9,182 long. */
  font_covers: 12_000,
} as const;
