import test from 'ava';
import { withTimeout } from '../../../platform/process/within.ts';

const never = new Promise<string>(() => undefined);

test('work in time returns its result', async (t) => {
  t.is(await withTimeout(60_000, Promise.resolve('done'), () => 'late'), 'done');
  const fault = new Error('broken');
  t.is(await t.throwsAsync(withTimeout(60_000, Promise.reject<string>(fault), () => 'late')), fault);
});

test('late work is replaced or aborted', async (t) => {
  t.is(await withTimeout(1, never, () => 'late'), 'late');
  const late = withTimeout(1, never, () => {
    throw new RangeError('too late');
  });
  await t.throwsAsync(late, { instanceOf: RangeError, message: 'too late' });
});
