/**
 * The deploy step: creates topics, schemas and the blob container, and checks existing ones. Run it before the
 * components of every version. It never changes what already matches. Exit codes: 0 everything matches, 1 something
 * differs (one line for each), 2 invalid configuration.
 */
import { isLeft } from 'fp-ts/lib/Either.js';
import { openBlobStore } from '../platform/blob-store/azure-blob-store.ts';
import { allowPagesOf } from '../platform/blob-store/azure-cors.ts';
import { type Configuration, decodeConfiguration } from '../platform/configuration/configuration.ts';
import { BLOB_STORE, DEPLOYMENT, EVENT_LOG, SCHEMA_REGISTRY } from '../platform/configuration/parts.ts';
import { deployTopics } from '../platform/event-log/deploy-topics.ts';
import { deployedTopics, readDeployment, topicsEntry, writeDeployment } from '../platform/event-log/deployment-log.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';
import { openEventLog } from '../platform/event-log/kafka-event-log.ts';
import { createLogger, type Logger } from '../platform/logging/logger.ts';
import { messageOf } from '../platform/logging/message-of.ts';
import { savedSchemasIn, schemaEntry } from '../platform/records/saved-schemas.ts';
import { deploySchemas } from './schemas.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const PARTS = { event_log: EVENT_LOG, registry: SCHEMA_REGISTRY, blobs: BLOB_STORE, deployment: DEPLOYMENT };

const deployTo = async (log: EventLog, settings: Configuration<typeof PARTS>, logger: Logger): Promise<number> => {
  const { event_log, registry, blobs: blob_settings, deployment } = settings;
  const { entries } = await readDeployment(log);
  const before = deployedTopics(entries)?.render_partitions ?? null;
  const topics = await deployTopics(event_log, deployment, logger, before);
  say(`topics: ${topics.created.length === 0 ? 'all exist' : `created ${topics.created.join(', ')}`}`);
  for (const difference of topics.differences) say(`  ${difference}`);
  if (topics.differences.length > 0 || topics.render_partitions === null) return 1;

  const blobs = openBlobStore(blob_settings);
  await blobs.ensureContainer();
  say(`container: ${blob_settings.container}, private`);
  const { blob_cors_origins: origins } = deployment;
  if (origins !== undefined) {
    await allowPagesOf(blob_settings, origins);
    say(`CORS: pages of ${origins.join(', ')} can upload files and read videos`);
  }

  const { registered, restored } = await deploySchemas(registry, blobs, savedSchemasIn(entries));
  if (restored > 0) say(`schemas: ${restored} were missing in the registry and were restored with their ids`);
  const { render_partitions } = topics;
  const { min_insync_replicas } = deployment;
  await writeDeployment(
    log,
    new Map([topicsEntry({ render_partitions, min_insync_replicas }), ...registered.map(schemaEntry)]),
  );
  say(`schemas: ${registered.length} registered under FULL_TRANSITIVE; their ids are saved next to the data`);
  return 0;
};

const deploy = async (): Promise<number> => {
  const configuration = decodeConfiguration(process.env, PARTS);
  if (isLeft(configuration)) {
    process.stderr.write(
      `The deploy step cannot start:\n${configuration.left.map((fault) => `  ${fault}\n`).join('')}`,
    );
    return 2;
  }
  const { event_log } = configuration.right;
  const logger = createLogger('deploy', 'warn');
  const log = openEventLog({
    ...{ settings: event_log, client_id: 'deploy', logger },
    on_crash: () => undefined,
  });
  try {
    return await deployTo(log, configuration.right, logger);
  } finally {
    await log.close();
  }
};

try {
  process.exitCode = await deploy();
} catch (error) {
  process.stderr.write(`The deploy step failed: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
