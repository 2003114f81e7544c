/** The end of a stream by its packets, in seconds of the file's timestamps. */
export type PacketsEnd = {
  /** The latest end of a packet, by its stated duration. */
  readonly end_s: number;
  /** Start of the last packet. */
  readonly last_s: number;
  /** From the start of the second last packet to the last one; 0 if there is one packet. */
  readonly step_s: number;
  /** Stated duration of the last packet; null without one. */
  readonly last_duration_s: number | null;
  /** Padding samples at its end. */
  readonly padding_samples: number;
};

/** A header may announce a last packet that is longer than the one before by at most this many seconds. */
const MAX_LONGER_S = 1;

/**
 * End of a stream, in seconds of the file's timestamps. A last packet without a duration lasts until the header's end,
 * or else as long as the packet before it. The same holds if its duration is one tick and the packet before lasted
 * longer. ffprobe reports one tick for each packet of an MP4 with time scale 600, as iPhones write (seen with 5.1).
 * @param tick_s one unit of the stream's time base
 * @param promised_s the end by the header's sample table; null without one
 */
export const realEnd = (
  { end_s, last_s, step_s, last_duration_s }: Omit<PacketsEnd, 'padding_samples'>,
  tick_s: number,
  promised_s: number | null,
): number => {
  const is_a_tick = last_duration_s !== null && last_duration_s < 1.5 * tick_s && step_s > 1.5 * tick_s;
  // ffprobe rounds packet durations down to whole ticks.
  const is_rounded = promised_s !== null && Math.abs(promised_s - end_s) < 1.5 * tick_s;
  if (last_duration_s !== null && !is_a_tick) return is_rounded ? promised_s : end_s;
  const left_s = (promised_s ?? 0) - last_s;
  const duration_s = left_s > 0 && left_s <= step_s + MAX_LONGER_S ? left_s : step_s;
  return Math.max(end_s, last_s + duration_s);
};
