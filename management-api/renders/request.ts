import * as E from 'fp-ts/lib/Either.js';
import { actor } from '../../domain/event/meta.ts';
import { invalidInput } from '../../platform/http-server/api-error.ts';
import { idempotencyKey } from '../../platform/http-server/idempotency-key.ts';
import { type AcceptedRequest, createdRender } from '../../render-commands/requesting/answers.ts';
import type { RequestRender } from '../../render-commands/requesting/request-render.ts';
import type { Requester } from '../../render-commands/requesting/requester.ts';
import { readJsonObject } from '../access/json-object.ts';
import type { TeamAccess } from '../access/reach.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { renderSummary } from './shown-render.ts';

/** The person, who reaches only the projects of this team. */
export const requesterAt = ({ person: { user_id }, team }: TeamAccess): Requester => ({
  ...{ actor: actor('user', user_id), user_id, account_id: team.account_id },
  teams: new Map([[team.id, { ...team, role: null }]]),
});

/** A header cannot contain NUL, so keys of different people, or of a person and an API key, never collide. */
export const personalKey = (user_id: string, key: string): string => `${user_id}\0${key}`;

/**
 * Requests a render. All members of the team may do this, because each of them may have an API key that can. The
 * request can use only projects of this team.
 */
export const requestTeamRender =
  ({ requestRender }: { readonly requestRender: RequestRender }): TeamHandler =>
  async (request, at) => {
    const key = idempotencyKey(request);
    if (E.isLeft(key)) return E.left(invalidInput(key.left));
    const body = await readJsonObject(request);
    if (E.isLeft(body)) return body;
    const keyed = key.right === null ? null : personalKey(at.person.user_id, key.right);
    const answer = (accepted: AcceptedRequest) => ({ status: 201, body: renderSummary(createdRender(accepted)) });
    return E.map(answer)(await requestRender(request, requesterAt(at), body.right, keyed));
  };
