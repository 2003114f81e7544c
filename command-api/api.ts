import type { Server } from 'restify';
import { authenticated } from '../platform/access/authenticated.ts';
import type { KeyRing } from '../platform/access/key-ring.ts';
import { addRoute } from '../platform/http-server/route.ts';
import type { Logger } from '../platform/logging/logger.ts';
import { postRender, type Renders } from './renders/post-render.ts';

/** Every route of the command API. */
export const addCommandRoutes = (server: Server, logger: Logger, ring: KeyRing, renders: Renders): void => {
  addRoute(server, logger, 'POST', '/v1/renders', authenticated(ring, postRender(renders)));
};
