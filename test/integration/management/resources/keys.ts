import test from 'ava';
import { createKey } from '../../../../catalogue/keys.ts';
import { createTeam } from '../../../../catalogue/teams.ts';
import { servingCatalogue } from '../../../../read-models/catalogue/model.ts';
import { bearer, send } from '../../api/_client.ts';
import type { Browser } from '../_browser.ts';
import { made } from '../_world.ts';
import { ask } from './_ask.ts';
import { type People, sharedWorld } from './_shared-world.ts';

let world: People;
test.before(async (t) => {
  t.timeout(450_000);
  world = await sharedWorld();
});

const SERVICE = { name: '<img src=x onerror=alert(1)>', kind: 'service', expires_at: null };

const create = (body: unknown, headers = {}, team_id = world.team_id) =>
  ask(world, world.as.ada, 'POST', `/teams/${team_id}/keys`, body, headers);

const listed = async (query = ''): Promise<readonly Record<string, unknown>[]> => {
  const { body } = await ask(world, world.as.mia, 'GET', `/teams/${world.team_id}/keys?limit=60${query}`);
  return Array.isArray(body.data) ? body.data : [];
};

test('a key is shown once, works by its secret, and is listed without it', async (t) => {
  const made_key = await create(SERVICE);
  t.is(made_key.status, 201);
  t.is(made_key.headers.get('cache-control'), 'no-store');
  const { id, secret } = made_key.body;
  t.like(made_key.body, { ...SERVICE, user_id: null, team_ids: [world.team_id], state: 'active', repeated: false });
  const opened = await send(`${world.origin}/v1/teams`, { headers: bearer(String(secret)) });
  t.is(opened.status, 200);
  const found = (await listed()).find((key) => key.id === id);
  t.like(found, { id, name: SERVICE.name, kind: 'service' });
  t.false(JSON.stringify(found).includes(String(secret)));
});

test('a repeated creation returns its key without secret; another body is refused', async (t) => {
  const headers = { 'Idempotency-Key': 'once' };
  const both = await Promise.all([create(SERVICE, headers), create(SERVICE, headers)]);
  t.deepEqual(both.map(({ status }) => status).sort(), [200, 201], 'two concurrent requests create one key');
  t.is(both.filter(({ body }) => body.secret !== null).length, 1, 'which is shown once');
  const [first, second] = both;
  const id = first?.body.id;
  t.is(second?.body.id, id);
  t.like(await create(SERVICE, headers), { status: 200, body: { id, secret: null, repeated: true } });
  t.is((await create({ ...SERVICE, name: 'another' }, headers)).status, 422);
  t.is((await create({ ...SERVICE, kind: 'personal' }, headers)).status, 422);
  await ask(world, world.as.ada, 'POST', `/teams/${world.team_id}/keys/${id}/revoke`);
  t.like(await create(SERVICE, headers), { status: 200, body: { id, state: 'revoked', repeated: true } });
  const by_otto = await ask(world, world.as.otto, 'POST', `/teams/${world.team_id}/keys`, SERVICE, headers);
  t.is(by_otto.status, 201, "another person's header is a different one");
  t.not(by_otto.body.id, id);
});

test('a rotated key works for the overlap, a revoked one fails within two seconds', async (t) => {
  const { body } = await create({ ...SERVICE, kind: 'personal', name: 'mine' });
  t.is(body.user_id, 'user_ada');
  const path = `/teams/${world.team_id}/keys/${body.id}`;
  const wanted = { overlap_s: 3_600, expires_at: null };
  const headers = { 'Idempotency-Key': 'rotation' };
  const by_otto = await ask(world, world.as.otto, 'POST', `${path}/rotate`, wanted);
  t.is(by_otto.status, 403, 'the person who rotates it sees it');
  const rotated = await ask(world, world.as.ada, 'POST', `${path}/rotate`, wanted, headers);
  t.is(rotated.status, 201);
  t.like(rotated.body, {
    name: 'mine',
    kind: 'personal',
    replaces: { id: body.id, state: 'active', replaced_by: rotated.body.id },
  });
  const again = await ask(world, world.as.ada, 'POST', `${path}/rotate`, wanted, headers);
  t.like(again, { status: 200, body: { id: rotated.body.id, secret: null, repeated: true } });
  t.is((await ask(world, world.as.ada, 'POST', `${path}/rotate`, wanted)).status, 409);
  t.is(
    (await ask(world, world.as.mia, 'POST', `${path}/revoke`)).status,
    403,
    'a member can revoke only their own keys',
  );
  const opens = () => send(`${world.origin}/v1/teams`, { headers: bearer(String(body.secret)) });
  t.is((await opens()).status, 200);
  t.like(await ask(world, world.as.ada, 'POST', `${path}/revoke`), { status: 200, body: { state: 'revoked' } });
  t.is((await opens()).status, 401);
  t.is((await ask(world, world.as.ada, 'GET', path)).body.state, 'revoked');
  t.false((await listed()).some(({ id }) => id === body.id));
  t.true((await listed('&state=all')).some(({ id }) => id === body.id));
});

test('a key has the scopes that its creator chose, also after a rotation', async (t) => {
  t.deepEqual((await create(SERVICE)).body.scopes, []);
  const headers = { 'Idempotency-Key': 'scoped' };
  const { status, body } = await create({ ...SERVICE, scopes: ['projects:write'] }, headers);
  t.is(status, 201);
  t.deepEqual(body.scopes, ['projects:write']);
  t.is((await create(SERVICE, headers)).status, 422, 'without the scope it is another key');
  t.like(await create({ ...SERVICE, scopes: ['renders:write'] }), { status: 400 });
  const path = `/teams/${world.team_id}/keys/${body.id}`;
  const rotated = await ask(world, world.as.ada, 'POST', `${path}/rotate`, { overlap_s: 0, expires_at: null });
  t.deepEqual(rotated.body.scopes, ['projects:write']);
  const found = (await listed()).find((key) => key.id === rotated.body.id);
  t.deepEqual(found?.scopes, ['projects:write']);
  const audit = await ask(world, world.as.ada, 'GET', `/teams/${world.team_id}/audit?kind=ApiKeyIssued&limit=60`);
  const entries: readonly unknown[] = Array.isArray(audit.body.data) ? audit.body.data : [];
  t.like(
    entries.find((entry) => Object(entry).ids.key_id === body.id),
    { details: { scopes: 'projects:write' } },
  );
});

test('a key needs an admin of every team, and its foreign teams are hidden', async (t) => {
  const { catalogue, account_id, team_id } = world;
  const other = await made(createTeam(catalogue, { account_id, name: 'Other' }));
  const team_ids = [team_id, other.id];
  t.is((await create({ ...SERVICE, team_ids })).status, 403);
  t.is((await create({ ...SERVICE, team_ids: [team_id, world.eves.team_id] })).status, 403);
  const by_otto = await ask(world, world.as.otto, 'POST', `/teams/${team_id}/keys`, { ...SERVICE, team_ids });
  t.deepEqual(by_otto.body.team_ids, team_ids);
  const seen = await ask(world, world.as.mia, 'GET', `/teams/${team_id}/keys/${by_otto.body.id}`);
  t.like(seen.body, { team_ids: [team_id], other_teams: 1 });
  const audited = async (browser: Browser, path: string) => {
    const { body } = await ask(world, browser, 'GET', `${path}/audit?kind=ApiKeyIssued&limit=60`);
    const entries: readonly unknown[] = Array.isArray(body.data) ? body.data : [];
    return entries.find((entry) => Object(entry).ids.key_id === by_otto.body.id);
  };
  const of_team = await audited(world.as.ada, `/teams/${team_id}`);
  t.like(of_team, { team_ids: [team_id], other_teams: 1, ids: { team_ids: [team_id] } });
  t.false(JSON.stringify(of_team).includes(other.id), 'in the audit, too');
  t.like(await audited(world.as.otto, `/accounts/${account_id}`), { team_ids, other_teams: 0, ids: { team_ids } });
});

test('an invalid body is refused with an error that names the member', async (t) => {
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [{}, /^name: .*; kind: .*; expires_at: /],
    [[], /object/],
    [{ ...SERVICE, expires_at: 1 }, /expires_at: must be in the future/],
    [{ ...SERVICE, expires_at: 'never' }, /expires_at/],
    [{ ...SERVICE, name: '' }, /name/],
    [{ ...SERVICE, name: 'a\u202eb' }, /name/],
    [{ ...SERVICE, name: ' \u2800\u3164\u200b' }, /the name must have a visible character/],
    [{ ...SERVICE, name: 'a\ud800' }, /name: must not contain a lone surrogate/],
    [{ ...SERVICE, team_ids: [] }, /team_ids/],
    [{ ...SERVICE, team_ids: ['team_x'] }, /team_ids: must include/],
  ];
  for (const [body, message] of cases) {
    const answer = await create(body);
    t.is(answer.status, 400, JSON.stringify(body));
    t.regex(String(answer.body.error), message);
  }
  t.is((await create(SERVICE, { 'Idempotency-Key': 'a b' })).status, 400);
});

test('the list of keys has pages, with cursors for one team and state', async (t) => {
  const { catalogue, eves } = world;
  const names = ['one', 'two', 'three'];
  for (const name of names)
    await made(
      createKey(catalogue, {
        account_id: eves.account_id,
        user_id: null,
        team_ids: [eves.team_id],
        name,
        expires_at: null,
      }),
    );
  const page = (query: string) => ask(world, world.as.eve, 'GET', `/teams/${eves.team_id}/keys?${query}`);
  const first = await page('limit=2');
  t.true(first.body.has_more);
  const cursor = encodeURIComponent(String(first.body.next_cursor));
  const second = await page(`limit=2&cursor=${cursor}`);
  const all = [first, second].flatMap(({ body }) => (Array.isArray(body.data) ? body.data : []));
  t.deepEqual(
    all.map(({ name }) => name),
    names.toReversed(),
  );
  t.is((await page(`cursor=${cursor}&state=all`)).status, 400);
  t.is((await ask(world, world.as.ada, 'GET', `/teams/${world.team_id}/keys?cursor=${cursor}`)).status, 400);
  t.is((await page('limit=none')).status, 400);
});

const MAX_READ = 2_000;

test('an active key is listed however many later keys have ended', async (t) => {
  const { catalogue, clients, eves } = world;
  const { account_id } = eves;
  const { id: team_id } = await made(createTeam(catalogue, { account_id, name: 'Of many keys' }));
  const wanted = { account_id, user_id: null, team_ids: [team_id], name: 'old', expires_at: null };
  const { id } = await made(createKey(catalogue, wanted));
  const keys = (await servingCatalogue(clients.store.db)()).entities('api_key');
  const old = await keys.findOne({ _id: id });
  if (old === null) return t.fail();
  const created_at = old.created_at + 1;
  const ended = [{ revoked_at: created_at }, { expires_at: created_at }];
  // Inserts directly into the store, because two thousand events take a minute.
  await keys.insertMany(
    Array.from({ length: MAX_READ }, (_, n) => ({ ...old, _id: `${id}_${n}`, created_at, ...ended[n % 2] })),
  );
  const names = async (query: string): Promise<readonly unknown[]> => {
    const { body } = await ask(world, world.as.eve, 'GET', `/teams/${team_id}/keys?limit=2${query}`);
    return Object(body.data).map(({ state }: { readonly state: string }) => state);
  };
  t.deepEqual(await names(''), ['active']);
  t.deepEqual((await names('&state=all')).toSorted(), ['expired', 'revoked']);
});
