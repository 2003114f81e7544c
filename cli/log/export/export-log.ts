import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import * as E from 'fp-ts/lib/Either.js';
import { inChunks } from '../../../platform/process/chunked.ts';
import type { RecordLog } from '../../../platform/records/record-log.ts';
import type { CliFault } from '../../fault.ts';
import { type DecodedLogRecord, decodeLogRecord } from '../decoded-record.ts';
import { withDuckDb } from '../duckdb.ts';
import { mergeByAppendTime } from '../merged.ts';
import { type LogSelection, type OffsetRange, offsetRangesOf } from '../ranges.ts';
import { isoTime, jsonRowOf, type RecordPlaceColumns, UNREADABLE_TABLE } from './columns.ts';
import { commitExport, partialFolder, recoverExport } from './commit.ts';
import { exportedOffset, type Manifest, readManifest } from './manifest.ts';
import { openRowFiles, type RowFiles } from './row-files.ts';
import { withSameColumns } from './same-columns.ts';

const CHUNK = 1_000;
/**
 * The minimum number of records in a batch. After a large day, batches are larger, because each batch rewrites the
 * files of its days.
 */
const BATCH = 250_000;

export type LogExportOptions = {
  readonly records: RecordLog;
  readonly folder: string;
  readonly selection: LogSelection;
  readonly stop: AbortSignal;
  /** Number of records that are committed together. A kill loses at most these. */
  readonly batch?: number;
  /** Called regularly with the number of exported records. */
  readonly on_progress: (done: number, all: number) => void;
};

export type ExportResult = { readonly records: number; readonly rows: number; readonly files: number };

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

const rangesLeft = async (
  { records, selection, folder }: LogExportOptions,
  manifest: Manifest,
): Promise<E.Either<CliFault, readonly OffsetRange[]>> => {
  const ranges = await offsetRangesOf(records.log, selection);
  if (E.isLeft(ranges)) return ranges;
  const ahead = ranges.right.find((one) => exportedOffset(manifest, one.topic, one.partition) > one.to);
  if (ahead === undefined)
    return E.right(
      ranges.right.map((one) => ({
        ...one,
        from: Math.max(one.from, exportedOffset(manifest, one.topic, one.partition)),
      })),
    );
  const message = `${folder} belongs to another log: it has records of ${ahead.topic}/${ahead.partition} that this log does not have`;
  return E.left({ tag: 'refused', reason: 'other_log', message });
};

/**
 * The fault for a record of an unknown type: it has no row, and skipping the record would omit it from the export
 * permanently.
 */
const tooNew = ({ source: { topic, partition, offset }, decoded }: DecodedLogRecord): CliFault | null =>
  decoded.tag === 'unknown'
    ? {
        tag: 'refused',
        reason: 'unknown',
        message: `this renderctl is too old for the record ${topic}/${partition}/${offset}: ${decoded.reason}`,
      }
    : null;

const add = (rows: RowFiles, { source, decoded }: DecodedLogRecord): void => {
  const { topic, partition, offset, append_time_ms, key } = source;
  const log_time = isoTime(append_time_ms);
  const at: RecordPlaceColumns = {
    ...{ log_topic: topic, log_partition: partition, log_offset: offset, log_time },
    log_key: key?.toString('utf8') ?? null,
  };
  const day = (log_time ?? '1970-01-01').slice(0, 10);
  if (decoded.tag === 'record') rows.add(decoded.record.type, day, jsonRowOf(at, decoded.record));
  else rows.add(UNREADABLE_TABLE, day, `${JSON.stringify({ ...at, reason: decoded.reason })}\n`);
};

type Positions = Record<string, Record<string, number>>;

const moved = (positions: Positions, topic: string, partition: number, next: number): void => {
  const of_topic = positions[topic] ?? {};
  of_topic[partition] = next;
  positions[topic] = of_topic;
};

/** The number of rows of the largest day. */
const largestDay = ({ files }: Manifest): number => {
  const days = new Map<string, number>();
  for (const [name, rows] of Object.entries(files)) {
    const day = name.slice(name.indexOf('/') + 1);
    days.set(day, (days.get(day) ?? 0) + rows);
  }
  return Math.max(0, ...days.values());
};

const exportRanges = async (
  { records, folder, stop, batch = BATCH, on_progress }: LogExportOptions,
  connection: DuckDBConnection,
  before: Manifest,
  ranges: readonly OffsetRange[],
): Promise<E.Either<CliFault, Manifest>> => {
  const all = sum(ranges.map(({ from, to }) => Math.max(0, to - from)));
  const positions: Positions = structuredClone(before.positions);
  const rowsFolder = join(partialFolder(folder), 'rows');
  let manifest = before;
  let rows = openRowFiles(rowsFolder);
  let [done, in_batch] = [0, 0];
  const save = async (): Promise<void> => {
    manifest = await commitExport(connection, folder, manifest, rows, structuredClone(positions));
    rows = openRowFiles(rowsFolder);
    in_batch = 0;
  };
  for await (const chunk of inChunks(mergeByAppendTime(records.log, ranges), Math.min(batch, CHUNK))) {
    if (stop.aborted) return E.left({ tag: 'interrupted' });
    const decodedRecords = await Promise.all(chunk.map((record) => decodeLogRecord(records.decode, record)));
    for (const one of decodedRecords) {
      const fault = tooNew(one);
      if (fault !== null) return E.left(fault);
      add(rows, one);
      moved(positions, one.source.topic, one.source.partition, one.source.offset + 1);
    }
    await rows.flush();
    done += decodedRecords.length;
    in_batch += decodedRecords.length;
    if (in_batch >= Math.max(batch, largestDay(manifest))) await save();
    on_progress(done, all);
  }
  // The last offsets may belong to transaction markers, which are not records. So the positions move to the end.
  for (const { topic, partition, from, to } of ranges) if (to > from) moved(positions, topic, partition, to);
  await save();
  return E.right(manifest);
};

/**
 * Extends an export to the current end of the log: one Parquet file for each record type and UTC day. After a kill, the
 * next run continues, and the export has every record exactly once.
 */
export const exportLog = async (parts: LogExportOptions): Promise<E.Either<CliFault, ExportResult>> => {
  const { folder } = parts;
  await mkdir(folder, { recursive: true });
  await recoverExport(folder);
  const before = await readManifest(folder);
  if (E.isLeft(before)) return before;
  const ranges = await rangesLeft(parts, before.right);
  if (E.isLeft(ranges)) return ranges;
  const spill = join(partialFolder(folder), 'spill');
  const manifest = await withDuckDb(spill, async (connection) => {
    const same = await withSameColumns(connection, folder, before.right, parts.stop);
    return await exportRanges(parts, connection, same, ranges.right);
  });
  return E.map(({ files }: Manifest): ExportResult => {
    const rows = sum(Object.values(files));
    return { records: rows - sum(Object.values(before.right.files)), rows, files: Object.keys(files).length };
  })(manifest);
};
