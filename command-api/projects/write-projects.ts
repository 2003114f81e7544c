import * as E from 'fp-ts/lib/Either.js';
import type { ProjectView } from '../../catalogue/answers.ts';
import { projectError } from '../../catalogue/api-errors/project-error.ts';
import type { ProjectWriteFault } from '../../catalogue/documents/write-fault.ts';
import {
  addVersionOverHttp,
  copyProject as copyOf,
  eraseReachedProject,
  renameProjectOverHttp,
  type WrittenVersion,
} from '../../catalogue/documents/write-projects.ts';
import { createNewProject } from '../../catalogue/starters/new-project.ts';
import type { Access } from '../../platform/access/access.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import { teamOfKey } from '../../platform/access/team-of-key.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import { matchedVersion } from '../../platform/http-server/if-match.ts';
import type { Reply } from '../../platform/http-server/replies.ts';
import {
  CopyRequest,
  ProjectRequest,
  projectPath,
  RenameRequest,
  VersionRequest,
  versionPath,
  versionResource,
  versionTag,
} from '../../schemas/http/public/project-changes.ts';
import { projectResource } from '../../schemas/http/public/projects.ts';
import { bodyFault } from '../renders/cancel-render.ts';
import {
  decodeRequest,
  forProjectWriters,
  type ProjectRouteDependencies,
  projectIdFor,
  writerFor,
} from './project-writer.ts';

const UNCACHED = { 'Cache-Control': 'private, no-store' };

/** The thumbnail is null: the new version has none yet. */
const projectReply =
  ({ teams }: Access, status: 200 | 201) =>
  (project: ProjectView): Reply => ({
    status,
    body: projectResource(project, teams.get(project.team_id) ?? { id: project.team_id, name: '' }, null),
    headers: {
      ...UNCACHED,
      ETag: versionTag(project.version),
      ...(status === 201 && { Location: projectPath(project.id) }),
    },
  });

const versionReply = ({ project_id, version, added }: WrittenVersion): Reply => ({
  status: added ? 201 : 200,
  body: versionResource(version),
  headers: {
    ...UNCACHED,
    ETag: versionTag(version.version),
    Location: versionPath(project_id, version.version),
  },
});

const replied = <A>(result: E.Either<ProjectWriteFault, A>, shown: (answer: A) => Reply): E.Either<ApiError, Reply> =>
  E.bimap((fault: ProjectWriteFault) => projectError(fault), shown)(result);

export const postProject = (parts: ProjectRouteDependencies): AuthenticatedHandler =>
  forProjectWriters(parts, async (request, access) => {
    const id = projectIdFor(request, access, parts);
    if (E.isLeft(id)) return id;
    const body = await decodeRequest(request, ProjectRequest);
    if (E.isLeft(body)) return body;
    const team = teamOfKey(body.right.team_id, access);
    if (E.isLeft(team)) return team;
    const wanted = { id: id.right, team_id: team.right.id };
    const created = await createNewProject(parts.starters, writerFor(parts, access), wanted, body.right);
    return E.map(projectReply(access, 201))(created);
  });

export const postVersion = (parts: ProjectRouteDependencies): AuthenticatedHandler =>
  forProjectWriters(parts, async (request, access) => {
    const base = matchedVersion(request);
    if (E.isLeft(base)) return base;
    const body = await decodeRequest(request, VersionRequest);
    if (E.isLeft(body)) return body;
    const { document } = body.right;
    const added = await addVersionOverHttp(writerFor(parts, access), request.params.id ?? '', base.right, document);
    return replied(added, versionReply);
  });

export const renameProject = (parts: ProjectRouteDependencies): AuthenticatedHandler =>
  forProjectWriters(parts, async (request, access) => {
    const body = await decodeRequest(request, RenameRequest);
    if (E.isLeft(body)) return body;
    const renamed = await renameProjectOverHttp(writerFor(parts, access), request.params.id ?? '', body.right.name);
    return replied(renamed, projectReply(access, 200));
  });

export const copyProject = (parts: ProjectRouteDependencies): AuthenticatedHandler =>
  forProjectWriters(parts, async (request, access) => {
    const id = projectIdFor(request, access, parts);
    if (E.isLeft(id)) return id;
    const body = await decodeRequest(request, CopyRequest);
    if (E.isLeft(body)) return body;
    const { name, team_id, version } = body.right;
    const team = team_id === null ? null : teamOfKey(team_id, access);
    if (team !== null && E.isLeft(team)) return team;
    const wanted = { id: id.right, team_id, project_id: request.params.id ?? '', name, version };
    return replied(await copyOf(writerFor(parts, access), wanted), projectReply(access, 201));
  });

export const eraseProject = (parts: ProjectRouteDependencies): AuthenticatedHandler =>
  forProjectWriters(parts, async (request, access) => {
    const fault = await bodyFault(request);
    if (fault !== null) return E.left(fault);
    const id = request.params.id ?? '';
    const erased = await eraseReachedProject(writerFor(parts, access), id);
    return replied(erased, () => ({ status: 200, body: { id }, headers: UNCACHED }));
  });
