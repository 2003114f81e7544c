import type { ProbedStream } from './probed-file.ts';

/** Weight of each channel in the left and right output; null: ffmpeg mixes by the layout. */
export type Downmix = readonly (readonly [left: number, right: number])[] | null;

/** Maximum number of channels without a layout. If more are mixed, each is almost inaudible. */
const MAX_WITHOUT_LAYOUT = 16;

/** ffmpeg and players treat six and eight channels without a layout as 5.1 and 7.1. */
const COUNTS_WITH_LAYOUT: readonly number[] = [1, 2, 6, 8];

const SIDE = Math.SQRT1_2;

/** Front, side and back have ffmpeg's weights. The other speakers, which ffmpeg drops, follow the same rule. */
const WEIGHTS: ReadonlyMap<string, readonly [number, number]> = new Map(
  (
    [
      [
        ['FL', 'FLC', 'DL'],
        [1, 0],
      ],
      [
        ['FR', 'FRC', 'DR'],
        [0, 1],
      ],
      [['FC'], [SIDE, SIDE]],
      [
        ['BL', 'SL', 'WL', 'TFL', 'TBL', 'TSL', 'BFL', 'SDL'],
        [SIDE, 0],
      ],
      [
        ['BR', 'SR', 'WR', 'TFR', 'TBR', 'TSR', 'BFR', 'SDR'],
        [0, SIDE],
      ],
      [
        ['BC', 'TC', 'TFC', 'TBC', 'BFC'],
        [0.5, 0.5],
      ],
    ] as const
  ).flatMap(([names, weights]) => names.map((name) => [name, weights] as const)),
);

/** Named layouts whose upper and lower speakers ffmpeg drops. */
const NAMED_LAYOUTS: ReadonlyMap<string, string> = new Map([
  ['22.2', 'FL+FR+FC+LFE+BL+BR+FLC+FRC+BC+SL+SR+TC+TFL+TFC+TFR+TBL+TBC+TBR+LFE2+TSL+TSR+BFC+BFL+BFR'],
  ['hexadecagonal', 'FL+FR+FC+BL+BR+BC+SL+SR+TFL+TFC+TFR+TBL+TBC+TBR+WL+WR'],
]);

const SILENT = [0, 0] as const;

/** The sum is at most as loud as the loudest channel. */
const equalDownmix = (channels: number): Downmix =>
  Array.from({ length: channels }, () => [1 / channels, 1 / channels]);

/** If only low-frequency speakers are known, all channels are mixed equally. */
const speakerDownmix = (names: readonly string[]): Downmix => {
  const weights = names.map((name) => WEIGHTS.get(name) ?? SILENT);
  return weights.some((weight) => weight !== SILENT) ? weights : equalDownmix(names.length);
};

/** The first ambisonic channel (W) is the whole sound field. A stereo pair after the others is head-locked. */
const ambisonicDownmix = (channels: number, with_stereo: boolean): Downmix =>
  Array.from({ length: channels }, (_, channel) => {
    if (channel === 0) return [1, 1];
    if (with_stereo && channel >= channels - 2) return channel === channels - 2 ? [1, 0] : [0, 1];
    return SILENT;
  });

const layoutOf = ({ channel_layout }: ProbedStream): string | null =>
  channel_layout === undefined || channel_layout === 'unknown' || /^\d+ channels$/.test(channel_layout)
    ? null
    : channel_layout;

/** A message that follows the asset's name; null if the sound can be mixed down. */
export const downmixFault = (stream: ProbedStream): string | null => {
  const channels = stream.channels ?? 0;
  return layoutOf(stream) === null && channels > MAX_WITHOUT_LAYOUT
    ? `has ${channels} channels without a layout: mix it down to one or two channels (at most ${MAX_WITHOUT_LAYOUT} are supported)`
    : null;
};

export const downmixOf = (stream: ProbedStream): Downmix => {
  const channels = stream.channels ?? 0;
  const layout = layoutOf(stream);
  if (layout === null) return COUNTS_WITH_LAYOUT.includes(channels) ? null : equalDownmix(channels);
  if (channels === 1) return layout === 'mono' ? null : equalDownmix(channels);
  if (layout.startsWith('ambisonic')) return ambisonicDownmix(channels, layout.endsWith('+stereo'));
  const speakers = NAMED_LAYOUTS.get(layout) ?? /^\d+ channels \((.*)\)$/.exec(layout)?.[1];
  return speakers === undefined ? null : speakerDownmix(speakers.split('+'));
};

// Converts to floating-point samples, because ffmpeg attenuates or clips sums of integer samples.
const FLOATS = 'aformat=sample_fmts=fltp';

/** ffmpeg's own conversion attenuates a single channel by 3 dB. */
const MONO_TO_STEREO = [`${FLOATS}:channel_layouts=mono|stereo`, 'pan=stereo|FL=FL+FC|FR=FR+FC'];

const sumOf = (downmix: NonNullable<Downmix>, side: 0 | 1): string => {
  const terms = downmix.flatMap((weights, channel) =>
    weights[side] === 0 ? [] : [`${weights[side].toFixed(6)}*c${channel}`],
  );
  return terms.length === 0 ? '0*c0' : terms.join('+');
};

export const stereoFilters = (downmix: Downmix): readonly string[] =>
  downmix === null ? MONO_TO_STEREO : [FLOATS, `pan=stereo|c0=${sumOf(downmix, 0)}|c1=${sumOf(downmix, 1)}`];
