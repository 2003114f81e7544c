import type { IncomingHttpHeaders } from 'node:http';
import test from 'ava';
import { restrictToPeopleHost } from '../../../gateway/people-host.ts';

const ORIGIN = 'http://video.localhost:8080';

/** The outcome of a request: `handled`, a status, or the target of its redirect. */
const cameTo = async (
  people_origin: string | undefined,
  path: string,
  host: string | undefined,
  url = path,
  more: IncomingHttpHeaders = {},
) => {
  let outcome = '';
  let location: string | null = null;
  const response = Object.assign(Object.create(null), {
    setHeader: (name: string, value: string) => {
      if (name === 'Location') location = value;
    },
    writeHead: (status: number) => {
      outcome = location ?? String(status);
    },
    end: () => undefined,
  });
  const handler = restrictToPeopleHost(people_origin, path, async () => {
    outcome = 'handled';
  });
  await handler(Object.assign(Object.create(null), { headers: { host, ...more }, url }), response);
  return outcome;
};

test('people have one host name: pages redirect to it, other requests are refused', async (t) => {
  for (const path of ['/dashboard/{path*}', '/manage/v1/sign-in', '/manage/v1/me', '/v1/renders'])
    t.is(await cameTo(ORIGIN, path, 'Video.localhost:8080'), 'handled', path);
  for (const host of ['127.0.0.1:8080', 'localhost:8080', 'evil.example', undefined]) {
    t.is(await cameTo(ORIGIN, '/dashboard/{path*}', host, '/dashboard/keys?a=b'), `${ORIGIN}/dashboard/keys?a=b`);
    t.is(await cameTo(ORIGIN, '/manage/v1/sign-in', host), `${ORIGIN}/manage/v1/sign-in`);
    t.is(await cameTo(ORIGIN, '/manage/v1/me', host), '403');
    t.is(await cameTo(ORIGIN, '/manage/v1/openapi.json', host), 'handled');
    t.is(await cameTo(ORIGIN, '/v1/renders', host), 'handled', 'programs can use any name');
  }
});

test('a proxy-form request is for people only if its target names the host', async (t) => {
  const at = (target: string) => cameTo(ORIGIN, '/manage/v1/me', 'video.localhost:8080', target);
  t.is(await at('HTTP://video.localhost:8080/manage/v1/me'), 'handled');
  for (const target of ['http://evil.example/manage/v1/me', 'http://evil@video.localhost:8080/manage/v1/me'])
    t.is(await at(target), '403', target);
});

test('programs use any host name for their sessions, and browsers do not', async (t) => {
  const at = (more: IncomingHttpHeaders) => cameTo(ORIGIN, '/manage/v1/me', '127.0.0.1:8080', '/manage/v1/me', more);
  const token = 'a'.repeat(43);
  const authorization = `Bearer vrs_${token}`;
  t.is(await at({ authorization }), 'handled');
  t.is(await at({ authorization, cookie: `video_session=${token}` }), '403');
  t.is(await at({ authorization: `Bearer ${token}` }), '403');
  for (const path of ['/manage/v1/device-sign-ins', '/manage/v1/device-sign-ins/poll'])
    t.is(await cameTo(ORIGIN, path, '127.0.0.1:8080'), 'handled', path);
});

test('without a configured origin every host name serves people', async (t) => {
  for (const path of ['/dashboard/{path*}', '/manage/v1/me'])
    t.is(await cameTo(undefined, path, 'internal:80'), 'handled', path);
});
