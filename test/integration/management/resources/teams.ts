import test, { type ExecutionContext } from 'ava';
import { parseSetCookie } from 'cookie';
import { createAccount } from '../../../../catalogue/accounts.ts';
import { linkIdentity } from '../../../../catalogue/identities.ts';
import { newEventMeta } from '../../../../catalogue/identity.ts';
import { createInvitation } from '../../../../catalogue/invitations.ts';
import { addMember } from '../../../../catalogue/members.ts';
import { addOwner } from '../../../../catalogue/owners.ts';
import { createTeam } from '../../../../catalogue/teams.ts';
import { registerUser } from '../../../../catalogue/users.ts';
import { stoppedPartitions } from '../../../../platform/read-store/stopped-partitions.ts';
import { quarantineCollection } from '../../../../read-models/quarantine.ts';
import { pollUntil } from '../../../../stack/testing/until.ts';
import { type Browser, openBrowser } from '../_browser.ts';
import { apiIn, made, type Told } from '../_world.ts';
import { ask } from './_ask.ts';
import { type People, sharedWorld } from './_shared-world.ts';

let world: People;
test.before(async (t) => {
  t.timeout(450_000);
  world = await sharedWorld();
});

const asOtto = (method: 'GET' | 'POST', path: string, body: unknown = {}, headers = {}): Promise<Told> =>
  ask(world, world.as.otto, method, path, body, headers);

const names = ({ body }: Told, member: string): readonly unknown[] =>
  Array.isArray(body.data) ? body.data.map((one) => Object(one)[member]) : [];

test('operators see read model progress, workers, stopped partitions and quarantined records', async (t) => {
  const { clients, as } = world;
  const at = (path: string) => ask(world, as.olga, 'GET', `/operators/${path}`);
  // Other suites append events at the same time.
  const models = await pollUntil('nothing is behind', async () => {
    const now = await at('read-models');
    return names(now, 'behind').every((behind) => behind === 0) && now;
  });
  t.deepEqual(names(models, 'read_model').toSorted(), ['catalogue', 'renders']);
  t.deepEqual((await at('workers')).body, { data: [] }, 'none runs here');
  const place = { topic: 'render-events', partition: 0, offset: 7, reason: 'of a test' };
  const now = new Date();
  const found = { _id: 'render-events/0/7', ...place, key_base64: null, value_base64: 'c2VjcmV0', found_at: now };
  await quarantineCollection(clients.store.db).insertOne(found);
  t.deepEqual((await at('quarantine')).body, { data: [{ ...place, found_at: now.getTime() }] });
  await stoppedPartitions(clients.store.db, Date.now).report({ group: 'of a test', ...place });
  t.like((await at('stopped-partitions')).body, { data: [{ group: 'of a test', ...place }] });
});

test('an owner creates a team once, renames it, and invites its first admin', async (t) => {
  const { account_id, as, catalogue, identityOf } = world;
  const headers = { 'Idempotency-Key': 'team' };
  const created = await asOtto('POST', `/accounts/${account_id}/teams`, { name: '<b>Shorts</b>' }, headers);
  t.like(created, { status: 201, body: { name: '<b>Shorts</b>', account_id } });
  const again = await asOtto('POST', `/accounts/${account_id}/teams`, { name: '<b>Shorts</b>' }, headers);
  t.like(again, { status: 200, body: { id: created.body.id } });
  t.is((await asOtto('POST', `/accounts/${account_id}/teams`, { name: 'Other' }, headers)).status, 422);
  const team = `/teams/${created.body.id}`;
  t.like((await asOtto('POST', `${team}/rename`, { name: 'Shorts' })).body, { name: 'Shorts' });
  t.is((await asOtto('POST', `${team}/rename`, { name: 'a\nb' })).status, 400);
  t.true(names(await asOtto('GET', `/accounts/${account_id}/teams`), 'id').includes(created.body.id));
  t.false(names(await ask(world, as.mia, 'GET', `/accounts/${account_id}/teams`), 'id').includes(created.body.id));

  const invited = await asOtto('POST', `${team}/invitations`, { role: 'admin' });
  t.is(invited.status, 201);
  t.regex(String(invited.body.token), /^inv_.+\./);
  const open = await asOtto('GET', `${team}/invitations`);
  t.deepEqual(names(open, 'id'), [invited.body.id]);
  t.false(JSON.stringify(open.body).includes(String(invited.body.token)));
  const accepted = await ask(world, as.mia, 'POST', '/invitations/accept', { token: invited.body.token });
  t.like(accepted.body, { user_id: 'user_mia', role: 'admin', team_id: created.body.id });
  t.deepEqual(names(await asOtto('GET', `${team}/members`), 'user_id'), ['user_mia']);
  t.like(await asOtto('POST', `${team}/members/user_mia/remove`), {
    status: 409,
    body: { error: 'this is the last admin of the team: make another member an admin first' },
  });
  t.is((await asOtto('POST', `${team}/members/user_mia/role`, { role: 'member' })).status, 409);

  const added = await asOtto('POST', `${team}/members/add`, { user_id: 'user_ada', role: 'member' });
  t.like(added.body, { user_id: 'user_ada', role: 'member' });
  await made(registerUser(catalogue, 'user_zoe'));
  await made(linkIdentity(catalogue, { identity_id: identityOf('zoe'), user_id: 'user_zoe' }));
  for (const user_id of ['user_zoe', 'user_eve', 'user_nobody'])
    t.is((await asOtto('POST', `${team}/members/add`, { user_id, role: 'member' })).status, 409, 'is invited instead');
  t.like((await asOtto('POST', `${team}/members/user_ada/role`, { role: 'admin' })).body, { role: 'admin' });
  t.like((await ask(world, as.ada, 'POST', `${team}/members/user_mia/role`, { role: 'member' })).body, {
    role: 'member',
  });
  t.is((await ask(world, as.mia, 'POST', `${team}/rename`, { name: 'Mine' })).status, 403, 'no longer an admin');
  const left = await ask(world, as.mia, 'POST', `${team}/leave`);
  // A busy service can answer 503 to a change that it made.
  if (left.status !== 503) t.like(left, { status: 200, body: { user_id: 'user_mia' } });
  await pollUntil('the team is no longer hers', async () => (await ask(world, as.mia, 'GET', team)).status === 404);
});

test('a revoked invitation does not work', async (t) => {
  const { account_id, as } = world;
  const invited = await asOtto('POST', `/accounts/${account_id}/invitations`);
  t.like(invited.body, { team_id: null, role: 'owner' });
  t.true(names(await asOtto('GET', `/accounts/${account_id}/invitations`), 'id').includes(invited.body.id));
  const revoked = await asOtto('POST', `/accounts/${account_id}/invitations/${invited.body.id}/revoke`);
  t.not(revoked.body.revoked_at, null);
  t.is((await ask(world, as.mia, 'POST', '/invitations/accept', { token: invited.body.token })).status, 409);
});

test('owners add and remove owners, but not the last one', async (t) => {
  const { eves, as } = world;
  const owners = `/accounts/${eves.account_id}/owners`;
  t.is((await ask(world, as.eve, 'POST', `${owners}/user_eve/remove`)).status, 409);
  t.is((await ask(world, as.eve, 'POST', `${owners}/add`, { user_id: 'user_mia' })).status, 409, 'is invited instead');
  t.deepEqual(names(await ask(world, as.eve, 'GET', owners), 'user_id'), ['user_eve']);
  const rename = (name: string) => ask(world, as.eve, 'POST', `/accounts/${eves.account_id}/rename`, { name });
  for (const name of [' ', '\u2800', '\u3164', '\u200b', ' \u2800 \u3164\u200b\u00a0']) {
    const refused = await rename(name);
    t.like(refused, { status: 400, body: { error: 'the name must have a visible character' } }, JSON.stringify(name));
  }
  const renamed = await rename('Eve and others');
  t.like(renamed.body, { name: 'Eve and others' });
});

test('people see the limits of their account, and operators see all accounts', async (t) => {
  const { account_id, eves, as } = world;
  const credits = await ask(world, as.mia, 'GET', `/accounts/${account_id}/credits`);
  t.like(credits, { status: 200, body: { unlimited: true, balance: null } });
  t.is((await ask(world, as.eve, 'GET', `/accounts/${account_id}/credits`)).status, 404);
  const limits = await ask(world, as.mia, 'GET', `/accounts/${account_id}/limits`);
  t.deepEqual(names(limits, 'resource'), ['keys', 'endpoints', 'teams', 'projects', 'members', 'inline_projects']);
  const accounts = await ask(world, as.olga, 'GET', '/operators/accounts');
  // Other suites create accounts at the same time.
  const shared: readonly unknown[] = [eves.account_id, account_id];
  const listed = names(accounts, 'id').filter((id) => shared.includes(id));
  t.deepEqual(listed, shared);
});

/** An owner erases an account by its name. @returns the token of an open invitation to it */
const eraseByName = async (t: ExecutionContext): Promise<string> => {
  const { catalogue } = world;
  const { id: account_id } = await made(createAccount(catalogue, { name: 'Erased', unlimited_credits: true }));
  const { id: team_id } = await made(createTeam(catalogue, { account_id, name: 'Erased' }));
  await made(addOwner(catalogue, { account_id, user_id: 'user_otto' }));
  await made(addMember(catalogue, { team_id, user_id: 'user_otto', role: 'admin' }));
  const paths = [`/accounts/${account_id}/usage`, `/teams/${team_id}/members`];
  const statuses = async () => await Promise.all(paths.map(async (path) => (await asOtto('GET', path)).status));
  const shown = async () => JSON.stringify((await asOtto('GET', '/me')).body);
  await pollUntil('the session knows', async () => (await statuses()).every((status) => status === 200));
  const invitation = { account_id, team_id, role: 'member' } as const;
  const { token } = await made(createInvitation({ ...catalogue, actor: 'user:user_otto' }, invitation));
  t.regex(await shown(), new RegExp(team_id));
  const erasing = `/accounts/${account_id}/erase`;
  for (const body of [{ name: 'Erase' }, { account_id, name: 'Erase' }])
    t.like(await asOtto('POST', erasing, body), {
      ...{ status: 400, body: { error: 'name: must match the name of the account' } },
    });
  t.regex(
    String((await asOtto('POST', erasing, { account_id })).body.error),
    /^name: is required to confirm the erasure/,
  );
  t.deepEqual(await statuses(), [200, 200]);
  const asked = await Promise.all([1, 2].map(() => asOtto('POST', erasing, { name: 'Erased' })));
  for (const { status, body } of asked)
    if (status !== 404) t.deepEqual({ status, body }, { status: 200, body: { id: account_id, erased: true } });
  t.true(asked.some(({ status }) => status === 200));
  t.like(await catalogue.read_model.find('account', account_id), { name: '', erased: { by: 'user:user_otto' } });
  t.is((await asOtto('POST', erasing, { name: 'Erased' })).status, 404, 'as what does not exist');
  await pollUntil('it does not exist for anyone', async () => (await statuses()).every((status) => status === 404));
  t.notRegex(await shown(), new RegExp(`${team_id}|${account_id}`));
  t.is((await ask(world, world.as.otto, 'GET', `/accounts/${world.account_id}/usage`)).status, 200);
  return token;
};

/** Accounts with names from before the rules are erased by their id, because people cannot type such names. */
const eraseByIdWithUntypableNames = async (t: ExecutionContext): Promise<void> => {
  const { catalogue } = world;
  for (const name of ['', ' \u2800\u3164\u200b', 'n'.repeat(501), 'two\nlines']) {
    const { id } = await made(createAccount(catalogue, { name: 'Before', unlimited_credits: true }));
    const renamed = { type: 'AccountRenamed', account_id: id, name, rules: 0, meta: newEventMeta(catalogue) } as const;
    await made(catalogue.records.append('catalogue-events', id, renamed, { partition: 0 }));
    await pollUntil('it is renamed', async () => (await catalogue.read_model.find('account', id))?.name === name);
    await made(addOwner(catalogue, { account_id: id, user_id: 'user_otto' }));
    const erase = (body: unknown) => asOtto('POST', `/accounts/${id}/erase`, body);
    await pollUntil('the session knows', async () => (await asOtto('GET', `/accounts/${id}`)).status === 200);
    const refused = await erase({ account_id: world.account_id });
    t.is(refused.status, 400);
    t.regex(String(refused.body.error), /^account_id: must match the ID of the account/);
    for (const body of [{}, { name: ' ' }, { name: '\u2800' }, { name: '\u200b' }])
      t.is((await erase(body)).status, 400, `nothing confirms ${JSON.stringify(name)}`);
    t.like(await erase({ account_id: id }), { status: 200, body: { id, erased: true } });
  }
};

/** A user who is the last owner of one account and the last admin of teams. @returns the account, and one without owner */
const registerLastManager = async () => {
  const { catalogue, identityOf } = world;
  await made(registerUser(catalogue, 'user_gone'));
  await made(linkIdentity(catalogue, { identity_id: identityOf('gone'), user_id: 'user_gone' }));
  await made(addMember(catalogue, { team_id: world.team_id, user_id: 'user_gone', role: 'member' }));
  const { id: own } = await made(createAccount(catalogue, { name: "Gone's", unlimited_credits: true }));
  await made(addOwner(catalogue, { account_id: own, user_id: 'user_gone' }));
  const { id: unowned } = await made(createAccount(catalogue, { name: 'Unowned', unlimited_credits: true }));
  for (const at of [unowned, own, world.account_id]) {
    const alone = await made(createTeam(catalogue, { account_id: at, name: `Of ${at}` }));
    await made(addMember(catalogue, { team_id: alone.id, user_id: 'user_gone', role: 'admin' }));
  }
  return { own, unowned };
};

const signInAs = async (subjects: readonly string[]): Promise<readonly Browser[]> => {
  const api = await apiIn(world, { public_url: world.origin, now: Date.now });
  const browsers: Browser[] = [];
  for (const subject of subjects) {
    const identity_id = world.identityOf(subject);
    const who = { identity_id, is_operator: false, auth_time: Date.now(), user_agent: null };
    const { name, value = '' } = parseSetCookie(await api.management.signing.beginSession(who, null));
    const browser = openBrowser();
    browser.setCookie(name, value);
    browsers.push(browser);
  }
  await api.close();
  return browsers;
};

const refuseInvitation = async (t: ExecutionContext, guest: Browser, token: string): Promise<void> => {
  t.is((await ask(world, guest, 'POST', '/invitations/accept', { token })).status, 409);
  const identity = await world.catalogue.read_model.find('identity', world.identityOf('guest'));
  t.is(identity, null, 'no user is created');
};

/** A last manager erases themselves only after others can manage. */
const eraseLastManager = async (
  t: ExecutionContext,
  { own, unowned }: Awaited<ReturnType<typeof registerLastManager>>,
  browser: Browser,
  other: Browser,
): Promise<void> => {
  const { catalogue } = world;
  t.is((await ask(world, other, 'GET', '/me')).status, 200);
  const eraseGone = (user_id: string) => ask(world, browser, 'POST', '/me/erase', { user_id });
  t.like(await eraseGone('user_mia'), {
    ...{ status: 400, body: { error: 'user_id: must be your own user ID' } },
  });
  const still_last = await eraseGone('user_gone');
  t.is(still_last.status, 409);
  const both = String(still_last.body.error);
  t.regex(
    both,
    /^you are the last owner of the account "Gone's": add .*; you are the last admin of the team "Of \S+", whose/,
  );
  t.true(both.includes(`"Of ${unowned}", whose account has no owner: make`), both);
  await made(addOwner(catalogue, { account_id: unowned, user_id: 'user_otto' }));
  t.is((await ask(world, browser, 'POST', `/accounts/${own}/erase`, { name: "Gone's" })).status, 200);
  t.like(await eraseGone('user_gone'), { status: 200, body: { user_id: 'user_gone', erased: true } });
  t.is((await ask(world, browser, 'GET', '/me')).status, 401, 'the cookie is taken away');
  await pollUntil(
    'the user is signed out elsewhere',
    async () => (await ask(world, other, 'GET', '/me')).status === 401,
  );
  t.like(await catalogue.read_model.find('user', 'user_gone'), { email: null, erased: { by: 'user:user_gone' } });
};

test('an erasure hides the account, or signs out the user, before data are deleted', async (t) => {
  const token = await eraseByName(t);
  await eraseByIdWithUntypableNames(t);
  const accounts = await registerLastManager();
  const [guest, browser, other] = await signInAs(['guest', 'gone', 'gone']);
  if (guest === undefined || browser === undefined || other === undefined) return t.fail('no browsers');
  await refuseInvitation(t, guest, token);
  await eraseLastManager(t, accounts, browser, other);
});
