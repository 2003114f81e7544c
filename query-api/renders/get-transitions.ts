import * as E from 'fp-ts/lib/Either.js';
import type { Db } from 'mongodb';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import { inTime } from '../../platform/read-store/in-time.ts';
import { COLLECTIONS } from '../../read-models/collections.ts';
import type { LiveProgressDocument } from '../../read-models/renders/documents.ts';
import { transitionsResource } from '../../schemas/http/transitions-resource.ts';
import { absentRender } from './absent-render.ts';
import type { RenderFinder } from './render-finder.ts';

/** GET /v1/renders/{id}/transitions: every change of status, with live progress while the render is processed. */
export const getTransitions = (find: RenderFinder, db: Db): AuthenticatedHandler => {
  const progress = db.collection<LiveProgressDocument>(COLLECTIONS.live_progress);
  return async ({ params }, access) => {
    const found = await find(params.id ?? '', access);
    if (found.tag !== 'found') return E.left(absentRender(found));
    const { render, facts } = found;
    const live = render.status === 'processing' ? await progress.findOne({ _id: render.id }, inTime()) : null;
    return E.right({
      status: 200,
      body: transitionsResource(render, facts, live),
      headers: { 'Cache-Control': 'private, no-store' },
    });
  };
};
