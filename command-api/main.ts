import { openKeyRing } from '../platform/access/key-ring.ts';
import { openKeyUse } from '../platform/access/key-use.ts';
import { openProjects } from '../platform/access/projects.ts';
import { openBlobStore } from '../platform/blob-store/azure-blob-store.ts';
import { BLOB_STORE, EVENT_LOG, READ_STORE, RENDERS, SCHEMA_REGISTRY } from '../platform/configuration/parts.ts';
import { openEventLog } from '../platform/event-log/kafka-event-log.ts';
import { runComponent } from '../platform/process/component.ts';
import { generationPointer } from '../platform/read-store/generation-pointer.ts';
import { openReadStore } from '../platform/read-store/mongodb-read-store.ts';
import { openProjectDocuments } from '../platform/read-store/project-documents.ts';
import { openRecordLog } from '../platform/records/avro-record-log.ts';
import { addCommandRoutes } from './api.ts';
import { openFolded } from './renders/folded.ts';

const parts = {
  event_log: EVENT_LOG,
  registry: SCHEMA_REGISTRY,
  read_store: READ_STORE,
  blob_store: BLOB_STORE,
  renders: RENDERS,
};

await runComponent('command-api', parts, async ({ name, configuration, logger, metrics, readiness, server, crash }) => {
  const blobs = openBlobStore(configuration.blob_store, readiness);
  const log = openEventLog({
    settings: configuration.event_log,
    client_id: name,
    logger,
    metrics,
    readiness,
    on_crash: crash,
  });
  const [store, records] = await Promise.all([
    openReadStore({ settings: configuration.read_store, app_name: name, logger, readiness }),
    openRecordLog({ settings: configuration.registry, log, logger, readiness }),
  ]);

  const { db } = store;
  const catalogue = generationPointer(db, 'catalogue');
  const use = openKeyUse(db, logger);
  addCommandRoutes(server, logger, openKeyRing(db, catalogue, use), {
    projects: openProjects(db, catalogue),
    documents: openProjectDocuments(db, catalogue),
    folded: openFolded(db, generationPointer(db, 'renders')),
    blobs,
    records,
    render_type: configuration.renders.type,
  });

  return {
    stop: async () => {
      await use.stop();
      await log.close();
      await store.close();
    },
  };
});
