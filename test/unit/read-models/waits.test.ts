import test from 'ava';
import { openBoundedWaits } from '../../../read-models/renders/render-finder.ts';

test('waiting requests are limited per account and in total', async (t) => {
  const waits = openBoundedWaits();
  const { promise, resolve } = Promise.withResolvers<void>();
  const begin = (account: string, requests: number) =>
    Array.from({ length: requests }, () => waits(account, () => promise)).filter((wait) => wait !== null);
  const under_way = begin('acc_a', 100);
  t.is(under_way.length, 32);
  under_way.push(...['acc_b', 'acc_c', 'acc_d', 'acc_e'].flatMap((account) => begin(account, 100)));
  t.is(under_way.length, 128);
  resolve();
  await Promise.all(under_way);
  t.is(begin('acc_e', 100).length, 32);
});

test('a failed wait releases its place', async (t) => {
  const waits = openBoundedWaits();
  for (let i = 0; i < 100; i += 1) {
    const failed = waits('acc_a', () => Promise.reject(new Error('the store is away')));
    await t.throwsAsync(async () => failed, { message: 'the store is away' });
  }
});
