import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { SessionHolder } from '../../../management-api/access/person.ts';
import { openRouteGuards, type Route, type RouteGuards } from '../../../management-api/access/route-guards.ts';
import { STATUS_OF } from '../../../platform/http-server/api-error.ts';
import type { ApiRequest } from '../../../platform/http-server/route.ts';
import type { ManagementRoute } from '../../../schemas/http/management/contract.ts';
import type { GuardOf } from '../../../schemas/http/management/guard.ts';
import { cookieNames } from '../../../schemas/http/session-cookie.ts';

const ORIGIN = 'https://video.example.com';
const NOW = 10_000_000;
const TOKEN = 'a'.repeat(43);

const personOf = (user_id: string | null, auth_time: number | null): SessionHolder => ({
  session: {
    ...{ id: 'sess_1', owner: 'o', identity_id: 'i', user_id, linked_at: null, is_operator: false, is_guest: false },
    ...{ created_at: 0, last_used_at: 0, expires_at: NOW * 2, auth_time, user_agent: null },
  },
  ...{ user_id, is_operator: false, roles: new Map([['team_1', 'admin' as const]]), owned_accounts: new Set() },
});

type World = { readonly who?: SessionHolder | undefined; readonly is_behind?: boolean; readonly allowed?: boolean };

const asked = async (
  guard: (guards: RouteGuards, handler: () => Promise<E.Either<never, { status: number; body: object }>>) => Route,
  { who, is_behind = false, allowed = true }: World,
  headers: ApiRequest['headers'] = { cookie: `__Host-video_session=${TOKEN}` },
) => {
  let called = 0;
  const guards = openRouteGuards({
    people: { find: async (token) => ([TOKEN, `vrs_${TOKEN}`].includes(token) ? who : undefined) },
    read_model: { find: async () => Object.assign(Object.create(null), { id: 'team_1', account_id: 'acc_1' }) },
    limits: async () => ({ allowed, headers: {}, retry_after_s: 1 }),
    isBehind: async () => is_behind,
    ...{ public_url: ORIGIN, cookies: cookieNames(ORIGIN), fresh_ms: 900_000, clock: { now: () => NOW } },
  });
  const { handler } = guard(guards, async () => {
    called += 1;
    return E.right({ status: 200, body: {} });
  });
  const answer = await handler(
    Object.assign(Object.create(null), { headers, params: { team_id: 'team_1' }, answerWith: () => undefined }),
  );
  return [E.isLeft(answer) ? STATUS_OF[answer.left.tag] : answer.right.status, called] as const;
};

const PATH = '/manage/v1/teams/{team_id}/keys';
const forPerson = (guards: RouteGuards, handler: Parameters<Parameters<typeof asked>[0]>[1]) =>
  guards.forTeamMember('GET', PATH, handler);
const forFresh = (guards: RouteGuards, handler: Parameters<Parameters<typeof asked>[0]>[1]) =>
  guards.forFreshTeamAdmin('POST', PATH, handler);

const WRITE = {
  cookie: `__Host-video_session=${TOKEN}`,
  ...{ origin: ORIGIN, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
};

test('handlers for users are called only for users', async (t) => {
  t.deepEqual(await asked(forPerson, { who: personOf('user_1', null) }), [200, 1]);
  t.deepEqual(await asked(forPerson, { who: personOf(null, NOW) }), [403, 0]);
  t.deepEqual(await asked(forPerson, {}), [401, 0]);
  t.deepEqual(await asked(forPerson, { who: personOf('user_1', null) }, {}), [401, 0]);
  const unprefixed = { cookie: `video_session=${TOKEN}` };
  t.deepEqual(
    await asked(forPerson, { who: personOf('user_1', null) }, unprefixed),
    [401, 0],
    'a cookie from plain http',
  );
});

test('stale read models and exhausted sessions are refused', async (t) => {
  const who = personOf('user_1', null);
  t.deepEqual(await asked(forPerson, { who, is_behind: true }), [503, 0]);
  t.deepEqual(await asked(forPerson, { who, allowed: false }), [429, 0]);
});

test('keys and secrets require a recent sign-in and a page of the service', async (t) => {
  const fresh = personOf('user_1', NOW - 900_000);
  t.deepEqual(await asked(forFresh, { who: fresh }, WRITE), [200, 1]);
  t.deepEqual(await asked(forFresh, { who: personOf('user_1', NOW - 900_001) }, WRITE), [403, 0]);
  t.deepEqual(await asked(forFresh, { who: personOf('user_1', null) }, WRITE), [403, 0]);
  t.deepEqual(await asked(forFresh, { who: personOf(null, NOW) }, WRITE), [403, 0]);
  t.deepEqual(await asked(forFresh, { who: fresh }, { ...WRITE, origin: 'https://evil.example' }), [403, 0]);
  t.deepEqual(await asked(forFresh, { who: fresh }, { ...WRITE, 'content-type': 'text/plain' }), [415, 0]);
});

const PROGRAM = { authorization: `Bearer vrs_${TOKEN}` };

test('a program presents its session as a bearer, without a page of the service', async (t) => {
  const who = personOf('user_1', NOW);
  t.deepEqual(await asked(forPerson, { who }, PROGRAM), [200, 1]);
  t.deepEqual(await asked(forFresh, { who }, { ...PROGRAM, 'content-type': 'application/json' }), [200, 1]);
  t.deepEqual(await asked(forFresh, { who }, PROGRAM), [415, 0]);
});

test('a browser cannot use a bearer, nor a program the token of a cookie', async (t) => {
  const who = personOf('user_1', NOW);
  const json = { 'content-type': 'application/json' };
  for (const [headers, status] of [
    [{ ...PROGRAM, origin: ORIGIN }, 403],
    [{ ...PROGRAM, 'sec-fetch-site': 'same-origin' }, 403],
    [{ ...PROGRAM, cookie: WRITE.cookie }, 401],
    [{ ...PROGRAM, cookie: `video_session=${TOKEN}` }, 401],
    [{ authorization: `Bearer ${TOKEN}` }, 401],
    [{ authorization: `Bearer vr_${TOKEN}` }, 401],
    [{ cookie: `__Host-video_session=vrs_${TOKEN}` }, 401],
  ] as const)
    t.deepEqual(await asked(forPerson, { who }, headers), [status, 0], JSON.stringify(headers));
  t.deepEqual(await asked(forFresh, { who }, { ...WRITE, ...PROGRAM }), [401, 0]);
  t.deepEqual(await asked(forFresh, { who }, { ...PROGRAM, ...json, origin: ORIGIN }), [403, 0]);
});

test('a route accepts only the guard of the table', (t) => {
  const wrong = (guards: RouteGuards, handler: () => Promise<E.Either<never, { status: number; body: object }>>) => [
    // @ts-expect-error the route needs a recent sign-in
    guards.forTeamAdmin('POST', '/manage/v1/teams/{team_id}/projects/{project_id}/erase', handler),
    // @ts-expect-error the route needs a recent sign-in
    guards.forAccountOwner('POST', '/manage/v1/accounts/{account_id}/owners/add', handler),
    // @ts-expect-error the route is for admins
    guards.forFreshTeamMember('POST', '/manage/v1/teams/{team_id}/members/{user_id}/role', handler),
    // @ts-expect-error the path belongs to an account
    guards.forSignedIn('GET', '/manage/v1/accounts/{account_id}/usage', handler),
    // @ts-expect-error the path has no such method
    guards.forTeamMember('GET', '/manage/v1/teams/{team_id}/renders/{render_id}/erase', handler),
    guards.forFreshTeamAdmin('POST', '/manage/v1/teams/{team_id}/projects/{project_id}/erase', handler),
  ];
  t.is(typeof wrong, 'function');
  type Weak<R extends ManagementRoute> = 'team_admin' extends GuardOf<R> ? true : false;
  const may_be_weak: Weak<'POST /manage/v1/teams/{team_id}/renders/{render_id}/erase'> = false;
  t.false(may_be_weak);
});
