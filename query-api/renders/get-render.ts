import * as E from 'fp-ts/lib/Either.js';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import { type OutputUrlPolicy, signedOutput } from '../../platform/blob-store/signed-output.ts';
import { absentRenderError } from '../../read-models/renders/absent-render.ts';
import type { RenderFinder } from '../../read-models/renders/render-finder.ts';
import type { Renders } from '../../read-models/renders/renders.ts';
import { renderResource, transitionsLink } from '../../schemas/http/public/render-resource.ts';
import { progressNow } from '../../schemas/http/public/transitions-resource.ts';

/** The answer has no ETag, because each body has newly signed URLs. */
export const getRender =
  (
    find: RenderFinder,
    { progress }: Pick<Renders, 'progress'>,
    blobs: BlobStore,
    output_policy: OutputUrlPolicy,
  ): AuthenticatedHandler =>
  async ({ params }, access) => {
    const found = await find(params.id ?? '', access);
    if (found.tag !== 'found') return E.left(absentRenderError(found, 'id'));
    const { render, events } = found;
    const live = render.status === 'processing' ? await progress(render.id) : null;
    return E.right({
      status: 200,
      body: renderResource(render, await signedOutput(blobs, render, output_policy), progressNow(render, events, live)),
      headers: { Link: transitionsLink(render.id), 'Cache-Control': 'private, no-store' },
    });
  };
