import test from 'ava';
import { invite } from '../../../../catalogue/invitations.ts';
import { createKey } from '../../../../catalogue/keys.ts';
import { MANAGEMENT_OPENAPI } from '../../../../schemas/http/management/document.ts';
import { until } from '../../../../stack/testing/until.ts';
import { openBrowser } from '../_browser.ts';
import { made } from '../_world.ts';
import { ask } from './_ask.ts';
import { type People, sharedWorld } from './_shared-world.ts';

let world: People;
test.before(async (t) => {
  t.timeout(180_000);
  world = await sharedWorld();
});

/** Whom a route is for: `anyone` needs no session, `signed_in` no role, `fresh_user` none in a team. `body`: a valid one of a write. */
type Expected = {
  readonly is_for:
    | 'anyone'
    | 'signed_in'
    | 'member'
    | 'admin'
    | 'fresh_admin'
    | 'owner'
    | 'fresh_owner'
    | 'operator'
    | 'fresh_user';
  readonly body?: unknown;
};

const KEY = { name: 'k', kind: 'service', expires_at: null };

const ENDPOINT = { url: 'https://localhost/there', events: ['render.failed'] };

const ROUTES: Readonly<Record<string, Expected>> = {
  'GET /manage/v1/sign-in': { is_for: 'anyone' },
  'GET /manage/v1/sign-in/callback': { is_for: 'anyone' },
  'POST /manage/v1/sign-out': { is_for: 'signed_in' },
  'GET /manage/v1/session': { is_for: 'signed_in' },
  'GET /manage/v1/sessions': { is_for: 'signed_in' },
  'POST /manage/v1/sessions/{id}/revoke': { is_for: 'signed_in' },
  'POST /manage/v1/invitations/accept': { is_for: 'signed_in' },
  'GET /manage/v1/me': { is_for: 'signed_in' },
  'POST /manage/v1/me/erase': { is_for: 'fresh_user', body: { user_id: 'user_nobody' } },
  'GET /manage/v1/teams/{team_id}': { is_for: 'member' },
  'POST /manage/v1/teams/{team_id}/rename': { is_for: 'admin', body: { name: 'x' } },
  'POST /manage/v1/teams/{team_id}/leave': { is_for: 'member' },
  'GET /manage/v1/teams/{team_id}/members': { is_for: 'member' },
  'POST /manage/v1/teams/{team_id}/members/add': { is_for: 'admin', body: { user_id: 'user_eve', role: 'admin' } },
  'POST /manage/v1/teams/{team_id}/members/{user_id}/role': { is_for: 'admin', body: { role: 'admin' } },
  'POST /manage/v1/teams/{team_id}/members/{user_id}/remove': { is_for: 'admin' },
  'GET /manage/v1/teams/{team_id}/invitations': { is_for: 'admin' },
  'POST /manage/v1/teams/{team_id}/invitations': { is_for: 'fresh_admin', body: { role: 'admin' } },
  'POST /manage/v1/teams/{team_id}/invitations/{invitation_id}/revoke': { is_for: 'admin' },
  'GET /manage/v1/accounts/{account_id}': { is_for: 'member' },
  'POST /manage/v1/accounts/{account_id}/rename': { is_for: 'owner', body: { name: 'x' } },
  'POST /manage/v1/accounts/{account_id}/erase': { is_for: 'fresh_owner', body: { name: 'none is called this' } },
  'GET /manage/v1/accounts/{account_id}/teams': { is_for: 'member' },
  'POST /manage/v1/accounts/{account_id}/teams': { is_for: 'owner', body: { name: 'x' } },
  'GET /manage/v1/accounts/{account_id}/owners': { is_for: 'member' },
  'POST /manage/v1/accounts/{account_id}/owners/add': { is_for: 'owner', body: { user_id: 'user_mia' } },
  'POST /manage/v1/accounts/{account_id}/owners/{user_id}/remove': { is_for: 'owner' },
  'GET /manage/v1/accounts/{account_id}/invitations': { is_for: 'owner' },
  'POST /manage/v1/accounts/{account_id}/invitations': { is_for: 'fresh_owner' },
  'POST /manage/v1/accounts/{account_id}/invitations/{invitation_id}/revoke': { is_for: 'owner' },
  'GET /manage/v1/accounts/{account_id}/limits': { is_for: 'member' },
  'GET /manage/v1/teams/{team_id}/audit': { is_for: 'admin' },
  'GET /manage/v1/accounts/{account_id}/audit': { is_for: 'owner' },
  'GET /manage/v1/teams/{team_id}/statistics': { is_for: 'member' },
  'GET /manage/v1/accounts/{account_id}/statistics': { is_for: 'owner' },
  'GET /manage/v1/accounts/{account_id}/usage': { is_for: 'owner' },
  'GET /manage/v1/accounts/{account_id}/changes': { is_for: 'member' },
  'GET /manage/v1/operators/accounts': { is_for: 'operator' },
  'GET /manage/v1/operators/queues': { is_for: 'operator' },
  'GET /manage/v1/operators/workers': { is_for: 'operator' },
  'GET /manage/v1/operators/read-models': { is_for: 'operator' },
  'GET /manage/v1/operators/stopped-partitions': { is_for: 'operator' },
  'GET /manage/v1/operators/quarantine': { is_for: 'operator' },
  'GET /manage/v1/teams/{team_id}/projects': { is_for: 'member' },
  'GET /manage/v1/teams/{team_id}/projects/{project_id}': { is_for: 'member' },
  'POST /manage/v1/teams/{team_id}/projects/{project_id}/erase': { is_for: 'admin' },
  'GET /manage/v1/teams/{team_id}/projects/{project_id}/renders': { is_for: 'member' },
  'GET /manage/v1/teams/{team_id}/projects/{project_id}/templates': { is_for: 'member' },
  'GET /manage/v1/teams/{team_id}/renders': { is_for: 'member' },
  'GET /manage/v1/teams/{team_id}/renders/{render_id}': { is_for: 'member' },
  'GET /manage/v1/teams/{team_id}/renders/{render_id}/files': { is_for: 'member' },
  'GET /manage/v1/teams/{team_id}/renders/{render_id}/events': { is_for: 'member' },
  'GET /manage/v1/teams/{team_id}/renders/{render_id}/deliveries': { is_for: 'member' },
  'GET /manage/v1/teams/{team_id}/renders/{render_id}/request': { is_for: 'member' },
  'POST /manage/v1/teams/{team_id}/renders': { is_for: 'member' },
  'POST /manage/v1/teams/{team_id}/renders/{render_id}/cancel': { is_for: 'member' },
  'POST /manage/v1/teams/{team_id}/renders/{render_id}/erase': { is_for: 'admin' },
  'GET /manage/v1/teams/{team_id}/keys': { is_for: 'member' },
  'POST /manage/v1/teams/{team_id}/keys': { is_for: 'fresh_admin', body: KEY },
  'GET /manage/v1/teams/{team_id}/keys/{key_id}': { is_for: 'member' },
  'POST /manage/v1/teams/{team_id}/keys/{key_id}/rotate': {
    is_for: 'fresh_admin',
    body: { overlap_s: 60, expires_at: null },
  },
  'POST /manage/v1/teams/{team_id}/keys/{key_id}/revoke': { is_for: 'member' },
  'GET /manage/v1/teams/{team_id}/endpoints': { is_for: 'member' },
  'POST /manage/v1/teams/{team_id}/endpoints': { is_for: 'fresh_admin', body: ENDPOINT },
  'GET /manage/v1/teams/{team_id}/endpoints/{endpoint_id}': { is_for: 'member' },
  'POST /manage/v1/teams/{team_id}/endpoints/{endpoint_id}/events': { is_for: 'admin', body: ENDPOINT },
  'POST /manage/v1/teams/{team_id}/endpoints/{endpoint_id}/disable': { is_for: 'admin' },
  'POST /manage/v1/teams/{team_id}/endpoints/{endpoint_id}/enable': { is_for: 'admin' },
  'POST /manage/v1/teams/{team_id}/endpoints/{endpoint_id}/rotate-secret': { is_for: 'fresh_admin' },
  'POST /manage/v1/teams/{team_id}/endpoints/{endpoint_id}/activate-secret': { is_for: 'fresh_admin' },
  'POST /manage/v1/teams/{team_id}/endpoints/{endpoint_id}/delete': { is_for: 'admin' },
  'POST /manage/v1/teams/{team_id}/endpoints/{endpoint_id}/test': { is_for: 'admin' },
  'POST /manage/v1/teams/{team_id}/endpoints/{endpoint_id}/deliver-again': { is_for: 'admin', body: { since: 0 } },
  'GET /manage/v1/teams/{team_id}/endpoints/{endpoint_id}/deliveries': { is_for: 'member' },
  'GET /manage/v1/teams/{team_id}/deliveries/{delivery_id}': { is_for: 'member' },
  'POST /manage/v1/teams/{team_id}/deliveries/{delivery_id}/again': { is_for: 'admin' },
};

type Asked = Expected & { readonly method: 'GET' | 'POST'; readonly path: string };

const ALL: readonly Asked[] = Object.entries(MANAGEMENT_OPENAPI.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((name) => {
    const method = name === 'get' ? 'GET' : 'POST';
    const expected = ROUTES[`${method} ${path}`];
    if (expected === undefined) throw new Error(`${method} ${path}: whom is it for? Say so in this test`);
    return { ...expected, method, path };
  }),
);

const filled = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replace('/manage/v1', '').replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'unknown_1');

const IS_OF_SOMEBODY = ['member', 'admin', 'fresh_admin', 'owner', 'fresh_owner'];

/** Something of each kind in the team, so that what is refused is there. */
const makeIds = async (): Promise<Readonly<Record<string, string>>> => {
  const { catalogue, clients, account_id, team_id } = world;
  const endpoint = await ask(world, world.as.ada, 'POST', `/teams/${team_id}/endpoints`, ENDPOINT);
  const endpoint_id = String(endpoint.body.id);
  const key = await made(
    createKey(catalogue, { account_id, user_id: null, team_ids: [team_id], name: 'there', expires_at: null }),
  );
  const tested = await ask(world, world.as.ada, 'POST', `/teams/${team_id}/endpoints/${endpoint_id}/test`);
  const delivery_id = String(tested.body.delivery_id);
  await until(
    'the test is planned',
    async () =>
      (await clients.store.db.collection<{ _id: string }>('webhook_deliveries').findOne({ _id: delivery_id })) !== null,
  );
  const invited = await made(invite(catalogue, { account_id, team_id, role: 'member' }));
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

test('no route is for who has no session, but those of signing in', async (t) => {
  const ids = await idsOf();
  for (const { method, path, is_for, body } of ALL.filter((one) => one.is_for !== 'anyone')) {
    const { status } = await ask(world, openBrowser(), method, filled(path, ids), body);
    t.is(status, 401, `${method} ${path} is for ${is_for}`);
  }
});

test('what is of another account is not there, whoever asks by its ids', async (t) => {
  const ids = await idsOf();
  const asked = ALL.filter(({ is_for }) => IS_OF_SOMEBODY.includes(is_for));
  t.true(asked.length > 0);
  for (const { method, path, body } of asked) {
    t.regex(path, /^\/manage\/v1\/(teams\/\{team_id\}|accounts\/\{account_id\})/);
    const theirs = await ask(world, world.as.eve, method, filled(path, ids), body);
    t.is(theirs.status, 404, `${method} ${path} of another account`);
    // Below a team and an account of their own, too.
    const inner = path.replace(/^\/manage\/v1\/\w+\/\{\w+\}/, '').match(/\{\w+\}/);
    if (inner === null) continue;
    const below = await ask(world, world.as.eve, method, filled(path, { ...ids, ...world.eves }), body);
    t.is(below.status, 404, `${method} ${path} below an own team`);
    const unknown = await ask(world, world.as.eve, method, filled(path, world.eves), body);
    t.deepEqual(below.body, unknown.body, `${method} ${path}: as what does not exist`);
  }
});

test('operators have no way into teams and accounts by their role, and users none into what is of operators', async (t) => {
  const ids = await idsOf();
  for (const { method, path, is_for, body } of ALL) {
    if ([...IS_OF_SOMEBODY, 'fresh_user'].includes(is_for))
      t.is((await ask(world, world.as.olga, method, filled(path, ids), body)).status, 403, `${method} ${path}`);
    if (is_for === 'operator')
      t.is((await ask(world, world.as.otto, method, filled(path, ids), body)).status, 403, `${method} ${path}`);
  }
});

test('a member is refused what is for admins, and an admin what is for owners', async (t) => {
  const ids = await idsOf();
  for (const { method, path, is_for, body } of ALL) {
    if (!['anyone', 'signed_in', 'member', 'operator', 'fresh_user'].includes(is_for)) {
      const refused = await ask(world, world.as.mia, method, filled(path, ids), body);
      t.is(refused.status, 403, `${method} ${path}`);
      t.is(refused.body.code, undefined, 'signing in anew would not help');
    }
    if (['owner', 'fresh_owner'].includes(is_for))
      t.is((await ask(world, world.as.ada, method, filled(path, ids), body)).status, 403, `${method} ${path}`);
  }
});

test('keys, secrets, and what erases people and accounts ask for a fresh sign-in', async (t) => {
  const ids = await idsOf();
  const fresh = ALL.filter(({ is_for }) => is_for.startsWith('fresh_'));
  t.true(fresh.length >= 2);
  for (const { method, path, body, is_for } of fresh) {
    const stale = is_for === 'fresh_owner' ? world.as.stale_owner : world.as.stale;
    const refused = await ask(world, stale, method, filled(path, ids), body);
    t.like(refused, { status: 403, body: { code: 'fresh_sign_in_needed' } }, `${method} ${path}`);
  }
});

test('people see what they are, and what they may do', async (t) => {
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
  t.like(otto.body, { accounts: [{ id: account_id, role: 'owner' }] });
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
