import * as E from 'fp-ts/lib/Either.js';
import { actor } from '../../domain/event/meta.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import { reportIgnoredMembers } from '../../platform/access/ignored-input.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { ApiRequest } from '../../platform/http-server/route.ts';
import { type CancelRenderDependencies, openCancelRender } from '../../render-commands/cancel-render.ts';
import { renderResource, transitionsLink } from '../../schemas/http/public/render-resource.ts';
import { isObject } from '../../schemas/http/shapes.ts';

/** Accepts an empty body and any JSON object: the body has no members yet, but later versions may add some. */
export const bodyFault = async (request: ApiRequest): Promise<ApiError | null> => {
  const { headers } = request;
  const is_empty = headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
  if (is_empty) return null;
  const body = await request.json();
  if (E.isLeft(body)) return body.left;
  reportIgnoredMembers(request, [], body.right);
  return isObject(body.right)
    ? null
    : { tag: 'invalid', code: 'invalid_request', message: 'the body must be empty, or a JSON object: {}' };
};

export const cancelRender = (cancelling: CancelRenderDependencies): AuthenticatedHandler => {
  const cancel = openCancelRender(cancelling);
  return async (request, access) => {
    const fault = await bodyFault(request);
    if (fault !== null) return E.left(fault);
    const by = actor('key', access.key_id);
    const cancelled = await cancel(request, { render_id: request.params.id ?? '', actor: by, reach: access });
    if (E.isLeft(cancelled)) return cancelled;
    const { status, render } = cancelled.right;
    return E.right({
      status,
      body: renderResource(render, null),
      headers: { Link: transitionsLink(render.id), 'Cache-Control': 'private, no-store' },
    });
  };
};
