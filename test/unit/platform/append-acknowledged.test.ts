import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { AppendFault } from '../../../platform/event-log/event-log.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { appendAcknowledged, type RecordToAppend } from '../../../platform/records/append-acknowledged.ts';
import { CATALOGUE } from '../../helpers/record-samples.ts';

const NEVER = new AbortController().signal;
const [record] = CATALOGUE;
if (record === undefined) throw new Error('no sample');
const requests: readonly RecordToAppend[] = ['a', 'b', 'c'].map((key) => ({ topic: 'catalogue-events', key, record }));

const refusing = (times: Readonly<Record<string, number>>) => {
  const left = new Map(Object.entries(times));
  const keys: string[] = [];
  const append = async (_topic: string, key: string) => {
    keys.push(key);
    const more = left.get(key) ?? 0;
    left.set(key, more - 1);
    const fault: AppendFault = { tag: 'outcome_unknown', message: `no answer about ${key}` };
    return more > 0 ? E.left(fault) : E.right({ partition: 0, offset: keys.length, append_time_ms: 1 });
  };
  return { keys, append };
};

test('only unacknowledged records are appended again', async (t) => {
  const { keys, append } = refusing({ b: 2 });
  const faults: string[] = [];
  const onFault = ({ message }: AppendFault): void => void faults.push(message);
  const appended = await appendAcknowledged({ append }, requests, { signal: NEVER, clock: SYSTEM_CLOCK, onFault });
  t.deepEqual(keys, ['a', 'b', 'c', 'b', 'b']);
  t.deepEqual(
    appended.map(({ offset }) => offset),
    [1, 5, 3],
  );
  t.deepEqual(faults, ['no answer about b', 'no answer about b']);
});

test('an abort ends the append between two attempts and before the first', async (t) => {
  const { keys, append } = refusing({ a: Number.POSITIVE_INFINITY });
  const stop = new AbortController();
  const onFault = (): void => stop.abort();
  const options = { signal: stop.signal, clock: SYSTEM_CLOCK, onFault };
  await t.throwsAsync(appendAcknowledged({ append }, requests, options));
  t.deepEqual(keys, ['a', 'b', 'c']);
  await t.throwsAsync(appendAcknowledged({ append }, requests, options), { name: 'AbortError' });
  t.is(keys.length, 3);
});
