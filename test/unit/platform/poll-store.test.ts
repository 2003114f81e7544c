import test from 'ava';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { pollStore } from '../../../platform/read-store/poll-store.ts';

test('a wait for the store ends on abort and reads no more', async (t) => {
  t.timeout(10_000);
  const stopping = new AbortController();
  let asked = 0;
  const look = async (): Promise<null> => {
    asked += 1;
    stopping.abort();
    return null;
  };
  const polling = { wait_ms: 60_000, every_ms: 30_000, clock: SYSTEM_CLOCK, signal: stopping.signal };
  t.is(await pollStore(look, polling), null);
  t.is(asked, 1);
});
