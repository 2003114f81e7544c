import * as E from 'fp-ts/lib/Either.js';
import type { AnyRecord } from '../../schemas/any-record.ts';
import { MAX_BATCH_BYTES, recordSizeBytes } from '../appender/append-queue.ts';
import type { Appended, AppendFault, BatchRequest } from '../event-log/event-log.ts';
import type { Topic } from '../event-log/topics.ts';
import { type AcknowledgedOptions, retryUntilAcknowledged } from './append-acknowledged.ts';
import type { RecordLog } from './record-log.ts';

const MAX_RECORDS = 1_000;

export type BatchableRecord = {
  readonly key: string;
  readonly record: AnyRecord;
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * Appends the first records of a run in one record batch, as many as it holds, and retries until they are acknowledged.
 * The log therefore always has a prefix of the run, complete and in order, possibly repeated. Rejects when `signal`
 * aborts; records may have been appended even then.
 */
export type AppendPrefix = (
  partition: number,
  run: readonly BatchableRecord[],
  options: AcknowledgedOptions,
) => Promise<readonly Appended[]>;

type Encoded = { readonly records: BatchRequest['records']; readonly size_bytes: number };

export type BatchLog = Pick<RecordLog, 'encode'> & { readonly log: Pick<RecordLog['log'], 'appendBatch'> };

/** Remembers the size that the brokers refused, because it is a setting of the topic. Later batches are smaller. */
export const appendPrefixTo = (records: BatchLog, topic: Topic): AppendPrefix => {
  let most_bytes = MAX_BATCH_BYTES;

  /** Returns as many records as a batch holds; at least one, even if it is larger. */
  const firstOf = async (run: readonly BatchableRecord[]): Promise<E.Either<AppendFault, Encoded>> => {
    const batch: BatchRequest['records'][number][] = [];
    let size_bytes = 0;
    for (const { key, record, headers } of run.slice(0, MAX_RECORDS)) {
      const value = await records.encode(topic, record);
      if (E.isLeft(value)) return value;
      const encoded = { key, value: value.right, headers };
      const more_bytes = recordSizeBytes(encoded);
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
      // A `too_large` fault with an unknown outcome may concern another batch of the same request, so the size of this
      // batch proves nothing.
      const refused_bytes = tag === 'not_appended' ? size_bytes : most_bytes;
      if (too_large === true && batch.length > 1) most_bytes = Math.min(most_bytes, refused_bytes / 2);
      return result.left;
    };
    await retryUntilAcknowledged(append, options);
    return appended;
  };
};
