import test from 'ava';
import { partitionOfKey } from '../../../platform/event-log/partition-of-key.ts';

/**
 * The first ones come from the Java client's tests
 * (clients/src/test/java/org/apache/kafka/common/utils/UtilsTest.java), the others from kafkajs, which chose the
 * partitions of all keys earlier.
 */
const HASHES: readonly (readonly [key: string | Buffer, hash: number])[] = [
  ['21', -973932308],
  ['foobar', -790332482],
  ['a-little-bit-long-string', -985981536],
  ['a-little-bit-longer-string', -1486304829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
  ['abc', 479470107],
  ['', 275646681],
  ['x', 2121525046],
  ['ü', 1419834458],
  ['rend_日本語', -2143941262],
  ['rend_01KB5', 1533923226],
  ['🎬clip', 1758455849],
  [Buffer.from([255, 128, 0, 127, 254, 1, 200]), -734223833],
];

/** A prime, so that every bit of a hash affects the partition. */
const MANY = 1_000_003;

test('keys get the partition that the Java client and kafkajs choose', (t) => {
  for (const [key, hash] of HASHES)
    for (const partitions of [1, 4, 64, MANY])
      t.is(partitionOfKey(key, partitions), (hash & 0x7fffffff) % partitions, `${key} of ${partitions}`);
});
