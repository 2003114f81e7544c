import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { parseSetCookie } from 'cookie';
import { linkIdentity, unlinkIdentity } from '../../../catalogue/identities.ts';
import { acceptInvitation } from '../../../catalogue/invitations.ts';
import { addMember, removeMember } from '../../../catalogue/members.ts';
import { changeEmail, registerUser } from '../../../catalogue/users.ts';
import { catalogueReadModel } from '../../../read-models/catalogue/management.ts';
import { DOCUMENT_EXAMPLE } from '../../../schemas/http/public/project-changes.ts';
import { freePort } from '../../../stack/process/ports.ts';
import { requestOneTimeLink } from '../../../stack/provider/server.ts';
import { ROOT } from '../../../stack/servers/tools.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { startComponent } from '../../helpers/component-process.ts';
import { caller } from '../../helpers/renderctl.ts';
import { type Browser, openBrowser } from './_browser.ts';
import { holdAgainstDocument } from './_contract.ts';
import { answerAtProvider } from './_device.ts';
import {
  apiIn,
  beginAt,
  browserWith,
  chooseAt,
  get,
  invited,
  made,
  post,
  sessionOf,
  signInAs,
  startManagementWorld,
  told,
  type World,
} from './_world.ts';

let world: World;
test.before(async (t) => {
  t.timeout(360_000);
  world = await startManagementWorld();
});
test.after.always(async () => {
  await world?.stop();
});

const COOKIE = 'video_session';

test('a sign-in at the provider starts a session and redirects to the requested page', async (t) => {
  const { browser, answer } = await signInAs(world, 'ada', openBrowser(), '?return_to=/renders%3Fstatus%3Dfailed');
  t.is(answer.status, 303);
  t.is(answer.headers.get('location'), '/renders?status=failed');
  t.is(answer.headers.get('cache-control'), 'no-store');
  const session = await get(world, browser, '/session');
  t.is(session.status, 200);
  t.like(session.body, {
    user_id: 'user_ada',
    is_operator: false,
    teams: [{ team_id: world.team_id, role: 'admin' }],
    owned_account_ids: [],
  });
  t.true(Number(session.body.fresh_until) > Date.now(), 'the provider stated the time');
  t.like((await get(world, browser, '/me')).body, { name: 'Ada', email: null });
  t.is((await get(world, openBrowser(), '/session')).status, 401);
  const { body } = await get(world, openBrowser(), '/session');
  t.like(body, { code: 'signed_out', sign_in: '/manage/v1/sign-in' });
});

test('the operator claim makes a person an operator without a user', async (t) => {
  const { browser } = await signInAs(world, 'olga');
  t.like((await get(world, browser, '/session')).body, { user_id: null, is_operator: true, teams: [] });
});

test('on plain local http, cookies are HttpOnly and Lax, without a prefix', async (t) => {
  const browser = openBrowser();
  const begun = await browser.ask(`${world.manage}/sign-in`);
  const [sign_in = ''] = begun.headers.getSetCookie();
  const { answer } = await signInAs(world, 'ada', browser);
  const [session = ''] = answer.headers.getSetCookie();
  for (const [line, name] of [
    [sign_in, 'video_sign_in'],
    [session, COOKIE],
  ] as const) {
    const parsed = parseSetCookie(line);
    t.like(parsed, { name, path: '/', httpOnly: true, sameSite: 'lax', domain: undefined });
    t.not(parsed.secure, true);
    t.regex(parsed.value ?? '', /^[\w-]{43}$/);
  }
});

test('on https, cookies are __Host- cookies, and browsers get HSTS', async (t) => {
  const api = await apiIn(world, { public_url: 'https://video.example.com', now: Date.now });
  t.teardown(api.close);
  const begun = await fetch(`${api.manage}/sign-in`, { redirect: 'manual' });
  const line = await api.management.signing.beginSession(
    { identity_id: world.identityOf('ada'), is_operator: false, auth_time: null, user_agent: null },
    null,
  );
  for (const [cookie, name] of [
    [begun.headers.getSetCookie()[0] ?? '', '__Host-video_sign_in'],
    [line, '__Host-video_session'],
  ] as const)
    t.like(parseSetCookie(cookie), {
      name,
      path: '/',
      httpOnly: true,
      secure: true,
      sameSite: 'lax',
      domain: undefined,
    });
  t.is(begun.headers.get('strict-transport-security'), 'max-age=63072000');
  const redirect = new URL(begun.headers.get('location') ?? '').searchParams.get('redirect_uri');
  t.is(redirect, 'https://video.example.com/manage/v1/sign-in/callback');
});

test('every answer forbids frames, scripts, caching and requests from other sites', async (t) => {
  const browser = openBrowser();
  for (const path of ['/session', '/nothing', '/sign-in?return_to=x']) {
    const { headers } = await browser.ask(`${world.manage}${path}`, { headers: { Origin: 'https://else.example' } });
    t.is(headers.get('cache-control'), 'no-store', path);
    if (path === '/nothing') continue;
    t.regex(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/);
    t.is(headers.get('x-content-type-options'), 'nosniff');
    t.is(headers.get('cross-origin-resource-policy'), 'same-origin');
    t.is(headers.get('access-control-allow-origin'), null);
    t.is(headers.get('strict-transport-security'), null, 'not over plain http');
  }
});

test('a refused page is HTML and repeats no text of the address', async (t) => {
  const Accept = 'text/html,application/xhtml+xml';
  const address = `${world.manage}/sign-in/callback?state=%3Cscript%3E&error=%3Cscript%3E`;
  const answer = await openBrowser().ask(address, { headers: { Accept } });
  t.is(answer.status, 400);
  t.is(answer.headers.get('content-type'), 'text/html; charset=utf-8');
  t.false((await answer.text()).includes('script'));
});

test('a callback works once: its code and its state cannot be used again', async (t) => {
  const browser = openBrowser();
  const callback = await chooseAt(world, browser, await beginAt(world, browser), 'ada');
  const answers = await Promise.all([browser.ask(callback), browser.ask(callback), browser.ask(callback)]);
  t.deepEqual(answers.map(({ status }) => status).sort(), [303, 400, 400]);
  t.is((await browser.ask(callback)).status, 400);
  const code = new URL(callback).searchParams.get('code') ?? '';
  const next = new URL(await chooseAt(world, browser, await beginAt(world, browser), 'ada'));
  next.searchParams.set('code', code);
  t.is((await browser.ask(next.href)).status, 400, 'an old code with a new state');
});

test("a browser cannot use any part of another browser's sign-in", async (t) => {
  const attacker = openBrowser();
  const callback = await chooseAt(world, attacker, await beginAt(world, attacker), 'grace');
  const victim = openBrowser();
  t.is((await victim.ask(callback)).status, 400);
  await beginAt(world, victim);
  t.is((await victim.ask(callback)).status, 400, 'with its own sign-in in progress');
  t.is(victim.cookie(COOKIE), undefined);
  t.is((await attacker.ask(callback)).status, 303, 'the other browser could not even use it up');
});

test('an answer with another state or from another provider is refused', async (t) => {
  const browser = openBrowser();
  for (const change of [
    (callback: URL) => callback.searchParams.set('state', 'x'.repeat(43)),
    (callback: URL) => callback.searchParams.append('state', 'x'.repeat(43)),
    (callback: URL) => callback.searchParams.delete('state'),
    (callback: URL) => callback.searchParams.set('iss', 'http://127.0.0.1:1'),
    (callback: URL) => callback.searchParams.delete('iss'),
    (callback: URL) => callback.searchParams.delete('code'),
  ]) {
    const callback = new URL(await chooseAt(world, browser, await beginAt(world, browser), 'ada'));
    change(callback);
    t.is((await browser.ask(callback.href)).status, 400, callback.search);
  }
  t.is(browser.cookie(COOKIE), undefined);
});

test('a sign-in with another nonce or challenge than recorded is refused', async (t) => {
  for (const name of ['nonce', 'code_challenge']) {
    const browser = openBrowser();
    const address = new URL(await beginAt(world, browser));
    address.searchParams.set(name, 'x'.repeat(43));
    const callback = await chooseAt(world, browser, address.href, 'ada');
    t.is((await browser.ask(callback)).status, 400, name);
    t.is(browser.cookie(COOKIE), undefined);
  }
});

test('a cancelled sign-in at the provider gives 403', async (t) => {
  const browser = openBrowser();
  const callback = new URL(await chooseAt(world, browser, await beginAt(world, browser), 'ada'));
  callback.searchParams.delete('code');
  callback.searchParams.set('error', 'access_denied');
  t.is((await browser.ask(callback.href)).status, 403);
});

test('two tabs sign in concurrently, and the later sign-in is the session', async (t) => {
  const browser = openBrowser();
  const [one, other] = [await beginAt(world, browser), await beginAt(world, browser)];
  const callbacks = [await chooseAt(world, browser, one, 'ada'), await chooseAt(world, browser, other, 'ada')];
  for (const callback of callbacks) t.is((await browser.ask(callback)).status, 303);
  t.is((await get(world, browser, '/session')).status, 200);
});

test('a sign-in ends the former session and ignores a planted token', async (t) => {
  const planted = 'A'.repeat(43);
  const browser = openBrowser();
  browser.setCookie(COOKIE, planted);
  await signInAs(world, 'ada', browser);
  const first = browser.cookie(COOKIE) ?? '';
  t.not(first, planted);
  await signInAs(world, 'ada', browser);
  t.not(browser.cookie(COOKIE), first);
  const thief = openBrowser();
  for (const token of [planted, first]) {
    thief.setCookie(COOKIE, token);
    t.is((await get(world, thief, '/session')).status, 401);
  }
});

test('a sign-in never redirects to another site', async (t) => {
  const browser = openBrowser();
  for (const target of [
    ...[
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/%09/evil.example',
      '/..//evil',
    ],
    ...[
      'javascript:alert(1)',
      '/a:b',
      '/@evil.example',
      '/./x',
      '/a/../../b',
      '',
      'x',
      '/\n',
      '/é',
      `/${'x'.repeat(600)}`,
    ],
  ]) {
    const answer = await told(await browser.ask(`${world.manage}/sign-in?return_to=${encodeURIComponent(target)}`));
    t.is(answer.status, 400, target);
    t.regex(String(answer.body.error), /^return_to: /);
  }
  for (const target of ['/', '/renders', '/teams/team_1/keys?x=1&y=%2F', '/a.b/~c-d/'])
    t.is((await browser.ask(`${world.manage}/sign-in?return_to=${encodeURIComponent(target)}`)).status, 303, target);
});

test('writes from other sites or in other formats than JSON are refused', async (t) => {
  const { browser } = await signInAs(world, 'ada');
  const refused = async (headers: Readonly<Record<string, string>>, status: number, why: string) =>
    t.is((await post(world, browser, '/sign-out', {}, headers)).status, status, why);
  await refused({ Origin: 'https://evil.example' }, 403, 'another origin');
  await refused({ Origin: 'null' }, 403, 'a sandboxed frame');
  await refused({ Origin: `${world.origin}.evil.example` }, 403, 'an origin that begins like ours');
  for (const site of ['cross-site', 'same-site', 'none']) await refused({ 'Sec-Fetch-Site': site }, 403, site);
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
    await refused({ 'Content-Type': type }, 415, type);
  const bare = await browser.ask(`${world.manage}/sign-out`, {
    method: 'POST',
    body: '{}',
    headers: { 'Content-Type': 'application/json' },
  });
  t.is(bare.status, 403, 'no origin');
  t.is((await browser.ask(`${world.manage}/sign-out`)).status, 405);
  t.is((await get(world, browser, '/session')).status, 200, 'still signed in');
});

test('a sign-out ends the session and deletes its cookie', async (t) => {
  const { browser } = await signInAs(world, 'ada');
  const token = browser.cookie(COOKIE) ?? '';
  t.is((await post(world, browser, '/sign-out')).status, 200);
  t.is(browser.cookie(COOKIE), undefined);
  browser.setCookie(COOKIE, token);
  t.is((await get(world, browser, '/session')).status, 401);
});

test('people see only their own sessions and can end one', async (t) => {
  const { browser: here } = await signInAs(world, 'ada');
  const { browser: there } = await signInAs(world, 'ada');
  const { browser: other } = await signInAs(world, 'grace');
  const { id } = (await get(world, there, '/session')).body;
  const { data } = (await get(world, here, '/sessions')).body;
  if (!Array.isArray(data)) return t.fail();
  t.true(data.some((session) => session.id === id && session.is_current === false));
  t.is(data.filter((session) => session.is_current).length, 1);
  t.false(JSON.stringify(data).includes(there.cookie(COOKIE) ?? 'none'));
  t.is((await post(world, other, `/sessions/${id}/revoke`)).status, 404);
  t.is((await get(world, there, '/session')).status, 200);
  t.is((await post(world, here, `/sessions/${id}/revoke`)).status, 200);
  t.is((await get(world, there, '/session')).status, 401, 'immediately at the process that was asked');
  t.is((await post(world, here, `/sessions/${id}/revoke`)).status, 404);
});

test('a person has at most 20 sessions, and the oldest end', async (t) => {
  const api = await apiIn(world, { public_url: world.origin, now: Date.now });
  t.teardown(api.close);
  const tokens: string[] = [];
  for (let i = 0; i < 22; i += 1) tokens.push(await sessionOf(world, api, 'many', { is_operator: true }));
  const statusOf = async (token = '') => (await get(world, browserWith(token), '/session')).status;
  t.is(await statusOf(tokens.at(-1)), 200);
  t.is(await statusOf(tokens.at(0)), 401);
});

test('a session ends when idle or too old, and a sign-in is fresh briefly', async (t) => {
  let now = Date.now();
  const api = await apiIn(world, { public_url: world.origin, now: () => now });
  t.teardown(api.close);
  const begin = () => sessionOf(world, api, 'ada', { auth_time: now });
  const status = async (token: string, minutes: number): Promise<number> => {
    now += minutes * 60_000;
    return (await fetch(`${api.manage}/session`, { headers: { Cookie: `${COOKIE}=${token}` } })).status;
  };
  const idle = await begin();
  t.is(await status(idle, 59), 200);
  t.is(await status(idle, 59), 200, 'the session was used');
  t.is(await status(idle, 61), 401);
  const busy = await begin();
  for (let minutes = 0; minutes < 24 * 60 - 50; minutes += 50) t.is(await status(busy, 50), 200, String(minutes));
  t.is(await status(busy, 50), 401);

  const browser = openBrowser();
  const begun = await browser.ask(`${api.manage}/sign-in`);
  const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
  now += 600_001;
  const late = await told(await browser.ask(`${api.manage}/sign-in/callback?code=x&state=${state}`));
  t.is(late.status, 400);
  t.regex(String(late.body.error), /has expired/);
});

test('a session ends within a second of the unlinking, even after a relink', async (t) => {
  const { catalogue, team_id, identityOf } = world;
  await made(registerUser(catalogue, 'user_linked'));
  await made(addMember(catalogue, { team_id, user_id: 'user_linked', role: 'member' }));
  const link = { identity_id: identityOf('linked'), user_id: 'user_linked' };
  await made(linkIdentity(catalogue, link));
  const api = await apiIn(world, { public_url: world.origin, now: Date.now });
  t.teardown(api.close);
  const browser = browserWith(await sessionOf(world, api, 'linked'));
  t.is((await get(world, browser, '/session')).status, 200);
  const unlinking = unlinkIdentity(catalogue, link);
  await pollUntil('the read model shows it', async () => {
    return (await catalogue.read_model.find('identity', link.identity_id))?.unlinked_at !== null;
  });
  const shown_at = performance.now();
  await pollUntil('the session has ended', async () => (await get(world, browser, '/session')).status === 401);
  t.true(performance.now() - shown_at < 60_000, 'long before the session is idle');
  await made(unlinking);
  await made(linkIdentity(catalogue, link));
  t.is((await get(world, browser, '/session')).status, 401);
});

test('a session ends when the user has lost the last team', async (t) => {
  const { catalogue, team_id, identityOf } = world;
  await made(registerUser(catalogue, 'user_leaving'));
  await made(addMember(catalogue, { team_id, user_id: 'user_leaving', role: 'member' }));
  await made(linkIdentity(catalogue, { identity_id: identityOf('leaving'), user_id: 'user_leaving' }));
  const api = await apiIn(world, { public_url: world.origin, now: Date.now });
  t.teardown(api.close);
  const browser = browserWith(await sessionOf(world, api, 'leaving'));
  t.is((await get(world, browser, '/session')).status, 200);
  await made(removeMember(catalogue, { team_id, user_id: 'user_leaving' }));
  t.is((await get(world, browser, '/session')).status, 401);
  await made(addMember(catalogue, { team_id, user_id: 'user_leaving', role: 'member' }));
  t.is((await get(world, browser, '/session')).status, 401, 'a new membership restores no session');
});

test.serial('an unknown person becomes a user by an invitation, even in two tabs', async (t) => {
  const { browser } = await signInAs(world, 'grace');
  const before = await get(world, browser, '/session');
  t.like(before.body, { user_id: null, is_operator: false, teams: [] });
  const users_before = (await world.catalogue.read_model.users()).length;
  t.is((await post(world, browser, '/invitations/accept', { token: 'inv_x.y' })).status, 404);
  t.is((await post(world, browser, '/invitations/accept', { token: 7 })).status, 400);
  t.is((await world.catalogue.read_model.users()).length, users_before, 'no user was created');

  const token = await invited(world);
  const guest = browser.cookie(COOKIE) ?? '';
  const tabs = await Promise.all([
    post(world, browser, '/invitations/accept', { token }),
    post(world, browser, '/invitations/accept', { token }),
  ]);
  t.deepEqual(
    tabs.map(({ status }) => status),
    [200, 200],
  );
  t.is(tabs[0]?.body.user_id, tabs[1]?.body.user_id);
  t.is((await world.catalogue.read_model.users()).length, users_before + 1);
  const session = await get(world, browser, '/session');
  t.like(session.body, { user_id: tabs[0]?.body.user_id, teams: [{ team_id: world.team_id, role: 'member' }] });
  t.not(browser.cookie(COOKIE), guest, 'another session, with other rights');
  const profile = { user_id: tabs[0]?.body.user_id, name: 'Grace', email: 'grace@example.org' };
  t.like((await get(world, browser, '/me')).body, profile, 'what the provider stated at the sign-in');
  const operator = world.catalogue;
  await made(changeEmail(operator, world.clients.blobs, String(profile.user_id), 'other@example.org'));
  const people = `/accounts/${world.account_id}/people`;
  t.true(JSON.stringify((await get(world, browser, people)).body.data).includes('"name":"Grace"'), 'the name stays');
  await signInAs(world, 'grace', browser);
  t.like((await get(world, browser, '/me')).body, profile, 'the provider states the address again');
  const thief = openBrowser();
  thief.setCookie(COOKIE, guest);
  t.is((await get(world, thief, '/session')).status, 401);
  t.is((await post(world, browser, '/invitations/accept', { token })).status, 200, 'a repeated acceptance');

  const spare = await invited(world);
  const member = await post(world, browser, '/invitations/accept', { token: spare });
  t.is(member.status, 409);
  t.regex(String(member.body.error), /already a member of this team/);
  const api = await apiIn(world, { public_url: world.origin, now: Date.now });
  t.teardown(api.close);
  const stranger = browserWith(await sessionOf(world, api, 'mallory'));
  const second = await post(world, stranger, '/invitations/accept', { token });
  t.is(second.status, 409, 'the invitation works once');
  t.is((await world.catalogue.read_model.users()).length, users_before + 1, 'and creates no user');
  t.is(
    (await post(world, stranger, '/invitations/accept', { token: spare })).status,
    200,
    'the invitation was for another person',
  );
});

test.serial('an operator who accepts an invitation becomes a user and stays an operator', async (t) => {
  const api = await apiIn(world, { public_url: world.origin, now: Date.now });
  t.teardown(api.close);
  const before = await sessionOf(world, api, 'operator to be a member', { is_operator: true });
  const browser = browserWith(before);
  const elsewhere = browserWith(await sessionOf(world, api, 'operator to be a member', { is_operator: true }));
  const accepted = await post(world, browser, '/invitations/accept', { token: await invited(world) });
  t.is(accepted.status, 200);
  const session = await get(world, browser, '/session');
  t.like(session.body, { user_id: accepted.body.user_id, is_operator: true, teams: [{ team_id: world.team_id }] });
  t.is((await get(world, browserWith(before), '/session')).status, 401, 'the former session has ended');
  const { id } = (await get(world, elsewhere, '/session')).body;
  const { data } = (await get(world, browser, '/sessions')).body;
  t.deepEqual(
    Object(data).map((one: { readonly id: string }) => one.id),
    [session.body.id, id],
    'an invitation belongs to the person, even if the sign-in started as an operator',
  );
  t.is((await post(world, elsewhere, `/sessions/${session.body.id}/revoke`)).status, 404, 'and not the user');
  t.is((await post(world, browser, `/sessions/${id}/revoke`)).status, 200);
  t.is((await get(world, elsewhere, '/session')).status, 401);
});

test.serial('a repeated acceptance extends no session after its rights were removed', async (t) => {
  const api = await apiIn(world, { public_url: world.origin, now: Date.now });
  t.teardown(api.close);
  const token = await invited(world);
  const member = browserWith(await sessionOf(world, api, 'leaver'));
  const { body } = await post(world, member, '/invitations/accept', { token });
  await made(removeMember(world.catalogue, { team_id: world.team_id, user_id: String(body.user_id) }));
  const session = await sessionOf(world, api, 'leaver');
  const leaver = browserWith(session);
  t.is((await post(world, leaver, '/invitations/accept', { token })).status, 200);
  t.is(leaver.cookie(COOKIE), session);
});

test.serial('an acceptance whose session is not stored is still reported as accepted', async (t) => {
  const api = await apiIn(world, { public_url: world.origin, now: Date.now });
  t.teardown(api.close);
  const Cookie = `${COOKIE}=${await sessionOf(world, api, 'half')}`;
  const { beginSession } = api.management.accepting;
  const body = JSON.stringify({ token: await invited(world) });
  const accept = async () => {
    const headers = { Origin: world.origin, 'Content-Type': 'application/json', Cookie };
    return await told(await fetch(`${api.manage}/invitations/accept`, { method: 'POST', headers, body }));
  };
  const away = async () => {
    throw new DOMException('no answer', 'TimeoutError');
  };
  Object.assign(api.management.accepting, { beginSession: away });
  const first = await accept();
  t.is(first.status, 503);
  t.regex(String(first.body.error), /was accepted/);
  Object.assign(api.management.accepting, { beginSession });
  t.is((await accept()).status, 200, 'a repeat continues');
});

test.serial('only one of two people who accept one invitation at once succeeds', async (t) => {
  const api = await apiIn(world, { public_url: world.origin, now: Date.now });
  t.teardown(api.close);
  const token = await invited(world);
  const both = await Promise.all(
    ['first', 'second'].map(async (subject) => {
      const browser = browserWith(await sessionOf(world, api, subject));
      return await post(world, browser, '/invitations/accept', { token });
    }),
  );
  t.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
});

test.serial('two concurrent acceptances by one person count as a repeat', async (t) => {
  const token = await invited(world);
  const user_id = 'user_in_two_tabs';
  const catalogue = { ...world.catalogue, actor: `user:${user_id}` };
  await made(registerUser(catalogue, user_id));
  const { db } = world.clients.store;
  let other: Promise<unknown> | null = null;
  const collection: typeof db.collection = (name, options) => {
    const found = db.collection(name, options);
    if (!name.includes('membership')) return found as ReturnType<typeof db.collection>;
    const findOne = async (...given: Parameters<typeof found.findOne>) => {
      other ??= made(acceptInvitation(catalogue, token, user_id));
      await other;
      return await found.findOne(...given);
    };
    return Object.assign(Object.create(found), { findOne });
  };
  const read_model = catalogueReadModel(Object.assign(Object.create(db), { collection }));
  t.true((await made(acceptInvitation({ ...catalogue, read_model }, token, user_id))).repeated);
  t.not(other, null);
});

test.serial('an acceptance interrupted by a crash continues from any step', async (t) => {
  const api = await apiIn(world, { public_url: world.origin, now: Date.now });
  t.teardown(api.close);
  const { records } = world.clients;
  const accept = async (session: string, token: string) => {
    const headers = { Origin: world.origin, 'Content-Type': 'application/json', Cookie: `${COOKIE}=${session}` };
    const body = JSON.stringify({ token });
    return await told(await fetch(`${api.manage}/invitations/accept`, { method: 'POST', headers, body }));
  };
  for (const type of ['UserRegistered', 'IdentityLinked', 'InvitationAccepted'])
    for (const is_appended of [false, true]) {
      const subject = `crashed at ${type}, ${is_appended}`;
      const token = await invited(world);
      const session = await sessionOf(world, api, subject);
      const users = (await world.catalogue.read_model.users()).length;
      const killed = {
        ...records,
        append: async (...given: Parameters<typeof records.append>) => {
          if (given[2].type !== type) return await records.append(...given);
          if (is_appended) await records.append(...given);
          throw new Error('killed');
        },
      };
      Object.assign(api.management.accepting, { records: killed });
      t.is((await accept(session, token)).status, 500, subject);
      Object.assign(api.management.accepting, { records });
      const again = await accept(session, token);
      t.is(again.status, 200, subject);
      const linked = await world.catalogue.read_model.find('identity', world.identityOf(subject));
      t.is(linked?.user_id, String(again.body.user_id), subject);
      t.is((await world.catalogue.read_model.users()).length, users + 1, subject);
    }
});

test.serial('an expired invitation creates no user, and sessions without rights are short', async (t) => {
  let now = Date.now();
  const api = await apiIn(world, { public_url: world.origin, now: () => now });
  t.teardown(api.close);
  const accept = async (session: string, token: string): Promise<number> => {
    now += 1_000;
    const headers = { Origin: world.origin, 'Content-Type': 'application/json', Cookie: `${COOKIE}=${session}` };
    const answer = await fetch(`${api.manage}/invitations/accept`, {
      ...{ method: 'POST', headers, body: JSON.stringify({ token }) },
    });
    await answer.arrayBuffer();
    return answer.status;
  };
  const token = await invited(world);
  const users = (await world.catalogue.read_model.users()).length;
  const before = await sessionOf(world, api, 'late');
  now += 31 * 60_000;
  t.is(await accept(before, token), 401);
  now += 7 * 86_400_000;
  t.is(await accept(await sessionOf(world, api, 'late'), token), 409);
  t.is((await world.catalogue.read_model.users()).length, users);
});

test('an unlinked person does not become the same user by another invitation', async (t) => {
  const { catalogue, identityOf } = world;
  const api = await apiIn(world, { public_url: world.origin, now: Date.now });
  t.teardown(api.close);
  const accepted = async () =>
    await post(world, browserWith(await sessionOf(world, api, 'fired')), '/invitations/accept', {
      token: await invited(world),
    });
  const first = await accepted();
  t.is(first.status, 200);
  const user_id = String(first.body.user_id);
  await made(unlinkIdentity(catalogue, { identity_id: identityOf('fired'), user_id }));
  const second = await accepted();
  t.is(second.status, 200);
  t.not(second.body.user_id, user_id);
});

test('a second provider that knows the same client cannot sign people in', async (t) => {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const program = join(ROOT, 'stack', 'provider', 'main.ts');
  const redirect = `${world.manage}/sign-in/callback`;
  const args = [program, '--port', String(port), '--redirect', redirect];
  const other = spawn(process.execPath, args, { stdio: 'ignore' });
  t.teardown(() => other.kill('SIGKILL'));
  await pollUntil('the other provider serves', async () => (await fetch(`${issuer}/jwks`)).ok);
  const browser = openBrowser();
  const address = new URL(await beginAt(world, browser));
  const there = new URL(`${issuer}${address.pathname}${address.search}`);
  const callback = await chooseAt(world, browser, there.href, 'ada');
  t.is(new URL(callback).searchParams.get('iss'), issuer);
  t.is((await browser.ask(callback)).status, 400);
  t.is(browser.cookie(COOKIE), undefined);
});

test('without a provider the component serves, and reports that sign-in is unavailable', async (t) => {
  const { OIDC_ISSUER_URL: _, ...env } = world.stack.env;
  const without = await startComponent('management-api', env);
  t.teardown(without.kill);
  for (const path of ['/session', '/sign-in', '/sign-in/callback?state=x']) {
    const answer = await told(await fetch(`${without.url}/manage/v1${path}`));
    t.is(answer.status, 404, path);
    t.regex(String(answer.body.error), /OIDC_ISSUER_URL is not set/, path);
  }
  t.is((await fetch(`${without.url}/manage/v1/openapi.json`)).status, 200);
  t.is(await without.end(), 0);
});

test('a fresh sign-in asks the provider for it, and makes the session fresh', async (t) => {
  const browser = openBrowser();
  const address = new URL(await beginAt(world, browser, '?fresh=true'));
  t.is(address.searchParams.get('prompt'), 'login');
  t.is(address.searchParams.get('max_age'), '0');
  const callback = await chooseAt(world, browser, address.href, 'ada');
  t.is((await browser.ask(callback)).status, 303);
  t.true(Number((await get(world, browser, '/session')).body.fresh_until) > Date.now());
});

const pressed = async (browser: Browser, link: string): Promise<{ status: number; location: string }> => {
  const answer = await browser.ask(link, { method: 'POST' });
  await answer.arrayBuffer();
  return { status: answer.status, location: answer.headers.get('location') ?? '' };
};

/** The redirect of a browser after a press on a link's button. */
const led = async (browser: Browser, location: string) => {
  const { url, response } = await browser.open(location, (next) => !next.endsWith('/dashboard/'));
  return { url, text: await response.text() };
};

const subjectOf = async (browser: Browser): Promise<unknown> => (await get(world, browser, '/session')).body.user_id;

test('a link of the embedded provider signs in once, without a prompt', async (t) => {
  const link = await requestOneTimeLink(world.stack.env, 'ada');
  t.is(new URL(link).hostname, 'sign-in.video.localhost');
  const browser = openBrowser();
  const shown = await browser.ask(link);
  t.is(shown.status, 200);
  t.regex(await shown.text(), /<form method="post">.*works once/);
  t.is(shown.headers.get('referrer-policy'), 'no-referrer');
  t.regex(shown.headers.get('content-security-policy') ?? '', /default-src 'none';.* frame-ancestors 'none'/);
  const { status, location } = await pressed(browser, link);
  t.is(status, 303);
  t.is(location, `${world.manage}/sign-in?return_to=/dashboard/`);
  t.is((await led(browser, location)).url, `${world.origin}/dashboard/`);
  t.is(await subjectOf(browser), 'user_ada');
  t.true(Number((await get(world, browser, '/session')).body.fresh_until) > Date.now());

  const second = openBrowser();
  for (const method of ['GET', 'POST']) {
    const refused = await second.ask(link, { method });
    t.is(refused.status, 410, method);
    const text = await refused.text();
    t.regex(text, /This link was already used/);
    t.true(text.includes(`<a href="${world.manage}/sign-in?return_to=/dashboard/">`), 'how to sign in without it');
    t.deepEqual(refused.headers.getSetCookie(), []);
  }
});

test('views, second clicks and unfinished sign-ins do not use up a link', async (t) => {
  const link = await requestOneTimeLink(world.stack.env, 'ada');
  for (const method of ['GET', 'HEAD', 'OPTIONS'])
    t.is((await openBrowser().ask(link, { method })).status, 200, method);
  const browser = openBrowser();
  await pressed(browser, link);
  t.is((await pressed(openBrowser(), link)).status, 303, 'the earlier browser was not signed in');
  const { location } = await pressed(browser, link);
  await led(browser, location);
  t.is(await subjectOf(browser), 'user_ada');
});

test('only one of several browsers that use one link at once is signed in', async (t) => {
  const link = await requestOneTimeLink(world.stack.env, 'ada');
  const browsers = [openBrowser(), openBrowser(), openBrowser()];
  const locations = await Promise.all(browsers.map((browser) => pressed(browser, link)));
  const ends = await Promise.all(browsers.map((browser, i) => led(browser, locations[i]?.location ?? '')));
  t.is(ends.filter(({ url }) => url.endsWith('/dashboard/')).length, 1);
  t.is(ends.filter(({ text }) => text.includes('Who are you?')).length, 2);
  t.is(browsers.filter((browser) => browser.cookie(COOKIE) !== undefined).length, 1);
});

test('two tabs of one browser that use a link are both signed in', async (t) => {
  const { browser } = await signInAs(world, 'olga');
  const link = await requestOneTimeLink(world.stack.env, 'ada');
  const [one, other] = [await pressed(browser, link), await pressed(browser, link)];
  await led(browser, one.location);
  t.is(await subjectOf(browser), 'user_ada', 'and not the person whom the provider knew in this browser');
  await led(browser, other.location);
  t.is(await subjectOf(browser), 'user_ada');
});

test("a foreign link does not work, and creating one needs the client's secret", async (t) => {
  const { OIDC_ISSUER_URL: provider = '', ...env } = world.stack.env;
  const [at_name] = (await requestOneTimeLink(world.stack.env, 'ada')).split('/once/');
  const unknown = await openBrowser().ask(`${at_name}/once/${'A'.repeat(43)}`, { method: 'POST' });
  t.is(unknown.status, 410);
  t.regex(await unknown.text(), /This link has expired/);
  for (const headers of [{}, { Authorization: 'Bearer ' }, { Authorization: `Bearer ${'0'.repeat(64)}` }]) {
    const refused = await fetch(`${provider}/links/ada`, { method: 'POST', headers });
    t.is(refused.status, 401);
    t.is(await refused.text(), '');
  }
  await t.throwsAsync(requestOneTimeLink({ ...env, OIDC_ISSUER_URL: provider }, 'nobody'), { message: /404/ });
  const bearer = { Authorization: `Bearer ${env.OIDC_CLIENT_SECRET}` };
  t.is((await fetch(`${provider}/links/ada`, { headers: bearer })).status, 404, 'the request is a POST');
});

test('the provider and the service answer people only under their own host names', async (t) => {
  const { base_url, env } = world.stack;
  const link = new URL(await requestOneTimeLink(env, 'ada'));
  for (const at of [env.OIDC_ISSUER_URL, `${world.origin.replace(/:\d+$/, '')}:${link.port}`]) {
    const refused = await openBrowser().ask(`${at}${link.pathname}`);
    t.is(refused.status, 421, at);
    t.deepEqual(refused.headers.getSetCookie(), []);
  }
  const { browser } = await signInAs(world, 'ada');
  const token = browser.cookie(COOKIE) ?? '';
  const refused = await browserWith(token).ask(`${base_url}/manage/v1/me`);
  t.is(refused.status, 403);
  t.true((await refused.text()).includes(`${world.origin}/dashboard/`));
  for (const path of ['/dashboard/keys?open=make', '/manage/v1/sign-in?return_to=/dashboard/']) {
    const led_on = await openBrowser().ask(`${base_url}${path}`);
    t.deepEqual([led_on.status, led_on.headers.get('location')], [302, `${world.origin}${path}`]);
    t.deepEqual(led_on.headers.getSetCookie(), []);
  }
  t.is((await fetch(`${base_url}/manage/v1/openapi.json`)).status, 200);
});

/** Posts as a program does: without a cookie, and without an Origin. */
const postAsProgram = async (manage: string, path: string, body: object, token?: string) => {
  const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const headers = { 'Content-Type': 'application/json', 'User-Agent': 'renderctl/1 (test)', ...authorization };
  const answer = await told(await fetch(`${manage}${path}`, { method: 'POST', headers, body: JSON.stringify(body) }));
  holdAgainstDocument('POST', `${manage}${path}`, answer);
  return answer;
};

const beginDevice = async (manage: string) => {
  const { status, body } = await postAsProgram(manage, '/device-sign-ins', {});
  if (status !== 201) throw new Error(JSON.stringify(body));
  const { device_code, user_code, verification_uri } = body;
  return { device_code: String(device_code), user_code: String(user_code), page: String(verification_uri) };
};

type Ok = (...args: readonly string[]) => Promise<ReturnType<typeof JSON.parse>>;

/** No worker runs, so the renders wait until they are cancelled. */
const renderAsPerson = async (t: ExecutionContext, folder: string, ok: Ok): Promise<void> => {
  const film = join(folder, 'film');
  await mkdir(film);
  await writeFile(join(film, 'project.json'), JSON.stringify(DOCUMENT_EXAMPLE));
  const project = await ok('project', 'import', film);
  const of_project = ['--project', project.id];
  const render = await ok('render', 'create', '--name', 'Mine', ...of_project, '--team', world.team_id);
  t.like(render, { name: 'Mine', project: { id: project.id, team: world.team_id }, created_by: 'user_ada' });
  t.like(await ok('render', 'get', render.id), { id: render.id, status: 'initializing' });
  const { data } = await pollUntil('the list has the render', async () => {
    const listed = await ok('render', 'list', ...of_project, '--status', 'initializing');
    return listed.data.length === 1 ? listed : null;
  });
  t.is(data[0].id, render.id);
  const of_team = await ok('render', 'list', '--team', world.team_id);
  t.true(of_team.data.some((one: { readonly id: string }) => one.id === render.id));
  t.like(await ok('render', 'cancel', render.id), { data: { 0: { id: render.id } } });
  const cancelled = await pollUntil('the render is cancelled', async () => {
    const found = await ok('render', 'get', render.id);
    return found.status === 'failed' ? found : null;
  });
  t.is(cancelled.failure.code, 'cancelled');
  t.like(await ok('erase', 'render', render.id), { id: render.id, files: 'being_deleted' });
  const { data: left } = await ok('render', 'list', ...of_project);
  t.deepEqual(left, []);
};

test('renderctl logs in through a browser, creates a key and logs out', async (t) => {
  t.timeout(240_000);
  const folder = await mkdtemp(join(tmpdir(), 'log-in '));
  t.teardown(() => rm(folder, { recursive: true }));
  const { base_url } = world.stack;
  const home = { RENDERCTL_CONFIG_DIR: folder };
  let shown = '';
  const typing = caller(home, undefined, (text) => {
    shown += text;
  });
  const logging_in = typing('log', 'in', '--url', base_url, '--json');
  await pollUntil('renderctl shows the code', async () => shown.includes('Waiting for your approval'));
  const [, page = ''] = /browser: (\S+)/.exec(shown) ?? [];
  const [, code = ''] = /code: (\S+)/.exec(shown) ?? [];
  t.is(new URL(page).hostname, 'sign-in.video.localhost', 'the host name for browsers');
  t.regex(await answerAtProvider(openBrowser(), page, code, { approve_as: 'ada' }), /You are logged in/);
  const logged_in = await logging_in;
  t.is(logged_in.exit_code, 0, logged_in.stderr);
  t.like(JSON.parse(logged_in.stdout), { user_id: 'user_ada', team_id: world.team_id });
  t.notRegex(shown, /vrs_/, 'the session is in no output');
  t.is((await stat(join(folder, 'log-in.json'))).mode & 0o777, 0o600);

  const ok = async (...args: readonly string[]) => {
    const { exit_code, stdout, stderr } = await caller(home)(...args, '--json');
    t.is(exit_code, 0, stderr);
    return JSON.parse(stdout);
  };
  t.like(await ok('whoami'), { user_id: 'user_ada', teams: { 0: { id: world.team_id, role: 'admin' } } });
  t.like(await ok('team', 'list'), { data: { 0: { id: world.team_id } }, chosen: world.team_id });
  t.regex((await caller(home)('render', 'get', 'rend_1')).stderr, /there is no such render/);
  await renderAsPerson(t, folder, ok);
  const key = await ok('key', 'create', '--name', 'Laptop', '--scope', 'projects:write', '--use');
  t.like(key, { name: 'Laptop', team_ids: [world.team_id], scopes: ['projects:write'], user_id: null });
  t.like(await ok('project', 'list'), { data: { length: 1 } }, 'with the key');
  const { replaces, key: rotated } = await ok('key', 'rotate', key.id, '--overlap', '1h');
  t.is(replaces.id, key.id);
  t.regex(rotated, /^vr_/);
  t.truthy((await ok('key', 'revoke', key.id)).revoked_at);
  const { data } = await ok('key', 'list');
  t.true(data.some(({ id, revoked_at }: { id: string; revoked_at: number }) => id === key.id && revoked_at > 0));

  const { browser } = await signInAs(world, 'ada');
  const sessions = (await get(world, browser, '/sessions')).body.data;
  const isOfRenderctl = ({ user_agent }: { user_agent: string | null }) => user_agent?.startsWith('renderctl/');
  t.is(Object(sessions).filter(isOfRenderctl).length, 1, 'the person can end it in the dashboard');
  t.like(await ok('log', 'out'), { was_logged_in: true, session_ended: true });
  t.is(Object((await get(world, browser, '/sessions')).body.data).filter(isOfRenderctl).length, 0);
});

test('a device code works once, and its session only as a bearer', async (t) => {
  const { manage } = world;
  const { device_code, user_code, page } = await beginDevice(manage);
  const poll = () => postAsProgram(manage, '/device-sign-ins/poll', { device_code });
  t.like(await poll(), { status: 200, body: { state: 'pending', token: null } });
  await answerAtProvider(openBrowser(), page, user_code, { approve_as: 'ada' });
  const signed_in = await pollUntil('the sign-in ends', async () => {
    const { body } = await poll();
    return body.state === 'signed_in' ? body : null;
  });
  const token = String(signed_in?.token);
  t.is((await poll()).status, 400);
  const me = (headers: Readonly<Record<string, string>>) => fetch(`${manage}/me`, { headers });
  const authorization = { Authorization: `Bearer ${token}` };
  t.like(await told(await me(authorization)), { status: 200, body: { user_id: 'user_ada' } });
  t.is((await me({ Cookie: `${COOKIE}=${token}` })).status, 401);
  const { browser } = await signInAs(world, 'ada');
  t.is((await me({ Authorization: `Bearer ${browser.cookie(COOKIE)}` })).status, 401);
  t.is((await me({ ...authorization, Origin: world.origin })).status, 403);
  const accepted = await postAsProgram(manage, '/invitations/accept', { token: 'x' }, token);
  t.is(accepted.status, 403);
  t.is(accepted.headers.get('set-cookie'), null);
  t.is((await postAsProgram(manage, '/sign-out', {}, token)).status, 200);
  t.is((await me(authorization)).status, 401);
});

test('a denied, expired or foreign device code gives no session', async (t) => {
  let now = Date.now();
  const api = await apiIn(world, { public_url: world.origin, now: () => now });
  t.teardown(api.close);
  const poll = (device_code: string) => postAsProgram(api.manage, '/device-sign-ins/poll', { device_code });
  const denied = await beginDevice(api.manage);
  t.regex(await answerAtProvider(openBrowser(), denied.page, denied.user_code, 'deny'), /You denied the request/);
  t.is((await poll(denied.device_code)).status, 403);
  const guest = { identity_id: world.identityOf('a guest'), is_operator: false, auth_time: null, user_agent: null };
  t.is(await api.management.signing.beginBearerSession(guest), 'guest');
  const expired = await beginDevice(api.manage);
  await answerAtProvider(openBrowser(), expired.page, expired.user_code, { approve_as: 'ada' });
  now += 600_000;
  t.like(await poll(expired.device_code), { status: 400, body: { param: 'device_code' } });
  t.is((await poll('a code of another provider')).status, 400);
});
