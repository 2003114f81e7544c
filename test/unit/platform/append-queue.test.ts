import test from 'ava';
import { cut, MAX_BATCH_BYTES, sizeOf } from '../../../platform/event-log/append-queue.ts';

const waiting = (partition_key: string, size_bytes: number, n: number) => ({ partition_key, size_bytes, n });
const numbers = (appends: readonly { readonly n: number }[]) => appends.map(({ n }) => n);

test('what fits goes together', (t) => {
  const { taken, left } = cut([waiting('a/0', 100, 1), waiting('a/1', 100, 2), waiting('a/0', 100, 3)]);
  t.deepEqual(numbers(taken), [1, 2, 3]);
  t.deepEqual(left, []);
});

test('a batch of one partition ends at its limit, and nothing overtakes what stays', (t) => {
  const half = MAX_BATCH_BYTES / 2;
  const { taken, left } = cut([
    waiting('a/0', half, 1),
    waiting('a/0', half, 2),
    waiting('a/0', 10, 3),
    waiting('a/1', half, 4),
    waiting('a/0', 1, 5),
  ]);
  t.deepEqual(numbers(taken), [1, 2, 4]);
  t.deepEqual(numbers(left), [3, 5]);
});

test('a record that is larger than a batch goes alone', (t) => {
  const { taken, left } = cut([waiting('a/0', MAX_BATCH_BYTES + 1, 1), waiting('a/0', 1, 2)]);
  t.deepEqual(numbers(taken), [1]);
  t.deepEqual(numbers(left), [2]);
});

test('the size of a record counts key, value and headers', (t) => {
  const bare = { topic: 'a', key: '', value: Buffer.alloc(0) };
  const full = { ...bare, key: 'é', value: Buffer.alloc(10), headers: { ab: 'c' } };
  t.is(sizeOf(full) - sizeOf(bare), 2 + 10 + 3 + 8);
});
