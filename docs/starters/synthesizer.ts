/** A small synthesizer, so that the music of the starters has a source. All times are in seconds. */
export const SAMPLE_RATE = 48_000;

export type Track = { readonly left: Float32Array; readonly right: Float32Array };

export const emptyTrack = (duration_s: number): Track => {
  const samples = Math.ceil(duration_s * SAMPLE_RATE);
  return { left: new Float32Array(samples), right: new Float32Array(samples) };
};

const MIDDLE_A = 69;
const frequencyOf = (note: number): number => 440 * 2 ** ((note - MIDDLE_A) / 12);

/** @param pan from -1, left, to 1, right */
const addSamples = (track: Track, at_s: number, length_s: number, pan: number, sampleAt: (t: number) => number) => {
  const from = Math.round(at_s * SAMPLE_RATE);
  const until = Math.min(track.left.length, from + Math.round(length_s * SAMPLE_RATE));
  const [gain_left, gain_right] = [Math.cos(((pan + 1) * Math.PI) / 4), Math.sin(((pan + 1) * Math.PI) / 4)];
  for (let index = from; index < until; index += 1) {
    const sample = sampleAt((index - from) / SAMPLE_RATE);
    track.left[index] = (track.left[index] ?? 0) + sample * gain_left;
    track.right[index] = (track.right[index] ?? 0) + sample * gain_right;
  }
};

const sine = (frequency: number, t: number): number => Math.sin(2 * Math.PI * frequency * t);

type Partial = readonly [ratio: number, gain: number, decay_per_s: number];

const PARTIALS = {
  piano: [
    [1, 0.6, 1.6],
    [2.001, 0.22, 2.6],
    [3.003, 0.09, 4],
    [4.007, 0.04, 6],
  ],
  music_box: [
    [1, 0.55, 2.4],
    [3.01, 0.16, 5],
    [5.42, 0.07, 11],
  ],
  pluck: [
    [1, 0.5, 4.5],
    [2, 0.24, 7],
    [3, 0.12, 10],
    [5, 0.04, 16],
  ],
  bass: [
    [1, 0.8, 2.4],
    [2, 0.14, 5],
  ],
} as const satisfies Record<string, readonly Partial[]>;

export type Instrument = keyof typeof PARTIALS;

const ATTACK_S = 0.004;
const TAIL_S = 2.6;

/** @param note MIDI number; 60 is middle C */
export const strike = (track: Track, instrument: Instrument, at_s: number, note: number, gain: number, pan = 0): void =>
  addSamples(track, at_s, TAIL_S, pan, (t) => {
    const attack = Math.min(1, t / ATTACK_S) * Math.min(1, (TAIL_S - t) / 0.3);
    const sound = PARTIALS[instrument].reduce(
      (sum, [ratio, level, decay]) => sum + level * Math.exp(-decay * t) * sine(frequencyOf(note) * ratio, t),
      0,
    );
    return gain * attack * sound;
  });

const DETUNED = [0.9965, 1, 1.0035];

/** A soft chord that swells. */
export const pad = (track: Track, at_s: number, length_s: number, notes: readonly number[], gain: number): void => {
  for (const [index, note] of notes.entries())
    addSamples(track, at_s, length_s + 0.6, index % 2 === 0 ? -0.35 : 0.35, (t) => {
      const swell = Math.min(1, t / 0.9) * Math.min(1, Math.max(0, (length_s + 0.6 - t) / 0.9));
      const tone = DETUNED.reduce((sum, ratio) => {
        const frequency = frequencyOf(note) * ratio;
        return sum + sine(frequency, t) + 0.22 * sine(frequency * 2, t) + 0.07 * sine(frequency * 3, t);
      }, 0);
      return (gain * swell * tone) / (DETUNED.length * notes.length);
    });
};

export const kick = (track: Track, at_s: number, gain: number): void =>
  addSamples(track, at_s, 0.35, 0, (t) => {
    const phase = 2 * Math.PI * (48 * t + (92 / 28) * (1 - Math.exp(-28 * t)));
    return gain * Math.exp(-9 * t) * Math.sin(phase);
  });

/** Noise from a generator with a seed, so that each run writes the same sound. */
const noiseFrom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 1_073_741_824 - 1;
  };
};

/** A shaker or a brush, by its length. */
export const brush = (track: Track, at_s: number, length_s: number, gain: number, pan = 0): void => {
  const noise = noiseFrom(Math.round(at_s * 1000) + 1);
  let before = 0;
  addSamples(track, at_s, length_s, pan, (t) => {
    const now = noise();
    const high = now - before;
    before = now;
    return gain * 0.5 * high * Math.min(1, t / 0.004) * Math.exp((-5 * t) / length_s);
  });
};
