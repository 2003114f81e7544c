import test from 'ava';
import { fitStatusHistory, lifecycleOf, statusHistoryText } from '../../../cli/render/life.ts';

const to = (...statuses: readonly string[]) => statuses.map((status, i) => ({ seq: i + 1, status, at: 1_000 + i }));

test("a render's timeline moves forward through every status", (t) => {
  const way = ['initializing', 'ready', 'queued', 'processing', 'finalizing', 'complete'];
  const fractions = way.map((_, i) => lifecycleOf({ data: to(...way.slice(0, i + 1)) }).fraction);
  t.deepEqual(
    fractions.toSorted((a, b) => a - b),
    fractions,
  );
  t.is(new Set(fractions).size, way.length);
  t.is(fractions.at(-1), 1);
});

test('rendered frames move the bar', (t) => {
  const processing = { seq: 4, status: 'processing', at: 1_003 };
  const lifeAt = (progress: number) =>
    lifecycleOf({ data: [...to('initializing', 'ready', 'queued'), { ...processing, progress }] });
  t.true(lifeAt(0).fraction < lifeAt(0.5).fraction);
  t.is(statusHistoryText(lifeAt(0.42)), 'initializing > ready > queued > processing 42 %');
});

test('a failure shows its reason', (t) => {
  const failure = { stage: 'preparation', code: 'font_unknown', message: 'there is no such font' };
  const life = lifecycleOf({ data: [...to('initializing'), { seq: 2, status: 'failed', at: 1_001, failure }] });
  t.is(life.failure, 'there is no such font');
  t.is(statusHistoryText(life), 'initializing > failed');
});

test('on a narrow terminal the start of a timeline is cut off', (t) => {
  const trail = 'initializing > ready > queued > processing > finalizing > complete';
  t.is(fitStatusHistory(trail, 60), '… > ready > queued > processing > finalizing > complete');
  t.is(fitStatusHistory(trail, 25), '… > finalizing > complete');
  t.is(fitStatusHistory(trail, 80), trail);
  t.is(fitStatusHistory(trail, 3), '… > complete');
});
