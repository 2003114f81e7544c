export const LIMITS = {
  document_bytes: 256 * 1024,
  side: 4096,
  fps: 120,
  duration_s: 3600,
  source_s: 24 * 3600,
  compositions: 50,
  layers: 200,
  /** Groups that nest. */
  group_levels: 4,
  keyframes: 64,
  /** Media and images that one ffmpeg run reads at once. */
  inputs_at_once: 50,
  /** The sum over the layers that show in one frame: eight times the largest frame. */
  peak_pixels: 8 * 4096 * 4096,
  assets: 500,
  templates: 100,
  fields: 200,
  /** Properties that one field drives. */
  field_targets: 20,
  /** The largest `min` and `max` of a field. */
  field_number: 1_000_000_000,
  choices: 100,
  /** `{{key}}` in all texts of a document. A check formats the defaults of all of them. */
  placeholders: 500,
  choice: 250,
  variants: 8,
  name: 250,
  text: 10_000,
  values: 200,
  values_bytes: 128 * 1024,
  remote_media: 50,
  font_size: 1000,
  /** Standard deviation of blurs and of blurred shadows, in pixels. */
  blur: 100,
  /** Stops of a gradient. */
  stops: 32,
  /** The largest fonts, with all CJK characters, have about 30 MiB. */
  font_file_bytes: 64 * 1024 ** 2,
  /**
   * The length of `rangesText` of the characters that a project's font adds. A font with all characters has a length of
   * 9,182.
   */
  font_covers: 12_000,
} as const;
