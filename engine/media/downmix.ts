import type { ProbedStream } from './probed-file.ts';

/** How loud each channel of a sound is heard from the left and from the right; null: as ffmpeg mixes its layout. */
export type Downmix = readonly (readonly [left: number, right: number])[] | null;

/** Channels without a layout that are mixed. One of more of them would hardly be heard. */
const MAX_UNPLACED = 16;

/** ffmpeg and players take six and eight channels without a layout as 5.1 and 7.1. */
const KNOWN_BY_COUNT: readonly number[] = [1, 2, 6, 8];

const SIDE = Math.SQRT1_2;

/** As ffmpeg weighs front, side and back, and the other speakers by the same rule: it drops those. */
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

/** Layouts with a name whose upper and lower speakers ffmpeg drops. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['22.2', 'FL+FR+FC+LFE+BL+BR+FLC+FRC+BC+SL+SR+TC+TFL+TFC+TFR+TBL+TBC+TBR+LFE2+TSL+TSR+BFC+BFL+BFR'],
  ['hexadecagonal', 'FL+FR+FC+BL+BR+BC+SL+SR+TFL+TFC+TFR+TBL+TBC+TBR+WL+WR'],
]);

const NOT_HEARD = [0, 0] as const;

/** Every channel as loud from both sides: together they are at most as loud as the loudest. */
const equally = (channels: number): Downmix => Array.from({ length: channels }, () => [1 / channels, 1 / channels]);

/** By speakers. Where none but that for low frequencies is known, all channels are heard equally. */
const bySpeakers = (names: readonly string[]): Downmix => {
  const weights = names.map((name) => WEIGHTS.get(name) ?? NOT_HEARD);
  return weights.some((weight) => weight !== NOT_HEARD) ? weights : equally(names.length);
};

/** The first channel of ambisonic sound is all of it, from one point; a stereo pair after it belongs to the head. */
const ambisonic = (channels: number, with_stereo: boolean): Downmix =>
  Array.from({ length: channels }, (_, channel) => {
    if (channel === 0) return [1, 1];
    if (with_stereo && channel >= channels - 2) return channel === channels - 2 ? [1, 0] : [0, 1];
    return NOT_HEARD;
  });

/** The layout as ffprobe names it; null: the channels have no meaning. */
const layoutOf = ({ channel_layout }: ProbedStream): string | null =>
  channel_layout === undefined || channel_layout === 'unknown' || /^\d+ channels$/.test(channel_layout)
    ? null
    : channel_layout;

/** Why a sound cannot be mixed down, as a message that follows what it is of; or null. */
export const downmixFault = (stream: ProbedStream): string | null => {
  const channels = stream.channels ?? 0;
  return layoutOf(stream) === null && channels > MAX_UNPLACED
    ? `has ${channels} channels without a layout: mix it down to one or two channels; at most ${MAX_UNPLACED} can be read`
    : null;
};

export const downmixOf = (stream: ProbedStream): Downmix => {
  const channels = stream.channels ?? 0;
  const layout = layoutOf(stream);
  if (layout === null) return KNOWN_BY_COUNT.includes(channels) ? null : equally(channels);
  if (channels === 1) return layout === 'mono' ? null : equally(channels);
  if (layout.startsWith('ambisonic')) return ambisonic(channels, layout.endsWith('+stereo'));
  const speakers = NAMED.get(layout) ?? /^\d+ channels \((.*)\)$/.exec(layout)?.[1];
  return speakers === undefined ? null : bySpeakers(speakers.split('+'));
};

// Sums of whole numbers would be attenuated, or clipped.
const FLOATS = 'aformat=sample_fmts=fltp';

/** A single channel is heard from both sides as loud as it is; ffmpeg's own conversion takes 3 dB from it. */
const FROM_BOTH_SIDES = [`${FLOATS}:channel_layouts=mono|stereo`, 'pan=stereo|FL=FL+FC|FR=FR+FC'];

const sumOf = (downmix: NonNullable<Downmix>, side: 0 | 1): string => {
  const terms = downmix.flatMap((weights, channel) =>
    weights[side] === 0 ? [] : [`${weights[side].toFixed(6)}*c${channel}`],
  );
  return terms.length === 0 ? '0*c0' : terms.join('+');
};

/** Filters that make two channels of it. */
export const toStereo = (downmix: Downmix): readonly string[] =>
  downmix === null ? FROM_BOTH_SIDES : [FLOATS, `pan=stereo|c0=${sumOf(downmix, 0)}|c1=${sumOf(downmix, 1)}`];
