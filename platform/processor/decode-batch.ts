import * as E from 'fp-ts/lib/Either.js';
import type { AnyRecord } from '../../schemas/any-record.ts';
import type { LogRecord } from '../event-log/event-log.ts';
import type { Decoded } from '../records/record-log.ts';

/** A record of the log: an event, or poison, which no version of the code can accept at this place. */
export type BatchEntry<Event> =
  | { readonly tag: 'event'; readonly record: LogRecord; readonly event: Event }
  | { readonly tag: 'poison'; readonly record: LogRecord; readonly reason: string };

export type PoisonEntry = Extract<BatchEntry<unknown>, { tag: 'poison' }>;

/** What can be processed of consecutive records, and why no more of them; `stop` is null when all can. */
export type DecodedBatch<Event> = {
  readonly entries: readonly BatchEntry<Event>[];
  readonly stop: string | null;
  /** The same code may be able to go on later. */
  readonly may_pass: boolean;
};

/** Left: why the record does not belong here. It depends on its bytes and its place alone. */
export type Accept<Event> = (decoded: AnyRecord, record: LogRecord) => E.Either<string, Event>;

export const describe = (record: LogRecord): string => `${record.topic}/${record.partition}/${record.offset}`;

/**
 * Splits records into events and poison, up to the first that a newer version of this code has written.
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
    if (said === undefined) throw new Error(`${describe(record)} was not decoded`);
    if (said.tag === 'unknown') {
      return { entries, stop: `${describe(record)}: ${said.reason}`, may_pass: said.may_pass === true };
    }
    if (said.tag === 'poison') {
      entries.push({ tag: 'poison', record, reason: said.reason });
      continue;
    }
    const accepted = accept(said.record, record);
    entries.push(
      E.isLeft(accepted)
        ? { tag: 'poison', record, reason: accepted.left }
        : { tag: 'event', record, event: accepted.right },
    );
  }
  return { entries, stop: null, may_pass: false };
};
