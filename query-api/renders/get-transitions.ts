import * as E from 'fp-ts/lib/Either.js';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import { absentRenderError } from '../../read-models/renders/absent-render.ts';
import type { RenderFinder } from '../../read-models/renders/render-finder.ts';
import type { Renders } from '../../read-models/renders/renders.ts';
import { transitionsResource } from '../../schemas/http/public/transitions-resource.ts';

export const getTransitions =
  (find: RenderFinder, { progress }: Pick<Renders, 'progress'>): AuthenticatedHandler =>
  async ({ params }, access) => {
    const found = await find(params.id ?? '', access);
    if (found.tag !== 'found') return E.left(absentRenderError(found, 'id'));
    const { render, events } = found;
    const live = render.status === 'processing' ? await progress(render.id) : null;
    return E.right({
      status: 200,
      body: transitionsResource(render, events, live),
      headers: { 'Cache-Control': 'private, no-store' },
    });
  };
