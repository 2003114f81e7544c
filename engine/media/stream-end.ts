/** Times are in seconds of the file's timestamps. */
export type PacketEnd = {
  /** The latest end of a packet, by its stated duration. */
  readonly end_s: number;
  readonly last_s: number;
  /** From the start of the second last packet to the last one; 0 if there is one packet. */
  readonly step_s: number;
  readonly last_duration_s: number | null;
  readonly padding_samples: number;
};

/** A header may announce a last packet that is longer than the one before by at most this many seconds. */
const MAX_LONGER_S = 1;

/**
 * A last packet without a duration lasts until the header's end, or else as long as the packet before it. The same
 * applies to a last packet of one tick after a longer packet. For an MP4 with the iPhones' time scale 600, ffprobe 5.1
 * reports one tick for each packet.
 * @param promised_s the end by the header's sample table, in seconds of the file's timestamps; null without one
 */
export const resolveStreamEnd = (
  { end_s, last_s, step_s, last_duration_s }: Omit<PacketEnd, 'padding_samples'>,
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
