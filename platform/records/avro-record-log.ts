import { isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { AnyRecord, RecordType } from '../../schemas/any-record.ts';
import { recordOfType } from '../../schemas/records.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { Topic } from '../event-log/topics.ts';
import type { Logger } from '../logging/logger.ts';
import { messageOf } from '../logging/message-of.ts';
import { createReadiness, type Readiness } from '../process/readiness.ts';
import { retry } from '../process/retry.ts';
import { withTimeout } from '../process/within.ts';
import { encodeFrame, parseFrame } from './frame.ts';
import { openKnownSchemas, UNREF_SLEEP } from './known-schemas.ts';
import { encodePayload, type PayloadDecoder, payloadDecoder } from './record-decoder.ts';
import type { RecordLog } from './record-log.ts';
import type { RegistrySettings } from './registry-api.ts';

const illFormedString = (value: unknown, path = ''): string | undefined => {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const found = illFormedString(member, path === '' ? key : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
};

export type RecordLogOptions = {
  readonly settings: RegistrySettings;
  readonly log: EventLog;
  readonly logger: Logger;
  readonly readiness?: Readiness;
  /**
   * Opening looks up these schemas, and rejects if one is not registered, so that a program does not start before its
   * deploy step.
   */
  readonly appends: readonly RecordType[];
  /** Limit of a look-up of a schema in the registry; unlimited by default. */
  readonly timeout_ms?: number;
};

/** If the log lacks a schema, opening waits this long for the registry. Then the process starts, but is not ready. */
const OPEN_MS = 2_000;
/** An append waits only this long for the registry, because a client may be waiting for the append. */
const APPEND_MS = 2_000;
/** The read models store events in a document, which has a size limit. */
const MAX_EVENT_BYTES = 64 * 1024;

/** The API checks names and sizes, so an unfit record is a bug. */
const refuseUnfit = (topic: Topic, record: AnyRecord, size_bytes: number): void => {
  const path = illFormedString(record);
  if (path !== undefined) throw new TypeError(`${record.type}.${path} is not well-formed Unicode`);
  if (topic === 'render-events' && size_bytes > MAX_EVENT_BYTES) {
    throw new TypeError(`${record.type} has ${size_bytes} bytes; an event of a render has at most ${MAX_EVENT_BYTES}`);
  }
};

/**
 * Avro records under the schemas of a Confluent-compatible registry. Opening rejects if one of `appends` is not
 * registered, because this version was then not deployed. The deploy step also saves schemas in the log, so the
 * registry may be down. An append throws if a record does not fit its own schema.
 */
export const openRecordLog = async ({
  settings,
  log,
  logger,
  readiness = createReadiness(),
  appends,
  timeout_ms = Number.POSITIVE_INFINITY,
}: RecordLogOptions): Promise<RecordLog> => {
  const schemas = openKnownSchemas({ settings, log, logger, readiness, timeout_ms });

  const lacking = (types: readonly RecordType[]): string => {
    const names = types.map((type) => recordOfType(type).full_name);
    return `the schema registry at ${settings.url} lacks our schema of ${names.join(', ')}: run the deploy step`;
  };

  /**
   * Waits until the schema of the type is known. Until then, no record of this type is appended, and the process is not
   * ready.
   */
  const untilKnown = async (type: RecordType): Promise<void> => {
    const know = async (): Promise<void> => {
      if ((await schemas.idOf(type)) === undefined) throw new Error(lacking([type]));
    };
    const onFailure = (error: unknown): void => readiness.set(`schema of ${type}`, messageOf(error));
    await retry(know, { clock: UNREF_SLEEP, onFailure });
    readiness.set(`schema of ${type}`, null);
  };

  const looked_up = await Promise.all(
    appends.map(async (type) => ({
      type,
      id: await withTimeout(OPEN_MS, schemas.idOf(type), () => null),
    })),
  );
  const missing = looked_up.filter(({ id }) => id === undefined).map(({ type }) => type);
  if (missing.length > 0) throw new Error(lacking(missing));
  for (const { type, id } of looked_up) if (id === null) void untilKnown(type);

  const decoders = new Map<number, Promise<PayloadDecoder | undefined>>();
  const decoderOf = (schema_id: number): Promise<PayloadDecoder | undefined> => {
    const known = decoders.get(schema_id);
    if (known !== undefined) return known;
    const found = schemas.schemaOf(schema_id).then((schema) => {
      if (schema !== undefined) return payloadDecoder(schema);
      // A missing schema may be restored later.
      decoders.delete(schema_id);
      return undefined;
    });
    decoders.set(schema_id, found);
    return found;
  };

  const encode: RecordLog['encode'] = async (topic, record) => {
    const no_answer = 'its schema was not saved, and the schema registry does not answer';
    const id = await withTimeout<number | string | undefined>(
      APPEND_MS,
      schemas.idOf(record.type),
      () => no_answer,
    ).catch(messageOf);
    if (typeof id !== 'number') return left({ tag: 'not_appended', message: id ?? lacking([record.type]) });
    const value = encodeFrame(id, encodePayload(record));
    refuseUnfit(topic, record, value.length);
    return right(value);
  };

  return {
    append: async (topic, key, record, { partition, headers } = {}) => {
      const value = await encode(topic, record);
      return isLeft(value) ? value : log.append({ topic, key, value: value.right, partition, headers });
    },
    encode,
    decode: async (value) => {
      const frame = parseFrame(value);
      if (frame === undefined) return { tag: 'poison', reason: 'not in the Confluent wire format' };
      const decoder = await decoderOf(frame.schema_id);
      return decoder === undefined
        ? { tag: 'unknown', may_pass: true, reason: `the registry has no schema ${frame.schema_id}` }
        : decoder(frame.payload);
    },
    log,
  };
};
