import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { createAccount, grantCredits } from '../../../../catalogue/accounts.ts';
import { createKey } from '../../../../catalogue/keys.ts';
import { addMember } from '../../../../catalogue/members.ts';
import { addOwner } from '../../../../catalogue/owners.ts';
import { createProject } from '../../../../catalogue/projects.ts';
import { createTeam } from '../../../../catalogue/teams.ts';
import type { RenderEvent } from '../../../../domain/render/events.ts';
import { renderId } from '../../../../domain/render/render-id.ts';
import { openBlobStore } from '../../../../platform/blob-store/azure-blob-store.ts';
import { decodeConfiguration } from '../../../../platform/configuration/configuration.ts';
import { BLOB_STORE } from '../../../../platform/configuration/parts.ts';
import { mintUlid } from '../../../../platform/identity/mint-ulid.ts';
import { openAudit } from '../../../../read-models/audit/audit.ts';
import { pollUntil } from '../../../../stack/testing/until.ts';
import {
  assigned,
  completed,
  finished,
  master,
  metaBy,
  poster,
  prepared,
  progressed,
  requested,
} from '../../../helpers/render-events.ts';
import { appendToCatalogue, versionOf } from '../../api/_catalogue.ts';
import { send, untilServed } from '../../api/_client.ts';
import { made } from '../_world.ts';
import { ask } from './_ask.ts';
import { type People, sharedWorld } from './_shared-world.ts';

let world: People;
test.before(async (t) => {
  t.timeout(450_000);
  world = await sharedWorld();
});

const walked = async (path: string): Promise<readonly string[]> => {
  const found: string[] = [];
  for (let cursor = ''; ; ) {
    const { status, body } = await ask(world, world.as.mia, 'GET', `${path}limit=1&cursor=${cursor}`);
    if (status !== 200 || !Array.isArray(body.data)) throw new Error(JSON.stringify(body));
    found.push(...body.data.map(({ id }) => String(id)));
    if (body.next_cursor === null) return found;
    cursor = String(body.next_cursor);
  }
};

/** A key of a new team of the account, a request body, and a function that posts renders with it. */
const ownTeam = async (account_id = world.account_id) => {
  const { catalogue, origin } = world;
  const team = await made(createTeam(catalogue, { account_id, name: 'Films' }));
  await made(addMember(catalogue, { team_id: team.id, user_id: 'user_mia', role: 'member' }));
  await made(addMember(catalogue, { team_id: team.id, user_id: 'user_ada', role: 'admin' }));
  const wanted = { account_id, user_id: null, team_ids: [team.id], name: 'renders', expires_at: null };
  const { id: key_id, key } = await made(createKey(catalogue, wanted));
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const projects = await Promise.all(
    ['Spring', 'Autumn'].map((name) =>
      made(createProject(catalogue, world.clients.blobs, { team_id: team.id, name, created_by: null })),
    ),
  );
  await appendToCatalogue(
    world.clients.records,
    projects.map(({ id }) => versionOf(id, 1, 'Sale')),
  );
  const postRender = async (project_id = projects[0]?.id ?? '', more: object = {}): Promise<string> => {
    const body = JSON.stringify({ name: 'Of a team', project_id, ...more });
    // With a key, because the render of a 503 answer can exist.
    const keyed = { ...headers, 'Idempotency-Key': mintUlid(Date.now()) };
    const posted = await pollUntil('the key and the version of the project are folded', async () => {
      const answer = await send(`${origin}/v1/renders`, { method: 'POST', headers: keyed, body });
      return answer.status === 201 ? answer : null;
    });
    return String(Object(posted.body).id);
  };
  return { team_id: team.id, key_id, headers, projects: projects.map(({ id }) => id), postRender };
};

const recordAt = async (partition: number, offset: number): Promise<unknown> => {
  const { records } = world.clients;
  for await (const record of records.log.replay('render-events', partition, offset, offset + 1)) {
    const decoded = await records.decode(record.value);
    return decoded.tag === 'record' ? decoded.record : decoded;
  }
  return null;
};

const completeRender = async (id: string): Promise<void> => {
  const steps = [prepared, assigned('att_1', 1), progressed('att_1'), finished('att_1')];
  for (const event of [...steps, { ...completed('att_1'), poster }])
    await made(world.clients.records.append('render-events', id, { ...event, render_id: id }));
};

const whenFolded = <A extends { readonly status: number }>(cancel: () => Promise<A>): Promise<A> =>
  pollUntil('the render is cancelled', async () => {
    const answer = await cancel();
    return answer.status === 200 ? answer : null;
  });

/** Eve's answers for a foreign render and for a missing one. Both ids are new, so they could still be folded. */
const eveAsks = (id: string, what: 'cancel' | 'erase') =>
  Promise.all(
    [id, renderId(mintUlid(Date.now()))].map((one) =>
      ask(world, world.as.eve, 'POST', `/teams/${world.eves.team_id}/renders/${one}/${what}`),
    ),
  );

/** The queue of an account as operators see it: [to prepare, queued, running], and the wait of the first render. */
const queueOf = async (account_id: string) => {
  const { status, body } = await ask(world, world.as.olga, 'GET', '/operators/queues');
  if (status !== 200 || !Array.isArray(body.data)) throw new Error(JSON.stringify(body));
  const one = body.data.map(Object).find((queue) => queue.account_id === account_id);
  return one === undefined
    ? null
    : { name: one.account_name, renders: [one.preparing, one.queued, one.running], wait_ms: one.longest_wait_ms };
};

test('operators see the waiting and running renders of an account, and the longest wait', async (t) => {
  const { id: account_id } = await made(
    createAccount(world.catalogue, { name: '<b>Queue</b>', unlimited_credits: true }),
  );
  const { postRender } = await ownTeam(account_id);
  t.is(await queueOf(account_id), null);
  const began = Date.now();
  const [first, second] = [await postRender(), await postRender()];
  const append = async (id: string, ...events: readonly RenderEvent[]) => {
    for (const event of events)
      await made(world.clients.records.append('render-events', id, { ...event, render_id: id }));
  };
  const shown = async (...renders: readonly number[]) =>
    await pollUntil(`${renders} are shown`, async () => {
      const queue = await queueOf(account_id);
      return JSON.stringify(queue?.renders) === JSON.stringify(renders) ? queue : null;
    });
  const waiting = await shown(2, 0, 0);
  t.is(waiting.name, '<b>Queue</b>');
  t.true(waiting.wait_ms > 0 && waiting.wait_ms <= Date.now() - began + 1_000);
  await append(first, prepared);
  await append(second, prepared, assigned('att_1', 1), progressed('att_1'));
  t.true((await shown(0, 1, 1)).wait_ms >= waiting.wait_ms, 'the first render still waits');
  await append(first, assigned('att_2', 1), progressed('att_2'));
  for (const [id, attempt] of [
    [first, 'att_2'],
    [second, 'att_1'],
  ] as const)
    await append(id, finished(attempt), { ...completed(attempt), poster });
  await pollUntil('the renders are gone', async () => (await queueOf(account_id)) === null);
});

test("a team's renders are listed over all projects, newest first, by status and page", async (t) => {
  const { as, eves, origin } = world;
  const { team_id, projects, postRender, headers } = await ownTeam();
  const ids: string[] = [];
  for (const project_id of [...projects, ...projects]) ids.unshift(await postRender(project_id));
  const path = `/teams/${team_id}/renders?`;
  await pollUntil('the renders are folded', async () => {
    const { body } = await ask(world, as.mia, 'GET', path);
    return Object(body.data).length === ids.length ? true : null;
  });
  t.deepEqual(await walked(path), ids);
  await whenFolded(() => fetch(`${origin}/v1/renders/${ids[1]}/cancel`, { method: 'POST', headers }));
  const [newest, second = '', third, oldest] = ids;
  t.deepEqual(await walked(`${path}status=failed&`), [second]);
  t.deepEqual(await walked(`${path}status=initializing&`), [newest, third, oldest]);
  t.deepEqual(await walked(`${path}status=complete&`), []);
  const { body } = await ask(world, as.mia, 'GET', path);
  t.deepEqual(
    Object(body.data).map(({ project_name }: { project_name: string }) => project_name),
    ids.map(() => 'Sale'),
    'the name of the version',
  );
  const created_at = Object(body.data).map((render: { created_at: number }) => render.created_at);
  const from_second = `since=${created_at[2]}&until=${created_at[0]}`;
  const in_period = ids.filter((_, n) => created_at[n] >= created_at[2] && created_at[n] < created_at[0]);
  t.deepEqual(await walked(`${path}${from_second}&`), in_period);
  t.deepEqual(
    await walked(`${path}status=initializing&${from_second}&`),
    in_period.filter((id) => id !== second),
  );
  t.deepEqual(await walked(`${path}search=team%20OF&`), ids, 'a search covers all projects');
  t.deepEqual(
    await walked(`${path}search=te&status=initializing&${from_second}&`),
    in_period.filter((id) => id !== second),
  );
  t.deepEqual(await walked(`${path}search=team%20x&`), []);
  t.deepEqual(await walked(`${path}search=%21&`), [], 'no words match nothing');
  t.regex(
    String((await ask(world, as.mia, 'GET', `${path}status=lost&limit=0`)).body.error),
    /^limit: .*; status: must be one of/,
  );
  const first = await ask(world, as.mia, 'GET', `${path}limit=1`);
  const other_list = await ask(world, as.mia, 'GET', `${path}status=failed&cursor=${first.body.next_cursor}`);
  t.like(other_list, {
    status: 400,
    body: { error: 'cursor: is not valid for this list; start again from the first page' },
  });
  const of_template = await postRender(projects[1], { template_id: 'tpl_sale' });
  await pollUntil('the render of the template is folded', async () => {
    const found = await walked(`${path}template_id=tpl_sale&`);
    return found.length > 0 ? found : null;
  });
  t.deepEqual(await walked(`${path}template_id=tpl_sale&`), [of_template]);
  t.deepEqual(await walked(`${path}template_id=tpl_sale&search=team&status=initializing&`), [of_template]);
  t.deepEqual(await walked(`${path}template_id=tpl_none&`), []);
  const of_project = (n: number) => walked(`/teams/${team_id}/projects/${projects[n]}/renders?template_id=tpl_sale&`);
  t.deepEqual([await of_project(0), await of_project(1)], [[], [of_template]]);
  t.deepEqual((await ask(world, as.eve, 'GET', `/teams/${eves.team_id}/renders`)).body.data, []);
  t.deepEqual((await ask(world, as.eve, 'GET', `/teams/${eves.team_id}/renders?template_id=tpl_sale`)).body.data, []);
  t.deepEqual((await ask(world, as.eve, 'GET', `/teams/${eves.team_id}/renders?search=team`)).body.data, []);
});

test('only team members can cancel a render, once, and the audit names them', async (t) => {
  const { as, clients } = world;
  const { team_id, postRender } = await ownTeam();
  const id = await postRender();
  const path = `/teams/${team_id}/renders/${id}`;
  await pollUntil('the render is folded', async () => (await ask(world, as.mia, 'GET', path)).status === 200 || null);
  const [theirs, unknown] = await eveAsks(id, 'cancel');
  t.deepEqual([theirs?.status, theirs?.body], [unknown?.status, unknown?.body], 'like a missing one');
  t.like((await ask(world, as.mia, 'GET', path)).body, { status: 'initializing' });
  // Two concurrent requests and a repeat append one record.
  const [first, second] = await Promise.all(
    [as.mia, as.ada].map((browser) => whenFolded(() => ask(world, browser, 'POST', `${path}/cancel`))),
  );
  t.deepEqual([first?.status, second?.status], [200, 200]);
  t.like(first?.body, { id, status: 'failed', failed_as: 'cancelled' });
  t.like(await ask(world, as.otto, 'POST', `${path}/cancel`), { status: 200, body: { failed_as: 'cancelled' } });
  const audit = openAudit(clients.store.db);
  const asked = { actor: null, kind: null, with_requests: false, since: null, until: null } as const;
  const { entries } = await audit.page({ ...asked, scope: { tag: 'team', team_id } }, null, 100);
  const cancels = entries.filter(({ ids }) => ids.render_id === id);
  t.is(cancels.length, 1);
  t.regex(String(cancels[0]?.actor), /^user:user_(mia|ada)$/);
});

test('only an admin of the team can erase a finished render, permanently', async (t) => {
  const { as } = world;
  const { team_id, postRender } = await ownTeam();
  const id = await postRender();
  const path = `/teams/${team_id}/renders/${id}`;
  await pollUntil('the render is folded', async () => (await ask(world, as.ada, 'GET', path)).status === 200 || null);
  t.is((await ask(world, as.mia, 'POST', `${path}/erase`)).status, 403);
  const open = await postRender();
  t.like(await ask(world, as.ada, 'POST', `/teams/${team_id}/renders/${open}/erase`), {
    status: 409,
    body: { error: 'the render is initializing: cancel it or wait until it ends, then erase it' },
  });
  await whenFolded(() => ask(world, as.mia, 'POST', `${path}/cancel`));
  const [theirs, unknown] = await eveAsks(id, 'erase');
  t.deepEqual([theirs?.status, theirs?.body], [unknown?.status, unknown?.body], 'like a missing one');
  t.is((await ask(world, as.mia, 'GET', path)).status, 200);
  const erased = { status: 200, body: { id, name_in_log: false } };
  t.like(await ask(world, as.ada, 'POST', `${path}/erase`), erased);
  for (const what of ['', '/files', '/events', '/deliveries', '/request'])
    t.is((await ask(world, as.ada, 'GET', `${path}${what}`)).status, 404, what);
  t.is((await ask(world, as.mia, 'POST', `${path}/cancel`)).status, 404);
  const { body } = await ask(world, as.ada, 'GET', `/teams/${team_id}/renders`);
  t.deepEqual(
    Object(body.data).map((render: { id: string }) => render.id),
    [open],
  );
  t.like(await ask(world, as.ada, 'POST', `${path}/erase`), erased);
});

test('only an admin of the team can erase a project, permanently', async (t) => {
  const { as, eves } = world;
  const { team_id, projects, postRender } = await ownTeam();
  const { team_id: other_team } = await ownTeam();
  const [id = '', stays = ''] = projects;
  const render_id = await postRender(id);
  const path = `/teams/${team_id}/projects/${id}`;
  t.like(await ask(world, as.mia, 'GET', path), { status: 200, body: { id, team_id, name: 'Sale', version: 1 } });
  t.is((await ask(world, as.mia, 'POST', `${path}/erase`)).status, 403);
  for (const [browser, of] of [
    [as.eve, eves.team_id],
    [as.ada, other_team],
  ] as const) {
    const theirs = await ask(world, browser, 'POST', `/teams/${of}/projects/${id}/erase`, { name: 'Sale' });
    t.like(theirs, { status: 404, body: { error: 'there is no such project' } });
  }
  for (const body of [
    {},
    { name: 'sale' },
    { name: '\u200b' },
    { project_id: id },
    { name: 'Another', project_id: id },
  ])
    t.is((await ask(world, as.ada, 'POST', `${path}/erase`, body)).status, 400, JSON.stringify(body));
  t.is((await ask(world, as.mia, 'GET', path)).status, 200);
  const erased = { status: 200, body: { id, texts_in_log: false } };
  t.like(await ask(world, as.ada, 'POST', `${path}/erase`, { name: ' Sale ' }), erased);
  for (const what of ['', '/renders', '/templates'])
    t.is((await ask(world, as.ada, 'GET', `${path}${what}`)).status, 404, what);
  const { body } = await ask(world, as.ada, 'GET', `/teams/${team_id}/projects`);
  t.deepEqual(
    Object(body.data).map((project: { id: string }) => project.id),
    [stays],
  );
  t.like(await ask(world, as.ada, 'POST', `/teams/${team_id}/renders`, { name: 'Late', project_id: id }), {
    body: { error: 'project_id: there is no such project' },
  });
  t.is(
    (await ask(world, as.ada, 'GET', `/teams/${team_id}/renders/${render_id}`)).status,
    200,
    'the render has not ended',
  );
  t.like(await ask(world, as.ada, 'POST', `${path}/erase`), { ...erased, body: { id } });
  const audit = await ask(world, as.ada, 'GET', `/teams/${team_id}/audit?kind=ProjectErased`);
  t.like(audit.body, { data: [{ actor: 'user:user_ada' }] });
  t.is(Object(audit.body.data).length, 1, 'a repeat appends nothing');
});

test('only members can request a render of the team, once; the audit names them', async (t) => {
  const { as, clients } = world;
  const { team_id, projects, postRender } = await ownTeam();
  const theirs = await ownTeam();
  await Promise.all([postRender(), theirs.postRender()]);
  const path = `/teams/${team_id}/renders`;
  const wanted = { name: 'Asked for by a person', project_id: projects[0] };
  const with_key = (key: string) => ({ 'Idempotency-Key': key });
  // Two concurrent requests and a repeat create one render.
  const [first, second] = await Promise.all(
    [1, 2].map(() => ask(world, as.mia, 'POST', path, wanted, with_key('once'))),
  );
  t.is(first?.status, 201);
  t.like(first?.body, { name: wanted.name, status: 'initializing', created_by: 'user_mia', project_id: projects[0] });
  t.deepEqual(second?.body, first?.body);
  const id = String(first?.body.id);
  const other_body = await ask(world, as.mia, 'POST', path, { ...wanted, name: 'Other' }, with_key('once'));
  t.is(other_body.status, 422);
  const of_another = await ask(world, as.ada, 'POST', path, wanted, with_key('once'));
  t.is(of_another.status, 201);
  t.not(of_another.body.id, id, 'the key belongs to its sender');
  const without = [await ask(world, as.mia, 'POST', path, wanted), await ask(world, as.mia, 'POST', path, wanted)];
  t.is(new Set(without.map(({ body }) => body.id)).size, 2);

  const [reached_otherwise, unknown] = [theirs.projects[0], 'proj_nobodys'].map((project_id) =>
    ask(world, as.mia, 'POST', path, { ...wanted, project_id }),
  );
  t.like((await reached_otherwise)?.body, { error: 'project_id: there is no such project', param: 'project_id' });
  t.deepEqual((await unknown)?.body, (await reached_otherwise)?.body);
  const bad = await ask(world, as.mia, 'POST', path, { name: '', project_id: 1, values: [] });
  t.is(bad.status, 400);
  t.regex(String(bad.body.error), /^name: .*; project_id: .*; values: /);

  const shown = await pollUntil('the render is folded', async () => {
    const answer = await ask(world, as.mia, 'GET', `${path}/${id}`);
    return answer.status === 200 ? answer : null;
  });
  t.like(shown.body, { id, name: wanted.name });
  const asked = { actor: null, kind: null, with_requests: true, since: null, until: null } as const;
  const { entries } = await openAudit(clients.store.db).page({ ...asked, scope: { tag: 'team', team_id } }, null, 100);
  t.deepEqual(
    entries.filter(({ ids }) => ids.render_id === id).map(({ actor }) => actor),
    ['user:user_mia'],
  );
});

test('members request several renders at once, each once, and read them by ID', async (t) => {
  const { as, eves } = world;
  const { team_id, projects, postRender } = await ownTeam();
  await postRender();
  const path = `/teams/${team_id}/renders/batch`;
  const [project_id] = projects;
  const renders = [
    { idempotency_key: 'sheet-1', name: 'Oslo', project_id },
    { idempotency_key: 'sheet-2', name: '', project_id },
    { idempotency_key: 'sheet-3', name: 'Bergen', project_id: 'proj_nobodys' },
    { idempotency_key: 'sheet-4', name: 'Troms\u00f8', project_id },
  ];
  // Rows of a busy store are refused with 503, and a repeat finds them.
  const post = (browser = as.mia, of_team = path) =>
    pollUntil('every row is answered', async () => {
      const { status, body } = await ask(world, browser, 'POST', of_team, { renders });
      t.is(status, 200);
      const rows = Object(body.data).map(Object);
      return rows.every((one: { refusal: object | null }) => Object(one.refusal).status !== 503) && rows;
    });
  // Two concurrent requests and a repeat create one render for each key.
  const [first, second] = await Promise.all([post(), post()]);
  t.deepEqual(second, first);
  t.deepEqual(await post(), first);
  t.deepEqual(
    first.map((one: { render: object | null; refusal: object | null }) => [
      Object(one.render).name,
      Object(one.refusal).param,
      Object(one.refusal).status,
    ]),
    [
      ['Oslo', undefined, undefined],
      [undefined, 'name', 400],
      [undefined, 'project_id', 404],
      ['Troms\u00f8', undefined, undefined],
    ],
  );
  const doubled = ['Narvik', 'Narvik', 'Hamar'].map((name) => ({ idempotency_key: 'sheet-5', name, project_id }));
  const { body: of_doubled } = await ask(world, as.mia, 'POST', path, { renders: doubled });
  const accepted = Object(of_doubled.data).flatMap(({ render }: { render: { id: string } | null }) => render?.id ?? []);
  const refusals = Object(of_doubled.data).flatMap((one: { refusal: { status: number } | null }) => one.refusal ?? []);
  t.is(accepted.length + refusals.length, doubled.length);
  t.is(new Set(accepted).size, 1, 'one key makes one render');
  t.true(refusals.length > 0 && refusals.every(({ status }: { status: number }) => status === 422));
  const alone = { name: 'Oslo', project_id };
  const header = { 'Idempotency-Key': 'sheet-1' };
  const again = await ask(world, as.mia, 'POST', `/teams/${team_id}/renders`, alone, header);
  t.is(again.body.id, first[0].render.id, 'a request of one render finds that of the batch');

  const ids = [first[0].render.id, first[3].render.id];
  const read = async (browser = as.mia, of_team = path) =>
    Object((await ask(world, browser, 'GET', `${of_team}?ids=${ids.join(',')},rend_none`)).body.data).map(Object);
  const found = await pollUntil('both are folded', async () => {
    const data = await read();
    return data.length === 2 ? data : null;
  });
  t.deepEqual(found.map(({ name }: { name: string }) => name).sort(), ['Oslo', 'Troms\u00f8']);
  t.deepEqual(await read(as.eve, `/teams/${eves.team_id}/renders/batch`), []);
  t.is((await ask(world, as.mia, 'GET', `${path}?ids=`)).status, 400);
  t.is(
    (await ask(world, as.mia, 'GET', `${path}?ids=${Array.from({ length: 61 }, (_, n) => n).join(',')}`)).status,
    400,
  );
});

test('people and programs spend the same credits, each of them once', async (t) => {
  const { catalogue, as, origin } = world;
  const { id: account_id } = await made(createAccount(catalogue, { name: 'Short', unlimited_credits: false }));
  const { team_id, projects, headers } = await ownTeam(account_id);
  const wanted = { name: 'Last credits', project_id: projects[0] };
  const path = `/teams/${team_id}/renders`;
  const none = await pollUntil('the team and the version of its project are folded', async () => {
    const answer = await ask(world, as.mia, 'POST', path, wanted);
    return answer.status === 404 || answer.status === 400 ? null : answer;
  });
  t.is(none.status, 402);
  const price = Number(/costs (\d+)/.exec(String(none.body.error))?.[1]);
  await made(grantCredits(catalogue, { account_id, credits: 3 * price }));
  await pollUntil('the grant is folded', async () => {
    // With a key, because the render of a 503 answer can exist.
    const { status } = await ask(world, as.mia, 'POST', path, wanted, { 'Idempotency-Key': 'first' });
    return status === 201 || status === 200 ? true : null;
  });
  const body = JSON.stringify(wanted);
  const of_sheet = Array.from({ length: 5 }, (_, n) => ({ idempotency_key: `row-${n}`, ...wanted }));
  const outcomes = async () => {
    const { body: sent } = await ask(world, as.mia, 'POST', `${path}/batch`, { renders: of_sheet });
    return Object(sent.data).map(Object);
  };
  // Rows of a 503 answer can exist too, and a repeat finds them.
  const first = await pollUntil('the credits are spent', async () => {
    const found = await outcomes();
    return found.filter(({ render }: { render: object | null }) => render !== null).length >= 2 ? found : null;
  });
  const made_ids = first.flatMap(({ render }: { render: { id: string } | null }) => render?.id ?? []);
  t.is(made_ids.length, 2, 'the credits end in the middle of a batch');
  for (const { refusal } of first) if (refusal !== null) t.true([402, 503].includes(refusal.status), refusal.error);
  const repeated = await pollUntil('a repeat finds both', async () => {
    const found = (await outcomes()).flatMap(({ render }: { render: { id: string } | null }) => render?.id ?? []);
    return found.length >= made_ids.length && found;
  });
  t.deepEqual(repeated, made_ids, 'a repeat charges nothing twice');
  await made(grantCredits(catalogue, { account_id, credits: 5 * price }));
  await pollUntil('the second grant is folded', async () => {
    const found = (await outcomes()).filter(({ render }: { render: object | null }) => render !== null);
    return found.length === of_sheet.length ? true : null;
  });
  // 503: the store is busy, or the other process leased the rest for longer than a request waits.
  const statuses = await Promise.all(
    [1, 2, 3].flatMap((n) => {
      const keyed = { 'Idempotency-Key': `last-${n}` };
      return [
        untilServed(() => ask(world, as.mia, 'POST', path, wanted, keyed)).then(({ status }) => status),
        send(`${origin}/v1/renders`, { method: 'POST', headers: { ...headers, ...keyed }, body }).then(
          ({ status }) => status,
        ),
      ];
    }),
  );
  t.deepEqual(statuses.toSorted(), [201, 201, 402, 402, 402, 402]);
});

test('owners have downloads named by ids, and members get unnamed URLs within ten seconds', async (t) => {
  t.timeout(450_000);
  const { as, catalogue, origin } = world;
  const { id: account_id } = await made(createAccount(catalogue, { name: 'Discreet', unlimited_credits: true }));
  await made(addOwner(catalogue, { account_id, user_id: 'user_otto' }));
  const { team_id, headers, postRender } = await ownTeam(account_id);
  const path = `/accounts/${account_id}/downloads`;
  const named_by = async (who: 'otto' | 'mia') => (await ask(world, as[who], 'GET', path)).body;
  await pollUntil('the owner is folded', async () => (await ask(world, as.otto, 'GET', path)).status === 200);
  t.deepEqual(await named_by('mia'), { named_by: 'name' });

  const id = await postRender();
  await completeRender(id);
  const urlsOf = async (): Promise<readonly string[]> => {
    const files = (await ask(world, as.mia, 'GET', `/teams/${team_id}/renders/${id}/files`)).body;
    const shown = Object(await (await fetch(`${origin}/v1/renders/${id}`, { headers })).json());
    if (shown.status !== 'complete' || files.poster_url === null) return [];
    const listed = await fetch(`${origin}/v1/renders?project_id=${shown.project.id}`, { headers });
    const [first] = Object(await listed.json()).data;
    const managed = [...Object(files.files).map((file: { readonly url: string }) => file.url), files.poster_url];
    return [...managed, shown.output.master, first.output.master].map(String);
  };
  const hasName = (url: string) => /Of%20a%20team/.test(url);
  const before = await pollUntil('its files are shown', async () => {
    const urls = await urlsOf();
    return urls.length === 4 && urls;
  });
  t.true(before.every(hasName), before.join(' '));

  t.is((await ask(world, as.otto, 'POST', path, { named_by: 'both' })).status, 400);
  t.deepEqual((await ask(world, as.otto, 'POST', path, { named_by: 'id' })).body, { named_by: 'id' });
  t.deepEqual(await named_by('otto'), { named_by: 'id' });
  const after = await pollUntil('no URL has the name', async () => {
    const urls = await urlsOf();
    return urls.every((url) => !hasName(url)) && urls;
  });
  t.is(after.length, 4);
  for (const url of after) t.true(url.includes(`rscd=`) && url.split('rscd=')[1]?.includes(id), url);
  t.is((await ask(world, as.otto, 'POST', path, { named_by: 'id' })).status, 200, 'a repeat changes nothing');
  const audit = (await ask(world, as.otto, 'GET', `/accounts/${account_id}/audit?kind=DownloadNamingSet`)).body;
  t.like(audit.data, { length: 1, 0: { actor: 'user:user_otto', details: { named_by: 'id' } } });
});

test('each file of a render has its own URL, and lists show the poster', async (t) => {
  const { as, eves, stack } = world;
  const { team_id, projects, postRender } = await ownTeam();
  const id = await postRender();
  const path = `/teams/${team_id}/renders/${id}`;
  await pollUntil('the render is folded', async () => (await ask(world, as.mia, 'GET', path)).status === 200 || null);
  t.deepEqual((await ask(world, as.mia, 'GET', `${path}/files`)).body, { files: [], poster_url: null });
  await completeRender(id);
  const { body } = await pollUntil('the render is complete', async () => {
    const files = await ask(world, as.mia, 'GET', `${path}/files`);
    return files.body.poster_url === null ? null : files;
  });
  t.like(body, { files: [{ variant: 'master', content_type: 'video/mp4', width: master.width }] });
  const settings = decodeConfiguration(stack.env, { blobs: BLOB_STORE });
  if (E.isLeft(settings)) return t.fail(settings.left.join());
  await openBlobStore(settings.right.blobs).upload(master.path, import.meta.filename, { content_type: 'video/mp4' });
  const url = String(Object(body.files)[0].url);
  const read = await fetch(url);
  t.is(read.status, 200);
  t.is(read.headers.get('content-type'), 'video/mp4');
  t.true((await read.text()).startsWith('import '));
  const written = await fetch(url, { method: 'PUT', body: 'x', headers: { 'x-ms-blob-type': 'BlockBlob' } });
  t.is(written.status, 403);
  const other = await fetch(url.replace('master.mp4', 'poster.jpg'));
  t.is(other.status, 403, 'each URL is for one file');
  for (const list of [`/teams/${team_id}/renders`, `/teams/${team_id}/projects/${projects[0]}/renders`]) {
    const listed = await ask(world, as.mia, 'GET', list);
    t.regex(Object(listed.body.data)[0].poster_url, /poster\.jpg\?/);
  }
  const theirs = await ask(world, as.eve, 'GET', `/teams/${eves.team_id}/renders/${id}/files`);
  t.like(theirs, { status: 404, body: { error: 'there is no such render' } });
});

test('owners read grants, charges, render outcomes and the audit of their account', async (t) => {
  const { as, account_id, catalogue } = world;
  const { team_id, key_id, postRender } = await ownTeam();
  await made(grantCredits(catalogue, { account_id, credits: 100 }));
  const ids = [await postRender(), await postRender()];
  for (const id of ids) await completeRender(id);
  const account = `/accounts/${account_id}`;
  const whole = await pollUntil('both are charged', async () => {
    const { body } = await ask(world, as.otto, 'GET', `${account}/usage?limit=60`);
    const charged = Array.isArray(body.data) ? body.data.map(({ render_id }) => String(render_id)) : [];
    return ids.every((id) => charged.includes(id)) ? body : null;
  });
  const lines: readonly { readonly credits: number; readonly balance: number; readonly type: string }[] =
    Object(whole).data;
  t.true(lines.some(({ type, credits }) => type === 'grant' && credits === 100));
  t.true(lines.some(({ type, credits }) => type === 'charge' && credits === -10));
  t.deepEqual(
    lines.map(({ balance }) => balance),
    lines.map((_, i) => lines.slice(0, i + 1).reduce((sum, { credits }) => sum + credits, 0)),
  );
  // Other tests charge renders meanwhile, so both pages are read until they show the same state.
  const same = await pollUntil('pages of one line equal one page', async () => {
    const { body } = await ask(world, as.otto, 'GET', `${account}/usage?limit=60`);
    const all: readonly unknown[] = Object(body).data;
    const paged: unknown[] = [];
    for (let cursor = ''; paged.length < all.length; ) {
      const one = await ask(world, as.otto, 'GET', `${account}/usage?limit=1&cursor=${cursor}`);
      paged.push(...Object(one.body).data);
      cursor = String(one.body.next_cursor ?? '');
    }
    return JSON.stringify(paged) === JSON.stringify(all) ? all.length : null;
  });
  t.true(same >= lines.length);
  await pollUntil('pages of newest lines are the same lines in the other order', async () => {
    const { body } = await ask(world, as.otto, 'GET', `${account}/usage?limit=60`);
    const paged: unknown[] = [];
    for (let cursor = ''; ; ) {
      const one = await ask(world, as.otto, 'GET', `${account}/usage?limit=7&order=desc&cursor=${cursor}`);
      paged.push(...Object(one.body).data);
      cursor = String(one.body.next_cursor ?? '');
      if (cursor === '') break;
    }
    return JSON.stringify(paged.toReversed()) === JSON.stringify(Object(body).data);
  });
  t.true(lines.some((line) => Object(line).team_id === team_id));
  const refused = await ask(world, as.otto, 'GET', `${account}/usage?since=5&until=5`);
  t.like(refused, { status: 400, body: { error: 'until: must be after since' } });

  const team = `/teams/${team_id}`;
  const counted = await pollUntil('both are counted', async () => {
    const { body } = await ask(world, as.mia, 'GET', `${team}/statistics`);
    return Object(body.now).complete === 2 ? body : null;
  });
  t.like(counted, { by: 'day', all: { requested: 2, completed: 2, failed: 0, charged_credits: 20 } });
  const by_hour = await ask(world, as.mia, 'GET', `${team}/statistics?by=hour&since=0`);
  const hours: readonly { readonly requested: number }[] = Object(by_hour.body).data;
  t.is(
    hours.reduce((sum, { requested }) => sum + requested, 0),
    2,
  );
  const days = ({ body }: { readonly body: object }): number =>
    Math.round((Object(body).until - Object(body).since) / 86_400_000);
  t.is(days(by_hour), 31, 'no more than 31 days by hour');
  t.is(days(await ask(world, as.mia, 'GET', `${team}/statistics?since=0`)), 93, 'no more than 93 days by day');
  t.is((await ask(world, as.mia, 'GET', `${team}/statistics?by=week`)).status, 400);
  const of_account = await ask(world, as.otto, 'GET', `${account}/statistics`);
  t.true(Object(of_account.body.all).completed >= 2);

  const audited = async (path: string): Promise<readonly unknown[]> =>
    Object((await ask(world, path.startsWith('/teams') ? as.ada : as.otto, 'GET', path)).body).data;
  const issued = await audited(`${team}/audit?kind=ApiKeyIssued`);
  t.is(issued.length, 1);
  t.like(issued[0], { actor: 'operator:test', ids: { key_id }, team_ids: [team_id], other_teams: 0, refused: null });
  const requests = await audited(`${team}/audit?kind=RenderRequested&actor=key:${key_id}`);
  t.deepEqual(
    requests.map((entry) => Object(entry).ids.render_id),
    ids.toReversed(),
  );
  const by_one = await ask(world, as.ada, 'GET', `${team}/audit?limit=1&with_renders=true`);
  t.like(by_one.body, { data: [{ kind: 'RenderRequested', ids: { render_id: ids[1] } }], has_more: true });
  const next = await audited(`${team}/audit?limit=1&with_renders=true&cursor=${by_one.body.next_cursor}`);
  t.like(next[0], { kind: 'RenderRequested', ids: { render_id: ids[0] } });
  t.true((await audited(`${account}/audit?kind=CreditsGranted`)).length > 0);
  t.like(await ask(world, as.ada, 'GET', `${team}/audit?kind=Nothing&since=x`), { status: 400 });
});

test('only members see the projects of their team, and renders with their outcomes', async (t) => {
  const { catalogue, clients, account_id, team_id, as, eves, origin } = world;
  const project = await made(
    createProject(catalogue, world.clients.blobs, { team_id, name: 'Sale', created_by: null }),
  );
  await appendToCatalogue(clients.records, [versionOf(project.id, 1, 'Spring sale')]);
  const projects = await pollUntil('the version is folded', async () => {
    const found = await ask(world, as.mia, 'GET', `/teams/${team_id}/projects?search=spring`);
    return Object(found.body.data).length === 1 ? found : null;
  });
  t.like(projects.body, { data: [{ id: project.id, name: 'Spring sale', version: 1 }], has_more: false });
  const wanted = { account_id, user_id: null, team_ids: [team_id], name: 'renders', expires_at: null };
  const { key } = await made(createKey(catalogue, wanted));
  const name = '<img src=x onerror=alert(1)>';
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ name, project_id: project.id });
  const posted = await untilServed(() => send(`${origin}/v1/renders`, { method: 'POST', headers, body }));
  t.is(posted.status, 201, posted.text);
  const { id } = Object(posted.body);
  const shown = await pollUntil('the render is folded', async () => {
    const found = await ask(world, as.mia, 'GET', `/teams/${team_id}/renders/${id}`);
    return found.status === 200 ? found : null;
  });
  t.like(shown.body, { id, name, status: 'initializing', transitions: [{ seq: 1, status: 'initializing' }] });
  const render = `/teams/${team_id}/renders/${id}`;
  const events = await ask(world, as.mia, 'GET', `${render}/events`);
  t.like(events.body, {
    data: [{ type: 'RenderRequested', verdict: 'accepted', status: 'initializing', topic: 'render-events' }],
    ignored_count: 0,
  });
  const { partition, offset, event_id } = Object(events.body.data)[0];
  const logged = await recordAt(partition, offset);
  t.like(
    logged,
    { type: 'RenderRequested', render_id: id, meta: { event_id } },
    'the record is at the stated position',
  );
  t.deepEqual((await ask(world, as.mia, 'GET', `${render}/request`)).body, {
    ...{ name, project_id: project.id, template_id: null, values: {} },
    draft: false,
  });
  t.deepEqual((await ask(world, as.mia, 'GET', `${render}/deliveries`)).body, { data: [] });
  const templates = await ask(world, as.mia, 'GET', `/teams/${team_id}/projects/${project.id}/templates`);
  t.like(templates.body, { data: [{ id: 'tpl_sale', name: 'Sale', project_id: project.id }] });
  t.true(Object(templates.body.data)[0].fields.length > 0);
  for (const part of ['events', 'deliveries', 'request'])
    t.is((await ask(world, as.eve, 'GET', `/teams/${eves.team_id}/renders/${id}/${part}`)).status, 404, part);
  t.is((await ask(world, as.eve, 'GET', `/teams/${eves.team_id}/projects/${project.id}/templates`)).status, 404);
  const path = `/projects/${project.id}/renders`;
  t.like((await ask(world, as.mia, 'GET', `/teams/${team_id}${path}?status=initializing`)).body, {
    data: [{ id, name }],
  });
  t.like((await ask(world, as.mia, 'GET', `/teams/${team_id}${path}?status=complete`)).body, { data: [] });
  t.is((await ask(world, as.mia, 'GET', `/teams/${team_id}${path}?status=lost`)).status, 400);
  t.is((await ask(world, as.eve, 'GET', `/teams/${eves.team_id}${path}`)).status, 404);
  const hidden = await ask(world, as.eve, 'GET', `/teams/${eves.team_id}/renders/${id}`);
  t.true([404, 503].includes(hidden.status), '503 for an ID of the last seconds');
});

test("a render's records name no other team's key with the same Idempotency-Key", async (t) => {
  const { as, account_id, clients } = world;
  const { team_id, postRender } = await ownTeam();
  const id = await postRender();
  // Ids depend only on the account and the header. So two processes can append requests with the same id, if neither
  // has read the other's record.
  const other = { meta: metaBy('key:key_of_another_team'), render_id: id, account_id, team_id: 'team_other' };
  await made(clients.records.append('render-events', id, requested(other)));
  const events = await pollUntil('the second is folded', async () => {
    const { body } = await ask(world, as.mia, 'GET', `/teams/${team_id}/renders/${id}/events`);
    return body.ignored_count === 1 ? body : null;
  });
  t.like(Object(events).data[1], { verdict: 'ignored', reason: 'already_requested', actor: null });
  t.false(JSON.stringify(events).includes('key_of_another_team'));
});
