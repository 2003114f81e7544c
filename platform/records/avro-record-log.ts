import { SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry';
import { isLeft, left, right } from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import { type AnyRecord, type RecordType, recordOfType } from '../../schemas/records.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { Topic } from '../event-log/topics.ts';
import type { Logger } from '../logging/logger.ts';
import { messageOf } from '../logging/message-of.ts';
import { sparingWarnings } from '../logging/sparing-warnings.ts';
import { SYSTEM_CLOCK } from '../process/clock.ts';
import { createReadiness, type Readiness } from '../process/readiness.ts';
import { BACK_OFF, retry } from '../process/retry.ts';
import { frameOf, type PayloadDecoder, payloadDecoder } from './record-decoder.ts';
import type { RecordLog } from './record-log.ts';
import type { RegistrySettings } from './registry-api.ts';

/** The path of the first string in a value that is no well-formed Unicode, or undefined. */
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
  /** Their schemas must be registered, so that a program that was not deployed does not start. Others may be appended. */
  readonly appends: readonly RecordType[];
  /** How long a registry that is away is waited for, to look up a schema of ours; for ever if left out. */
  readonly timeout_ms?: number;
};

const LOOKUPS_AT_ONCE = 4;
/** Events stay in a document of the read models, which has a bound. */
const MAX_EVENT_BYTES = 64 * 1024;

const statusOf = (error: unknown): number => {
  const status = typeof error === 'object' && error !== null ? Reflect.get(error, 'status') : undefined;
  return typeof status === 'number' ? status : 0;
};

/** The library wraps a 404 of a lookup by schema, and drops its status. */
const isMissing = (error: unknown): boolean =>
  statusOf(error) === 404 || (error instanceof Error && error.name === 'ConfluentSchemaRegistryError');

/** What no caller may append: it is a programmer's mistake, for names and sizes are checked where they come in. */
const refuseUnfit = (topic: Topic, record: AnyRecord, size_bytes: number): void => {
  const path = illFormedString(record);
  if (path !== undefined) throw new TypeError(`${record.type}.${path} is not well-formed Unicode`);
  if (topic === 'render-events' && size_bytes > MAX_EVENT_BYTES) {
    throw new TypeError(`${record.type} has ${size_bytes} bytes; an event of a render has at most ${MAX_EVENT_BYTES}`);
  }
};

/**
 * Records in Avro under the schemas of a Confluent-like registry. A record is appended under the id of exactly our
 * schema of it; opening rejects if one of `appends` is not registered, for then this code was not deployed. `append`
 * throws when a record does not fit its own schema.
 */
export const openRecordLog = async ({
  settings,
  log,
  logger,
  readiness = createReadiness(),
  appends,
  timeout_ms = Number.POSITIVE_INFINITY,
}: RecordLogOptions): Promise<RecordLog> => {
  const { url, username, password } = settings;
  const registry = new SchemaRegistry({
    host: url,
    clientId: 'rendering',
    retry: { retries: 0 },
    ...(username === undefined ? {} : { auth: { username, password } }),
  });

  const warn = sparingWarnings(logger);

  /** Asks until the registry answers, if only that it does not have it. */
  const untilAnswered = async <A>(ask: () => Promise<A>, timeout_ms: number): Promise<A | undefined> => {
    const deadline = performance.now() + timeout_ms;
    const askOnce = async (): Promise<A | undefined> => {
      try {
        return await ask();
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw new Error(`the schema registry at ${url} does not answer: ${messageOf(error)}`, { cause: error });
      }
    };
    const answer = await retry(askOnce, {
      clock: SYSTEM_CLOCK,
      policy: (failures) => (performance.now() > deadline ? null : BACK_OFF(failures)),
      onFailure: (error) => {
        readiness.set('schema registry', messageOf(error));
        warn({ reason: messageOf(error) }, 'waiting for the schema registry');
      },
    });
    readiness.set('schema registry', null);
    return answer;
  };

  const lacking = (types: readonly RecordType[]): string => {
    const names = types.map((type) => recordOfType(type).full_name);
    return `the schema registry at ${url} lacks our schema of ${names.join(', ')}: run the deploy step`;
  };

  const limit = pLimit(LOOKUPS_AT_ONCE);
  const ids = new Map<RecordType, Promise<number | undefined>>();
  const idOf = (type: RecordType): Promise<number | undefined> => {
    const known = ids.get(type);
    if (known !== undefined) return known;
    const { full_name, avro } = recordOfType(type);
    const schema = { type: SchemaType.AVRO as const, schema: JSON.stringify(avro) };
    const found = limit(() => untilAnswered(() => registry.getRegistryIdBySchema(full_name, schema), timeout_ms));
    ids.set(type, found);
    const forget = (): void => void ids.delete(type);
    // It may be registered later, and the registry come back.
    found.then((id) => id === undefined && forget(), forget);
    return found;
  };
  const looked_up = await Promise.all(appends.map(async (type) => ({ type, id: await idOf(type) })));
  const missing = looked_up.filter(({ id }) => id === undefined).map(({ type }) => type);
  if (missing.length > 0) throw new Error(lacking(missing));

  /** One for each schema that the registry has and that was met. */
  const decoders = new Map<number, Promise<PayloadDecoder | undefined>>();
  const decoderOf = (schema_id: number): Promise<PayloadDecoder | undefined> => {
    const known = decoders.get(schema_id);
    if (known !== undefined) return known;
    const found = untilAnswered(async () => {
      const schema = await registry.getSchema(schema_id);
      return payloadDecoder(JSON.stringify(schema));
    }, Number.POSITIVE_INFINITY).then((decoder) => {
      // One that is missing now may be restored later.
      if (decoder === undefined) decoders.delete(schema_id);
      return decoder;
    });
    decoders.set(schema_id, found);
    return found;
  };

  const encode: RecordLog['encode'] = async (topic, record) => {
    const id = await idOf(record.type).catch((error: unknown) => messageOf(error));
    if (typeof id !== 'number') return left({ tag: 'not_appended', message: id ?? lacking([record.type]) });
    const value = await registry.encode(id, record);
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
      const frame = frameOf(value);
      if (frame === undefined) return { tag: 'poison', reason: 'not in the Confluent wire format' };
      const decoder = await decoderOf(frame.schema_id);
      return decoder === undefined
        ? { tag: 'unknown', reason: `the registry has no schema ${frame.schema_id}` }
        : decoder(frame.payload);
    },
    log,
  };
};
