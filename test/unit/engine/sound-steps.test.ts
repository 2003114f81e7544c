import test from 'ava';
import { audioInputsOf } from '../../../engine/filtergraph/audio-inputs.ts';
import { clip, sceneOf } from './_scenes.ts';

const RATE = 48_000;
const EDGE = 144;
const beat = (id: string, parts: object = {}) => ({ id, type: 'audio', asset: 'beat', ...parts });
const soundOf = (layers: readonly unknown[], duration = 10) => sceneOf(layers, { duration }).sound;

test('a sound loops after its own length, a video after whole frames', (t) => {
  const [sound, half, film] = soundOf([
    beat('loop', { loop: true }),
    beat('half', { loop: true, trim_start: 0.5, trim_end: 1.51, speed: 2 }),
    clip('film', { loop: true, trim_start: 1, trim_end: 2.01 }),
  ]);
  t.is(sound?.loop_samples, 1.9909 * RATE);
  t.true(Math.abs((half?.loop_samples ?? 0) - (1.01 / 2) * RATE) < 0.01);
  t.is(film?.loop_samples, RATE);
});

test('cut sounds fade in and out in 3 ms, unless they continue', (t) => {
  const fades = (...layers: readonly unknown[]) =>
    audioInputsOf(soundOf(layers)).map(({ fade_in, fade_out }) => [fade_in.samples, fade_out.samples]);
  t.deepEqual(fades(beat('whole')), [[0, 0]]);
  t.deepEqual(fades(beat('late', { trim_start: 1 })), [[EDGE, 0]]);
  t.deepEqual(fades(beat('early', { trim_end: 1 })), [[0, EDGE]]);
  t.deepEqual(fades(beat('left', { duration: 1 })), [[0, EDGE]]);
  t.deepEqual(fades(beat('short', { trim_start: 1, duration: 0.004 })), [[EDGE, EDGE]]);
  t.deepEqual(fades(beat('faded', { trim_start: 0.5, duration: 1, fade_in: 0.1, fade_out: 0.2 })), [[4800, 9600]]);
  const [one, other] = [beat('a', { duration: 1 }), beat('b', { start: 1, trim_start: 1 })];
  t.deepEqual(
    fades(one, other),
    [
      [0, 0],
      [0, 0],
    ],
    'the second continues where the first ends',
  );
  t.deepEqual(fades(one, { ...other, volume: 0.5 }), [
    [0, EDGE],
    [EDGE, 0],
  ]);
  t.deepEqual(fades(one, { ...other, trim_start: 0.9 }), [
    [0, EDGE],
    [EDGE, 0],
  ]);
});

test('each repetition of a loop fades at its cuts, and the last fades out', (t) => {
  const turns = (parts: object) =>
    audioInputsOf(soundOf([beat('loop', { loop: true, ...parts })])).map(({ turn_in, turn_out, fade_out }) => [
      turn_in,
      turn_out,
      fade_out.samples,
    ]);
  t.deepEqual(turns({}), [[0, 0, EDGE]]);
  t.deepEqual(turns({ trim_start: 1 }), [[EDGE, 0, EDGE]]);
  t.deepEqual(turns({ trim_start: 1, trim_end: 1.5 }), [[EDGE, EDGE, EDGE]]);
});
