import * as E from 'fp-ts/lib/Either.js';
import { actor } from '../../domain/event/meta.ts';
import { idempotencyKey } from '../../platform/http-server/idempotency-key.ts';
import { type Accepted, createdRender } from '../../render-commands/requesting/answers.ts';
import type { RequestRender } from '../../render-commands/requesting/request-render.ts';
import { bodyOf } from '../access/json-object.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { renderInShort } from './shown-render.ts';

/**
 * POST /manage/v1/teams/{team_id}/renders: for all members, as all of them may have a key that does so. Of the account's
 * teams this one alone is in reach.
 */
export const requestTeamRender =
  ({ requestRender }: { readonly requestRender: RequestRender }): TeamHandler =>
  async (request, { person: { user_id }, team }) => {
    const key = idempotencyKey(request);
    if (E.isLeft(key)) return E.left({ tag: 'invalid', message: key.left });
    const body = await bodyOf(request);
    if (E.isLeft(body)) return body;
    const requester = {
      ...{ actor: actor('user', user_id), user_id, account_id: team.account_id },
      teams: new Map([[team.id, { ...team, role: null }]]),
    };
    // No header holds a NUL: so the keys of one person never meet those of another, or of a program.
    const keyed = key.right === null ? null : `${user_id}\0${key.right}`;
    const answer = (accepted: Accepted) => ({ status: 201, body: renderInShort(createdRender(accepted)) });
    return E.map(answer)(await requestRender(request, requester, body.right, keyed));
  };
