import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { gatewayIn } from './_gateway.ts';
import { upstream } from './_upstream.ts';

const newSession = (): string => `video_session=${randomBytes(32).toString('base64url')}`;

const PROGRAM = `Bearer vrs_${'a'.repeat(43)}`;

const world = async (t: ExecutionContext, settings: Readonly<Record<string, string>> = {}) => {
  const valid = new Set([newSession(), newSession(), PROGRAM]);
  const asked: IncomingHttpHeaders[] = [];
  const { env } = await upstream(t, ({ headers }, response) => {
    asked.push(headers);
    response.setHeader('Set-Cookie', ['a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT', 'b=2']);
    if (valid.has(headers.cookie ?? headers.authorization ?? '')) response.setHeader('RateLimit-Limit', '100');
    else response.statusCode = 401;
    response.end('{}');
  });
  const { url } = await gatewayIn(t, {
    env: { ...env, MANAGEMENT_API_URL: env.QUERY_API_URL ?? '', ...settings },
    origins: ['*'],
  });
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) => fetch(`${url}${path}`, { headers });
  return { get, asked, valid: [...valid] as readonly string[], revoke: (session: string) => valid.delete(session) };
};

const SENT = { Origin: 'https://else.example', 'Sec-Fetch-Site': 'cross-site', Authorization: 'Bearer vr_x' };

test('cookies are forwarded both ways, only for the management API', async (t) => {
  const { get, asked, valid } = await world(t);
  const [Cookie = ''] = valid;
  const managed = await get('/manage/v1/session', { ...SENT, Cookie });
  t.is(managed.status, 200);
  t.deepEqual(managed.headers.getSetCookie(), ['a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT', 'b=2']);
  const read = await get('/v1/teams', { ...SENT, Cookie });
  t.deepEqual(read.headers.getSetCookie(), []);
  t.is(read.headers.get('access-control-allow-origin'), '*');
  const escaped = await get('/%6Danage/v1/session', { ...SENT, Cookie });
  for (const { headers } of [managed, escaped])
    t.is(headers.get('access-control-allow-origin'), null, 'pages of other origins can only call /v1');
  const [to_management, to_queries] = asked;
  t.like(to_management, { cookie: Cookie, origin: SENT.Origin, 'sec-fetch-site': 'cross-site' });
  t.is(to_management?.authorization, undefined, 'a key does not work there');
  t.is(to_queries?.cookie, undefined);
  t.is(to_queries?.['sec-fetch-site'], undefined);
  t.is(to_queries?.authorization, SENT.Authorization);
});

test("a program's session is forwarded, and its requests are not limited", async (t) => {
  const { get, asked, revoke } = await world(t, { GATEWAY_SIGNED_OUT_REQUESTS_PER_MINUTE: '1' });
  const status = async () => (await get('/manage/v1/session', { Authorization: PROGRAM })).status;
  for (let i = 0; i < 3; i += 1) t.is(await status(), 200);
  t.is(asked[0]?.authorization, PROGRAM);
  revoke(PROGRAM);
  t.is(await status(), 401);
  t.is(await status(), 429, 'an ended session does not count as a session');
});

test('requests without a session are limited, and accepted sessions are not', async (t) => {
  const { get, valid, revoke } = await world(t, {
    GATEWAY_SIGNED_OUT_REQUESTS_PER_MINUTE: '4',
    GATEWAY_REFUSED_KEYS_PER_MINUTE: '1',
  });
  const status = async (Cookie: string) => (await get('/manage/v1/session', { Cookie })).status;
  const [known = '', unseen = ''] = valid;
  t.is(await status(known), 200);
  for (let i = 0; i < 3; i += 1) t.is(await status(newSession()), 401);
  t.is(await status(newSession()), 429);
  const refused = await get('/manage/v1/session');
  t.is(refused.status, 429);
  t.is(refused.headers.get('retry-after'), '15');
  t.is(await status(unseen), 429, 'a client without an accepted session');
  for (let i = 0; i < 10; i += 1) t.is(await status(known), 200);
  revoke(known);
  t.is(await status(known), 401);
  t.is(await status(known), 429, 'an ended session does not count as a session');
  t.is((await get('/v1/teams')).status, 401, 'the limits of keys are separate');
});

test('an accepted session has the same limit of sign-ins as its address', async (t) => {
  const { get, asked, valid } = await world(t, { GATEWAY_SIGNED_OUT_REQUESTS_PER_MINUTE: '4' });
  const [Cookie = ''] = valid;
  t.is((await get('/manage/v1/session', { Cookie })).status, 200);
  const paths = ['/manage/v1/sign-in', '/manage/v1/sign-in/callback?state=s', '/manage/v1/sign%2Din'];
  for (const path of paths) t.is((await get(path, { Cookie })).status, 200, path);
  for (const path of paths) t.is((await get(path, { Cookie })).status, 429, path);
  t.is(asked.length, 4, 'the gateway does not ask the API, which has no such limit');
  t.is((await get('/manage/v1/session', { Cookie })).status, 200, 'the session continues');
});

test('without a management API its paths get 404', async (t) => {
  const { get } = await world(t, { MANAGEMENT_API_URL: '' });
  const answer = await get('/manage/v1/session');
  t.is(answer.status, 404);
  t.regex(await answer.text(), /MANAGEMENT_API_URL/);
  t.is((await get('/v1/teams')).status, 401);
});
