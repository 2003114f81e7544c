import test from 'ava';
import { describeSound } from '../../../engine/encode/sound-run.ts';
import { audioInputsOf } from '../../../engine/filtergraph/audio-inputs.ts';
import { RATE, soundStep } from '../../helpers/sound-steps.ts';

test('a loop drifts by at most half a millisecond in an hour', (t) => {
  for (const [num, den] of [
    [30, 1],
    [30_000, 1001],
    [24_000, 1001],
    [29_971, 1000],
    [119_999, 1000],
  ] as const)
    for (const loop_frames of [1, 2, 7, 301, 3600]) {
      const samples = 3600 * RATE;
      const period = (loop_frames * den * RATE) / num;
      const [voice] = audioInputsOf([soundStep({ loop_samples: period, samples })]);
      const loop = voice?.loop ?? { period_samples: 0, times: 0, whole_samples: 1 };
      const turns = samples / loop.whole_samples;
      t.true(Math.abs(loop.times * period - loop.whole_samples) * turns <= 24, `${loop_frames} at ${num}/${den}`);
      t.true(loop.times * Math.abs(loop.period_samples - period) <= 48, 'nor within its turns');
      t.true(loop.whole_samples <= 60 * RATE + period, 'and little of it is in memory');
    }
});

test('an inaudible sound gets no input, and a sound that plays once no loop', (t) => {
  t.deepEqual(audioInputsOf([soundStep({ volume: 0 }), soundStep({ samples: 0 })]), []);
  t.is(audioInputsOf([soundStep({ loop_samples: RATE })])[0]?.loop, null);
});

test('a loop larger than memory becomes one input per repetition, without gap or overlap', (t) => {
  const loop_samples = (7 * 1001 * RATE) / 30_000;
  const turns = audioInputsOf([soundStep({ loop_samples, samples: 100_000, starts_at_sample: 5 })], 0);
  t.is(turns.length, Math.ceil(100_000 / loop_samples));
  let next = 5;
  for (const { at_sample, samples, offset_samples } of turns) {
    t.is(at_sample, next);
    t.is(offset_samples, next - 5);
    next += samples;
  }
  t.is(next, 100_005);
});

test('equal sounds have equal descriptions, based on the contents of files', (t) => {
  const scene = (asset: string, sha256: string, volume = 1) => ({
    ...{ sound: [soundStep({ asset, volume })], samples: RATE, hashes: { [asset]: sha256 } },
  });
  t.deepEqual(describeSound(scene('a', 'one')), describeSound(scene('b', 'one')));
  t.notDeepEqual(describeSound(scene('a', 'one')), describeSound(scene('a', 'two')));
  t.notDeepEqual(describeSound(scene('a', 'one')), describeSound(scene('a', 'one', 0.5)));
});

test('cuts of a sound within a millisecond join exactly, and larger jumps fade', (t) => {
  const is_cut = { before: true, after: true };
  const after = (trim_start_s: number) =>
    audioInputsOf([
      soundStep({ starts_at_sample: 22_400, samples: RATE, trim_start_s, part_s: 2, is_cut }),
      soundStep({ samples: 22_400, is_cut }),
    ]);
  const [first, second] = after(0.467);
  t.is(first?.fade_out.samples, 0);
  t.is(second?.fade_in.samples, 0);
  t.is(second?.trim_start_s, 22_400 / RATE);
  t.is(second?.part_s, 2 + 0.467 - 22_400 / RATE);
  const [faded, leaping] = after(0.469);
  t.true((faded?.fade_out.samples ?? 0) > 0 && (leaping?.fade_in.samples ?? 0) > 0);
  t.is(leaping?.trim_start_s, 0.469);
});
