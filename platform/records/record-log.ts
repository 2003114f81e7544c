import type { Either } from 'fp-ts/lib/Either.js';
import type { AnyRecord } from '../../schemas/any-record.ts';
import type { Appended, AppendFault, EventLog } from '../event-log/event-log.ts';
import type { Topic } from '../event-log/topics.ts';

/**
 * Result of decoding a record. Whether it is `poison` depends only on the bytes and never changes: no Confluent frame,
 * or not decodable under their own registered schema. An `unknown` record has valid bytes that this version of the code
 * cannot read, but a later one may. With `may_pass` the registry lacks their schema, for example during its restore;
 * the same code may read them later.
 */
export type Decoded =
  | { readonly tag: 'record'; readonly record: AnyRecord }
  | { readonly tag: 'poison'; readonly reason: string }
  | { readonly tag: 'unknown'; readonly reason: string; readonly may_pass?: true };

/** The event log with typed records: Avro in Confluent wire format, schemas from the registry. */
export type RecordLog = {
  readonly append: (
    topic: Topic,
    key: string,
    record: AnyRecord,
    options?: { readonly partition?: number; readonly headers?: Readonly<Record<string, string>> },
  ) => Promise<Either<AppendFault, Appended>>;
  /** The bytes that `append` would append. */
  readonly encode: (topic: Topic, record: AnyRecord) => Promise<Either<AppendFault, Buffer>>;
  /** Never rejects; waits for the registry without a limit if the schema was not saved. */
  readonly decode: (value: Buffer | null) => Promise<Decoded>;
  readonly log: EventLog;
};
