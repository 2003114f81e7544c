import test from 'ava';
import type { FinalComposition, FinalVariant } from '../../../domain/composition/final-composition.ts';
import { budgetMs } from '../../../render-workers/worker/budget.ts';

const master: FinalVariant = { name: 'master', width: 1000, height: 1000, codec: 'h264', quality: 'standard', crf: 20 };
const square = { id: 'c', width: 1000, height: 1000, fps: { num: 30, den: 1 }, background: '#000000', layers: [] };

const final = (duration: number, ...variants: readonly FinalVariant[]): FinalComposition => ({
  engine: 2,
  composition: { ...square, duration },
  assets: [],
  variants: [master, ...variants],
  preview: null,
  poster_frame: 0,
});

test('a budget counts variants and codecs, at most six hours', (t) => {
  const none = 300_000;
  t.is(budgetMs(final(10)), none + 300 * 400);
  t.is(budgetMs(final(20)), none + 600 * 400);
  t.is(budgetMs(final(10, { ...master, name: 'half', height: 500 })), none + 300 * 1.5 * 400);
  t.is(budgetMs(final(10, { ...master, name: 'new', codec: 'av1' })), none + 300 * 5 * 400);
  t.is(budgetMs(final(3_600, { ...master, name: 'new', codec: 'av1' })), 6 * 3_600_000);
});
