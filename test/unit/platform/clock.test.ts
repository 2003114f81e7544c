import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** Calls that read the time or wait without the clock. */
const OWN_TIME =
  /Date\.now|new Date\(\)|performance\.now|\bset(Timeout|Interval|Immediate)\b|AbortSignal\.timeout|node:timers/;

test('the APIs and the projectors use only the given clock', (t) => {
  const files = globSync('{command-api,query-api,projectors}/**/*.ts', { cwd: ROOT });
  t.true(files.length > 50);
  t.deepEqual(
    files.filter((file) => OWN_TIME.test(readFileSync(join(ROOT, file), 'utf8'))),
    [],
    'use a Clock, which main.ts injects',
  );
});

test('an aborted sleep ends at once', async (t) => {
  const giving_up = new AbortController();
  const sleeping = SYSTEM_CLOCK.sleep(60_000, giving_up.signal);
  giving_up.abort();
  await t.throwsAsync(sleeping, { name: 'AbortError' });
  await t.notThrowsAsync(SYSTEM_CLOCK.sleep(1));
});
