import * as E from 'fp-ts/lib/Either.js';
import type { AnyRecord } from '../../schemas/any-record.ts';
import type { LogRecord } from '../event-log/event-log.ts';
import type { Decoded } from '../records/record-log.ts';

/** An event, or poison: a record that no version of the code accepts in this topic and partition. */
export type BatchEntry<Event> =
  | { readonly tag: 'event'; readonly record: LogRecord; readonly event: Event }
  | { readonly tag: 'poison'; readonly record: LogRecord; readonly reason: string };

export type PoisonEntry = Extract<BatchEntry<unknown>, { tag: 'poison' }>;

/**
 * The records before the first one that cannot be processed. `stop`: why that record cannot be processed; null if all
 * can be.
 */
export type DecodedBatch<Event> = {
  readonly entries: readonly BatchEntry<Event>[];
  readonly stop: string | null;
  readonly may_pass: boolean;
};

/** Left: why the record does not belong here. It depends only on its bytes, topic and partition. */
export type AcceptRecord<Event> = (decoded: AnyRecord, record: LogRecord) => E.Either<string, Event>;

export const describeRecord = (record: LogRecord): string => `${record.topic}/${record.partition}/${record.offset}`;

/** Stops at the first record that newer code has written. `decoded[i]` is the result of the codecs for `records[i]`. */
export const decodeBatch = <Event>(
  records: readonly LogRecord[],
  decoded: readonly Decoded[],
  accept: AcceptRecord<Event>,
): DecodedBatch<Event> => {
  const entries: BatchEntry<Event>[] = [];
  for (const [i, record] of records.entries()) {
    const result = decoded[i];
    if (result === undefined) throw new Error(`${describeRecord(record)} was not decoded`);
    if (result.tag === 'unknown') {
      return { entries, stop: `${describeRecord(record)}: ${result.reason}`, may_pass: result.may_pass === true };
    }
    if (result.tag === 'poison') {
      entries.push({ tag: 'poison', record, reason: result.reason });
      continue;
    }
    const accepted = accept(result.record, record);
    entries.push(
      E.isLeft(accepted)
        ? { tag: 'poison', record, reason: accepted.left }
        : { tag: 'event', record, event: accepted.right },
    );
  }
  return { entries, stop: null, may_pass: false };
};
