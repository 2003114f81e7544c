import test from 'ava';
import { batchReads } from '../../../platform/read-store/batched-read.ts';

const slowStore = () => {
  const queries: { readonly keys: readonly string[]; readonly answer: (error?: Error) => void }[] = [];
  const read = (keys: readonly string[]) =>
    new Promise<ReadonlyMap<string, string>>((resolve, reject) => {
      const known = keys.filter((key) => !key.startsWith('no')).map((key) => [key, `of ${key}`] as const);
      queries.push({ keys, answer: (error) => (error === undefined ? resolve(new Map(known)) : reject(error)) });
    });
  return { queries, read };
};
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('one query runs at a time, and the next includes all waiting requests', async (t) => {
  const { queries, read } = slowStore();
  const find = batchReads(read, 100);
  const first = find('a');
  const rest = [find('b'), find('none'), find('b'), find('a')];
  await turn();
  t.deepEqual(
    queries.map(({ keys }) => keys),
    [['a']],
  );
  queries[0]?.answer();
  t.is(await first, 'of a');
  await turn();
  // The second request for "a" came during the first read, whose answer could be too old for it.
  t.deepEqual(queries[1]?.keys, ['b', 'none', 'a']);
  queries[1]?.answer();
  t.deepEqual(await Promise.all(rest), ['of b', undefined, 'of b', 'of a']);
  t.is(queries.length, 2);
});

test('a query has a limit, and every request is answered', async (t) => {
  const { queries, read } = slowStore();
  const find = batchReads(read, 3);
  const answers = Promise.all(Array.from({ length: 8 }, (_, i) => find(`k${i}`)));
  for (let i = 0; i < 4; i += 1) {
    await turn();
    queries[i]?.answer();
  }
  t.is((await answers).length, 8);
  t.deepEqual(
    queries.map(({ keys }) => keys.length),
    [1, 3, 3, 1],
  );
});

test('a failed query fails its own requests, and the next continues', async (t) => {
  const { queries, read } = slowStore();
  const find = batchReads(read, 100);
  const failing = find('a');
  const later = find('b');
  await turn();
  queries[0]?.answer(new Error('away'));
  await t.throwsAsync(failing, { message: 'away' });
  await turn();
  queries[1]?.answer();
  t.is(await later, 'of b');
});
