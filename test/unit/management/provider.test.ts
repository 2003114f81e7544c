import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { exportJWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { faultText, openIdentityProvider, type ProviderIdentity } from '../../../management-api/sign-in/provider.ts';
import { statedProfile } from '../../../management-api/sign-in/stated-profile.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';

const CLIENT = 'video-rendering';
const SECRET = 'client-secret-of-32-characters-or-more';
const [own, foreign] = [
  generateKeyPairSync('rsa', { modulusLength: 2048 }),
  generateKeyPairSync('rsa', { modulusLength: 2048 }),
];

type Answer = {
  readonly status?: number;
  readonly id_token?: string | null;
  readonly issuer?: string;
  readonly oauth_error?: string;
  /** The answer of the device endpoint; null if the provider has none. */
  readonly device?: Readonly<Record<string, unknown>> | null;
};

const DEVICE = {
  ...{ device_code: 'd', user_code: 'ABCD-EFGH', verification_uri: 'https://id.example.com/device', expires_in: 900 },
};

const hostile = async (t: ExecutionContext) => {
  let answer: Answer = {};
  const jwks = { keys: [{ ...(await exportJWK(own.publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }] };
  const server = createServer((request, response) => {
    const json = (status: number, body: unknown): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (request.url === '/jwks') return json(200, jwks);
    if (request.url === '/token') {
      if (answer.oauth_error !== undefined) return json(400, { error: answer.oauth_error });
      const token = { access_token: 'a', token_type: 'Bearer', expires_in: 60 };
      return json(answer.status ?? 200, answer.id_token === null ? token : { ...token, id_token: answer.id_token });
    }
    if (request.url === '/device') return json(answer.status ?? 200, answer.device ?? DEVICE);
    return json(200, {
      ...(answer.device !== null && { device_authorization_endpoint: `${issuer}/device` }),
      ...{ issuer: answer.issuer ?? issuer, jwks_uri: `${issuer}/jwks` },
      ...{ authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` },
      ...{ response_types_supported: ['code'], subject_types_supported: ['public'] },
      ...{ id_token_signing_alg_values_supported: ['RS256'], authorization_response_iss_parameter_supported: true },
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => void server.close());
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return {
    issuer,
    answers: (next: Answer) => {
      answer = next;
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
};

const settingsOf = (issuer: string) => ({
  ...{ issuer, client_id: CLIENT, client_secret: SECRET, scope: 'openid', identity_secret: 'x'.repeat(32) },
  ...{ operator: { claim: 'groups', value: 'operators' }, public_url: 'https://video.example.com' },
});

const world = async (t: ExecutionContext, { is_fresh = false } = {}) => {
  const { issuer, answers, close } = await hostile(t);
  const provider = openIdentityProvider(settingsOf(issuer), 86_400, SYSTEM_CLOCK);
  const sign_in = {
    ...{ nonce: 'n'.repeat(43), code_verifier: 'v'.repeat(43), is_fresh, return_to: '/', created_at: Date.now() },
  };
  const good: JWTPayload = { iss: issuer, aud: CLIENT, sub: 'ada', nonce: sign_in.nonce };
  const signed = (claims: JWTPayload, key = own.privateKey, expires = '5 minutes') =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .setIssuedAt()
      .setExpirationTime(expires)
      .sign(key);
  const finish = async (answer: Answer, search = `?code=c&state=s&iss=${encodeURIComponent(issuer)}`) => {
    answers(answer);
    return await provider.finish(search, 's', sign_in);
  };
  /** @param left_out an omitted claim */
  const withClaims = async (claims: JWTPayload, left_out?: string) => {
    const { [left_out ?? '']: _, ...rest } = { ...good, ...claims };
    return await finish({ id_token: await signed(rest) });
  };
  return { issuer, provider, sign_in, good, signed, finish, withClaims, close, answers };
};

const tagOf = (result: E.Either<{ readonly tag: string }, ProviderIdentity>): string =>
  E.isLeft(result) ? result.left.tag : `signed in as ${result.right.subject}`;

test('a valid answer gives identity, time and operator claim', async (t) => {
  const { withClaims } = await world(t);
  const auth_time = Math.floor(Date.now() / 1_000) - 60;
  t.deepEqual(
    await withClaims({ auth_time, name: 'Ada', email: 'ada@example.org' }),
    E.right({
      ...{ subject: 'ada', is_operator: false, auth_time: auth_time * 1_000 },
      profile: { name: 'Ada', email: 'ada@example.org' },
    }),
  );
  for (const [groups, is_operator] of [
    ['operators', true],
    [['x', 'operators'], true],
    [['operators-of-something-else'], false],
    ['no operators', false],
    [[['operators']], false],
    [{ operators: true }, false],
  ] as const)
    t.like(await withClaims({ groups }), { right: { is_operator, auth_time: null } }, JSON.stringify(groups));
});

test('a name or an address that could deceive people is dropped', (t) => {
  for (const name of [undefined, 7, '', ' \u200b ', 'Ada\u202eecarG', 'Ada\nGrace', 'Ada\ud800', ['Ada']])
    t.is(statedProfile({ name }).name, null, JSON.stringify(name));
  t.is(statedProfile({ name: '  Zoë Ω  ' }).name, 'Zoë Ω');
  t.is(statedProfile({ name: '\u{1f600}'.repeat(101) }).name, '\u{1f600}'.repeat(100));
  for (const email of ['ada', 'a b@example.org', `${'a'.repeat(201)}@example.org`, 'ada@example.org\u202e', {}])
    t.is(statedProfile({ email }).email, null, JSON.stringify(email));
  t.is(statedProfile({ email: 'ada@example.org', email_verified: false }).email, null);
  t.is(statedProfile({ email: 'ada@example.org', email_verified: true }).email, 'ada@example.org');
});

test("a provider's clock that is ahead makes no sign-in fresher", async (t) => {
  const { withClaims } = await world(t);
  const claimed = await withClaims({ auth_time: Math.floor(Date.now() / 1_000) + 3_600 });
  t.true(E.isRight(claimed) && (claimed.right.auth_time ?? Number.POSITIVE_INFINITY) <= Date.now());
});

test('a token of another issuer, audience, nonce, subject or time is refused', async (t) => {
  const { withClaims, finish, signed, good } = await world(t);
  for (const claims of [
    ...[{ iss: 'http://127.0.0.1:1' }, { aud: 'another-client' }, { aud: [CLIENT, 'another-client'] }],
    ...[{ nonce: 'x'.repeat(43) }, { sub: '' }, { sub: 'x'.repeat(256) }, { sub: 'ada\ud800' }],
    ...[{ azp: 'another-client' }],
  ])
    t.is(tagOf(await withClaims(claims)), 'invalid', JSON.stringify(claims));
  for (const name of ['nonce', 'sub', 'aud', 'iss']) t.is(tagOf(await withClaims({}, name)), 'invalid', name);
  t.is(tagOf(await finish({ id_token: await signed(good, own.privateKey, '-5 minutes') })), 'invalid', 'expired');
});

test("a token without the provider's signature is refused", async (t) => {
  const { finish, signed, good } = await world(t);
  t.is(tagOf(await finish({ id_token: await signed(good, foreign.privateKey) })), 'invalid');
  const unsigned = new UnsecuredJWT(good).setIssuedAt().setExpirationTime('5 minutes').encode();
  t.is(tagOf(await finish({ id_token: unsigned })), 'invalid', 'alg none');
  const shared = await new SignJWT(good)
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt()
    .setExpirationTime('5 minutes')
    .sign(new TextEncoder().encode(SECRET));
  t.is(tagOf(await finish({ id_token: shared })), 'invalid', "signed with the client's secret");
  t.is(tagOf(await finish({ id_token: null })), 'invalid', 'no token at all');
});

test('an answer with another or missing issuer is refused', async (t) => {
  const { finish, signed, good } = await world(t);
  const id_token = await signed(good);
  t.is(tagOf(await finish({ id_token })), 'signed in as ada');
  t.is(tagOf(await finish({ id_token }, '?code=c&state=s&iss=http%3A%2F%2F127.0.0.1%3A1')), 'invalid');
  t.is(tagOf(await finish({ id_token }, '?code=c&state=s')), 'invalid');
  t.is(tagOf(await finish({ id_token }, '?code=c&state=x')), 'invalid', 'another state');
});

test('a required fresh sign-in must have a recent auth_time', async (t) => {
  const { withClaims, provider, sign_in } = await world(t, { is_fresh: true });
  const now = Math.floor(Date.now() / 1_000);
  t.is(tagOf(await withClaims({})), 'invalid', 'no such claim');
  t.is(tagOf(await withClaims({ auth_time: now - 600 })), 'invalid', 'a session of the provider');
  t.is(tagOf(await withClaims({ auth_time: now })), 'signed in as ada');
  const begun = await provider.begin({ ...sign_in, state: 's' });
  if (E.isLeft(begun)) return t.fail();
  const asked = Object.fromEntries(new URL(begun.right).searchParams);
  t.like(asked, { prompt: 'login', max_age: '0', code_challenge_method: 'S256', response_type: 'code' });
  t.is(asked.redirect_uri, 'https://video.example.com/manage/v1/sign-in/callback');
});

test('a provider with another name is refused; a silent one is unavailable', async (t) => {
  const { sign_in, finish, close } = await world(t);
  const signed_in = await finish({ issuer: 'https://id.example.com' });
  t.is(tagOf(signed_in), 'invalid');
  t.is(tagOf(await finish({ status: 503 })), 'away');
  await close();
  const other = openIdentityProvider(settingsOf('http://127.0.0.1:1'), 86_400, SYSTEM_CLOCK);
  const begun = await other.begin({ ...sign_in, state: 's' });
  t.like(begun, { left: { tag: 'away' } });
});

test('a device flow is begun as the provider answers, within limits', async (t) => {
  const { provider, answers } = await world(t);
  const begun = await provider.beginDevice();
  t.like(begun, { right: { user_code: 'ABCD-EFGH', expires_in_s: 600, interval_s: 5 } });
  answers({ device: { ...DEVICE, interval: 1e9, expires_in: 30 } });
  t.like(await provider.beginDevice(), { right: { expires_in_s: 30, interval_s: 60 } });
  for (const device of [
    { ...DEVICE, verification_uri: 'javascript:alert(1)' },
    { ...DEVICE, user_code: 'x'.repeat(65) },
    { ...DEVICE, device_code: 'x'.repeat(2_049) },
    { error: 'nothing' },
  ]) {
    answers({ device });
    t.like(await provider.beginDevice(), { left: { tag: 'invalid' } }, JSON.stringify(device).slice(0, 60));
  }
  answers({ status: 400, device: { error: 'unauthorized_client' } });
  t.like(await provider.beginDevice(), { left: { tag: 'unsupported' } });
});

test('a provider without a device endpoint is reported', async (t) => {
  const { provider, answers } = await world(t);
  answers({ device: null });
  t.like(await provider.beginDevice(), { left: { tag: 'unsupported' } });
});

test('the device flow checks the ID token as the code flow does', async (t) => {
  const { provider, answers, good, signed } = await world(t);
  const { nonce: _, ...claims } = good;
  const poll = async (answer: Answer) => {
    answers(answer);
    return await provider.pollDevice('d');
  };
  const auth_time = Math.floor(Date.now() / 1_000) + 3_600;
  const valid = await poll({ id_token: await signed({ ...claims, auth_time }) });
  t.like(valid, { right: { tag: 'signed_in', identity: { subject: 'ada', is_operator: false } } });
  t.true(E.isRight(valid) && valid.right.tag === 'signed_in' && Number(valid.right.identity.auth_time) <= Date.now());
  for (const wrong of [
    await signed({ ...claims, iss: 'http://127.0.0.1:1' }),
    await signed({ ...claims, aud: 'another-client' }),
    await signed({ ...claims, azp: 'another-client' }),
    await signed({ ...claims, sub: '' }),
    await signed(claims, foreign.privateKey),
    await signed(claims, own.privateKey, '-5 minutes'),
    new UnsecuredJWT(claims).setIssuedAt().setExpirationTime('5 minutes').encode(),
    null,
  ])
    t.like(await poll({ id_token: wrong }), { left: { tag: 'invalid' } }, String(wrong));
});

test('errors of the token endpoint are states of the device flow', async (t) => {
  const { provider, answers } = await world(t);
  for (const [oauth_error, expected] of [
    ['authorization_pending', { right: { tag: 'pending' } }],
    ['slow_down', { right: { tag: 'slow_down' } }],
    ['expired_token', { right: { tag: 'expired' } }],
    ['invalid_grant', { right: { tag: 'expired' } }],
    ['access_denied', { left: { tag: 'denied' } }],
    ['server_error', { left: { tag: 'invalid' } }],
  ] as const) {
    answers({ oauth_error });
    t.like(await provider.pollDevice('d'), expected, oauth_error);
  }
  answers({ status: 503 });
  t.like(await provider.pollDevice('d'), { left: { tag: 'away' } });
});

test('the log has the reason and no personal data', async (t) => {
  const { withClaims, finish } = await world(t);
  const texts: string[] = [];
  for (const wrong of [
    await withClaims({ aud: 'another-client', sub: 'ada@example.org', email: 'ada@example.org' }),
    await withClaims({ nonce: 'x'.repeat(43), email: 'ada@example.org' }),
    await finish({}, '?error=access_denied&error_description=ada%40example.org&state=s'),
    await finish({}, '?error=access_denied&error_description=ada%40example.org&code=secret'),
  ])
    if (E.isLeft(wrong)) texts.push(faultText(wrong.left.error));
  t.is(texts.length, 4);
  for (const text of texts) t.notRegex(text, /ada|secret/);
  t.regex(texts[0] ?? '', /claim/);
});
