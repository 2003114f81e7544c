import { randomUUID } from 'node:crypto';
import { STORED_BLOCKS_RATE } from '../domain/uploads/limits.ts';
import { openApiKeyCache } from '../platform/access/api-key-cache.ts';
import { openAuthenticator } from '../platform/access/authenticator.ts';
import { openKeyUseRecorder } from '../platform/access/last-used.ts';
import { openRateLimits } from '../platform/access/rate-limits.ts';
import { openBlobStore } from '../platform/blob-store/azure-blob-store.ts';
import { openUploadBlobs } from '../platform/blob-store/azure-upload-blobs.ts';
import {
  BLOB_STORE,
  CORS,
  CURSORS,
  PUBLIC_SERVER,
  RATE_LIMITS,
  READ_STORE,
  UPLOADS,
  WAITING_RENDERS,
} from '../platform/configuration/parts.ts';
import { addFallbackRoutes } from '../platform/http-server/fallback-routes.ts';
import { runComponent } from '../platform/process/component.ts';
import { openStore } from '../platform/process/open-clients.ts';
import { openAccountRetentions } from '../read-models/catalogue/account-retentions.ts';
import { openCatalogue } from '../read-models/catalogue/catalogue.ts';
import { saveKeyUses } from '../read-models/catalogue/key-last-used.ts';
import { catalogueReadModel } from '../read-models/catalogue/management.ts';
import { openOutputPolicy } from '../read-models/catalogue/output-policy.ts';
import { openVersionRows } from '../read-models/catalogue/version-rows.ts';
import { behindText, isAnyBehind, openCatchUp } from '../read-models/catch-up.ts';
import { openRateBuckets } from '../read-models/limits/rate-buckets.ts';
import { openAccountRenders } from '../read-models/renders/account-renders.ts';
import { openRenders } from '../read-models/renders/renders.ts';
import { openStoredFiles } from '../read-models/stored-files/stored-files.ts';
import { openUploads } from '../read-models/uploads/uploads.ts';
import { addQueryRoutes } from './api.ts';

const parts = {
  public_server: PUBLIC_SERVER,
  read_store: READ_STORE,
  blob_store: BLOB_STORE,
  cursors: CURSORS,
  rate_limits: RATE_LIMITS,
  cors: CORS,
  uploads: UPLOADS,
  waiting_renders: WAITING_RENDERS,
};

await runComponent('query-api', parts, async (context) => {
  const { configuration, logger, readiness, clock, openInterface } = context;
  const server = await openInterface(configuration.public_server);
  const blobs = openBlobStore(configuration.blob_store);
  const store = await openStore(context, configuration.read_store);

  const { db } = store;
  const catalogue = openCatalogue(db);
  const catchUp = openCatchUp(db, clock);
  readiness.check('read_models', async () => behindText(await catchUp()));
  const use = openKeyUseRecorder(saveKeyUses(db), logger, clock);
  const buckets = openRateBuckets(db, 'query-api', randomUUID(), configuration.rate_limits);
  const limits = openRateLimits(configuration.rate_limits, buckets, logger, clock);
  const list_buckets = openRateBuckets(db, 'stored-blocks', randomUUID(), STORED_BLOCKS_RATE);
  const block_lists = openRateLimits(STORED_BLOCKS_RATE, list_buckets, logger, clock);
  const authenticator = openAuthenticator(openApiKeyCache(catalogue, clock), limits, use, clock, isAnyBehind(catchUp));
  addQueryRoutes(
    server,
    logger,
    authenticator,
    {
      ...{
        renders: openRenders(db),
        catalogue,
        account: {
          ...{ read_model: catalogueReadModel(db), uploads: openUploads(db), stored_files: openStoredFiles(db) },
          countOpenRenders: openAccountRenders(db).countOpen,
          upload_limits: configuration.uploads,
          max_waiting_renders: configuration.waiting_renders.per_account,
        },
        findVersionRows: openVersionRows(db),
        blobs,
      },
      output_policy: openOutputPolicy(openAccountRetentions(db), clock),
      uploads: { uploads: openUploads(db), upload_blobs: openUploadBlobs(configuration.blob_store), block_lists },
    },
    configuration.cursors.secret,
    clock,
  );
  addFallbackRoutes(server, configuration.cors.origins);

  return {
    stop: async () => {
      await use.stop();
      await store.close();
    },
  };
});
