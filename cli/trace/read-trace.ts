import * as E from 'fp-ts/lib/Either.js';
import { isRenderEvent } from '../../domain/render/events.ts';
import type { EventLog, LogRecord } from '../../platform/event-log/event-log.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { CliFault } from '../fault.ts';
import { foldTrace, type LoggedRecord, type Trace } from './trace.ts';

const logged = async (records: RecordLog, record: LogRecord): Promise<LoggedRecord> => {
  const { partition, offset, append_time_ms: at } = record;
  const decoded = await records.decode(record.value);
  if (decoded.tag !== 'record') return { tag: decoded.tag, partition, offset, at, reason: decoded.reason };
  if (isRenderEvent(decoded.record) && decoded.record.render_id !== record.key?.toString('utf8'))
    return { tag: 'poison', partition, offset, at, reason: 'key_mismatch' };
  return isRenderEvent(decoded.record)
    ? { tag: 'event', partition, offset, at, event: decoded.record }
    : { tag: 'unknown', partition, offset, at, reason: `${decoded.record.type} does not belong to this topic` };
};

/** The records of one render in a topic, from the beginning of its partition. */
export async function* recordsOfRender(
  log: Pick<EventLog, 'bounds' | 'replay'>,
  render_id: string,
  topic: 'render-events' | 'webhook-events' = 'render-events',
): AsyncIterable<LogRecord> {
  const partitions = await log.bounds(topic);
  // Imported on demand, because it loads slowly.
  const { partitionOfKey } = await import('../../platform/event-log/partition-of-key.ts');
  const own = partitions[partitionOfKey(render_id, partitions.length)];
  const key = Buffer.from(render_id, 'utf8');
  if (own === undefined) return;
  for await (const record of log.replay(topic, own.partition, own.start, own.end))
    if (record.key?.equals(key)) yield record;
}

export const readEvents = async (records: RecordLog, render_id: string): Promise<readonly LoggedRecord[]> => {
  const events: LoggedRecord[] = [];
  for await (const record of recordsOfRender(records.log, render_id)) events.push(await logged(records, record));
  return events;
};

export const readTrace = async (records: RecordLog, render_id: string): Promise<E.Either<CliFault, Trace>> => {
  const events = await readEvents(records, render_id);
  return events.length === 0
    ? E.left({ tag: 'not_found', what: 'render', id: render_id, list: null })
    : E.right(foldTrace(events));
};
