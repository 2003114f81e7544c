import TinyQueue from 'tinyqueue';
import type { EventLog, LogRecord } from '../../platform/event-log/event-log.ts';
import type { OffsetRange } from './ranges.ts';

const FETCH_BYTES = 32 * 1024 * 1024;
const MAX_FETCH_BYTES = 1024 * 1024;

type Head = { readonly record: LogRecord; readonly rest: AsyncIterator<LogRecord> };

const earlier = ({ record: a }: Head, { record: b }: Head): number =>
  a.append_time_ms - b.append_time_ms || a.partition - b.partition || a.offset - b.offset;

/** Merges partitions by append time. Records of one partition keep their order. */
export async function* mergeByAppendTime(
  log: Pick<EventLog, 'replay'>,
  ranges: readonly OffsetRange[],
): AsyncIterable<LogRecord> {
  const fetch_bytes = Math.min(MAX_FETCH_BYTES, Math.ceil(FETCH_BYTES / Math.max(1, ranges.length)));
  const heads = new TinyQueue<Head>([], earlier);
  const advance = async (rest: AsyncIterator<LogRecord>): Promise<void> => {
    const { done, value } = await rest.next();
    if (done !== true) heads.push({ record: value, rest });
  };
  const iterators = ranges.map(({ topic, partition, from, to }) =>
    log.replay(topic, partition, from, to, fetch_bytes)[Symbol.asyncIterator](),
  );
  await Promise.all(iterators.map(advance));
  for (let head = heads.pop(); head !== undefined; head = heads.pop()) {
    yield head.record;
    await advance(head.rest);
  }
}
