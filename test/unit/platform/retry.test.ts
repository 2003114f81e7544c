import test from 'ava';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { retry, retryAfterPauses } from '../../../platform/process/retry.ts';

const PAUSES = [1, 1, 1];
const NEVER = new AbortController().signal;
const always = () => true;

const retried = <A>(
  work: () => Promise<A>,
  isTransient: (fault: unknown) => boolean,
  signal: AbortSignal,
  pauses_ms: readonly number[],
) => retry(work, { clock: SYSTEM_CLOCK, signal, policy: retryAfterPauses(pauses_ms), isTransient });

const failing = (times: number) => {
  let tries = 0;
  return {
    tries: () => tries,
    work: async () => {
      tries += 1;
      if (tries <= times) throw new Error(`fault ${tries}`);
      return 'done';
    },
  };
};

test('a temporary error is retried and not returned', async (t) => {
  t.is(await retried(failing(3).work, always, NEVER, PAUSES), 'done');
});

test('after the last pause the error is returned', async (t) => {
  const { work, tries } = failing(9);
  await t.throwsAsync(retried(work, always, NEVER, PAUSES), { message: 'fault 4' });
  t.is(tries(), 4);
});

test('a permanent error is returned at once', async (t) => {
  const { work, tries } = failing(9);
  await t.throwsAsync(
    retried(work, () => false, NEVER, PAUSES),
    { message: 'fault 1' },
  );
  t.is(tries(), 1);
});

test('an abort ends a pause and returns the last error', async (t) => {
  const life = new AbortController();
  const retrying = retried(failing(9).work, always, life.signal, [60_000]);
  setImmediate(() => life.abort());
  await t.throwsAsync(retrying, { message: 'fault 1' });
});
