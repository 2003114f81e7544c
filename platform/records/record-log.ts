import type { Either } from 'fp-ts/lib/Either.js';
import type { AnyRecord } from '../../schemas/any-record.ts';
import type { Appended, AppendFault, EventLog } from '../event-log/event-log.ts';
import type { Topic } from '../event-log/topics.ts';

/**
 * What the bytes of a record turned out to be. `poison` is a property of the bytes alone: no Confluent frame, or not
 * decodable under their own registered schema; it never changes. `unknown` are sound bytes that this version of the
 * code does not know how to read: a later one may. With `may_pass` the registry lacks their schema, as
 * it does while it is being restored: the same code may read them later.
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
  /** Never rejects; waits for the registry without a limit where the schema was not saved. */
  readonly decode: (value: Buffer | null) => Promise<Decoded>;
  readonly log: EventLog;
};
