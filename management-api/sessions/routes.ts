import * as E from 'fp-ts/lib/Either.js';
import { type CurrentSession, Session } from '../../schemas/http/management/sessions.ts';
import { setCookie } from '../access/cookies.ts';
import { readJsonObject } from '../access/json-object.ts';
import type { Route, RouteGuards, SignedInHandler } from '../access/route-guards.ts';
import { type SessionRouteDependencies, sessionOwnerIds } from './parts.ts';

const getSession =
  ({ fresh_ms }: SessionRouteDependencies): SignedInHandler =>
  async (_request, { session, user_id, is_operator, roles, owned_accounts }) => {
    const { id, created_at, expires_at, auth_time } = session;
    const body: CurrentSession = {
      ...{ id, user_id, is_operator },
      teams: Array.from(roles, ([team_id, role]) => ({ team_id, role })),
      owned_account_ids: [...owned_accounts],
      ...{ created_at, expires_at, fresh_until: auth_time === null ? null : auth_time + fresh_ms },
    };
    return E.right({ status: 200, body });
  };

const listSessions =
  ({ sessions, idle_ms, clock }: SessionRouteDependencies): SignedInHandler =>
  async (_request, { session }) => {
    const now = clock.now();
    const found = await Promise.all(
      sessionOwnerIds(session).map((owner) => sessions.listOf(owner, now, now - idle_ms)),
    );
    const newest = found.flat().toSorted((a, b) => b.created_at - a.created_at);
    const data = newest.map((one) => Session.encode({ ...one, is_current: one.id === session.id }));
    return E.right({ status: 200, body: { data } });
  };

const revokeSession =
  ({ sessions, people }: SessionRouteDependencies): SignedInHandler =>
  async (request, { session }) => {
    const body = await readJsonObject(request);
    if (E.isLeft(body)) return body;
    const id = request.params.id ?? '';
    for (const owner of sessionOwnerIds(session)) {
      const token_sha256 = await sessions.endOf(owner, id);
      if (token_sha256 === null) continue;
      people.forget(token_sha256);
      return E.right({ status: 200, body: { id, ended: true } });
    }
    return E.left({ tag: 'not_found', param: 'id', message: 'there is no such session' });
  };

const signOut =
  ({ sessions, people, public_url, cookies }: SessionRouteDependencies): SignedInHandler =>
  async (request, { session }) => {
    const body = await readJsonObject(request);
    if (E.isLeft(body)) return body;
    const token_sha256 = await sessions.endOf(session.owner, session.id);
    if (token_sha256 !== null) people.forget(token_sha256);
    const cookie = setCookie(public_url, { name: cookies.session, value: null, lasts_s: 0 });
    return E.right({ status: 200, body: { id: session.id, ended: true }, headers: { 'Set-Cookie': cookie } });
  };

export const sessionRoutes = (guards: RouteGuards, parts: SessionRouteDependencies): readonly Route[] => [
  guards.forSignedIn('GET', '/manage/v1/session', getSession(parts)),
  guards.forSignedIn('GET', '/manage/v1/sessions', listSessions(parts)),
  guards.forSignedIn('POST', '/manage/v1/sessions/{id}/revoke', revokeSession(parts)),
  guards.forSignedIn('POST', '/manage/v1/sign-out', signOut(parts)),
];
