import { openBlobStore } from '../platform/blob-store/azure-blob-store.ts';
import { BLOB_STORE, EVENT_LOG, READ_STORE, SCHEMA_REGISTRY } from '../platform/configuration/parts.ts';
import { runComponent } from '../platform/process/component.ts';
import { openRecords, openStore } from '../platform/process/open-clients.ts';
import { openKeyBlobs } from '../platform/seals/open-key-blobs.ts';
import { createSealOpener } from '../platform/seals/opener.ts';
import { startProjectors } from './projectors.ts';

const PARTS = { event_log: EVENT_LOG, registry: SCHEMA_REGISTRY, read_store: READ_STORE, blob_store: BLOB_STORE };

await runComponent('projectors', PARTS, async (context) => {
  const { configuration, logger, metrics, readiness, clock } = context;
  const [records, store] = await Promise.all([
    openRecords(context, configuration, ['RenderFactAccepted']),
    openStore(context, configuration.read_store),
  ]);
  const blobs = openBlobStore(configuration.blob_store, readiness);
  const projectors = await startProjectors({
    records,
    store,
    blobs,
    seals: createSealOpener(openKeyBlobs(configuration.blob_store), clock),
    registry: metrics,
    readiness,
    logger,
    clock,
    random: Math.random,
  });
  return {
    stop: async () => {
      await projectors.stop();
      await records.log.close();
      await store.close();
    },
  };
});
