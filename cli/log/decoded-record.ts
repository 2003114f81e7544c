import type { LogRecord } from '../../platform/event-log/event-log.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { AnyRecord } from '../../schemas/any-record.ts';
import { timeText } from '../table.ts';
import { withoutPersonalTexts } from './without-texts.ts';

export type DecodedLogRecord = {
  readonly source: LogRecord;
  readonly decoded:
    | { readonly tag: 'record'; readonly record: AnyRecord }
    | { readonly tag: 'poison' | 'unknown'; readonly reason: string };
};

export const decodeLogRecord = async (decode: RecordLog['decode'], source: LogRecord): Promise<DecodedLogRecord> => {
  const decoded = await decode(source.value);
  return {
    source,
    decoded:
      decoded.tag === 'record'
        ? { tag: 'record', record: withoutPersonalTexts(decoded.record) }
        : { tag: decoded.tag, reason: decoded.reason },
  };
};

/** One line of JSON. `time` is ISO 8601; times within the record are in ms since the epoch. */
export const jsonLine = ({ source, decoded }: DecodedLogRecord): string => {
  const { topic, partition, offset, append_time_ms, key } = source;
  const head = { topic, partition, offset, time: timeText(append_time_ms), key: key?.toString('utf8') ?? null };
  if (decoded.tag !== 'record') return `${JSON.stringify({ ...head, type: null, [decoded.tag]: decoded.reason })}\n`;
  const { type, ...record } = decoded.record;
  return `${JSON.stringify({ ...head, type, record })}\n`;
};

/** The columns have fixed widths, because each line is written before the next ones are known. */
const PLACE_COLUMNS = 30;
const TYPE_COLUMNS = 20;
const OTHER_MEMBERS = ['type', 'meta', 'render_id', 'rules'];

const memberText = ([name, value]: readonly [string, unknown]): string =>
  `${name}=${typeof value === 'object' && value !== null ? '…' : String(value)}`;

/** One readable line, without nested records. */
export const textLine = ({ source, decoded }: DecodedLogRecord): string => {
  const { topic, partition, offset, append_time_ms, key } = source;
  const at = `${topic} ${partition}/${offset}`.padEnd(PLACE_COLUMNS);
  const type = (decoded.tag === 'record' ? decoded.record.type : decoded.tag).padEnd(TYPE_COLUMNS);
  const members =
    decoded.tag === 'record'
      ? Object.entries(decoded.record)
          .filter(([name, value]) => !OTHER_MEMBERS.includes(name) && value !== null && value !== '')
          .map(memberText)
          .join(' ')
      : decoded.reason;
  const line = `${timeText(append_time_ms)}  ${at}  ${type}  ${key?.toString('utf8') ?? '-'}  ${members}`;
  return `${line.replace(/\p{Cc}/gu, ' ').trimEnd()}\n`;
};
