import test from 'ava';
import { createInvitation } from '../../../../catalogue/invitations.ts';
import { createKey } from '../../../../catalogue/keys.ts';
import { GUARDS, type ManagementRoute } from '../../../../schemas/http/management/contract.ts';
import { type Guard, needsFreshSignIn } from '../../../../schemas/http/management/guard.ts';
import { MANAGEMENT_ROUTES } from '../../../../schemas/http/routes.ts';
import { pollUntil } from '../../../../stack/testing/until.ts';
import { openBrowser } from '../_browser.ts';
import { made } from '../_world.ts';
import { ask } from './_ask.ts';
import { type People, sharedWorld } from './_shared-world.ts';

let world: People;
test.before(async (t) => {
  t.timeout(450_000);
  world = await sharedWorld();
});

const ENDPOINT = { url: 'https://localhost/there', events: ['render.failed'] };

const BODIES: Readonly<Partial<Record<ManagementRoute, unknown>>> = {
  'POST /manage/v1/me/erase': { user_id: 'user_nobody' },
  'POST /manage/v1/teams/{team_id}/rename': { name: 'x' },
  'POST /manage/v1/teams/{team_id}/members/add': { user_id: 'user_eve', role: 'admin' },
  'POST /manage/v1/teams/{team_id}/members/{user_id}/role': { role: 'admin' },
  'POST /manage/v1/teams/{team_id}/invitations': { role: 'admin' },
  'POST /manage/v1/accounts/{account_id}/rename': { name: 'x' },
  'POST /manage/v1/accounts/{account_id}/erase': { name: 'none is called this' },
  'POST /manage/v1/accounts/{account_id}/teams': { name: 'x' },
  'POST /manage/v1/accounts/{account_id}/downloads': { named_by: 'name' },
  'POST /manage/v1/accounts/{account_id}/owners/add': { user_id: 'user_mia' },
  'POST /manage/v1/teams/{team_id}/projects/{project_id}/rename': { name: 'x' },
  'POST /manage/v1/teams/{team_id}/projects/{project_id}/erase': { name: 'none is called this' },
  'POST /manage/v1/teams/{team_id}/keys': { name: 'k', kind: 'service', expires_at: null },
  'POST /manage/v1/teams/{team_id}/keys/{key_id}/rotate': { overlap_s: 60, expires_at: null },
  'POST /manage/v1/teams/{team_id}/endpoints': ENDPOINT,
  'POST /manage/v1/teams/{team_id}/endpoints/{endpoint_id}/events': ENDPOINT,
  'POST /manage/v1/teams/{team_id}/endpoints/{endpoint_id}/deliver-again': { since: 0 },
};

type Asked = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly guard: Guard;
  readonly body: unknown;
};

const ALL: readonly Asked[] = Object.entries(GUARDS).map(([name, guard]) => {
  const [method = '', path = ''] = name.split(' ');
  const body = Object.entries(BODIES).find(([route]) => route === name)?.[1];
  return { method: method === 'POST' ? 'POST' : 'GET', path, guard, body };
});

const filled = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replace('/manage/v1', '').replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'unknown_1');

const isOfSomebody = ({ guard }: Asked): boolean => /team|account/.test(guard);
const isForOwners = ({ guard }: Asked): boolean => guard.endsWith('account_owner');
const isForAdmins = ({ guard }: Asked): boolean => guard.endsWith('team_admin');

const makeIds = async (): Promise<Readonly<Record<string, string>>> => {
  const { catalogue, clients, account_id, team_id } = world;
  const endpoint = await ask(world, world.as.ada, 'POST', `/teams/${team_id}/endpoints`, ENDPOINT);
  const endpoint_id = String(endpoint.body.id);
  const key = await made(
    createKey(catalogue, { account_id, user_id: null, team_ids: [team_id], name: 'there', expires_at: null }),
  );
  const tested = await ask(world, world.as.ada, 'POST', `/teams/${team_id}/endpoints/${endpoint_id}/test`);
  const delivery_id = String(tested.body.delivery_id);
  await pollUntil(
    'the test is planned',
    async () =>
      (await clients.store.db.collection<{ _id: string }>('webhook_deliveries').findOne({ _id: delivery_id })) !== null,
  );
  const invited = await made(createInvitation(catalogue, { account_id, team_id, role: 'member' }));
  return {
    account_id,
    team_id,
    invitation_id: invited.id,
    key_id: key.id,
    endpoint_id,
    delivery_id,
    user_id: 'user_mia',
  };
};

let ids_made: Promise<Readonly<Record<string, string>>> | undefined;
const idsOf = (): Promise<Readonly<Record<string, string>>> => {
  ids_made ??= makeIds();
  return ids_made;
};

test('every route requires a session, except those of signing in', async (t) => {
  const ids = await idsOf();
  for (const { method, path, guard, body } of ALL.filter((one) => one.guard !== 'open')) {
    const { status } = await ask(world, openBrowser(), method, filled(path, ids), body);
    t.is(status, 401, `${method} ${path}: ${guard}`);
  }
});

test('resources of another account look missing to anyone who requests them by id', async (t) => {
  const ids = await idsOf();
  const asked = ALL.filter(isOfSomebody);
  t.true(asked.length > 0);
  for (const { method, path, body } of asked) {
    t.regex(path, /^\/manage\/v1\/(teams\/\{team_id\}|accounts\/\{account_id\})/);
    const theirs = await ask(world, world.as.eve, method, filled(path, ids), body);
    t.is(theirs.status, 404, `${method} ${path} of another account`);
    const inner = path.replace(/^\/manage\/v1\/\w+\/\{\w+\}/, '').match(/\{\w+\}/);
    if (inner === null) continue;
    const below = await ask(world, world.as.eve, method, filled(path, { ...ids, ...world.eves }), body);
    t.is(below.status, 404, `${method} ${path} below an own team`);
    const unknown = await ask(world, world.as.eve, method, filled(path, world.eves), body);
    t.deepEqual(below.body, unknown.body, `${method} ${path}: like a missing one`);
  }
});

test('operators have no access to teams and accounts, and users none to operations', async (t) => {
  const ids = await idsOf();
  for (const asked of ALL) {
    const { method, path, guard, body } = asked;
    if (isOfSomebody(asked) || guard === 'fresh_person')
      t.is((await ask(world, world.as.olga, method, filled(path, ids), body)).status, 403, `${method} ${path}`);
    if (guard === 'operator')
      t.is((await ask(world, world.as.otto, method, filled(path, ids), body)).status, 403, `${method} ${path}`);
  }
});

test('members cannot act as admins, nor admins as owners', async (t) => {
  const ids = await idsOf();
  for (const asked of ALL) {
    const { method, path, body } = asked;
    if (isForAdmins(asked) || isForOwners(asked)) {
      const refused = await ask(world, world.as.mia, method, filled(path, ids), body);
      t.is(refused.status, 403, `${method} ${path}`);
      t.is(refused.body.code, 'role_needed', 'a fresh sign-in would not help');
    }
    if (isForOwners(asked))
      t.is((await ask(world, world.as.ada, method, filled(path, ids), body)).status, 403, `${method} ${path}`);
  }
});

test('a stale session writes only where the table of guards allows it', async (t) => {
  const ids = await idsOf();
  const writes = ALL.filter(({ method }) => method === 'POST');
  t.is(writes.length, Object.values(MANAGEMENT_ROUTES).filter((methods) => 'POST' in methods).length);
  for (const { method, path, guard, body } of writes) {
    const stale = guard.endsWith('account_owner') ? world.as.stale_owner : world.as.stale;
    if (needsFreshSignIn(guard)) {
      const refused = await ask(world, stale, method, filled(path, ids), body);
      t.like(refused, { status: 403, body: { code: 'fresh_sign_in_needed' } }, `${method} ${path}`);
    } else if (path.startsWith('/manage/v1/device-sign-ins')) {
      const refused = await ask(world, stale, method, filled(path, ids), []);
      t.is(refused.status, 403, 'only for programs');
    } else {
      // The request has no body: the guard passes it, and the handler changes nothing.
      const { status } = await ask(world, stale, method, filled(path, ids), []);
      t.true([400, 404].includes(status), `${method} ${path}: ${status}`);
    }
  }
});

test('people see who they are and which actions they can take', async (t) => {
  const { account_id, team_id, as, eves } = world;
  const ada = await ask(world, as.ada, 'GET', '/me');
  t.like(ada.body, {
    user_id: 'user_ada',
    is_operator: false,
    accounts: [{ id: account_id, name: 'Films', role: 'member' }],
    teams: [{ id: team_id, role: 'admin' }],
  });
  const mia = await ask(world, as.mia, 'GET', '/me');
  t.deepEqual(Object(mia.body.teams)[0].may, ['read', 'request_renders', 'cancel_renders']);
  const otto = await ask(world, as.otto, 'GET', '/me');
  // Other tests add Otto to accounts.
  const owned: readonly unknown[] = Array.isArray(otto.body.accounts) ? otto.body.accounts : [];
  t.like(
    owned.find((account) => Object(account).id === account_id),
    { role: 'owner' },
  );
  const his: readonly unknown[] = Array.isArray(otto.body.teams) ? otto.body.teams : [];
  t.like(
    his.find((team) => Object(team).id === team_id),
    { role: 'owner' },
  );
  const olga = await ask(world, as.olga, 'GET', '/me');
  t.like(olga.body, { user_id: null, is_operator: true, accounts: [], teams: [] });
  const eve = await ask(world, as.eve, 'GET', '/me');
  t.like(eve.body, { accounts: [{ id: eves.account_id }], teams: [{ id: eves.team_id }] });
});
