import * as E from 'fp-ts/lib/Either.js';
import type { AnyRecord } from '../../schemas/any-record.ts';
import { MAX_BATCH_BYTES, sizeOf } from '../appender/append-queue.ts';
import type { Appended, AppendFault, BatchRequest } from '../event-log/event-log.ts';
import type { Topic } from '../event-log/topics.ts';
import { type AcknowledgedOptions, untilAcknowledged } from './append-acknowledged.ts';
import type { RecordLog } from './record-log.ts';

/** Those after it wait for the next batch. */
const MAX_RECORDS = 1_000;

export type RecordOfRun = {
  readonly key: string;
  readonly record: AnyRecord;
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * Appends the first records of a run in one record batch, as many as it holds, and the same again until they are
 * acknowledged: so what it has written are the first ones of the run, whole and in order, however often.
 *
 * @returns where they are; rejects once `signal` aborts, when they may have been appended all the same
 */
export type AppendFirst = (
  partition: number,
  run: readonly RecordOfRun[],
  options: AcknowledgedOptions,
) => Promise<readonly Appended[]>;

type Encoded = { readonly records: BatchRequest['records']; readonly size_bytes: number };

/** What is needed of a record log to append batches. */
export type BatchLog = Pick<RecordLog, 'encode'> & { readonly log: Pick<RecordLog['log'], 'appendBatch'> };

/** Remembers what the brokers found too large, for that is a setting of the topic: batches are smaller from then on. */
export const appendFirstTo = (records: BatchLog, topic: Topic): AppendFirst => {
  let most_bytes = MAX_BATCH_BYTES;

  /** As many as a batch holds; one, however large it is. */
  const firstOf = async (run: readonly RecordOfRun[]): Promise<E.Either<AppendFault, Encoded>> => {
    const batch: BatchRequest['records'][number][] = [];
    let size_bytes = 0;
    for (const { key, record, headers } of run.slice(0, MAX_RECORDS)) {
      const value = await records.encode(topic, record);
      if (E.isLeft(value)) return value;
      const encoded = { key, value: value.right, headers };
      const more_bytes = sizeOf(encoded);
      if (batch.length > 0 && size_bytes + more_bytes > most_bytes) break;
      batch.push(encoded);
      size_bytes += more_bytes;
    }
    return E.right({ records: batch, size_bytes });
  };

  return async (partition, run, options) => {
    let appended: readonly Appended[] = [];
    const append = async (): Promise<AppendFault | null> => {
      const encoded = await firstOf(run);
      if (E.isLeft(encoded)) return encoded.left;
      const { records: batch, size_bytes } = encoded.right;
      const result = await records.log.appendBatch({ topic, partition, records: batch });
      if (E.isRight(result)) {
        appended = result.right;
        return null;
      }
      const { tag, too_large } = result.left;
      // Where the outcome is unknown, several partitions were sent to, and the batch of another one may be meant.
      const refused_bytes = tag === 'not_appended' ? size_bytes : most_bytes;
      if (too_large === true && batch.length > 1) most_bytes = Math.min(most_bytes, refused_bytes / 2);
      return result.left;
    };
    await untilAcknowledged(append, options);
    return appended;
  };
};
