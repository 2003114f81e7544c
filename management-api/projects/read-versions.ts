import * as E from 'fp-ts/lib/Either.js';
import type { NamedProject } from '../../domain/catalogue/entities.ts';
import { type ApiError, invalidInput } from '../../platform/http-server/api-error.ts';
import type { ProjectDocuments } from '../../read-models/catalogue/project-documents.ts';
import { versionList } from '../../read-models/catalogue/version-list.ts';
import type { FindVersionRows } from '../../read-models/catalogue/version-rows.ts';
import { pageBody } from '../../read-models/page.ts';
import { VersionListQuery } from '../../schemas/http/management/projects.ts';
import {
  assetResource,
  documentResource,
  versionNumberOf,
  versionResource,
} from '../../schemas/http/public/project-changes.ts';
import { withNewestFirstOrder } from '../../schemas/http/query.ts';
import type { RouteDependencies } from '../access/commands.ts';
import type { TeamAccess } from '../access/reach.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { NO_PROJECT, projectInTeam } from '../renders/project-in-team.ts';

export type ProjectReadDependencies = RouteDependencies & {
  readonly findVersionRows: FindVersionRows;
  readonly documents: ProjectDocuments;
};

const NO_VERSION: ApiError = { tag: 'not_found', param: 'version', message: 'there is no such version' };

const projectAt = async (
  parts: ProjectReadDependencies,
  { team }: TeamAccess,
  project_id: string | undefined,
): Promise<E.Either<ApiError, NamedProject>> =>
  E.fromNullable(NO_PROJECT)(await projectInTeam(parts, team.id, project_id ?? ''));

export const listTeamVersions =
  (parts: ProjectReadDependencies): TeamHandler =>
  async ({ params, query }, at) => {
    const request = VersionListQuery.decode(query);
    if (E.isLeft(request)) return E.left(invalidInput(request.left));
    const project = await projectAt(parts, at, params.project_id);
    if (E.isLeft(project)) return project;
    const list = versionList(parts.findVersionRows, project.right);
    const page = await parts.readPage(list, withNewestFirstOrder(request.right));
    if (E.isLeft(page)) return page;
    return E.right({ status: 200, body: pageBody(page.right.elements.map(versionResource), page.right) });
  };

export const getTeamVersion =
  (parts: ProjectReadDependencies): TeamHandler =>
  async ({ params }, at) => {
    const project = await projectAt(parts, at, params.project_id);
    if (E.isLeft(project)) return project;
    const { id, version: newest } = project.right;
    const number = versionNumberOf(params.version);
    const [row] = number === null || number > newest ? [] : await parts.findVersionRows(id, [number]);
    if (row === undefined) return E.left(NO_VERSION);
    const document = documentResource(await parts.documents(id, row.version));
    return E.right({ status: 200, body: { ...versionResource(row), document } });
  };

export const listTeamAssets =
  (parts: ProjectReadDependencies): TeamHandler =>
  async ({ params }, at) => {
    const project = await projectAt(parts, at, params.project_id);
    if (E.isLeft(project)) return project;
    const { id, version } = project.right;
    const assets = version === 0 ? [] : (await parts.documents(id, version)).assets;
    return E.right({ status: 200, body: { data: assets.map(assetResource) } });
  };
