import { brush, emptyTrack, type Instrument, kick, pad, strike, type Track } from './synthesizer.ts';

type Chord = readonly [bass: number, ...notes: number[]];

/** Four chords each, as MIDI numbers. */
const CHORDS: Readonly<Record<'bright' | 'warm' | 'calm' | 'mellow', readonly Chord[]>> = {
  bright: [
    [41, 60, 65, 69, 72],
    [43, 59, 62, 67, 74],
    [45, 60, 64, 69, 72],
    [36, 60, 64, 67, 76],
  ],
  warm: [
    [38, 57, 62, 66, 69],
    [35, 54, 59, 62, 66],
    [43, 55, 59, 62, 67],
    [45, 57, 61, 64, 69],
  ],
  calm: [
    [41, 57, 60, 64, 69],
    [36, 55, 60, 64, 67],
    [38, 53, 57, 60, 65],
    [34, 53, 58, 62, 65],
  ],
  mellow: [
    [45, 55, 60, 64, 67],
    [38, 54, 57, 60, 64],
    [43, 54, 59, 62, 66],
    [36, 52, 55, 59, 64],
  ],
};

type Style = {
  readonly chords: keyof typeof CHORDS;
  readonly bar_s: number;
  readonly instrument: Instrument;
  /** Order of the notes of the chord on the eighths of a bar; null for a rest. */
  readonly pattern: readonly (number | null)[];
  readonly pad: number;
  readonly drums: number;
};

const bar = (track: Track, at_s: number, [bass, ...notes]: Chord, style: Style): void => {
  const eighth_s = style.bar_s / 8;
  pad(track, at_s, style.bar_s, notes, style.pad);
  strike(track, 'bass', at_s, bass, 0.34);
  strike(track, 'bass', at_s + 5 * eighth_s, bass, 0.2);
  for (const [index, place] of style.pattern.entries()) {
    const note = place === null ? undefined : notes[place % notes.length];
    const octave = place !== null && place >= notes.length ? 12 : 0;
    const gain = index % 4 === 0 ? 0.26 : 0.19;
    if (note !== undefined)
      strike(track, style.instrument, at_s + index * eighth_s, note + octave, gain, index % 2 === 0 ? -0.25 : 0.25);
  }
  if (style.drums === 0) return;
  for (const eighth of [0, 4]) kick(track, at_s + eighth * eighth_s, 0.5 * style.drums);
  for (const eighth of [2, 6]) brush(track, at_s + eighth * eighth_s, 0.16, 0.3 * style.drums, 0.1);
  for (let eighth = 1; eighth < 8; eighth += 2) brush(track, at_s + eighth * eighth_s, 0.05, 0.16 * style.drums, -0.3);
};

const compose = (duration_s: number, style: Style): Track => {
  const track = emptyTrack(duration_s);
  const chords = CHORDS[style.chords];
  for (let index = 0; index * style.bar_s < duration_s; index += 1) {
    const chord = chords[index % chords.length];
    if (chord !== undefined) bar(track, index * style.bar_s, chord, style);
  }
  return track;
};

/** "Happy Birthday to You" (in the public domain): note, and length in beats. */
const BIRTHDAY: readonly (readonly [note: number, beats: number])[] = [
  ...([
    [67, 0.75],
    [67, 0.25],
    [69, 1],
    [67, 1],
    [72, 1],
    [71, 2],
  ] as const),
  ...([
    [67, 0.75],
    [67, 0.25],
    [69, 1],
    [67, 1],
    [74, 1],
    [72, 2],
  ] as const),
  ...([
    [67, 0.75],
    [67, 0.25],
    [79, 1],
    [76, 1],
    [72, 1],
    [71, 1],
    [69, 1],
  ] as const),
  ...([
    [77, 0.75],
    [77, 0.25],
    [76, 1],
    [72, 1],
    [74, 1],
    [72, 3],
  ] as const),
];

/** The bars of the song begin after its first beat. */
const BIRTHDAY_CHORDS: readonly Chord[] = [
  [48, 60, 64],
  [43, 59, 62],
  [43, 59, 62],
  [48, 60, 64],
  [48, 60, 64],
  [41, 60, 65],
  [48, 60, 64],
  [48, 60, 64],
];

const BEAT_S = 0.46;

const birthday = (): Track => {
  const track = emptyTrack(13);
  let at_s = 0.6;
  const first_bar_s = at_s + BEAT_S;
  for (const [note, beats] of BIRTHDAY) {
    strike(track, 'music_box', at_s, note + 12, 0.4, 0.1);
    at_s += beats * BEAT_S;
  }
  for (const [index, [bass, ...notes]] of BIRTHDAY_CHORDS.entries()) {
    const bar_s = first_bar_s + index * 3 * BEAT_S;
    strike(track, 'bass', bar_s, bass, 0.22);
    for (const beat of [1, 2])
      for (const note of notes) strike(track, 'music_box', bar_s + beat * BEAT_S, note + 12, 0.11, -0.3);
  }
  return track;
};

const ARPEGGIO = [0, 2, 1, 3, 2, 4, 3, 1];
const SLOW = [0, null, 2, 1, 3, null, 2, null];

/** The music of each starter, by its folder. */
export const MUSIC: Readonly<Record<string, () => Track>> = {
  promo: () => compose(8, { chords: 'bright', bar_s: 2, instrument: 'pluck', pattern: ARPEGGIO, pad: 0.2, drums: 0.9 }),
  'captioned-video': () =>
    compose(10, { chords: 'mellow', bar_s: 2.5, instrument: 'piano', pattern: SLOW, pad: 0.24, drums: 0.7 }),
  slideshow: () =>
    compose(17, { chords: 'warm', bar_s: 17 / 6, instrument: 'piano', pattern: ARPEGGIO, pad: 0.3, drums: 0.35 }),
  'real-estate': () =>
    compose(20, { chords: 'calm', bar_s: 10 / 3, instrument: 'piano', pattern: SLOW, pad: 0.32, drums: 0 }),
  podcast: () =>
    compose(14, { chords: 'mellow', bar_s: 7 / 3, instrument: 'pluck', pattern: SLOW, pad: 0.26, drums: 0.45 }),
  birthday,
};
