import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { freshSignInFault } from '../../../management-api/access/fresh.ts';
import { crossSiteFault } from '../../../management-api/access/same-origin.ts';
import { isReturnTarget } from '../../../management-api/sign-in/return-to.ts';
import { signInSettings } from '../../../management-api/sign-in/settings.ts';
import { identityId } from '../../../platform/access/identity-id.ts';
import { decodeConfiguration } from '../../../platform/configuration/configuration.ts';
import { SIGN_IN } from '../../../platform/configuration/parts.ts';
import { cookieNames, sessionToken } from '../../../schemas/http/session-cookie.ts';

const ALL = {
  OIDC_ISSUER_URL: 'https://id.example.com/realms/video/',
  OIDC_CLIENT_ID: 'video',
  PUBLIC_URL: 'https://video.example.com',
  IDENTITY_SECRET: 'x'.repeat(32),
};

const settingsOf = (env: Readonly<Record<string, string>>) => {
  const decoded = decodeConfiguration(env, { sign_in: SIGN_IN });
  return E.isLeft(decoded) ? E.left(decoded.left.join('\n')) : signInSettings(decoded.right.sign_in);
};

test('without a provider no setting is required; with one, all are', (t) => {
  t.deepEqual(settingsOf({}), E.right(null));
  t.deepEqual(settingsOf({ OIDC_CLIENT_ID: 'x', PUBLIC_URL: ALL.PUBLIC_URL }), E.right(null));
  t.like(settingsOf(ALL), { right: { issuer: ALL.OIDC_ISSUER_URL, client_secret: undefined, operator: null } });
  for (const name of ['OIDC_CLIENT_ID', 'PUBLIC_URL', 'IDENTITY_SECRET'])
    t.deepEqual(settingsOf({ ...ALL, [name]: '' }), E.left(`${name} is required if OIDC_ISSUER_URL is set`));
  t.like(settingsOf({ ...ALL, OIDC_OPERATOR_CLAIM: 'groups' }), { _tag: 'Left' });
  const operator = { OIDC_OPERATOR_CLAIM: 'groups', OIDC_OPERATOR_VALUE: 'ops' };
  t.like(settingsOf({ ...ALL, ...operator }), { right: { operator: { claim: 'groups', value: 'ops' } } });
});

test('plain http is refused except on this machine', (t) => {
  for (const url of [
    'http://127.0.0.1:8080',
    'http://localhost:8080',
    'http://[::1]:8080',
    'http://video.localhost:8080',
    'https://video.example.com',
  ])
    t.like(settingsOf({ ...ALL, PUBLIC_URL: url }), { right: { public_url: url } });
  for (const url of [
    ...['http://video.example.com', 'http://127.0.0.1.example.com', 'http://localhost.example.com', 'http://10.0.0.1'],
    ...['http://video.localhost.example.com', 'http://localhost.', 'http://.localhost', 'http://videolocalhost'],
    ...['https://video.example.com/below', 'https://user@video.example.com', 'https://video.example.com?x', 'ftp://x'],
  ])
    t.regex(String(Object(settingsOf({ ...ALL, PUBLIC_URL: url })).left), /^PUBLIC_URL must be an https origin/, url);
  // Node can resolve such a name to another host; browsers do not.
  for (const url of [
    'http://id.localhost:8086',
    'http://id.example.com',
    'https://id.example.com/?x',
    'id.example.com',
  ])
    t.regex(String(Object(settingsOf({ ...ALL, OIDC_ISSUER_URL: url })).left), /^OIDC_ISSUER_URL must be/, url);
  t.like(settingsOf({ ...ALL, OIDC_SCOPE: 'profile' }), { _tag: 'Left' }, 'without openid');
});

test('people are redirected only to plain paths of the service', (t) => {
  for (const path of ['/', '/a', '/a/', '/a/b.c/~d-e_f', '/?x=1', '/a?x=%2F&y=', '/.well-known'])
    t.true(isReturnTarget(path), path);
  for (const path of [
    ...[
      '',
      'a',
      '//a',
      '/a//b',
      '/\\a',
      '/a\\b',
      '/..',
      '/../a',
      '/a/..',
      '/a/./b',
      '/.',
      '/...',
      '/:a',
      '/a:b',
      '/@a',
    ],
    ...[
      '/%2F/a',
      '/a#b',
      '/a?b#c',
      '/a?b=//c',
      '/a b',
      '/a\tb',
      '/a\n',
      '/é',
      'https://a',
      '/\u0000',
      `/${'a'.repeat(512)}`,
    ],
  ])
    t.false(isReturnTarget(path), JSON.stringify(path));
});

test("a write requires the service's own origin and JSON", (t) => {
  const good = { origin: ALL.PUBLIC_URL, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
  const tagOf = (change: Readonly<Record<string, string | undefined>>) =>
    crossSiteFault({ ...good, ...change }, ALL.PUBLIC_URL)?.tag ?? null;
  t.is(tagOf({}), null);
  t.is(tagOf({ 'sec-fetch-site': undefined }), null, 'an older browser');
  for (const origin of [
    undefined,
    'null',
    'http://video.example.com',
    'https://video.example.com:8443',
    'https://a.example',
  ])
    t.is(tagOf({ origin }), 'forbidden', String(origin));
  for (const site of ['cross-site', 'same-site', 'none', ''])
    t.is(tagOf({ 'sec-fetch-site': site }), 'forbidden', String(site));
  for (const type of [undefined, 'text/plain', 'application/x-www-form-urlencoded', 'text/plain; x=application/json'])
    t.is(tagOf({ 'content-type': type }), 'unsupported_type', String(type));
});

test("a sign-in is recent for a time, and never without the provider's time", (t) => {
  t.is(freshSignInFault({ auth_time: 1_000 }, 900_000, 901_000), null);
  t.like(freshSignInFault({ auth_time: 1_000 }, 900_000, 901_001), { tag: 'fresh_sign_in_needed' });
  t.like(freshSignInFault({ auth_time: null }, 900_000, 0), { tag: 'fresh_sign_in_needed' });
});

test('an identity depends on secret, issuer and subject', (t) => {
  const ids = [
    identityId('s', 'https://a', 'b'),
    identityId('t', 'https://a', 'b'),
    identityId('s', 'https://ab', ''),
    identityId('s', 'https://a', 'b '),
  ];
  t.is(new Set(ids).size, ids.length);
  t.true(ids.includes(identityId('s', 'https://a', 'b')));
  for (const id of ids) t.regex(id, /^[0-9a-f]{64}$/);
});

test('a session is read only from a valid cookie', (t) => {
  const token = 'a'.repeat(43);
  t.is(cookieNames('https://x').session, '__Host-video_session');
  t.is(cookieNames('http://127.0.0.1:1').session, 'video_session');
  t.is(sessionToken(`x=1; __Host-video_session=${token}; y=2`), token);
  for (const header of [
    undefined,
    '',
    `session=${token}`,
    `video_session=${token}a`,
    'video_session=a b',
    `"video_session"=${token}`,
  ])
    t.is(sessionToken(header), null, String(header));
});
