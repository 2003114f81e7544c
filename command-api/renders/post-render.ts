import * as E from 'fp-ts/lib/Either.js';
import { actor } from '../../domain/event/meta.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import { reportIgnoredMembers } from '../../platform/access/ignored-input.ts';
import { invalidInput } from '../../platform/http-server/api-error.ts';
import { idempotencyKey } from '../../platform/http-server/idempotency-key.ts';
import type { Reply } from '../../platform/http-server/replies.ts';
import { type AcceptedRequest, createdRender } from '../../render-commands/requesting/answers.ts';
import type { RequestRender } from '../../render-commands/requesting/request-render.ts';
import { RENDER_BODY_MEMBERS } from '../../schemas/http/public/render-body.ts';
import { renderPath, renderResource, transitionsLink } from '../../schemas/http/public/render-resource.ts';
import type { InlineProjects } from '../projects/inline-projects.ts';

/** Shows the render as it was when it was created, so that a repeated request gets the same answer. */
const createdAnswer = (accepted: AcceptedRequest): Reply => {
  const render = createdRender(accepted);
  const { ignored } = accepted;
  return {
    status: 201,
    body: renderResource(render, null),
    headers: {
      Location: renderPath(render.id),
      Link: transitionsLink(render.id),
      'Cache-Control': 'private, no-store',
      ...(ignored !== null && { 'Ignored-Values': ignored }),
    },
  };
};

export const postRender =
  (requestRender: RequestRender, withProject: InlineProjects): AuthenticatedHandler =>
  async (request, access) => {
    const key = idempotencyKey(request);
    if (E.isLeft(key)) return E.left(invalidInput(key.left));
    const body = await request.json();
    if (E.isLeft(body)) return body;
    reportIgnoredMembers(request, RENDER_BODY_MEMBERS, body.right);
    const wanted = await withProject(access, body.right);
    if (E.isLeft(wanted)) return wanted;
    const { key_id, account_id, user_id, teams } = access;
    const requester = { actor: actor('key', key_id), account_id, user_id, teams };
    return E.map(createdAnswer)(await requestRender(request, requester, wanted.right, key.right));
  };
