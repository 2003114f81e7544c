import * as t from 'io-ts';

const maybe = <A>(codec: t.Type<A, A, unknown>) => t.union([codec, t.undefined]);

const ProbedStream = t.type({
  index: t.number,
  codec_type: maybe(t.string),
  codec_name: maybe(t.string),
  codec_tag_string: maybe(t.string),
  width: maybe(t.number),
  height: maybe(t.number),
  pix_fmt: maybe(t.string),
  sample_fmt: maybe(t.string),
  sample_rate: maybe(t.string),
  channels: maybe(t.number),
  channel_layout: maybe(t.string),
  sample_aspect_ratio: maybe(t.string),
  color_space: maybe(t.string),
  color_range: maybe(t.string),
  color_transfer: maybe(t.string),
  color_primaries: maybe(t.string),
  field_order: maybe(t.string),
  avg_frame_rate: maybe(t.string),
  start_time: maybe(t.string),
  duration: maybe(t.string),
  time_base: maybe(t.string),
  tags: maybe(t.record(t.string, t.string)),
  disposition: maybe(t.record(t.string, t.number)),
  side_data_list: maybe(
    t.array(
      t.type({
        rotation: maybe(t.number),
        displaymatrix: maybe(t.string),
        dv_profile: maybe(t.number),
        dv_bl_signal_compatibility_id: maybe(t.number),
      }),
    ),
  ),
});
export type ProbedStream = t.TypeOf<typeof ProbedStream>;

export const Probed = t.type({
  streams: t.array(ProbedStream),
  format: t.type({ format_name: t.string, start_time: maybe(t.string) }),
});

/** Times are seconds of the file's timestamps. */
export type ProbedFile = t.TypeOf<typeof Probed> & {
  /** The end of the stream's last packet, which may differ from the header. */
  readonly endOf: (index: number) => number | null;
  /** The end of a stream with restarting timestamps, as if they continued; null for other streams. */
  readonly chainedEndOf: (index: number) => number | null;
  readonly isEncrypted: (index: number) => boolean;
  readonly keyFramesOf: (index: number) => readonly number[];
};

/** The end that the header announces, in seconds of the file's timestamps; null if unknown. */
export const headerEnd = ({ start_time, duration }: ProbedStream): number | null =>
  duration === undefined ? null : Number(start_time ?? 0) + Number(duration);

/** Length of one unit of a stream's time base, in seconds; 0 if unknown. */
export const timeBaseSeconds = ({ time_base }: ProbedStream): number => {
  const [ticks = 0, per_s = 0] = (time_base ?? '').split('/').map(Number);
  return per_s > 0 ? ticks / per_s : 0;
};

/** Only MP4 lists its frames in the header. */
export const isMp4 = ({ format }: Pick<ProbedFile, 'format'>): boolean => format.format_name.split(',').includes('mp4');
