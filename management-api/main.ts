import { randomUUID } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { openRateLimits } from '../platform/access/rate-limits.ts';
import {
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
import { openStore } from '../platform/process/open-clients.ts';
import { retry } from '../platform/process/retry.ts';
import { catalogueReadModel } from '../read-models/catalogue/management.ts';
import { behindText, isBehind, openCatchUp } from '../read-models/catch-up.ts';
import { openRateBuckets } from '../read-models/limits/rate-buckets.ts';
import { openSessions } from '../read-models/sessions/sessions.ts';
import { cookieNames } from '../schemas/http/session-cookie.ts';
import { openPeople } from './access/people.ts';
import { addSecurityHeaders } from './access/security-headers.ts';
import { addManagementRoutes, addRoutesWithoutSignIn } from './api.ts';
import { signInSettings } from './sign-in/settings.ts';

const parts = {
  public_server: PUBLIC_SERVER,
  event_log: EVENT_LOG,
  registry: SCHEMA_REGISTRY,
  read_store: READ_STORE,
  rate_limits: RATE_LIMITS,
  sign_in: SIGN_IN,
  sessions: SESSIONS,
};

const MS_PER_S = 1_000;

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

  const store = await openStore(context, configuration.read_store);
  const { db } = store;
  const sessions = openSessions(db);
  const onFailure = (error: unknown): void => logger.warn({ error }, 'waiting for the store');
  await retry(sessions.prepare, { clock, onFailure });
  const catchUp = openCatchUp(db, clock);
  readiness.check('read_models', async () => behindText(await catchUp()));
  const buckets = openRateBuckets(db, 'management-api', randomUUID(), configuration.rate_limits);
  addManagementRoutes(server, logger, {
    people: openPeople({ sessions, read_model: catalogueReadModel(db) }, configuration.sessions, clock),
    limits: openRateLimits(configuration.rate_limits, buckets, logger, clock),
    isBehind: isBehind(catchUp),
    public_url: sign_in.public_url,
    cookies: cookieNames(sign_in.public_url),
    fresh_ms: configuration.sessions.fresh_s * MS_PER_S,
  });
  addFallbackRoutes(server, undefined);
  return { stop: store.close };
});
