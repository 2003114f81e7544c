import * as E from 'fp-ts/lib/Either.js';
import type { Render } from '../../domain/render/render.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import type { Projects } from '../../platform/access/projects.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import { type OutputUrlPolicy, signedOutput } from '../../platform/blob-store/signed-output.ts';
import { invalidInput } from '../../platform/http-server/api-error.ts';
import { filterIdentity, type List, type PageReader, pageBody } from '../../read-models/page.ts';
import type { Renders } from '../../read-models/renders/renders.ts';
import { renderResource } from '../../schemas/http/public/render-resource.ts';
import { RenderListQuery } from '../../schemas/http/public/renders.ts';
import { notFoundError } from '../absent.ts';
import { progressOf } from './progress.ts';

export const listRenders =
  (
    renders: Pick<Renders, 'areSearchable' | 'page' | 'progressOfAll' | 'findAll'>,
    projects: Projects,
    blobs: BlobStore,
    output_policy: OutputUrlPolicy,
    readPage: PageReader,
  ): AuthenticatedHandler =>
  async ({ query }, access) => {
    const request = RenderListQuery.decode(query);
    if (E.isLeft(request)) return E.left(invalidInput(request.left));
    // The project is checked before the cursor, so that a key cannot probe cursors of other projects.
    if ((await projects(request.right.project_id, access)) === null) return notFoundError('project', 'project_id');
    const { project_id } = request.right;
    const list: List<Render> = {
      ...{ endpoint: 'renders', scope: project_id, status: filterIdentity(request.right) },
      areSearchable: renders.areSearchable,
      read: (from, count) => renders.page(request.right, from, count),
    };
    const page = await readPage(list, request.right);
    if (E.isLeft(page)) return page;
    const progress = await progressOf(renders, page.right.elements);
    const data = await Promise.all(
      page.right.elements.map(async (render) =>
        renderResource(render, await signedOutput(blobs, render, output_policy), progress.get(render.id) ?? null),
      ),
    );
    return E.right({
      status: 200,
      body: pageBody(data, page.right),
      headers: { 'Cache-Control': 'private, no-store' },
    });
  };
