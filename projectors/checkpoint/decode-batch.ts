import * as E from 'fp-ts/lib/Either.js';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import type { Decoded } from '../../platform/records/record-log.ts';
import type { AnyRecord } from '../../schemas/records.ts';

/** A record of the log that can be passed: an event to fold, or bytes for the quarantine. */
export type BatchEntry<Event> =
  | { readonly tag: 'event'; readonly record: LogRecord; readonly event: Event }
  | { readonly tag: 'quarantined'; readonly record: LogRecord; readonly reason: string };

/** What can be passed of a run of records, and why it goes no further; `stop` is null when it goes to the end. */
export type DecodedBatch<Event> = {
  readonly entries: readonly BatchEntry<Event>[];
  readonly stop: string | null;
};

/** Left: why the record does not belong here, which goes by its bytes and its place alone. */
export type Accept<Event> = (decoded: AnyRecord, record: LogRecord) => E.Either<string, Event>;

export const describe = (record: LogRecord): string => `${record.topic}/${record.partition}/${record.offset}`;

/**
 * Splits records into events and quarantined bytes, up to the first that this code is too old for.
 * Pure: `decoded[i]` is what the codecs say of `records[i]`.
 */
export const decodeBatch = <Event>(
  records: readonly LogRecord[],
  decoded: readonly Decoded[],
  accept: Accept<Event>,
): DecodedBatch<Event> => {
  const entries: BatchEntry<Event>[] = [];
  for (const [i, record] of records.entries()) {
    const said = decoded[i];
    if (said === undefined) throw new Error(`no verdict on ${describe(record)}`);
    if (said.tag === 'unknown') return { entries, stop: `${describe(record)}: ${said.reason}` };
    if (said.tag === 'poison') {
      entries.push({ tag: 'quarantined', record, reason: said.reason });
      continue;
    }
    const accepted = accept(said.record, record);
    entries.push(
      E.isLeft(accepted)
        ? { tag: 'quarantined', record, reason: accepted.left }
        : { tag: 'event', record, event: accepted.right },
    );
  }
  return { entries, stop: null };
};
