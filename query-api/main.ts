import { openKeyRing } from '../platform/access/key-ring.ts';
import { openKeyUse } from '../platform/access/key-use.ts';
import { openBlobStore } from '../platform/blob-store/azure-blob-store.ts';
import { BLOB_STORE, READ_STORE } from '../platform/configuration/parts.ts';
import { runComponent } from '../platform/process/component.ts';
import { generationPointer } from '../platform/read-store/generation-pointer.ts';
import { openReadStore } from '../platform/read-store/mongodb-read-store.ts';
import { addQueryRoutes } from './api.ts';

const parts = { read_store: READ_STORE, blob_store: BLOB_STORE };

await runComponent('query-api', parts, async ({ name, configuration, logger, readiness, server }) => {
  const blobs = openBlobStore(configuration.blob_store);
  const store = await openReadStore({ settings: configuration.read_store, app_name: name, logger, readiness });

  const { db } = store;
  const generations = { renders: generationPointer(db, 'renders'), catalogue: generationPointer(db, 'catalogue') };
  const use = openKeyUse(db, logger);
  addQueryRoutes(server, logger, openKeyRing(db, generations.catalogue, use), { db, generations, blobs });

  return {
    stop: async () => {
      await use.stop();
      await store.close();
    },
  };
});
