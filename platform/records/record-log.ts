import type { Either } from 'fp-ts/lib/Either.js';
import type { AnyRecord } from '../../schemas/any-record.ts';
import type { Appended, AppendFault, EventLog } from '../event-log/event-log.ts';
import type { Topic } from '../event-log/topics.ts';

/**
 * - `poison`: the bytes have no Confluent frame or do not fit their own schema. This never changes.
 * - `unknown`: the bytes are valid, but only a later version of the code can read them.
 * - `may_pass`: the registry lacks the schema, for example during its restore. The same code may read it later.
 */
export type Decoded =
  | { readonly tag: 'record'; readonly record: AnyRecord }
  | { readonly tag: 'poison'; readonly reason: string }
  | { readonly tag: 'unknown'; readonly reason: string; readonly may_pass?: true };

export type RecordLog = {
  readonly append: (
    topic: Topic,
    key: string,
    record: AnyRecord,
    options?: { readonly partition?: number; readonly headers?: Readonly<Record<string, string>> },
  ) => Promise<Either<AppendFault, Appended>>;
  readonly encode: (topic: Topic, record: AnyRecord) => Promise<Either<AppendFault, Buffer>>;
  /** Never rejects. Waits for the registry without a limit if the schema was not saved. */
  readonly decode: (value: Buffer | null) => Promise<Decoded>;
  readonly log: EventLog;
};
