import * as E from 'fp-ts/lib/Either.js';
import {
  CURSORS,
  EVENT_LOG,
  PUBLIC_SERVER,
  RATE_LIMITS,
  READ_STORE,
  SCHEMA_REGISTRY,
  SESSIONS,
  SIGN_IN,
} from '../platform/configuration/parts.ts';
import { addFallbackRoutes } from '../platform/http-server/fallback-routes.ts';
import { runComponent } from '../platform/process/component.ts';
import { openRecords, openStore } from '../platform/process/open-clients.ts';
import { behindText, isBehind, openCatchUp } from '../read-models/catch-up.ts';
import { addSecurityHeaders } from './access/security-headers.ts';
import { addManagementRoutes, addRoutesWithoutSignIn } from './api.ts';
import { openManagement } from './management.ts';
import { signInSettings } from './sign-in/settings.ts';

const parts = {
  public_server: PUBLIC_SERVER,
  event_log: EVENT_LOG,
  registry: SCHEMA_REGISTRY,
  read_store: READ_STORE,
  rate_limits: RATE_LIMITS,
  sign_in: SIGN_IN,
  sessions: SESSIONS,
  cursors: CURSORS,
};

/** All that people change. */
const APPENDS = [
  'UserRegistered',
  'IdentityLinked',
  'InvitationAccepted',
  'ApiKeyIssued',
  'ApiKeyRotated',
  'ApiKeyRevoked',
] as const;

await runComponent('management-api', parts, async (context) => {
  const { configuration, logger, readiness, clock, openInterface } = context;
  const settings = signInSettings(configuration.sign_in);
  if (E.isLeft(settings)) throw new Error(settings.left);
  const sign_in = settings.right;
  const server = await openInterface(configuration.public_server);
  addSecurityHeaders(server, sign_in?.public_url);
  if (sign_in === null) {
    logger.info('no OIDC_ISSUER_URL: nobody can sign in');
    addRoutesWithoutSignIn(server, logger);
    addFallbackRoutes(server, undefined);
    return { stop: async () => undefined };
  }

  const [records, store] = await Promise.all([
    openRecords(context, configuration, APPENDS),
    openStore(context, configuration.read_store),
  ]);
  const { db } = store;
  const catchUp = openCatchUp(db, clock);
  readiness.check('read_models', async () => behindText(await catchUp()));
  const { sessions, rate_limits, cursors } = configuration;
  const given = { db, records, sign_in, sessions, rate_limits, cursors, isBehind: isBehind(catchUp), logger, clock };
  addManagementRoutes(server, logger, await openManagement(given));
  addFallbackRoutes(server, undefined);
  return {
    stop: async () => {
      await records.log.close();
      await store.close();
    },
  };
});
