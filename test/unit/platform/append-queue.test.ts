import test from 'ava';
import { countFittingAppends, MAX_BATCH_BYTES, recordSizeBytes } from '../../../platform/appender/append-queue.ts';

const sizes = (...of: readonly number[]) => of.map((size_bytes) => ({ size_bytes }));

test('records within the limits form one batch', (t) => {
  t.is(countFittingAppends([]), 0);
  t.is(countFittingAppends(sizes(100, 100, 100)), 3);
});

test('a batch ends at its limit', (t) => {
  const half = MAX_BATCH_BYTES / 2;
  t.is(countFittingAppends(sizes(half, half, 10, 1)), 2);
});

test('a record larger than a batch is sent separately', (t) => {
  t.is(countFittingAppends(sizes(MAX_BATCH_BYTES + 1, 1)), 1);
  t.is(countFittingAppends(sizes(1, MAX_BATCH_BYTES + 1)), 1);
});

test('the size of a record counts key, value and headers', (t) => {
  const bare = { topic: 'a', key: '', value: Buffer.alloc(0) };
  const full = { ...bare, key: 'é', value: Buffer.alloc(10), headers: { ab: 'c' } };
  t.is(recordSizeBytes(full) - recordSizeBytes(bare), 2 + 10 + 3 + 8);
});
