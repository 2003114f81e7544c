import * as E from 'fp-ts/lib/Either.js';
import { setCookie } from '../access/cookies.ts';
import { bodyOf } from '../access/json-object.ts';
import type { SignedInHandler } from '../access/route-guards.ts';
import type { SessionsParts } from './parts.ts';

/** POST /manage/v1/sign-out: ends the session that asks. The one at the provider goes on. */
export const signOut =
  ({ sessions, people, public_url, cookies }: SessionsParts): SignedInHandler =>
  async (request, { session }) => {
    const body = await bodyOf(request);
    if (E.isLeft(body)) return body;
    const token_sha256 = await sessions.endOf(session.owner, session.id);
    if (token_sha256 !== null) people.forget(token_sha256);
    const cookie = setCookie(public_url, { name: cookies.session, value: null, lasts_s: 0 });
    return E.right({ status: 200, body: { id: session.id, ended: true }, headers: { 'Set-Cookie': cookie } });
  };
