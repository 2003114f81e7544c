/**
 * The deploy step: creates topics, schemas and the container, or checks those that are there. Run it before the
 * components, and again with every new version; it changes nothing that fits. Exit codes: 0 all is as it must be,
 * 1 something is not (one line for each), 2 wrong configuration.
 */
import { isLeft } from 'fp-ts/lib/Either.js';
import { openBlobStore } from '../platform/blob-store/azure-blob-store.ts';
import { decodeConfiguration } from '../platform/configuration/configuration.ts';
import { BLOB_STORE, DEPLOYMENT, EVENT_LOG, SCHEMA_REGISTRY } from '../platform/configuration/parts.ts';
import { deployTopics } from '../platform/event-log/deploy-topics.ts';
import { createLogger } from '../platform/logging/logger.ts';
import { messageOf } from '../platform/logging/message-of.ts';
import { deploySchemas } from './schemas.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const deploy = async (): Promise<number> => {
  const parts = { event_log: EVENT_LOG, registry: SCHEMA_REGISTRY, blobs: BLOB_STORE, deployment: DEPLOYMENT };
  const configuration = decodeConfiguration(process.env, parts);
  if (isLeft(configuration)) {
    process.stderr.write(
      `The deploy step cannot start:\n${configuration.left.map((fault) => `  ${fault}\n`).join('')}`,
    );
    return 2;
  }
  const { event_log, registry, blobs: blob_settings, deployment } = configuration.right;

  const topics = await deployTopics(event_log, deployment, createLogger('deploy', 'warn'));
  say(`topics: ${topics.created.length === 0 ? 'all there' : `created ${topics.created.join(', ')}`}`);
  for (const difference of topics.differences) say(`  ${difference}`);
  if (topics.differences.length > 0) return 1;

  const blobs = openBlobStore(blob_settings);
  await blobs.ensureContainer();
  say(`container: ${blob_settings.container}, private`);

  const registered = await deploySchemas(registry, blobs);
  say(`schemas: ${registered.length} registered under FULL_TRANSITIVE; their ids are kept beside the data`);
  return 0;
};

try {
  process.exitCode = await deploy();
} catch (error) {
  process.stderr.write(`The deploy step failed: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
