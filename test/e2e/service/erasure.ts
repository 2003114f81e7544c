import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderDocument } from '../../../read-models/renders/renders.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { containerOf, foundIn as foundInStores, holds } from '../../helpers/found-in.ts';
import { caller } from '../../helpers/renderctl.ts';
import { type Answer, bearer, postJson, send, untilServed } from '../../integration/api/_client.ts';
import { SHORT, TEMPLATE } from '../_films.ts';
import {
  deliveriesOf,
  get,
  importFilm,
  isOver,
  renderIn,
  type Service,
  traced,
  untilFold,
  untilOver,
} from '../_service.ts';
import { type Common, test } from './_service-in-common.ts';

const PERSON = 'Lovelace-Byron';
const KEY = 'for-one-person';

const ask = (service: Service, project_id: string, key: string, person: string): Promise<Answer> =>
  send(`${service.stack.base_url}/v1/renders`, {
    method: 'POST',
    headers: { ...bearer(service.seeded.api_key), 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ name: `For ${person}`, project_id, template_id: TEMPLATE, values: { title: person } }),
  });

/** The id of a new render. */
const accepted = async (...asked: Parameters<typeof ask>): Promise<string> => {
  const answer = await ask(...asked);
  if (answer.status !== 201) throw new Error(`answered ${answer.status}: ${answer.text}`);
  return renderIn(answer).id;
};

/** Searches the stores, the logs of processes and their other files. */
const foundIn = async (service: Service, text: string): Promise<readonly string[]> => {
  const { logsDir } = service.stack;
  const found = [...(await foundInStores(service, text))];
  for (const file of await readdir(logsDir)) if (holds(await readFile(join(logsDir, file)), text)) found.push(file);
  return found;
};

test.serial('an erased render and its texts are gone, and other renders are unchanged', async (t) => {
  t.timeout(450_000);
  const { service, film } = t.context;
  const { stack, clients, seeded } = service;
  const renderctl = caller(stack.env);
  const [id, bystander] = await Promise.all([
    accepted(service, film, KEY, PERSON),
    accepted(service, film, 'other', 'Babbage'),
  ]);

  const early = renderctl('erase', 'render', id, '--json');
  t.is((await untilOver(service, bystander)).status, 'complete');
  // The render is erased as soon as it ends, so a later request may no longer find it.
  const { exit_code, stdout, stderr } = await early;
  t.is(exit_code, 0, stderr);
  t.regex(stderr, /waiting until it has ended/);
  t.deepEqual(JSON.parse(stdout), { id, files: 'deleted', name_in_log: false });

  for (const path of [id, `${id}/transitions`]) t.is((await get(service, path)).status, 404, path);
  const listed = async (query: string): Promise<readonly string[]> => {
    const answer = await send(`${stack.base_url}/v1/renders?project_id=${film}&${query}`, {
      headers: bearer(seeded.api_key),
    });
    return Object(answer.body).data.map((render: { id: string }) => render.id);
  };
  for (const query of ['', 'status=complete', `search=${PERSON}`, 'search=For'])
    t.false((await listed(query)).includes(id), query);
  t.deepEqual(await listed('search=Babbage'), [bystander]);
  const again = await ask(service, film, KEY, PERSON);
  t.is(again.status, 422);
  t.regex(again.text, /Idempotency-Key: was used for a render that is erased/);
  t.is((await ask(service, film, 'other', 'Babbage')).status, 201);

  // The render's deliveries were made before, or are skipped.
  await pollUntil('no delivery of it waits', async () => {
    const deliveries = clients.store.db.collection('webhook_deliveries');
    const all = await deliveries.find({ render_id: id }).toArray();
    return all.length > 0 && all.every(({ body, state }) => body === null && state !== 'pending');
  });
  t.is((await deliveriesOf(service, bystander, 7)).length, 7);

  t.deepEqual(await foundIn(service, PERSON), []);
  const left: string[] = [];
  for await (const { name } of containerOf(service.stack).listBlobsFlat({ prefix: `renders/${id}/` })) left.push(name);
  t.true(
    left.every((path) => path.startsWith(`renders/${id}/parts/`)),
    `${left}`,
  );
  const shown = await get(service, bystander);
  t.is(Object(shown.body).name, 'For Babbage');
  t.is((await fetch(Object(shown.body).output.master)).status, 200);

  // The cost remains, and an auditor sees who erased the render.
  const document = await renderDocument(clients.store.db, id);
  t.is(document?.render?.status, 'complete');
  t.true((document?.render?.charged_credits ?? 0) > 0);
  const statement = await renderctl('account', 'statement', seeded.account_id);
  t.regex(statement.stdout, new RegExp(`${id} \\(erased\\)`));
  const audit = await renderctl('audit', '--account', seeded.account_id);
  t.regex(audit.stdout, /erased the render/);
  t.is((await traced(service, id)).agreement.tag, 'agrees');
  const twice = await renderctl('erase', 'render', id);
  t.is(twice.exit_code, 0, twice.stderr);
  t.regex(twice.stdout, /is already erased/);
  await untilFold(service);
});

const SUBJECT = 'Somerville-Greig';

test.serial('a project erased during its renders leaves no texts and accepts no renders', async (t) => {
  t.timeout(450_000);
  const { service, film } = t.context;
  const { stack, clients, seeded } = service;
  const renderctl = caller(stack.env);
  const layers = SHORT.layers.map((layer) =>
    Object(layer).id === 'title' ? { ...Object(layer), text: `By ${SUBJECT}` } : layer,
  );
  const project = await importFilm(service, SUBJECT, { ...SHORT, layers });
  const done = await accepted(service, project, 'done', 'Babbage');
  const bystander = await accepted(service, film, 'of-another', 'Babbage');
  t.is((await untilOver(service, done)).status, 'complete');
  const list = async (): Promise<string> => (await renderctl('project', 'list')).stdout;
  t.regex(await list(), new RegExp(SUBJECT));
  t.not((await foundIn(service, SUBJECT)).length, 0);

  const running = await Promise.all(['one', 'two'].map((key) => accepted(service, project, key, 'Babbage')));
  t.false(isOver(Object((await get(service, running[1] ?? '')).body)));
  const { exit_code, stdout, stderr } = await renderctl('erase', 'project', project, '--json');
  t.is(exit_code, 0, stderr);
  t.regex(stderr, /renders of proj_\S+ that are not erased yet: [123]/);
  t.deepEqual(JSON.parse(stdout), { id: project, renders_and_files: 'erased', texts_in_log: false });

  for (const id of [done, ...running]) t.is((await get(service, id)).status, 404, id);
  const headers = bearer(seeded.api_key);
  for (const path of [`projects/${project}`, `projects/${project}/templates`, `renders?project_id=${project}`])
    t.is((await send(`${stack.base_url}/v1/${path}`, { headers })).status, 404, path);
  const refused = await ask(service, project, 'late', 'Babbage');
  t.is(refused.status, 404, refused.text);
  t.notRegex(await list(), new RegExp(SUBJECT));
  t.regex((await renderctl('project', 'show', project)).stderr, /no project/);

  await pollUntil('no delivery of it waits', async () => {
    const deliveries = clients.store.db.collection('webhook_deliveries');
    const all = await deliveries.find({ render_id: { $in: [done, ...running] } }).toArray();
    return all.every(({ body, state }) => body === null && state !== 'pending');
  });
  t.deepEqual(await foundIn(service, SUBJECT), []);
  const left: string[] = [];
  // Keys of encoded parts stay for a day and contain no text.
  for (const prefix of [`projects/${project}/`, ...[done, ...running].map((id) => `renders/${id}/`)])
    for await (const { name } of containerOf(service.stack).listBlobsFlat({ prefix }))
      if (!name.includes('/parts/')) left.push(name);
  t.deepEqual(left, []);

  // Other renders are unchanged, and an auditor sees the cause of each event.
  t.is((await untilOver(service, bystander)).status, 'complete');
  t.is((await send(`${stack.base_url}/v1/projects/${film}`, { headers })).status, 200);
  const audit = await renderctl('audit', '--account', seeded.account_id);
  t.regex(audit.stdout, /erased the project/);
  for (const id of [done, ...running]) t.is((await traced(service, id)).agreement.tag, 'agrees');
  const twice = await renderctl('erase', 'project', project);
  t.is(twice.exit_code, 0, twice.stderr);
  t.regex(twice.stdout, /is already erased; nothing changed/);
  const absent = await renderctl('erase', 'project', 'proj_none');
  t.is(absent.exit_code, 1);
  t.regex(absent.stderr, /there is no project proj_none/);
  await untilFold(service);
});

const OTHER = 'Agnesi-Landriani';

const putBytes = (url: string, body: string): Promise<Response> =>
  fetch(url, { method: 'PUT', body, headers: { 'x-ms-blob-type': 'BlockBlob' } });

/** Creates an upload with bytes in quarantine, and one from a URL. Returns where the client writes the bytes. */
const uploadedBy = async ({ server }: Common, own: Service): Promise<string> => {
  const post = (path: string, body: object): Promise<Answer> =>
    untilServed(() => postJson(`${own.stack.base_url}/v1/uploads${path}`, own.seeded.api_key, body));
  const facts = { name: `${OTHER}.png`, content_type: 'image/png', size_bytes: OTHER.length };
  const { upload_url } = Object((await post('', facts)).body);
  await putBytes(upload_url, OTHER);
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><!-- ${OTHER} --></svg>`;
  server.answer(`/${OTHER}.svg`, { tag: 'answer', body: drawing });
  const { id } = Object((await post('/fetch', { url: `${server.origin}/${OTHER}.svg`, kind: 'image' })).body);
  await pollUntil('the file of the URL is ready', async () => {
    const headers = bearer(own.seeded.api_key);
    const { body } = await send(`${own.stack.base_url}/v1/uploads/${id}`, { headers });
    return Object(body).status === 'ready';
  });
  return upload_url;
};

test.serial('an account and a user erased during a render leave no texts', async (t) => {
  t.timeout(450_000);
  const { service, film } = t.context;
  const { stack, clients, seeded } = service;
  const renderctl = caller(stack.env);
  const made = async (...args: readonly string[]): Promise<{ readonly id: string; readonly key?: string }> => {
    const { exit_code, stdout, stderr } = await renderctl(...args, '--json');
    t.is(exit_code, 0, stderr);
    return JSON.parse(stdout);
  };
  const { id: account_id } = await made('account', 'create', '--name', 'Of the test', '--unlimited');
  const { id: team_id } = await made('team', 'create', '--account', account_id, '--name', 'Of the test');
  const { id: user_id } = await made('user', 'create', '--email', `${OTHER}@example.org`);
  await made('member', 'add', team_id, user_id, '--role', 'admin');
  const of_team = ['--account', account_id, '--team', team_id];
  const { key: api_key = '' } = await made('key', 'create', '--name', 'CI', '--scope', 'projects:write', ...of_team);
  const own: Service = { ...service, seeded: { ...seeded, account_id, team_id, user_id, api_key } };
  const project = await importFilm(own, OTHER, SHORT);
  const done = await accepted(own, project, 'done', OTHER);
  t.is((await untilOver(own, done)).status, 'complete');
  const running = await accepted(own, project, 'runs', OTHER);
  const bystander = await accepted(service, film, 'beside-an-account', 'Babbage');
  const late = await uploadedBy(t.context, own);
  await pollUntil('all copies of the texts exist', async () => (await foundIn(service, OTHER)).length > 6);

  const { exit_code, stdout, stderr } = await renderctl('erase', 'account', account_id, '--confirm', account_id);
  t.is(exit_code, 0, stderr);
  t.regex(stdout, /is erased: its keys no longer work.*\n.*Its projects, its renders/);
  t.is((await get(own, done)).status, 401);
  for (const id of [done, running]) t.is((await renderDocument(clients.store.db, id))?.name, null, id);
  await pollUntil('no delivery of it waits', async () => {
    const deliveries = clients.store.db.collection('webhook_deliveries');
    const all = await deliveries.find({ render_id: { $in: [done, running] } }).toArray();
    return all.every(({ body, state }) => body === null && state !== 'pending');
  });
  // The address remains, because it belongs to the user, who is erased only below.
  const places = await foundIn(service, OTHER);
  t.deepEqual(
    places.filter((place) => !place.startsWith(`users/${user_id}/`)),
    [],
  );
  const erased = await renderctl('erase', 'user', user_id);
  t.is(erased.exit_code, 0, erased.stderr);
  t.deepEqual(await foundIn(service, OTHER), []);
  t.is((await putBytes(late, OTHER)).status, 201, 'the URL of the upload still works');
  await pollUntil('the late bytes are deleted', async () => (await foundIn(service, OTHER)).length === 0);
  const left: string[] = [];
  for (const prefix of [`accounts/${account_id}/`, `projects/${project}/`, `users/${user_id}/`])
    for await (const { name } of containerOf(service.stack).listBlobsFlat({ prefix })) left.push(name);
  t.deepEqual(left, []);

  t.is((await untilOver(service, bystander)).status, 'complete');
  const statement = await renderctl('account', 'statement', account_id);
  t.regex(statement.stdout, new RegExp(`${done} \\(erased\\)`));
  await untilFold(service);
});
