import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { isUnfolded } from '../../../domain/limits/waiting-renders.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import type { CountedRenders } from '../../../read-models/renders/account-renders.ts';
import { openWaitingRenderReservations } from '../../../render-commands/limits/waiting-renders.ts';

const FOLDED = new Map([[0, 7]]);

test('a render counts until the read model has folded or abandoned it', (t) => {
  for (const [what, place, until, unseen] of [
    ['on its way', null, null, true],
    ['not folded', { partition: 0, offset: 7 }, null, true],
    ['folded', { partition: 0, offset: 6 }, null, false],
    ['in a partition of which nothing is folded', { partition: 1, offset: 0 }, null, true],
    ['of unknown fate', null, 1_001, true],
    ['given up', null, 1_000, false],
    ['of unknown fate, and found', { partition: 0, offset: 6 }, 1_001, false],
  ] as const)
    t.is(isUnfolded({ place, until }, FOLDED, 1_000), unseen, what);
});

/** A read model with a given count, which counts its queries. */
const world = (most: number, shown: CountedRenders = { folded: new Map(), open: 0 }) => {
  const model = { shown, asked: 0, away: false, later_ms: 0 };
  // Only the test moves the time: on a busy machine a count could take so long that the next one is not due.
  const clock = { ...SYSTEM_CLOCK, monotonic: () => model.later_ms };
  const waiting = openWaitingRenderReservations(
    async () => {
      model.asked += 1;
      if (model.away) throw new Error('away');
      return model.shown;
    },
    most,
    clock,
  );
  const hold = async (id: string) => await waiting.reserve('acc_1', id);
  return { model, hold };
};

test('concurrent requests never exceed the limit, and each counts once', async (t) => {
  const { model, hold } = world(10, { folded: new Map(), open: 6 });
  const held = await Promise.all(Array.from({ length: 40 }, (_, n) => hold(`rend_${n}`)));
  t.is(held.filter(E.isRight).length, 4);
  t.is(model.asked, 1);
  const refusal = held.find(E.isLeft);
  t.like(refusal, { left: { tag: 'rate_limited', retry_after_s: 30 } });
  t.regex(refusal?.left.message ?? '', /^waiting renders: the account already has 10 unfinished renders/);
});

test('a released place goes to the next request, and a render has one place', async (t) => {
  const { hold } = world(1);
  const first = await hold('rend_1');
  t.true(E.isRight(first));
  t.true(E.isRight(await hold('rend_1')), 'the same render again');
  t.true(E.isLeft(await hold('rend_2')));
  if (E.isRight(first)) first.right.release();
  t.true(E.isRight(await hold('rend_2')));
});

test('renders are refused while the store is unavailable, and counted again later', async (t) => {
  const { model, hold } = world(1);
  model.away = true;
  await t.throwsAsync(hold('rend_1'), { message: 'away' });
  model.away = false;
  t.true(E.isRight(await hold('rend_1')));
  t.is(model.asked, 2);
});

test('after a failed count the store is not queried by each request', async (t) => {
  const { model, hold } = world(100);
  await hold('rend_1');
  model.away = true;
  model.later_ms = 2_000;
  for (let n = 2; n < 20; n += 1) t.true(E.isRight(await hold(`rend_${n}`)), 'by the last count');
  t.is(model.asked, 2);
  model.later_ms = 4_000;
  await hold('rend_20');
  t.is(model.asked, 3);
});
