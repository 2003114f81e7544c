import * as E from 'fp-ts/lib/Either.js';
import type { Collection, Db } from 'mongodb';
import type { Render } from '../../domain/render/render.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import type { Projects } from '../../platform/access/projects.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import { signedOutput } from '../../platform/blob-store/signed-output.ts';
import { renderCollections } from '../../read-models/collections.ts';
import type { ServingGeneration } from '../../read-models/generations.ts';
import { listPosition } from '../../read-models/position.ts';
import type { RenderDocument } from '../../read-models/renders/documents.ts';
import { decodeRenderListRequest, type RenderListRequest } from '../../schemas/http/list-request.ts';
import { renderResource } from '../../schemas/http/render-resource.ts';
import { absent, invalid } from '../absent.ts';
import { listOf, type Source, searchable } from '../lists/list.ts';
import { type PageReader, pageBody } from '../lists/page.ts';

/** A document holds a lot that no list shows: the facts of the render, what it is found by. */
const SHOWN = { render: 1 };

const sourceOf = (renders: Collection<RenderDocument>, { project_id, status }: RenderListRequest): Source<Render> => ({
  endpoint: 'renders',
  scope: project_id,
  status,
  date:
    status === null
      ? { field: 'by_project', prefix: project_id }
      : { field: 'by_project_status', prefix: `${project_id}:${status}` },
  own: status === null ? { project_id } : { project_id, status },
  shown: SHOWN,
  read: async (pipeline, time) => {
    const found = await renders.aggregate<Pick<RenderDocument, 'render'>>(pipeline, time).toArray();
    return found.flatMap(({ render }) =>
      render === null ? [] : [{ position: listPosition(render.created_at, render.id), element: render }],
    );
  },
});

/** GET /v1/renders: each render as the read of that one shows it. */
export const listRenders =
  (
    db: Db,
    serving: () => Promise<ServingGeneration>,
    projects: Projects,
    blobs: BlobStore,
    readPage: PageReader,
  ): AuthenticatedHandler =>
  async ({ query }, access) => {
    const request = decodeRenderListRequest(query);
    if (E.isLeft(request)) return E.left(invalid(request.left));
    // Before the cursor is looked at: whoever does not reach the project learns nothing by trying cursors.
    if ((await projects(request.right.project_id, access)) === null) return absent('project');
    const current = await serving();
    const ready = searchable(request.right, current);
    if (E.isLeft(ready)) return ready;
    const renders = db.collection<RenderDocument>(renderCollections(current.generation).renders);
    const page = await readPage(listOf(sourceOf(renders, request.right), request.right), request.right);
    if (E.isLeft(page)) return page;
    const data = await Promise.all(
      page.right.elements.map(async (render) => renderResource(render, await signedOutput(blobs, render))),
    );
    return E.right({
      status: 200,
      body: pageBody(data, page.right),
      headers: { 'Cache-Control': 'private, no-store' },
    });
  };
