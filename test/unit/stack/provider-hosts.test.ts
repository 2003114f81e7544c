import test from 'ava';
import { servesHost } from '../../../stack/provider/hosts.ts';

const ISSUER = 'http://127.0.0.1:8086';
const ORIGIN = 'http://sign-in.video.localhost:8086';

const answered = (host: string | undefined, url: string, origin = ORIGIN): boolean =>
  servesHost({ issuer: ISSUER, origin }, { host, url });

test('the provider answers browsers under its name, programs under the issuer, no other host', (t) => {
  for (const url of [
    '/auth?client_id=x',
    '/auth/uid',
    '/people/uid',
    '/people/uid/ada',
    '/once/token',
    '/session/end',
    '/device',
    '/device/uid',
  ]) {
    t.true(answered('sign-in.video.localhost:8086', url), url);
    t.true(answered('Sign-In.Video.localhost:8086', url), url);
    t.false(answered('127.0.0.1:8086', url), url);
  }
  for (const url of ['/.well-known/openid-configuration', '/jwks', '/token', '/device/auth', '/links/ada']) {
    t.true(answered('127.0.0.1:8086', url), url);
    t.false(answered('sign-in.video.localhost:8086', url), url);
  }
  for (const host of [
    undefined,
    '',
    'evil.example:8086',
    'video.localhost:8086',
    'sign-in.video.localhost',
    '127.0.0.1',
  ])
    for (const url of ['/auth', '/token', '/links/ada', '/people/uid/ada'])
      t.false(answered(host, url), `${host} ${url}`);
});

test('the provider answers both if name and issuer are equal', (t) => {
  for (const url of ['/auth', '/token']) t.true(answered('127.0.0.1:8086', url, ISSUER), url);
});
