import { randomUUID } from 'node:crypto';
import { openApiKeyCache } from '../platform/access/api-key-cache.ts';
import { openAuthenticator } from '../platform/access/authenticator.ts';
import { openLastUsed } from '../platform/access/last-used.ts';
import { openProjects } from '../platform/access/projects.ts';
import { openRateLimits } from '../platform/access/rate-limits.ts';
import { openBlobStore } from '../platform/blob-store/azure-blob-store.ts';
import {
  BLOB_STORE,
  CORS,
  CREDITS,
  EVENT_LOG,
  FAILED_WORK,
  IDEMPOTENCY,
  PUBLIC_SERVER,
  RATE_LIMITS,
  READ_STORE,
  RENDERS,
  SCHEMA_REGISTRY,
  WAITING_RENDERS,
} from '../platform/configuration/parts.ts';
import { addFallbackRoutes } from '../platform/http-server/fallback-routes.ts';
import { runComponent } from '../platform/process/component.ts';
import { openRecords, openStore } from '../platform/process/open-clients.ts';
import { openCatalogue } from '../read-models/catalogue/catalogue.ts';
import { saveKeyUses } from '../read-models/catalogue/key-last-used.ts';
import { openProjectDocuments } from '../read-models/catalogue/project-documents.ts';
import { behindText, isBehind, openCatchUp } from '../read-models/catch-up.ts';
import { openCreditLeases } from '../read-models/limits/credit-leases.ts';
import { openRateBuckets } from '../read-models/limits/rate-buckets.ts';
import { openAccountRenders } from '../read-models/renders/account-renders.ts';
import { openFailedWorkLimit } from '../read-models/renders/failed-work.ts';
import { openFoldedRequests } from '../read-models/renders/folded-requests.ts';
import { servingRenders } from '../read-models/renders/model.ts';
import { openRenders } from '../read-models/renders/renders.ts';
import { addCommandRoutes } from './api.ts';
import { openCredits } from './credits/credits.ts';
import { openLedger } from './credits/ledger.ts';
import { openWaitingRenders } from './limits/waiting-renders.ts';
import { openFoldedRenders } from './renders/folded-renders.ts';

const parts = {
  public_server: PUBLIC_SERVER,
  event_log: EVENT_LOG,
  registry: SCHEMA_REGISTRY,
  read_store: READ_STORE,
  blob_store: BLOB_STORE,
  renders: RENDERS,
  idempotency: IDEMPOTENCY,
  rate_limits: RATE_LIMITS,
  failed_work: FAILED_WORK,
  waiting_renders: WAITING_RENDERS,
  credits: CREDITS,
  cors: CORS,
};

await runComponent('command-api', parts, async (context) => {
  const { configuration, logger, readiness, clock, openInterface } = context;
  const server = await openInterface(configuration.public_server);
  const blobs = openBlobStore(configuration.blob_store, readiness);
  const [records, store] = await Promise.all([
    openRecords(context, configuration, ['RenderRequested', 'RenderFailed']),
    openStore(context, configuration.read_store),
  ]);

  const { db } = store;
  const catalogue = openCatalogue(db);
  const catchUp = openCatchUp(db, clock);
  readiness.check('read_models', async () => behindText(await catchUp()));
  const renders = servingRenders(db);
  const account_renders = openAccountRenders(renders);
  const folded = openFoldedRenders(openFoldedRequests(renders), records.log, clock);
  const ledger = openLedger(catalogue, account_renders, clock);
  const use = openLastUsed(saveKeyUses(db), logger, clock);
  const buckets = openRateBuckets(db, 'command-api', randomUUID(), configuration.rate_limits);
  const authenticator = openAuthenticator(
    openApiKeyCache(catalogue, clock),
    openRateLimits(configuration.rate_limits, buckets, logger, clock),
    use,
    clock,
    isBehind(catchUp),
  );
  const credits = openCredits({
    ledger,
    leases: openCreditLeases(db, clock.now),
    places: folded.places,
    clock,
    most_lag_s: configuration.credits.ledger_lag_s,
    onFailure: (error) => logger.warn({ error }, 'could not give back leased credits'),
  });
  const posting = {
    projects: openProjects(catalogue),
    documents: openProjectDocuments(catalogue),
    failed_work: {
      reached: openFailedWorkLimit(db, configuration.failed_work, clock),
      limits: configuration.failed_work,
    },
    waiting: openWaitingRenders(account_renders.countOpen, configuration.waiting_renders.per_account, clock),
    credits,
    folded,
    clock,
    blobs,
    records,
    render_type: configuration.renders.type,
    fold_version: configuration.renders.fold_version,
    idempotency_secret: configuration.idempotency.secret,
  };
  addCommandRoutes(server, logger, authenticator, posting, { renders: openRenders(db), records, clock });
  addFallbackRoutes(server, configuration.cors.origins);

  return {
    stop: async () => {
      await credits.stop();
      await use.stop();
      await records.log.close();
      await store.close();
    },
  };
});
