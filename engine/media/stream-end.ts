/** The end of a stream by its packets, in seconds of the file's own clock. */
export type PacketsEnd = {
  /** The latest moment at which a packet ends by its own word. */
  readonly end_s: number;
  /** When the last packet begins. */
  readonly last_s: number;
  /** From the packet before to the last one; 0 where there is one packet. */
  readonly step_s: number;
  /** How long the last packet lasts by its own word; null where it says nothing. */
  readonly last_duration_s: number | null;
  /** Samples at its end that are no sound. */
  readonly padding_samples: number;
};

/** How much longer than the packet before it, in seconds, a header may say that the last packet lasts. */
const MAX_LONGER_S = 1;

/**
 * When a stream ends, in seconds of the file's own clock. A last packet that says nothing lasts as long as the header
 * leaves for it, or else as long as the one before it. So does one that says a tick, where the one before lasted longer:
 * ffprobe 5.1 gives a tick for each packet of an MP4 whose time scale is 600, as in films of iPhones.
 * @param tick_s of the stream's clock
 * @param promised_s the end by the table of samples in the header; null where there is none
 */
export const realEnd = (
  { end_s, last_s, step_s, last_duration_s }: Omit<PacketsEnd, 'padding_samples'>,
  tick_s: number,
  promised_s: number | null,
): number => {
  const is_a_tick = last_duration_s !== null && last_duration_s < 1.5 * tick_s && step_s > 1.5 * tick_s;
  // ffprobe rounds the lengths of packets to whole ticks, and down.
  const is_rounded = promised_s !== null && Math.abs(promised_s - end_s) < 1.5 * tick_s;
  if (last_duration_s !== null && !is_a_tick) return is_rounded ? promised_s : end_s;
  const left_s = (promised_s ?? 0) - last_s;
  const duration_s = left_s > 0 && left_s <= step_s + MAX_LONGER_S ? left_s : step_s;
  return Math.max(end_s, last_s + duration_s);
};
