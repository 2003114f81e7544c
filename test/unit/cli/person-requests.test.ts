import { Writable } from 'node:stream';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { type CommandContext, remotelyOrDirectly } from '../../../cli/commands/command.ts';
import { eraseRemoteRender } from '../../../cli/erase/erase-remote-render.ts';
import type { CliFault } from '../../../cli/fault.ts';
import type { ApiClient, ApiRequest } from '../../../cli/http/api-client.ts';
import { createRemoteKey, listRemoteKeys, rotateRemoteKey } from '../../../cli/http/keys.ts';
import { teamOfCommand } from '../../../cli/http/me.ts';
import { projectClient } from '../../../cli/http/project-client.ts';
import { createRemoteProject, eraseRemoteProject, listRemoteProjects } from '../../../cli/http/projects.ts';
import type { RequestRetrier } from '../../../cli/http/retry.ts';
import {
  listRemoteDeliveries,
  listRemoteDeliveriesOfRender,
  listRemoteEndpoints,
  repeatManyRemotely,
} from '../../../cli/http/webhooks.ts';
import { renderApi } from '../../../cli/render/render-api.ts';
import { listRenders } from '../../../cli/render/render-lists.ts';
import { teamRenderApi } from '../../../cli/render/team-render-api.ts';

/** A service that answers in order. Throws for an answer that the request cannot decode. */
const world = (bodies: readonly object[]) => {
  const answers: readonly E.Either<CliFault, object>[] = bodies.map((body) => E.right(body));
  const asked: ApiRequest[] = [];
  const send: ApiClient['send'] = async (codec, request) => {
    const answer = answers[asked.push(request) - 1];
    if (answer === undefined) throw new Error(`an unexpected request: ${request.path}`);
    if (E.isLeft(answer)) return answer;
    const body = codec.decode(answer.right);
    if (E.isLeft(body)) throw new Error('the answer is not valid');
    return E.right({ status: 200, headers: new Headers(), body: body.right });
  };
  const sendForBytes: ApiClient['sendForBytes'] = () => Promise.reject(new Error('no bytes'));
  const client: ApiClient = { address: { base_url: 'https://x', key_from: 'session' }, send, sendForBytes };
  return { client, asked, team: { client, team_id: 'team/1' } };
};

const KEY = {
  ...{ id: 'key_1', name: 'CI', account_id: 'acc_1', user_id: null, team_ids: ['team/1'], prefix: 'vr_a', last4: 'b' },
  ...{ created_at: 1_000, expires_at: null, revoked_at: null, replaced_by: null, scopes: [], last_used_at: null },
};
const WISH = { name: 'CI', kind: 'service', team_ids: ['team/1'], expires_at: null, scopes: [] } as const;

test('a key is created once, and a lost secret is reported', async (t) => {
  const created = world([{ ...KEY, secret: 'vr_secret' }]);
  t.like(await createRemoteKey(created.client, 'team/1', WISH), { right: { id: 'key_1', key: 'vr_secret' } });
  t.is(created.asked[0]?.path, '/manage/v1/teams/team%2F1/keys');
  t.regex(created.asked[0]?.headers?.['Idempotency-Key'] ?? '', /^[\w-]{36}$/);
  const repeated = world([{ ...KEY, secret: null }]);
  const lost = await createRemoteKey(repeated.client, 'team/1', WISH);
  t.deepEqual(lost, E.left({ tag: 'secret_lost', what: 'key', id: 'key_1' }));
});

test('a rotated key gets the lifetime of the old one, unless another is given', async (t) => {
  const rotated = { ...KEY, secret: 'vr_new', replaces: KEY };
  const body = async (old: object, expires_at: number | null | undefined) => {
    const { client, asked } = world([old, rotated]);
    await rotateRemoteKey(client, 'team_1', 'key_1', { overlap_ms: 1_500, expires_at });
    return Object(asked[1]?.body);
  };
  t.deepEqual(await body(KEY, undefined), { overlap_s: 2, expires_at: null });
  t.deepEqual(await body({ ...KEY, expires_at: 9_000 }, null), { overlap_s: 2, expires_at: null });
  t.deepEqual(await body(KEY, 7_000), { overlap_s: 2, expires_at: 7_000 });
  const { expires_at } = await body({ ...KEY, expires_at: 61_000 }, undefined);
  t.true(Math.abs(expires_at - Date.now() - 60_000) < 5_000);
});

test('all pages of keys are listed, the oldest first', async (t) => {
  const { client, asked } = world([
    { data: [{ ...KEY, id: 'key_2' }], next_cursor: 'c' },
    { data: [KEY], next_cursor: null },
  ]);
  const keys = await listRemoteKeys(client, 'team_1');
  t.like(keys, { right: { 0: { id: 'key_1' }, 1: { id: 'key_2' } } });
  t.deepEqual(
    asked.map(({ path }) => new URL(path, 'https://x').searchParams.get('cursor')),
    [null, 'c'],
  );
  t.true(asked.every(({ path }) => path.includes('state=all')));
});

const DELIVERY = {
  ...{ id: 'hook_1', endpoint_id: 'whe_1', render_id: 'rend_1', seq: 1, event: 'render.complete', state: 'exhausted' },
  ...{ reason: null, repeats: null, repeated_by: null, planned_at: 1, next_attempt_at: null, ended_at: 2 },
  ...{ attempt_count: 5, last_attempt: null },
};

test('a list of deliveries ends at its limit', async (t) => {
  const { team, asked } = world([{ data: [DELIVERY, { ...DELIVERY, id: 'hook_2' }], next_cursor: 'c' }]);
  const found = await listRemoteDeliveries(team, 'whe_1', { state: 'exhausted', since: 5, limit: 1 });
  t.like(found, { right: { length: 1, 0: { id: 'hook_1', attempts: 5 } } });
  t.is(asked.length, 1);
  t.true(asked[0]?.path.startsWith('/manage/v1/teams/team%2F1/endpoints/whe_1/deliveries?state=exhausted&since=5'));
});

test('the deliveries of a render are filtered like those of an endpoint', async (t) => {
  const data = [
    { ...DELIVERY, id: 'hook_3', planned_at: 9 },
    { ...DELIVERY, id: 'hook_2', planned_at: 8, state: 'pending' },
    { ...DELIVERY, planned_at: 7 },
    { ...DELIVERY, id: 'hook_0', planned_at: 4 },
  ];
  const { team, asked } = world([{ data }, { data }]);
  const filter = { state: 'exhausted', since: 5, limit: 5 };
  t.like(await listRemoteDeliveriesOfRender(team, 'rend_1', filter), {
    right: { length: 2, 0: { id: 'hook_3', attempts: 5 }, 1: { id: 'hook_1' } },
  });
  t.is(asked[0]?.path, '/manage/v1/teams/team%2F1/renders/rend_1/deliveries');
  t.like(await listRemoteDeliveriesOfRender(team, 'rend_1', { state: null, since: null, limit: 1 }), {
    right: { length: 1, 0: { id: 'hook_3' } },
  });
});

test('a list of endpoints has deleted ones on request', async (t) => {
  const { team, asked } = world([{ data: [] }, { data: [] }]);
  await listRemoteEndpoints(team, false);
  await listRemoteEndpoints(team, true);
  t.deepEqual(
    asked.map(({ path }) => path),
    ['/manage/v1/teams/team%2F1/endpoints', '/manage/v1/teams/team%2F1/endpoints?state=all'],
  );
});

test('deliveries are repeated until the service names no next time', async (t) => {
  const { team, asked } = world([
    { requested: 1_000, repeated_before: 1, go_on_since: 70 },
    { requested: 5, repeated_before: 0, go_on_since: null },
  ]);
  const seen: number[] = [];
  const done = await repeatManyRemotely(team, 'whe_1', 5, (count) => seen.push(count));
  t.deepEqual(done, E.right({ requested: 1_005, repeated_before: 1 }));
  t.deepEqual(seen, [1_000, 1_005]);
  t.deepEqual(
    asked.map(({ body }) => body),
    [{ since: 5 }, { since: 70 }],
  );
});

test('a command uses the given team, the chosen one, or the only one', async (t) => {
  const me = (...ids: readonly string[]) => ({
    ...{ user_id: 'u', email: null, is_operator: false, accounts: [] },
    teams: ids.map((id) => ({ id, name: 'Team', account_id: 'acc_1', role: 'admin' })),
  });
  t.deepEqual(await teamOfCommand({ ...world([]), team_id: 'team_1' }, 'team_2'), E.right('team_2'));
  t.deepEqual(await teamOfCommand({ ...world([]), team_id: 'team_1' }, undefined), E.right('team_1'));
  t.deepEqual(await teamOfCommand({ ...world([me('team_3')]), team_id: null }, undefined), E.right('team_3'));
  const several = await teamOfCommand({ ...world([me('team_3', 'team_4')]), team_id: null }, undefined);
  t.deepEqual(several, E.left({ tag: 'no_team', teams: ['team_3 Team', 'team_4 Team'] }));
});

test('without a person, a command uses the servers if they can be reached', async (t) => {
  const SESSION_NEEDED: CliFault = { tag: 'session_needed', url: 'https://x' };
  const NEEDS_SERVERS: CliFault = { tag: 'needs_servers', url: 'https://x' };
  const at = async (is_remote: boolean, person: E.Either<CliFault, string>, servers: E.Either<CliFault, string>) => {
    const connection = { isRemote: async () => E.right(is_remote), session: async () => person };
    const context: CommandContext = Object.assign(Object.create(null), { connection });
    const ways = { asPerson: async () => E.right('unused'), directly: async () => servers };
    const answer = await remotelyOrDirectly<string>(context, {}, ways);
    return E.isRight(answer) ? answer.right : answer.left.tag;
  };
  const [person, servers] = [E.right('person'), E.right('servers')];
  t.is(await at(false, person, servers), 'servers');
  t.is(await at(true, person, servers), 'person');
  t.is(await at(true, E.left(SESSION_NEEDED), servers), 'servers');
  t.is(await at(true, E.left(SESSION_NEEDED), E.left(NEEDS_SERVERS)), 'session_needed');
  t.is(await at(true, E.left({ tag: 'interrupted' }), servers), 'interrupted');
});

const PROJECT = {
  ...{ id: 'proj_1', name: 'Film', team_id: 'team_1', version: 3, created_by: 'user_1', created_at: 1 },
  ...{ updated_at: null, thumbnail_url: null, thumbnail_version: null },
};

test('with a session, requests about projects go to the chosen team', async (t) => {
  const { client, asked } = world([PROJECT, { data: [PROJECT], next_cursor: null }]);
  const projects = projectClient({ client, team_id: 'team_1' });
  const created = await createRemoteProject(projects, { name: 'Film' }, null);
  t.like(created, { right: { id: 'proj_1', team_id: 'team_1', version: 3 } });
  t.is(asked[0]?.path, '/manage/v1/teams/team_1/projects');
  t.regex(asked[0]?.headers?.['Idempotency-Key'] ?? '', /^[\w-]{36}$/);
  t.like(await listRemoteProjects(projects, 'team_2'), { right: { 0: { id: 'proj_1' } } });
  t.is(asked[1]?.path, '/manage/v1/teams/team_2/projects?limit=60', 'the option overrides the choice');
});

test('an erasure confirms the name of the project', async (t) => {
  const { client, asked } = world([PROJECT, { id: 'proj_1' }]);
  t.like(await eraseRemoteProject(projectClient({ client, team_id: 'team_1' }), 'proj_1'), { right: { id: 'proj_1' } });
  t.is(asked[0]?.path, '/manage/v1/teams/team_1/projects/proj_1');
  t.deepEqual(
    [asked[1]?.path, asked[1]?.body],
    ['/manage/v1/teams/team_1/projects/proj_1/erase', { name: 'Film', project_id: 'proj_1' }],
  );
});

const RENDER = {
  ...{ id: 'rend_1', name: 'Film', status: 'initializing', type: 'cloud', project_id: 'proj_1', created_by: 'user_1' },
  ...{ created_at: 1, updated_at: null, template_id: null, failed_as: null },
};
const TEAM_PATH = '/manage/v1/teams/team%2F1';

test('with a session, a render is created in the chosen team with its Idempotency-Key', async (t) => {
  const { client, asked } = world([RENDER, RENDER]);
  const api = teamRenderApi({ client, team_id: 'team/1' });
  const created = await api.create({ name: 'Film', project_id: 'proj_1' }, 'k');
  t.like(created, { right: { id: 'rend_1', project: { id: 'proj_1', team: 'team/1' } } });
  t.like(asked[0], { path: `${TEAM_PATH}/renders`, headers: { 'Idempotency-Key': 'k' } });
  t.like(await api.cancel('rend_1'), { right: { status: 'initializing' } });
  t.like(asked[1], { path: `${TEAM_PATH}/renders/rend_1/cancel`, body: {} });
});

test('with a session, a render has its files, its progress or its failure', async (t) => {
  const at = (status: string, details: object = {}) => ({
    ...{ ...RENDER, status },
    transitions: [{ seq: 1, status, at: 1, ...details }],
  });
  const failure = { stage: 'rendering', code: 'font_unknown', message: 'there is no such font' };
  const { client, asked } = world([
    ...[at('processing', { progress: 0.4 }), at('failed', { failure }), at('complete')],
    { files: [{ variant: 'master', url: 'https://x/master.mp4' }] },
  ]);
  const api = teamRenderApi({ client, team_id: 'team/1' });
  t.like(await api.get('rend_1'), { right: { status: 'processing', progress: 0.4 } });
  t.like(await api.get('rend_1'), { right: { failure } });
  t.like(await api.get('rend_1'), { right: { output: { master: 'https://x/master.mp4' } } });
  t.is(asked.at(-1)?.path, `${TEAM_PATH}/renders/rend_1/files`);
});

test('with a session, lists and templates of a project are read in one team', async (t) => {
  const me = {
    ...{ user_id: 'u', email: null, is_operator: false, accounts: [] },
    teams: [{ id: 'team/1', name: 'Team', account_id: 'acc_1', role: 'member' }],
  };
  const template = { id: 'tpl_1', name: 'Card', fields: [{ key: 'title', kind: 'text', default_value: '' }] };
  const { client, asked } = world([
    ...[me, { data: [RENDER], has_more: true, next_cursor: 'c' }],
    ...[{ data: [template] }, { data: [template] }],
  ]);
  const api = teamRenderApi({ client, team_id: null });
  const listed = await api.list({ project_id: 'proj_1', status: 'failed' });
  t.like(listed, { right: { data: { 0: { project: { id: 'proj_1' } } }, next_cursor: 'c' } });
  t.is(asked[1]?.path, `${TEAM_PATH}/projects/proj_1/renders?status=failed`);
  t.like(await api.template('proj_1', 'tpl_1'), { right: { name: 'Card' } });
  t.like(await api.template('proj_1', 'tpl_2'), { left: { status: 404 } });
  t.is(asked.filter(({ path }) => path === '/manage/v1/me').length, 1, 'the team is read once');
});

const LISTED_RENDER = {
  ...{ id: 'rend_1', name: 'One', status: 'complete', type: 'cloud', created_by: null, updated_at: null },
};
const retryOnce: RequestRetrier = (ask) => ask();

test('without a project, a person gets the renders of the team', async (t) => {
  const data = [{ ...LISTED_RENDER, project_id: 'proj_1', created_at: 2 }];
  const { team, asked } = world([{ data, has_more: true, next_cursor: 'c' }]);
  const found = await listRenders(teamRenderApi(team), retryOnce, { status: 'complete' }, false);
  t.like(found, {
    right: { data: { 0: { id: 'rend_1', project: { id: 'proj_1', team: 'team/1' } } }, has_more: true },
  });
  t.is(asked[0]?.path, '/manage/v1/teams/team%2F1/renders?status=complete');
});

const LISTED_PROJECT = { name: 'P', team: { id: 'team_1', name: 'T' }, created_by: null, created_at: 1, updated_at: 1 };
const projectsOf = (...ids: readonly string[]) => ({
  data: ids.map((id) => ({ ...LISTED_PROJECT, id })),
  next_cursor: null,
});
const TEAMS = { data: [{ id: 'team_1', name: 'T', account_id: 'acc_1', role: null }] };

test('without a project, a key gets the newest renders of all its projects', async (t) => {
  const page = (id: string, project_id: string, created_at: number) => ({
    data: [{ ...LISTED_RENDER, id, created_at, project: { id: project_id, team: 'team_1' } }],
    ...{ has_more: false, next_cursor: null },
  });
  const { client, asked } = world([
    ...[TEAMS, projectsOf('proj_1', 'proj_2'), page('rend_1', 'proj_1', 5), page('rend_2', 'proj_2', 9)],
  ]);
  const found = await listRenders(renderApi(client), retryOnce, {}, false);
  t.like(found, { right: { data: { length: 2, 0: { id: 'rend_2' }, 1: { id: 'rend_1' } }, has_more: false } });
  t.true(asked[2]?.path.startsWith('/v1/renders?project_id=proj_1'));
});

test('a key with too many projects must name one', async (t) => {
  const ids = Array.from({ length: 61 }, (_, n) => `proj_${n}`);
  const { client, asked } = world([TEAMS, projectsOf(...ids)]);
  const found = await listRenders(renderApi(client), retryOnce, {}, false);
  if (E.isRight(found) || found.left.tag !== 'usage') return t.fail(JSON.stringify(found));
  t.regex(found.left.message, /choose one with --project/);
  t.is(asked.length, 2);
});

test('the erasure of a render waits until the render has ended', async (t) => {
  const running: CliFault = { tag: 'http', status: 409, message: 'the render is processing: wait' };
  const answers = [E.left(running), E.left(running), E.right({ id: 'rend_1', name_in_log: false })];
  const paths: string[] = [];
  const { team } = world([]);
  const send: ApiClient['send'] = async (codec, { path }) => {
    const answer = answers[paths.push(path) - 1] ?? E.left(running);
    if (E.isLeft(answer)) return answer;
    const body = codec.decode(answer.right);
    return E.isLeft(body) ? E.left(running) : E.right({ status: 200, headers: new Headers(), body: body.right });
  };
  let said = '';
  const stderr = new Writable({
    write: (chunk, _encoding, done) => {
      said += chunk;
      done();
    },
  });
  const stop = new AbortController();
  const at = { ...team, client: { ...team.client, send } };
  const erased = await eraseRemoteRender({ stderr, stop: stop.signal }, at, 'rend/1', 1);
  t.deepEqual(erased, E.right({ id: 'rend_1', name_in_log: false }));
  t.deepEqual(new Set(paths), new Set(['/manage/v1/teams/team%2F1/renders/rend%2F1/erase']));
  t.is(said, 'waiting: the render is processing: wait\n', 'once');
  stop.abort();
  const stopped = await eraseRemoteRender({ stderr, stop: stop.signal }, at, 'rend_1', 60_000);
  t.deepEqual(stopped, E.left({ tag: 'interrupted' }));
});
