import * as E from 'fp-ts/lib/Either.js';
import type { Server } from 'restify';
import { addRoute } from '../platform/http-server/route.ts';
import type { Logger } from '../platform/logging/logger.ts';
import { routesOf } from '../schemas/http/routes.ts';
import { type DoorParts, openDoors, type Route } from './access/doors.ts';
import { addDocumentationRoutes } from './documentation/routes.ts';
import { sessionRoutes } from './session/routes.ts';

export type Management = DoorParts & {
  /** How long a sign-in is fresh. */
  readonly fresh_ms: number;
};

/** Every route of the management API. A resource has a folder, and gives its routes here. */
export const addManagementRoutes = (server: Server, logger: Logger, management: Management): void => {
  const doors = openDoors(management);
  const routes: readonly Route[] = [...sessionRoutes(doors, management.fresh_ms)];
  for (const { method, path, handler } of routes) addRoute(server, logger, method, path, handler);
  addDocumentationRoutes(server);
};

const DOCUMENT = '/manage/v1/openapi.json';

/** Where no provider is configured nobody can have a session: all routes but the document say so. */
export const addRoutesWithoutSignIn = (server: Server, logger: Logger): void => {
  const message = 'nobody can sign in here: the installation names no provider (OIDC_ISSUER_URL is not set)';
  for (const { method, path } of routesOf('management-api'))
    if (path !== DOCUMENT) addRoute(server, logger, method, path, async () => E.left({ tag: 'not_found', message }));
  addDocumentationRoutes(server);
};
