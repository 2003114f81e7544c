import test from 'ava';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { DeadlinePassed, withinDeadline } from '../../../render-workers/metering/stage-deadline.ts';

const clock = SYSTEM_CLOCK;
const NEVER = new AbortController().signal;

const stalling = (signal: AbortSignal): Promise<never> => {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(new Error('the client was aborted')));
  return promise;
};

test('a stage that takes too long is aborted and named', async (t) => {
  const late = withinDeadline('download', { limit_ms: 20, signal: NEVER, clock }, stalling);
  const message = 'downloading the media took longer than 0.02 s';
  t.like(await t.throwsAsync(late, { instanceOf: DeadlinePassed, message }), { stage: 'download' });
});

test('a stage that ignores its abort is ended too', async (t) => {
  const deaf = withinDeadline(
    'upload',
    { limit_ms: 20, signal: NEVER, clock },
    () => new Promise<never>(() => undefined),
  );
  await t.throwsAsync(deaf, { instanceOf: DeadlinePassed });
});

test('a stop is not reported as a passed deadline', async (t) => {
  const stop = new AbortController();
  const stopped = withinDeadline('download', { limit_ms: 60_000, signal: stop.signal, clock }, stalling);
  const reason = new Error('draining');
  stop.abort(reason);
  t.is(await t.throwsAsync(stopped), reason);
});

test('a failure within the stage keeps its own error', async (t) => {
  const fault = new Error('refused');
  const failing = withinDeadline('download', { limit_ms: 60_000, signal: NEVER, clock }, async () => {
    throw fault;
  });
  t.is(await t.throwsAsync(failing), fault);
});
