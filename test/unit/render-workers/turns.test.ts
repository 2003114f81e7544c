import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { accountThatGivesWay, openStillQueue } from '../../../render-workers/stills/turns.ts';

const LIMITS = { at_once: 2, most_waiting: 4, most_waiting_per_account: 3 };
const { signal } = new AbortController();

const work = () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { draw: () => promise, end: () => resolve('drawn') };
};

test('one account leaves room for others at any load, and its own work waits', async (t) => {
  const turns = openStillQueue(LIMITS);
  const [loud, calm] = [work(), work()];
  const asked = [1, 2, 3].map(() => turns.run('acc_1', signal, loud.draw));
  t.deepEqual([turns.running(), turns.waiting()], [1, 2]);
  t.deepEqual(await turns.run('acc_1', signal, loud.draw), E.left('too_many_of_account'));
  const other = turns.run('acc_2', signal, calm.draw);
  t.is(turns.running(), 2);
  calm.end();
  t.deepEqual(await other, E.right('drawn'));
  loud.end();
  t.deepEqual(await Promise.all(asked), [E.right('drawn'), E.right('drawn'), E.right('drawn')]);
  t.deepEqual(await turns.run('acc_1', signal, async () => 'again'), E.right('again'));
});

test('the queue is limited, and abandoned work leaves it', async (t) => {
  const turns = openStillQueue(LIMITS);
  const { draw, end } = work();
  const stop = new AbortController();
  const running = ['acc_1', 'acc_2'].map((account) => turns.run(account, signal, draw));
  const waiting = [1, 2, 3, 4].map((n) => turns.run(`acc_${n}`, stop.signal, draw));
  t.deepEqual(await turns.run('acc_9', signal, draw), E.left('too_many'));
  stop.abort();
  t.deepEqual(
    await Promise.all(waiting),
    Array.from(waiting, () => E.left('given_up')),
  );
  end();
  t.deepEqual(await Promise.all(running), [E.right('drawn'), E.right('drawn')]);
});

test('a task that throws rejects for its caller, and the next one starts', async (t) => {
  const turns = openStillQueue({ ...LIMITS, at_once: 1 });
  await t.throwsAsync(
    turns.run('acc_1', signal, () => Promise.reject(new Error('broken'))),
    { message: 'broken' },
  );
  t.deepEqual(await turns.run('acc_1', signal, async () => 'drawn'), E.right('drawn'));
});

test('the account with the most waiting stills gives way to one with fewer', (t) => {
  const waiting = new Map([
    ['acc_1', 2],
    ['acc_2', 4],
    ['acc_3', 3],
  ]);
  t.is(accountThatGivesWay(waiting, 'acc_9'), 'acc_2');
  t.is(accountThatGivesWay(waiting, 'acc_1'), 'acc_2');
  t.is(accountThatGivesWay(waiting, 'acc_3'), null, 'the two would only change places');
  t.is(accountThatGivesWay(waiting, 'acc_2'), null);
  t.is(accountThatGivesWay(new Map([['acc_1', 1]]), 'acc_9'), null);
  t.is(accountThatGivesWay(new Map(), 'acc_9'), null);
});

test('accounts that fill the queue of stills leave room for others', async (t) => {
  const turns = openStillQueue({ at_once: 2, most_waiting: 8, most_waiting_per_account: 5 });
  const { draw, end } = work();
  const loud = ['acc_1', 'acc_2'].flatMap((account) => [1, 2, 3, 4, 5].map(() => turns.run(account, signal, draw)));
  t.deepEqual([turns.running(), turns.waiting()], [2, 8]);
  const calm = [1, 2].map(() => turns.run('acc_3', signal, draw));
  t.is(turns.waiting(), 8);
  const refused = turns.run('acc_3', signal, draw);
  t.is(turns.waiting(), 8);
  end();
  const results = await Promise.all(loud);
  t.deepEqual(await Promise.all(calm), [E.right('drawn'), E.right('drawn')]);
  t.deepEqual(await refused, E.left('too_many'), 'each account has about a third');
  const gave_way = results.flatMap((one, n) => (E.isLeft(one) ? [[one.left, n]] : []));
  t.deepEqual(gave_way, [
    ['too_many_of_account', 4],
    ['too_many_of_account', 9],
  ]);
  t.deepEqual(await turns.run('acc_1', signal, async () => 'again'), E.right('again'));
});
