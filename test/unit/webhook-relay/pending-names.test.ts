import test from 'ava';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { namesInStore } from '../../../webhook-relay/plan/render-data.ts';

const NEVER = new AbortController().signal;

test('an unavailable name delays a partition once, for a limited time', async (t) => {
  let [now, asked] = [0, 0];
  const clock = {
    ...SYSTEM_CLOCK,
    monotonic: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  const find = async () => {
    asked += 1;
    return { names: new Map([['rend_2', 'Sale']]), pending: new Set(['rend_1']) };
  };
  const namesOf = namesInStore(find, () => undefined, clock);
  const outside = (id: string) => ({ id, name: '' });
  const wanted = new Map([
    ['rend_1', ''],
    ['rend_2', 'Sale'],
  ]);
  t.deepEqual(await namesOf([outside('rend_1'), outside('rend_2')] as never, NEVER), wanted);
  t.true(now >= 5_000 && now <= 15_000, `${now} ms`);
  const [before, at] = [asked, now];
  t.deepEqual(await namesOf([outside('rend_1'), outside('rend_2')] as never, NEVER), wanted);
  t.is(asked, before + 1);
  t.is(now, at);
});
