import * as E from 'fp-ts/lib/Either.js';
import { openBlobStore } from '../platform/blob-store/azure-blob-store.ts';
import { openUploadBlobs } from '../platform/blob-store/azure-upload-blobs.ts';
import {
  BLOB_STORE,
  CREDITS,
  CURSORS,
  EVENT_LOG,
  FAILED_WORK,
  OUTBOUND,
  PUBLIC_SERVER,
  RATE_LIMITS,
  READ_STORE,
  RENDERS,
  SCHEMA_REGISTRY,
  SESSIONS,
  SIGN_IN,
  STILLS,
  STILLS_ADDRESS,
  UPLOADS,
  WAITING_RENDERS,
  WEBHOOK_SEALING_KEY,
} from '../platform/configuration/parts.ts';
import { addFallbackRoutes } from '../platform/http-server/fallback-routes.ts';
import { outboundRules } from '../platform/outbound/outbound-rules.ts';
import { runComponent } from '../platform/process/component.ts';
import { openRecords, openStore } from '../platform/process/open-clients.ts';
import { openKeyBlobs } from '../platform/seals/open-key-blobs.ts';
import { createSealOpener } from '../platform/seals/opener.ts';
import { secretSeal } from '../platform/secrets/sealed-secret.ts';
import { behindText, isAnyBehind, logEnds, openCatchUp } from '../read-models/catch-up.ts';
import { openRequesting } from '../render-commands/requesting/open-requesting.ts';
import { openStillsService } from '../render-commands/stills/stills-service.ts';
import { idempotencySecret } from './access/idempotency-secret.ts';
import { addSecurityHeaders } from './access/security-headers.ts';
import { addManagementRoutes, addRoutesWithoutSignIn } from './api.ts';
import { readDashboard } from './dashboard/read-dashboard.ts';
import { startLive } from './live/start-live.ts';
import { openManagement } from './management.ts';
import { signInSettings } from './sign-in/settings.ts';

const parts = {
  public_server: PUBLIC_SERVER,
  event_log: EVENT_LOG,
  registry: SCHEMA_REGISTRY,
  read_store: READ_STORE,
  blob_store: BLOB_STORE,
  rate_limits: RATE_LIMITS,
  sign_in: SIGN_IN,
  sessions: SESSIONS,
  cursors: CURSORS,
  sealing: WEBHOOK_SEALING_KEY,
  outbound: OUTBOUND,
  renders: RENDERS,
  failed_work: FAILED_WORK,
  waiting_renders: WAITING_RENDERS,
  credits: CREDITS,
  stills: STILLS,
  stills_address: STILLS_ADDRESS,
  uploads: UPLOADS,
};

const APPENDS = [
  'UserRegistered',
  'IdentityLinked',
  'InvitationAccepted',
  'TeamCreated',
  'TeamRenamed',
  'MemberAdded',
  'MemberRoleChanged',
  'MemberRemoved',
  'InvitationCreated',
  'InvitationRevoked',
  'AccountRenamed',
  'AccountOwnerAdded',
  'AccountOwnerRemoved',
  'ApiKeyIssued',
  'ApiKeyRotated',
  'ApiKeyRevoked',
  'ProjectCreated',
  'ProjectVersionAdded',
  'WebhookEndpointCreated',
  'WebhookEventsChosen',
  'WebhookSecretRotated',
  'WebhookSecretActivated',
  'WebhookEndpointDisabled',
  'WebhookEndpointEnabled',
  'WebhookEndpointDeleted',
  'DeliveryRequested',
  'RenderRequested',
  // Cancelling a render appends this event with the code `cancelled`.
  'RenderFailed',
] as const;

await runComponent('management-api', parts, async (context) => {
  const { configuration, logger, metrics, readiness, clock, stopping, crash, openInterface } = context;
  const settings = signInSettings(configuration.sign_in);
  if (E.isLeft(settings)) throw new Error(settings.left);
  const sign_in = settings.right;
  const outbound = outboundRules(configuration.outbound);
  if (E.isLeft(outbound)) throw new Error(outbound.left);
  const server = await openInterface(configuration.public_server);
  addSecurityHeaders(server, sign_in?.public_url);
  if (sign_in === null) {
    logger.info('sign-in is disabled: OIDC_ISSUER_URL is not set');
    addRoutesWithoutSignIn(server, logger);
    addFallbackRoutes(server, undefined);
    return { stop: async () => undefined };
  }

  const [records, store] = await Promise.all([
    openRecords(context, configuration, APPENDS),
    openStore(context, configuration.read_store),
  ]);
  const { db } = store;
  const catchUp = openCatchUp(db, clock, logEnds(records.log));
  readiness.check('read_models', async () => behindText(await catchUp()));
  const { sessions, rate_limits, cursors } = configuration;
  const webhooks = {
    // Uses only the public key, because the `secrets_key` of earlier versions could also decrypt secrets.
    seal: secretSeal({ ...configuration.sealing, secrets_key: undefined }),
    outbound: outbound.right,
    tells_answers: configuration.outbound.allowed_ranges.length === 0,
  };
  const blobs = openBlobStore(configuration.blob_store);
  const key_blobs = openKeyBlobs(configuration.blob_store);
  const requesting = openRequesting({
    ...{ db, records, blobs, settings: configuration, logger, clock },
    key_blobs,
    idempotency_secret: idempotencySecret(sign_in.identity_secret, 'renders'),
  });
  const given = {
    upload_limits: configuration.uploads,
    requestRender: requesting.requestRender,
    stillsService: openStillsService({ ...configuration.stills, ...configuration.stills_address }, logger),
    ...webhooks,
    db,
    records,
    blobs,
    upload_blobs: openUploadBlobs(configuration.blob_store),
    seals: createSealOpener(key_blobs, clock),
    sign_in,
    sessions,
    rate_limits,
    cursors,
    isBehind: isAnyBehind(catchUp),
    logger,
    clock,
  };
  const signed = await blobs.signedUrl('any', { file_name: 'any', content_type: 'video/mp4' });
  const dashboard = readDashboard(new URL(signed).origin);
  if (dashboard === null) logger.info('the dashboard is not served: its files were not built');
  const management = await openManagement(given);
  const { listeners } = management.live;
  const live = startLive({ ...management.announced, listeners, records, logger, metrics, clock, stopping, crash });
  addManagementRoutes(server, logger, management, dashboard);
  addFallbackRoutes(server, undefined);
  return {
    stop: async () => {
      await live.stop();
      await requesting.stop();
      await records.log.close();
      await store.close();
    },
  };
});
