import { setTimeout as sleep } from 'node:timers/promises';
import { SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry';
import pLimit from 'p-limit';
import type { RecordType } from '../../schemas/any-record.ts';
import { recordOfType } from '../../schemas/records.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { Logger } from '../logging/logger.ts';
import { messageOf } from '../logging/message-of.ts';
import { throttledWarn } from '../logging/throttled-warn.ts';
import { type Clock, SYSTEM_CLOCK } from '../process/clock.ts';
import type { Readiness } from '../process/readiness.ts';
import { exponentialBackOff, retry } from '../process/retry.ts';
import type { RegistrySettings } from './registry-api.ts';
import { savedSchemasFrom } from './saved-schemas-from.ts';

/** Schemas that the deploy step saved in the log, and those of the registry. */
export type KnownSchemas = {
  /** The id of exactly our schema. Undefined if neither source has the schema. Rejects after the time limit. */
  readonly idOf: (type: RecordType) => Promise<number | undefined>;
  /** JSON text; undefined if neither source has the schema. Waits for the registry without a limit. */
  readonly schemaOf: (schema_id: number) => Promise<string | undefined>;
};

const LOOKUPS_AT_ONCE = 4;

/** For retries without a limit: a pause does not keep an idle process alive. */
export const UNREF_SLEEP: Pick<Clock, 'sleep'> = {
  sleep: (ms, signal) => sleep(ms, undefined, { ref: false, ...(signal && { signal }) }),
};

const statusOf = (error: unknown): number => {
  const status = typeof error === 'object' && error !== null ? Reflect.get(error, 'status') : undefined;
  return typeof status === 'number' ? status : 0;
};

/** The library wraps a 404 of a look-up by schema, and drops its status. */
const isMissing = (error: unknown): boolean =>
  statusOf(error) === 404 || (error instanceof Error && error.name === 'ConfluentSchemaRegistryError');

/** Asks the saved schemas first, so deployed records do not need the registry. */
export const openKnownSchemas = (options: {
  readonly settings: RegistrySettings;
  readonly log: Pick<EventLog, 'bounds' | 'replay'>;
  readonly logger: Logger;
  readonly readiness: Readiness;
  readonly timeout_ms: number;
}): KnownSchemas => {
  const { settings, log, logger, readiness } = options;
  const { url, username, password } = settings;
  const registry = new SchemaRegistry({
    host: url,
    clientId: 'rendering',
    retry: { retries: 0 },
    ...(username === undefined ? {} : { auth: { username, password } }),
  });
  const warn = throttledWarn(logger);
  const saved = savedSchemasFrom(log, logger);

  /**
   * Looks in the saved schemas, then asks the registry. Retries until the schema is found, or the registry answers that
   * it does not have it.
   */
  const untilAnswered = async <A>(
    find: () => Promise<A | undefined>,
    ask: () => Promise<A>,
    timeout_ms: number,
  ): Promise<A | undefined> => {
    const deadline = performance.now() + timeout_ms;
    const askOnce = async (): Promise<A | undefined> => {
      const found = await find();
      if (found !== undefined) return found;
      try {
        return await ask();
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw new Error(`the schema registry at ${url} does not answer: ${messageOf(error)}`, { cause: error });
      }
    };
    const answer = await retry(askOnce, {
      clock: Number.isFinite(timeout_ms) ? SYSTEM_CLOCK : UNREF_SLEEP,
      policy: (failures) => (performance.now() > deadline ? null : exponentialBackOff(failures)),
      onFailure: (error) => {
        readiness.set('schema registry', messageOf(error));
        warn({ reason: messageOf(error) }, 'waiting for the schema registry');
      },
    });
    readiness.set('schema registry', null);
    return answer;
  };

  const limit = pLimit(LOOKUPS_AT_ONCE);
  const ids = new Map<RecordType, Promise<number | undefined>>();
  const idOf = (type: RecordType): Promise<number | undefined> => {
    const known = ids.get(type);
    if (known !== undefined) return known;
    const { full_name, avro } = recordOfType(type);
    const text = JSON.stringify(avro);
    const found = untilAnswered(
      () => saved.idOf(full_name, text),
      () => limit(() => registry.getRegistryIdBySchema(full_name, { type: SchemaType.AVRO as const, schema: text })),
      options.timeout_ms,
    );
    ids.set(type, found);
    const forget = (): void => void ids.delete(type);
    // Forgets a failure and a missing schema, because the registry may recover, and the schema may be registered later.
    found.then((id) => id === undefined && forget(), forget);
    return found;
  };

  const schemaOf = (schema_id: number): Promise<string | undefined> =>
    untilAnswered(
      () => saved.schemaOf(schema_id),
      async () => JSON.stringify(await registry.getSchema(schema_id)),
      Number.POSITIVE_INFINITY,
    );

  return { idOf, schemaOf };
};
