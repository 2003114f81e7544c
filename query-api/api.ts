import type { Server } from 'restify';
import { readStarters } from '../catalogue/starters/starters.ts';
import { type AuthenticatedHandler, authenticated } from '../platform/access/authenticated.ts';
import type { Authenticator } from '../platform/access/authenticator.ts';
import { reportIgnoredParameters } from '../platform/access/ignored-input.ts';
import { openProjects } from '../platform/access/projects.ts';
import type { BlobStore } from '../platform/blob-store/blob-store.ts';
import type { OutputUrlPolicy } from '../platform/blob-store/signed-output.ts';
import { addRoute } from '../platform/http-server/route.ts';
import type { Logger } from '../platform/logging/logger.ts';
import type { Clock } from '../platform/process/clock.ts';
import type { Catalogue } from '../read-models/catalogue/catalogue.ts';
import { openProfileReader } from '../read-models/catalogue/profiles.ts';
import { openProjectDocuments } from '../read-models/catalogue/project-documents.ts';
import { openThumbnails } from '../read-models/catalogue/thumbnails.ts';
import type { FindVersionRows } from '../read-models/catalogue/version-rows.ts';
import { openPageReader } from '../read-models/page.ts';
import { openRenderFinder } from '../read-models/renders/render-finder.ts';
import type { Renders } from '../read-models/renders/renders.ts';
import { type PublicRoute, queryNamesOf } from '../schemas/http/public/contract.ts';
import { getProject } from './catalogue/get-project.ts';
import { listProjects } from './catalogue/list-projects.ts';
import { listStarters } from './catalogue/list-starters.ts';
import { type AccountDependencies, getAccount } from './catalogue/read-account.ts';
import { getTeam, listTeams } from './catalogue/teams.ts';
import { getTemplate, listTemplates } from './catalogue/templates.ts';
import { getUser, listUsers } from './catalogue/users.ts';
import { getVersion, listAssets, listVersions } from './catalogue/versions.ts';
import { addDocumentationRoutes } from './documentation/routes.ts';
import { getRender } from './renders/get-render.ts';
import { getTransitions } from './renders/get-transitions.ts';
import { listRenders } from './renders/list-renders.ts';
import { type GetUploadDependencies, getUpload } from './uploads/get-upload.ts';

export type ReadModels = {
  readonly renders: Renders;
  readonly catalogue: Catalogue;
  readonly findVersionRows: FindVersionRows;
  readonly account: Omit<AccountDependencies, 'clock'>;
  readonly blobs: BlobStore;
  readonly output_policy: OutputUrlPolicy;
  readonly uploads: Pick<GetUploadDependencies, 'uploads' | 'upload_blobs' | 'block_lists'>;
};

/** @param cursor_secret signs the cursors of lists */
export const addQueryRoutes = (
  server: Server,
  logger: Logger,
  authenticator: Authenticator,
  { renders, catalogue, account, findVersionRows, blobs, output_policy, uploads }: ReadModels,
  cursor_secret: string,
  clock: Clock,
): void => {
  const find = openRenderFinder(renders, clock);
  const projects = openProjects(catalogue);
  const documents = openProjectDocuments(catalogue);
  const emails = openProfileReader(blobs, clock);
  const thumbnails = openThumbnails(catalogue, blobs, output_policy);
  const readPage = openPageReader(cursor_secret);
  const routes: readonly (readonly [PublicRoute, AuthenticatedHandler])[] = [
    ['GET /v1/renders', listRenders(renders, projects, blobs, output_policy, readPage)],
    ['GET /v1/renders/{id}', getRender(find, renders, blobs, output_policy)],
    ['GET /v1/renders/{id}/transitions', getTransitions(find, renders)],
    ['GET /v1/projects', listProjects(catalogue, thumbnails, readPage)],
    ['GET /v1/projects/{id}', getProject(projects, thumbnails)],
    ['GET /v1/projects/{id}/versions', listVersions(projects, findVersionRows, readPage)],
    ['GET /v1/projects/{id}/versions/{version}', getVersion(projects, findVersionRows, documents)],
    ['GET /v1/projects/{id}/assets', listAssets(projects, documents)],
    ['GET /v1/templates', listTemplates(projects, documents)],
    ['GET /v1/templates/{template_id}', getTemplate(projects, documents)],
    ['GET /v1/starters', listStarters(readStarters())],
    ['GET /v1/account', getAccount({ ...account, clock })],
    ['GET /v1/teams', listTeams],
    ['GET /v1/teams/{id}', getTeam],
    ['GET /v1/users', listUsers(catalogue, emails)],
    ['GET /v1/users/{id}', getUser(catalogue, emails)],
    ['GET /v1/uploads/{id}', getUpload({ ...uploads, blobs, now: clock.now })],
  ];
  for (const [route, handler] of routes) {
    const reporting = reportIgnoredParameters(queryNamesOf(route), handler);
    addRoute(server, logger, 'GET', route.slice('GET '.length), authenticated(authenticator, reporting));
  }
  addDocumentationRoutes(server);
};
