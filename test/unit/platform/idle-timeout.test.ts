import { setTimeout as pause } from 'node:timers/promises';
import test from 'ava';
import { withIdleTimeout } from '../../../platform/blob-store/idle-timeout.ts';

test('a request continues while bytes move, and ends after the idle timeout', async (t) => {
  const began = performance.now();
  const slow = withIdleTimeout(150, undefined, async ({ reportProgress, abortSignal }) => {
    for (let n = 0; n < 8; n += 1) {
      await pause(30, undefined, { signal: abortSignal });
      reportProgress();
    }
    await pause(60_000, undefined, { signal: abortSignal });
  });
  await t.throwsAsync(slow, { message: 'nothing was sent or received for 0.15 s' });
  t.true(performance.now() - began >= 240);
});

test('a failed request aborts its remaining work, and an aborted one does not start', async (t) => {
  const fault = new Error('refused');
  let left: AbortSignal | null = null;
  const failing = withIdleTimeout(60_000, undefined, async ({ abortSignal }) => {
    left = abortSignal;
    throw fault;
  });
  t.is(await t.throwsAsync(failing), fault);
  t.like(left, { aborted: true });
  const given_up = AbortSignal.abort(fault);
  t.is(await t.throwsAsync(withIdleTimeout(60_000, given_up, async () => t.fail())), fault);
});
