import * as E from 'fp-ts/lib/Either.js';
import { bodyOf } from '../access/json-object.ts';
import type { SignedInHandler } from '../access/route-guards.ts';
import { ownersOf, type SessionsParts } from './parts.ts';

/** POST /manage/v1/sessions/{id}/revoke: it opens nothing any more, at other processes within a second. */
export const revokeSession =
  ({ sessions, people }: Pick<SessionsParts, 'sessions' | 'people'>): SignedInHandler =>
  async (request, { session }) => {
    const body = await bodyOf(request);
    if (E.isLeft(body)) return body;
    const id = request.params.id ?? '';
    for (const owner of ownersOf(session)) {
      const token_sha256 = await sessions.endOf(owner, id);
      if (token_sha256 === null) continue;
      people.forget(token_sha256);
      return E.right({ status: 200, body: { id, ended: true } });
    }
    return E.left({ tag: 'not_found', message: 'there is no such session' });
  };
