import test from 'ava';
import { BlobFault } from '../../../platform/blob-store/blob-store.ts';
import { createTextWait, readPayload, SHORT_TEXTS_WAIT_MS, TEXTS_WAIT_MS } from '../../../projectors/payload-reads.ts';
import { virtualClock } from '../../helpers/virtual-clock.ts';

const NEVER = new AbortController().signal;
const LAST = 7;

const away = (): Promise<never> => Promise.reject(new BlobFault('unavailable', 'a', 'away'));

const stalled = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

type Read = (signal: AbortSignal) => Promise<string>;

const waits = (end: () => number = () => LAST + 1) => {
  const clock = virtualClock();
  const wait = createTextWait(clock, async () => end());
  const reading = { warn: () => undefined, onCorrupt: () => undefined, clock, signal: NEVER };
  return async (read: Read, is_hurried = false) => {
    const began = clock.monotonic();
    let waited_ms: number | null = null;
    const found = wait
      .during(LAST, is_hurried, (given_up) => readPayload(read, 'a text', { ...reading, given_up }))
      .finally(() => {
        waited_ms = clock.monotonic() - began;
      });
    for (let passed = 0; passed < 2 * TEXTS_WAIT_MS && waited_ms === null; passed += 50) await clock.advance(50);
    return { found: await found, waited_ms };
  };
};

const PENDING = { tag: 'pending', fault: 'unavailable' };

for (const [name, read] of [
  ['unavailable', away],
  ['stalled', stalled],
] as const) {
  test(`the projector waits for a store that is ${name} while no record waits`, async (t) => {
    const { found, waited_ms } = await waits()(read);
    t.deepEqual(found, PENDING);
    t.true(waited_ms !== null && waited_ms >= TEXTS_WAIT_MS && waited_ms <= TEXTS_WAIT_MS + 50, `${waited_ms} ms`);
  });

  test(`a later record ends the wait for a text whose store is ${name}`, async (t) => {
    const in_batch = await waits()(read, true);
    t.deepEqual(in_batch.found, PENDING);
    t.true(Number(in_batch.waited_ms) <= SHORT_TEXTS_WAIT_MS + 50, `${in_batch.waited_ms} ms`);
    const behind = await waits(() => LAST + 2)(read);
    t.deepEqual(behind.found, PENDING);
    t.true(Number(behind.waited_ms) <= SHORT_TEXTS_WAIT_MS + 300, `${behind.waited_ms} ms`);
  });
}

test('after a timeout the next wait is short, until a text is read', async (t) => {
  const read = waits();
  t.deepEqual((await read(away)).found, PENDING);
  t.true(Number((await read(away)).waited_ms) <= SHORT_TEXTS_WAIT_MS + 50);
  t.deepEqual((await read(async () => 'text')).found, { tag: 'read', value: 'text' });
  t.true(Number((await read(away)).waited_ms) >= TEXTS_WAIT_MS);
});

test('a refused read is not retried and does not shorten later waits', async (t) => {
  const read = waits();
  let asked = 0;
  const refused: Read = async () => {
    asked += 1;
    throw new BlobFault('refused', 'a', '403');
  };
  t.deepEqual(await read(refused), { found: { tag: 'pending', fault: 'refused' }, waited_ms: 0 });
  t.is(asked, 1);
  t.true(Number((await read(away)).waited_ms) >= TEXTS_WAIT_MS);
});
