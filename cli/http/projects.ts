import { randomUUID } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { ApiAnswer, ApiClient, ApiResult } from './api-client.ts';
import {
  AssetAnswer,
  CheckAnswer,
  DocumentAnswer,
  ProjectAnswer,
  TeamAnswer,
  VersionAnswer,
} from './project-answers.ts';
import { allPages, ask } from './requests.ts';

/** A project as the catalogue shows it. `version` is null in lists, because the API does not list it. */
export type RemoteProject = Pick<ProjectAnswer, 'id' | 'name' | 'created_by' | 'created_at' | 'updated_at'> & {
  readonly team_id: string;
  readonly version: number | null;
};

const projectPath = (id: string): string => `/v1/projects/${encodeURIComponent(id)}`;

const remoteProject = (answer: ProjectAnswer, version: number | null): RemoteProject => {
  const { id, name, team, created_by, created_at, updated_at } = answer;
  return { id, name, team_id: team.id, version, created_by, created_at, updated_at };
};

const dataOf = <A>({ data }: { readonly data: readonly A[] }): readonly A[] => data;

export const teamsOfKey = async (client: ApiClient): ApiResult<readonly TeamAnswer[]> =>
  E.map(dataOf<TeamAnswer>)(await ask(client, t.type({ data: t.array(TeamAnswer) }), { path: '/v1/teams' }));

/** The projects of one team or of all teams of the key, oldest first. */
export const listRemoteProjects = async (
  client: ApiClient,
  team_id: string | null,
): ApiResult<readonly RemoteProject[]> => {
  const teams = team_id === null ? await teamsOfKey(client) : E.right([{ id: team_id }]);
  if (E.isLeft(teams)) return teams;
  const projects: RemoteProject[] = [];
  for (const team of teams.right) {
    const found = await allPages(client, ProjectAnswer, '/v1/projects', { team_id: team.id });
    if (E.isLeft(found)) return found;
    projects.push(...found.right.map((project) => remoteProject(project, null)));
  }
  return E.right(projects.toSorted((a, b) => a.created_at - b.created_at));
};

/** @param most the number of ids after which the list ends */
export const projectIdsOfKey = async (client: ApiClient, most: number): ApiResult<readonly string[]> => {
  const teams = await teamsOfKey(client);
  if (E.isLeft(teams)) return teams;
  const ids: string[] = [];
  for (const team of teams.right) {
    if (ids.length >= most) break;
    const found = await allPages(client, ProjectAnswer, '/v1/projects', { team_id: team.id }, most - ids.length);
    if (E.isLeft(found)) return found;
    ids.push(...found.right.map(({ id }) => id));
  }
  return E.right(ids);
};

/** Oldest first. */
export const listRemoteVersions = async (client: ApiClient, id: string): ApiResult<readonly VersionAnswer[]> =>
  E.map((versions: readonly VersionAnswer[]) => versions.toReversed())(
    await allPages(client, VersionAnswer, `${projectPath(id)}/versions`),
  );

const newestVersion = async (client: ApiClient, id: string): ApiResult<number> => {
  const path = `${projectPath(id)}/versions?limit=1`;
  return E.map(({ data: [newest] }: { readonly data: readonly VersionAnswer[] }) => newest?.version ?? 0)(
    await ask(client, t.type({ data: t.array(VersionAnswer) }), { path }),
  );
};

export const remoteProjectById = async (client: ApiClient, id: string): ApiResult<RemoteProject> => {
  const project = await ask(client, ProjectAnswer, { path: projectPath(id) });
  if (E.isLeft(project)) return project;
  return E.map((version: number) => remoteProject(project.right, version))(await newestVersion(client, id));
};

/** A project with the document of one version. `document` is null while the project has no version. */
export type ProjectAtVersion = RemoteProject & {
  readonly version: number;
  readonly document: DocumentAnswer['document'] | null;
};

/** @param version null for the newest */
export const showRemoteProject = async (
  client: ApiClient,
  id: string,
  version: number | null,
): ApiResult<ProjectAtVersion> => {
  const project = await remoteProjectById(client, id);
  if (E.isLeft(project)) return project;
  const wanted = version ?? project.right.version ?? 0;
  if (wanted === 0) return E.right({ ...project.right, version: 0, document: null });
  const found = await ask(client, DocumentAnswer, { path: `${projectPath(id)}/versions/${wanted}` });
  return E.map(({ document }: DocumentAnswer) => ({
    ...{ ...project.right, name: document.name, version: wanted, document },
  }))(found);
};

export const assetsOfProject = async (client: ApiClient, id: string): ApiResult<readonly AssetAnswer[]> =>
  E.map(dataOf<AssetAnswer>)(
    await ask(client, t.type({ data: t.array(AssetAnswer) }), { path: `${projectPath(id)}/assets` }),
  );

const VERSION_TAG = /^"(\d{1,9})"$/;

const withVersion = ({ body, headers }: ApiAnswer<ProjectAnswer>): RemoteProject => {
  const [, version] = VERSION_TAG.exec(headers.get('etag') ?? '') ?? [];
  return remoteProject(body, version === undefined ? null : Number(version));
};

const changed = async (client: ApiClient, path: string, body: object, key?: string): ApiResult<RemoteProject> => {
  const headers = key === undefined ? {} : { headers: { 'Idempotency-Key': key } };
  return E.map(withVersion)(await client.send(ProjectAnswer, { path, body, ...headers }));
};

export const createRemoteProject = (
  client: ApiClient,
  document: object,
  team_id: string | null,
): ApiResult<RemoteProject> =>
  changed(client, '/v1/projects', { document, ...(team_id === null ? {} : { team_id }) }, randomUUID());

export const renameRemoteProject = (client: ApiClient, id: string, name: string): ApiResult<RemoteProject> =>
  changed(client, `${projectPath(id)}/rename`, { name });

export type CopyWish = { readonly name?: string; readonly team_id?: string; readonly version?: number };

export const copyRemoteProject = (client: ApiClient, id: string, wish: CopyWish): ApiResult<RemoteProject> =>
  changed(client, `${projectPath(id)}/copy`, wish, randomUUID());

const HTTP_CREATED = 201;

/**
 * Adds a version on top of `base_version`.
 *
 * @returns the project, and whether a version was added: the newest one may have the same document
 */
export const addRemoteVersion = async (
  client: ApiClient,
  id: string,
  base_version: number,
  document: object,
): ApiResult<RemoteProject & { readonly added: boolean }> => {
  const headers = { 'If-Match': `"${base_version}"` };
  const added = await client.send(VersionAnswer, { path: `${projectPath(id)}/versions`, body: { document }, headers });
  if (E.isLeft(added)) return added;
  const { status, body } = added.right;
  const project = await ask(client, ProjectAnswer, { path: projectPath(id) });
  return E.map((answer: ProjectAnswer) => ({
    ...remoteProject(answer, body.version),
    added: status === HTTP_CREATED,
  }))(project);
};

export const eraseRemoteProject = (client: ApiClient, id: string): ApiResult<{ readonly id: string }> =>
  ask(client, t.type({ id: t.string }), { path: `${projectPath(id)}/erase`, body: {} });

export const checkRemotely = (client: ApiClient, body: object): ApiResult<CheckAnswer> =>
  ask(client, CheckAnswer, { path: '/v1/projects/check', body });
