import * as E from 'fp-ts/lib/Either.js';
import { inChunks } from '../../platform/process/chunked.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { RenderOwners } from '../../read-models/renders/owners.ts';
import type { CliFault } from '../fault.ts';
import type { Screen } from '../screen.ts';
import { writeToScreen } from '../write-all.ts';
import { type DecodedLogRecord, jsonLine, textLine } from './decoded-record.ts';
import { decodeMatching, type RecordFilter } from './matching.ts';
import { mergeByAppendTime } from './merged.ts';
import { type LogSelection, type OffsetRange, offsetRangesOf } from './ranges.ts';

const CHUNK = 500;
/** The search for the last records reads backwards in steps of this many offsets. */
const STEP = 500;
const POLL_MS = 500;

export type LogReadOptions = {
  readonly records: RecordLog;
  readonly owners: RenderOwners;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly screen: Screen;
  readonly as_json: boolean;
  readonly stop: AbortSignal;
};

type Written = Promise<E.Either<CliFault, null>>;

const writer = ({ screen, as_json }: LogReadOptions) => {
  const line = as_json ? jsonLine : textLine;
  return (decodedRecords: readonly DecodedLogRecord[]): Promise<void> =>
    decodedRecords.length === 0 ? Promise.resolve() : writeToScreen(screen, decodedRecords.map(line).join(''));
};

/** The matching records, by append time. */
async function* wantedIn(
  { records, owners, stop }: LogReadOptions,
  ranges: readonly OffsetRange[],
  wanted: RecordFilter,
): AsyncIterable<readonly DecodedLogRecord[]> {
  for await (const chunk of inChunks(mergeByAppendTime(records.log, ranges), CHUNK)) {
    if (stop.aborted) return;
    yield await decodeMatching(records.decode, owners, chunk, wanted);
  }
}

export const writeLog = async (
  reading: LogReadOptions,
  selection: LogSelection,
  wanted: RecordFilter,
  limit: number | undefined,
): Written => {
  const ranges = await offsetRangesOf(reading.records.log, selection);
  if (E.isLeft(ranges)) return ranges;
  const put = writer(reading);
  let left = limit ?? Number.POSITIVE_INFINITY;
  for await (const decodedRecords of wantedIn(reading, ranges.right, wanted)) {
    await put(decodedRecords.slice(0, left));
    left -= decodedRecords.length;
    if (left <= 0) break;
  }
  return reading.stop.aborted ? E.left({ tag: 'interrupted' }) : E.right(null);
};

const byTime = ({ source: a }: DecodedLogRecord, { source: b }: DecodedLogRecord): number =>
  a.append_time_ms - b.append_time_ms || a.partition - b.partition || a.offset - b.offset;

const lastOf = async (
  reading: LogReadOptions,
  range: OffsetRange,
  wanted: RecordFilter,
  count: number,
): Promise<readonly DecodedLogRecord[]> => {
  let found: readonly DecodedLogRecord[] = [];
  for (let to = range.to; to > range.from && found.length < count && !reading.stop.aborted; to -= STEP) {
    const from = Math.max(range.from, to - STEP);
    const step: DecodedLogRecord[] = [];
    for await (const decodedRecords of wantedIn(reading, [{ ...range, from, to }], wanted))
      step.push(...decodedRecords);
    found = [...step, ...found].slice(-count);
  }
  return found;
};

/** Writes the last `count` matching records. With `follow` it then writes new ones until it is stopped. */
export const writeTail = async (
  reading: LogReadOptions,
  selection: LogSelection,
  wanted: RecordFilter,
  { count, follow }: { readonly count: number; readonly follow: boolean },
): Written => {
  const { records, clock, stop } = reading;
  const put = writer(reading);
  const first = await offsetRangesOf(records.log, selection);
  if (E.isLeft(first)) return first;
  let read: readonly OffsetRange[] = first.right;
  let last: readonly DecodedLogRecord[] = [];
  for (const range of count === 0 ? [] : read)
    last = [...last, ...(await lastOf(reading, range, wanted, count))].toSorted(byTime).slice(-count);
  await put(last);
  while (follow && !stop.aborted) {
    await clock.sleep(POLL_MS, stop).catch(() => undefined);
    const now = await offsetRangesOf(records.log, { ...selection, from: undefined });
    if (E.isLeft(now)) return now;
    const ends = new Map(read.map(({ topic, partition, to }) => [`${topic}/${partition}`, to]));
    read = now.right.map((one) => ({ ...one, from: ends.get(`${one.topic}/${one.partition}`) ?? one.from }));
    for await (const decodedRecords of wantedIn(reading, read, wanted)) await put(decodedRecords);
  }
  return E.right(null);
};
