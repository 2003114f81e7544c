import * as E from 'fp-ts/lib/Either.js';
import type { ProjectView } from '../../catalogue/answers.ts';
import { projectError } from '../../catalogue/api-errors/project-error.ts';
import type { ProjectWriteFault } from '../../catalogue/documents/write-fault.ts';
import {
  addVersionOverHttp,
  copyProject,
  type ProjectWriter,
  renameProjectOverHttp,
  type WrittenVersion,
} from '../../catalogue/documents/write-projects.ts';
import { createNewProject } from '../../catalogue/starters/new-project.ts';
import type { Starters } from '../../catalogue/starters/starters.ts';
import { accountRateFault } from '../../platform/access/account-rate.ts';
import type { RateLimits } from '../../platform/access/rate-limits.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import { matchedVersion } from '../../platform/http-server/if-match.ts';
import type { Reply } from '../../platform/http-server/replies.ts';
import { TeamProjectCopyRequest, TeamProjectRequest } from '../../schemas/http/management/projects.ts';
import { Project } from '../../schemas/http/management/renders.ts';
import { RenameRequest, VersionRequest, versionResource } from '../../schemas/http/public/project-changes.ts';
import { catalogueWriterFor, type RouteDependencies } from '../access/commands.ts';
import { idempotentCreationId } from '../access/creation-id.ts';
import { decodeBody } from '../access/json-object.ts';
import type { TeamAccess } from '../access/reach.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { NO_PROJECT, projectInTeam } from '../renders/project-in-team.ts';

export type ProjectWriteDependencies = RouteDependencies & {
  readonly blobs: BlobStore;
  readonly findVersionWithAsset: ProjectWriter['findVersionWithAsset'];
  readonly findUploadsOf: (account_id: string) => ProjectWriter['findUploads'];
  readonly starters: Starters;
  readonly fetchUrlsOf: (account_id: string) => ProjectWriter['fetchUrls'];
  readonly filesOf: (account_id: string) => ProjectWriter['account_files'];
  /** Changes of projects, counted for each account over all its keys and sessions. */
  readonly changes: RateLimits;
};

export const writerAt = (parts: ProjectWriteDependencies, { person, team }: TeamAccess): ProjectWriter => ({
  catalogue: catalogueWriterFor(parts, person),
  ...{ blobs: parts.blobs, findVersionWithAsset: parts.findVersionWithAsset },
  findUploads: parts.findUploadsOf(team.account_id),
  fetchUrls: parts.fetchUrlsOf(team.account_id),
  account_files: parts.filesOf(team.account_id),
  ...{ team_ids: [team.id], user_id: person.user_id },
});

/** Counts a change of the account before its handler runs. */
const limited =
  ({ changes }: ProjectWriteDependencies, handler: TeamHandler): TeamHandler =>
  async (request, at) => {
    const too_many = await accountRateFault(changes, at.team.account_id, 'changes of projects');
    return too_many === null ? await handler(request, at) : E.left(too_many);
  };

const replied = <A>(result: E.Either<ProjectWriteFault, A>, shown: (answer: A) => Reply): E.Either<ApiError, Reply> =>
  E.bimap((fault: ProjectWriteFault) => projectError(fault), shown)(result);

/** The thumbnail is null: the new version has none yet. */
const projectReply =
  (status: 200 | 201) =>
  (project: ProjectView): Reply => ({
    status,
    body: Project.encode({ ...project, thumbnail_url: null, thumbnail_version: null }),
  });

const versionReply = ({ version, added }: WrittenVersion): Reply => ({
  status: added ? 201 : 200,
  body: versionResource(version),
});

export const createTeamProject = (parts: ProjectWriteDependencies): TeamHandler =>
  limited(parts, async (request, at) => {
    const { person, team } = at;
    const body = await decodeBody(request, TeamProjectRequest);
    if (E.isLeft(body)) return body;
    const id = idempotentCreationId(request, 'proj', person.user_id, team.id);
    if (E.isLeft(id)) return id;
    const wanted = { id: id.right, team_id: team.id };
    const created = await createNewProject(parts.starters, writerAt(parts, at), wanted, body.right);
    return E.map(projectReply(201))(created);
  });

export const addTeamVersion = (parts: ProjectWriteDependencies): TeamHandler =>
  limited(parts, async (request, at) => {
    const { project_id = '' } = request.params;
    if ((await projectInTeam(parts, at.team.id, project_id)) === null) return E.left(NO_PROJECT);
    const base = matchedVersion(request);
    if (E.isLeft(base)) return base;
    const body = await decodeBody(request, VersionRequest);
    if (E.isLeft(body)) return body;
    return replied(
      await addVersionOverHttp(writerAt(parts, at), project_id, base.right, body.right.document),
      versionReply,
    );
  });

export const renameTeamProject = (parts: ProjectWriteDependencies): TeamHandler =>
  limited(parts, async (request, at) => {
    const body = await decodeBody(request, RenameRequest);
    if (E.isLeft(body)) return body;
    const { project_id = '' } = request.params;
    return replied(await renameProjectOverHttp(writerAt(parts, at), project_id, body.right.name), projectReply(200));
  });

export const copyTeamProject = (parts: ProjectWriteDependencies): TeamHandler =>
  limited(parts, async (request, at) => {
    const { person, team } = at;
    const body = await decodeBody(request, TeamProjectCopyRequest);
    if (E.isLeft(body)) return body;
    const { project_id = '' } = request.params;
    const id = idempotentCreationId(request, 'proj', person.user_id, team.id, 'copies', project_id);
    if (E.isLeft(id)) return id;
    const wanted = { id: id.right, team_id: team.id, project_id, ...body.right };
    return replied(await copyProject(writerAt(parts, at), wanted), projectReply(201));
  });
