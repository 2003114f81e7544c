import type { EventLog } from '../../platform/event-log/event-log.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { partitionBounds } from '../checkpoint/checkpoint-fault.ts';

/** How far to search back for a status record if the last ones are invalid. */
const MAX_FOREIGN_RECORDS = 1_000;

export type PublishPosition =
  | { readonly tag: 'known' /** -1 before the first. */; readonly source_offset: number }
  | { readonly tag: 'lost'; readonly reason: string };

const EVENTS = 'render-events';
const STATUS = 'render-status';

/**
 * The `source_offset` of the last record of a status partition: all events up to it are published. Every publisher
 * sends in order from such a position. So this holds even if late repeats of a former owner are at the end.
 */
export const publishPosition = async (
  log: EventLog,
  records: RecordLog,
  partition: number,
): Promise<PublishPosition> => {
  const { start, end } = await partitionBounds(log, STATUS, partition);
  if (end === 0) return { tag: 'known', source_offset: -1 };
  if (start === end) return { tag: 'lost', reason: `${STATUS}/${partition} was emptied` };
  const lowest = Math.max(start, end - MAX_FOREIGN_RECORDS);
  for (let offset = end - 1; offset >= lowest; offset--) {
    const [record] = await log.read([{ topic: STATUS, partition, offset }]);
    const decoded = await records.decode(record?.value ?? null);
    if (decoded.tag === 'unknown') return { tag: 'lost', reason: decoded.reason };
    if (decoded.tag === 'record' && decoded.record.type === 'RenderFactAccepted') {
      return await confirmed(log, partition, decoded.record.source_offset);
    }
  }
  if (start === 0 && lowest === 0) return { tag: 'known', source_offset: -1 };
  return { tag: 'lost', reason: `no status record in the last ${end - lowest} of ${STATUS}/${partition}` };
};

/** `lost` if the published event is not in the log, because the log then lost its end. */
const confirmed = async (log: EventLog, partition: number, source_offset: number): Promise<PublishPosition> => {
  const { end } = await partitionBounds(log, EVENTS, partition);
  if (source_offset < end) return { tag: 'known', source_offset };
  return { tag: 'lost', reason: `the log ends at ${end}, but ${source_offset} was published as accepted` };
};
