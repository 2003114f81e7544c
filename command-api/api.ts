import type { Server } from 'restify';
import { authenticated } from '../platform/access/authenticated.ts';
import type { Authenticator } from '../platform/access/authenticator.ts';
import { addRoute } from '../platform/http-server/route.ts';
import type { Logger } from '../platform/logging/logger.ts';
import type { CancelRenderDependencies } from '../render-commands/cancel-render.ts';
import type { RequestRender } from '../render-commands/requesting/request-render.ts';
import { projectRoutes } from './projects/project-routes.ts';
import type { ProjectRouteDependencies } from './projects/project-writer.ts';
import { cancelRender } from './renders/cancel-render.ts';
import { postRender } from './renders/post-render.ts';

export const addCommandRoutes = (
  server: Server,
  logger: Logger,
  authenticator: Authenticator,
  requestRender: RequestRender,
  cancelling: CancelRenderDependencies,
  projects: ProjectRouteDependencies,
): void => {
  addRoute(server, logger, 'POST', '/v1/renders', authenticated(authenticator, postRender(requestRender)));
  addRoute(server, logger, 'POST', '/v1/renders/{id}/cancel', authenticated(authenticator, cancelRender(cancelling)));
  for (const [path, handler] of projectRoutes(projects))
    addRoute(server, logger, 'POST', path, authenticated(authenticator, handler));
};
