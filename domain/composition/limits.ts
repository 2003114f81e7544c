/** The bounds of a project document. Sides in pixels, times in seconds, sizes in bytes or code points. */
export const LIMITS = {
  document_bytes: 256 * 1024,
  side: 4096,
  fps: 120,
  duration_s: 3600,
  compositions: 50,
  layers: 200,
  /** Media and pictures that one run of the encoder reads at once. */
  inputs_at_once: 50,
  /** Sum over the layers that show at one moment: eight of the largest frame. */
  live_pixels: 8 * 4096 * 4096,
  assets: 500,
  templates: 100,
  fields: 200,
  variants: 8,
  name: 250,
  text: 10_000,
  values: 200,
  values_bytes: 128 * 1024,
  font_size: 1000,
} as const;
