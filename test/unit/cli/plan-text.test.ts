import test from 'ava';
import type { PlanAnswer } from '../../../cli/plan/plan-answer.ts';
import { planText } from '../../../cli/plan/plan-text.ts';

const span = (from: number, until: number) => ({ from, until, starts_s: from / 25, ends_s: until / 25 });

const PLAN: PlanAnswer = {
  project: { id: 'proj_1', name: 'Card', version: 3 },
  composition: 'comp_card',
  frames: 100,
  fps: { num: 25, den: 1 },
  variants: [
    { name: 'master', width: 640, height: 360, codec: 'h264', frames_to_encode: 60 },
    { name: 'small', width: 320, height: 180, codec: 'vp9', frames_to_encode: 100 },
  ],
  layers: [
    { id: 'film', start_s: 0, end_s: 1.6 },
    { id: 'a', start_s: 1.6, end_s: null },
  ],
  segments: [
    { number: 0, ...span(0, 40), layers: ['film'], cached: { master: true, small: false } },
    {
      number: 1,
      ...span(40, 100),
      layers: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
      cached: { master: false, small: false },
    },
  ],
  sound: { cached: false },
  runs: [
    { ...span(0, 40), variants: ['small'], segments: 1 },
    { ...span(40, 100), variants: ['master', 'small'], segments: 1 },
  ],
  totals: { frames: 200, frames_to_encode: 160 },
};

test('a plan shows segments, cached segments, runs and the frames to encode', (t) => {
  t.is(
    planText(PLAN),
    [
      'proj_1 "Card", version 3: comp_card, 4.00 s, 100 frames at 25/s; master 640x360 h264, small 320x180 vp9',
      '',
      'layer  start  end',
      'film   0 s    1.6 s',
      'a      1.6 s  unknown',
      '',
      'segment  frames  seconds    layers                    master     small',
      '0        0-39    0.00-1.60  film                      cached     to render',
      '1        40-99   1.60-4.00  a, b, c, d, e and 2 more  to render  to render',
      '',
      'run  frames  seconds    segments  variants',
      '0    0-39    0.00-1.60  1         small',
      '1    40-99   1.60-4.00  1         master, small',
      '',
      '160 of 200 frames will be encoded (master 60, small 100), in 2 runs; the sound will be mixed.',
    ].join('\n'),
  );
});

test('a plan of a rendered project shows that nothing is to be encoded', (t) => {
  const totals = { frames: 200, frames_to_encode: 0 };
  const text = planText({ ...PLAN, runs: [], totals, sound: { cached: true } });
  t.regex(text, /\n\nAll 200 frames are cached; the sound is cached\.$/);
});
