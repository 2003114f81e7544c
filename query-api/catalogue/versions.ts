import * as E from 'fp-ts/lib/Either.js';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import type { Projects } from '../../platform/access/projects.ts';
import { invalidInput } from '../../platform/http-server/api-error.ts';
import type { ProjectDocuments } from '../../read-models/catalogue/project-documents.ts';
import { versionList } from '../../read-models/catalogue/version-list.ts';
import type { FindVersionRows } from '../../read-models/catalogue/version-rows.ts';
import { type PageReader, pageBody } from '../../read-models/page.ts';
import {
  assetResource,
  documentResource,
  VersionListQuery,
  versionNumberOf,
  versionResource,
  versionTag,
} from '../../schemas/http/public/project-changes.ts';
import { withNewestFirstOrder } from '../../schemas/http/query.ts';
import { notFoundError } from '../absent.ts';

const UNCACHED = { 'Cache-Control': 'private, no-store' };

export const listVersions =
  (projects: Projects, findVersionRows: FindVersionRows, readPage: PageReader): AuthenticatedHandler =>
  async ({ params, query }, access) => {
    const request = VersionListQuery.decode(query);
    if (E.isLeft(request)) return E.left(invalidInput(request.left));
    const found = await projects(params.id ?? '', access);
    if (found === null) return notFoundError('project', 'id');
    const page = await readPage(versionList(findVersionRows, found.project), withNewestFirstOrder(request.right));
    if (E.isLeft(page)) return page;
    const body = pageBody(page.right.elements.map(versionResource), page.right);
    return E.right({ status: 200, body, headers: UNCACHED });
  };

export const getVersion =
  (projects: Projects, findVersionRows: FindVersionRows, documents: ProjectDocuments): AuthenticatedHandler =>
  async ({ params }, access) => {
    const found = await projects(params.id ?? '', access);
    if (found === null) return notFoundError('project', 'id');
    const { id, version: newest } = found.project;
    const number = versionNumberOf(params.version);
    const [row] = number === null || number > newest ? [] : await findVersionRows(id, [number]);
    if (row === undefined) return notFoundError('version', 'version');
    const document = documentResource(await documents(id, row.version));
    const headers = { ...UNCACHED, ETag: versionTag(row.version) };
    return E.right({ status: 200, body: { ...versionResource(row), document }, headers });
  };

export const listAssets =
  (projects: Projects, documents: ProjectDocuments): AuthenticatedHandler =>
  async ({ params }, access) => {
    const found = await projects(params.id ?? '', access);
    if (found === null) return notFoundError('project', 'id');
    const { id, version } = found.project;
    const assets = version === 0 ? [] : (await documents(id, version)).assets;
    return E.right({ status: 200, body: { data: assets.map(assetResource) }, headers: UNCACHED });
  };
