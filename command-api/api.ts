import type { Server } from 'restify';
import type { CompleteUploadDependencies } from '../catalogue/uploads/complete-upload.ts';
import type { CreateUploadDependencies } from '../catalogue/uploads/create-upload.ts';
import { type AuthenticatedHandler, authenticated } from '../platform/access/authenticated.ts';
import type { Authenticator } from '../platform/access/authenticator.ts';
import { reportIgnoredParameters } from '../platform/access/ignored-input.ts';
import { addRoute } from '../platform/http-server/route.ts';
import type { Logger } from '../platform/logging/logger.ts';
import type { CancelRenderDependencies } from '../render-commands/cancel-render.ts';
import type { RequestRender } from '../render-commands/requesting/request-render.ts';
import { type PublicRoute, queryNamesOf } from '../schemas/http/public/contract.ts';
import { openInlineProjects } from './projects/inline-projects.ts';
import { projectRoutes } from './projects/project-routes.ts';
import { cancelRender } from './renders/cancel-render.ts';
import { postRender } from './renders/post-render.ts';
import { type PostStillDependencies, postStill } from './stills/post-still.ts';
import { postComplete } from './uploads/complete-upload.ts';
import { postFetch } from './uploads/post-fetch.ts';
import { postUpload } from './uploads/post-upload.ts';

export type UploadDependencies = CreateUploadDependencies & CompleteUploadDependencies;

export const addCommandRoutes = (
  server: Server,
  logger: Logger,
  authenticator: Authenticator,
  requestRender: RequestRender,
  cancelling: CancelRenderDependencies,
  projects: PostStillDependencies,
  uploading: UploadDependencies,
): void => {
  const routes: readonly (readonly [PublicRoute, AuthenticatedHandler])[] = [
    ['POST /v1/renders', postRender(requestRender, openInlineProjects(projects))],
    ['POST /v1/renders/{id}/cancel', cancelRender(cancelling)],
    ...projectRoutes(projects),
    ['POST /v1/stills', postStill(projects)],
    ['POST /v1/uploads', postUpload(uploading)],
    ['POST /v1/uploads/fetch', postFetch(uploading)],
    ['POST /v1/uploads/{id}/complete', postComplete(uploading)],
  ];
  for (const [route, handler] of routes) {
    const reporting = reportIgnoredParameters(queryNamesOf(route), handler);
    addRoute(server, logger, 'POST', route.slice('POST '.length), authenticated(authenticator, reporting));
  }
};
