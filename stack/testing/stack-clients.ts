import * as E from 'fp-ts/lib/Either.js';
import { openBlobStore } from '../../platform/blob-store/azure-blob-store.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { VersionedBlobs } from '../../platform/blob-store/versioned-blobs.ts';
import { decodeConfiguration } from '../../platform/configuration/configuration.ts';
import { BLOB_STORE, EVENT_LOG, READ_STORE, SCHEMA_REGISTRY } from '../../platform/configuration/parts.ts';
import { openEventLog } from '../../platform/event-log/kafka-event-log.ts';
import { createLogger } from '../../platform/logging/logger.ts';
import { createMetrics } from '../../platform/metrics/metrics.ts';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import { createReadiness } from '../../platform/process/readiness.ts';
import { openReadStore } from '../../platform/read-store/mongodb-read-store.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { openRecordLog } from '../../platform/records/avro-record-log.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { openKeyBlobs } from '../../platform/seals/open-key-blobs.ts';
import { createSealOpener, type SealOpener } from '../../platform/seals/opener.ts';
import { pollUntil } from './until.ts';

export type StackClients = {
  readonly records: RecordLog;
  readonly store: ReadStore;
  readonly blobs: BlobStore;
  readonly key_blobs: VersionedBlobs;
  readonly seals: SealOpener;
  /** The same store with another database; the caller closes it. */
  readonly openStore: (database: string) => Promise<ReadStore>;
  readonly close: () => Promise<void>;
};

/** Retries what Kafka did not append in time, as it happens on a busy machine. No record is written twice. */
const patiently = (records: RecordLog): RecordLog => ({
  ...records,
  append: async (...append) =>
    await pollUntil('Kafka appends in time', async () => {
      const appended = await records.append(...append);
      const is_late =
        E.isLeft(appended) && appended.left.tag === 'not_appended' && /^Kafka /.test(appended.left.message);
      return is_late ? null : appended;
    }),
});

export const openStackClients = async (env: Readonly<Record<string, string>>): Promise<StackClients> => {
  const decoded = decodeConfiguration(env, {
    event_log: EVENT_LOG,
    registry: SCHEMA_REGISTRY,
    read_store: READ_STORE,
    blob_store: BLOB_STORE,
  });
  if (E.isLeft(decoded)) throw new Error(decoded.left.join('\n'));
  const { event_log, registry, read_store, blob_store } = decoded.right;
  const logger = createLogger('test', 'warn');
  const log = openEventLog({
    settings: event_log,
    client_id: 'test',
    logger,
    metrics: createMetrics('test'),
    readiness: createReadiness(),
    on_crash: (error) => {
      throw error;
    },
  });
  const openStore = async (database: string): Promise<ReadStore> =>
    await openReadStore({ settings: { ...read_store, database }, app_name: 'test', logger });
  const records = patiently(await openRecordLog({ settings: registry, log, logger, appends: [] }));
  const store = await openStore(read_store.database);
  const key_blobs = openKeyBlobs(blob_store);
  return {
    records,
    store,
    blobs: openBlobStore(blob_store),
    key_blobs,
    seals: createSealOpener(key_blobs, SYSTEM_CLOCK),
    openStore,
    close: async () => {
      await log.close();
      await store.close();
    },
  };
};
