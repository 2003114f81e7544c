import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { seedDemo } from '../../demo/seed.ts';
import { createLogger } from '../../platform/logging/logger.ts';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { verifyReadModels } from '../../projectors/verification/verify-read-models.ts';
import { readServingGeneration } from '../../read-models/generations.ts';
import type { Stack } from '../../stack/launcher.ts';
import { startHttpsReceiver } from '../../stack/testing/https-receiver.ts';
import { openStackClients } from '../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import { webhookEndpoints } from '../../stack/testing/webhook-endpoints.ts';
import { localCertificate } from '../../stack/tls/kept-certificates.ts';
import { faultsOfRenders } from '../helpers/faults-of-renders.ts';
import { caller } from '../helpers/renderctl.ts';
import { startTestStack } from '../helpers/test-stack.ts';
import { bearer, idOf, postJson, send } from '../integration/api/_client.ts';
import { all, type Ground, idsOf } from '../integration/store/_forms/form.ts';
import { FORMS } from '../integration/store/_forms/table.ts';
import { shapesOf } from '../integration/store/_shape.ts';
import { groundOf, openStore, ownDatabase, type StoreServer, startStore } from '../integration/store/_store.ts';
import { watchStore } from '../integration/store/_wire.ts';

const SMALL_PROJECT = join(import.meta.dirname, '..', '..', 'bench', 'project');

let server: StoreServer;
let store: ReadStore;
let expiring: Ground;
let ending: Ground;
/** The database of the watched service, because others can use the server. */
const database = ownDatabase();

test.before(async (t) => {
  t.timeout(180_000);
  server = await startStore();
  store = await openStore(server.url, ownDatabase());
  const now = Date.now();
  expiring = await groundOf(store, {
    documents: [
      { _id: 'rend_1', at: new Date(now - 600_000) },
      { _id: 'rend_2', at: new Date(now + 600_000) },
      { _id: 'rend_3', at: null },
    ],
    indexes: [{ key: { at: 1 }, expireAfterSeconds: 60 }],
  });
  ending = await groundOf(store, {
    documents: [
      { _id: 'hook_1', delete_at: new Date(now - 1_000) },
      { _id: 'hook_2', delete_at: new Date(now + 600_000) },
      { _id: 'hook_3' },
    ],
    indexes: [{ key: { delete_at: 1 }, expireAfterSeconds: 0 }],
  });
});

test.after.always(async () => {
  await store?.db.dropDatabase();
  await store?.client.db(database).dropDatabase();
  await store?.close();
  await server?.stop();
});

/** The shapes of all commands that reach the store during the work. */
const shapesDuring = async (work: (url: string) => Promise<void>): Promise<ReadonlySet<string>> => {
  const shapes = new Set<string>();
  const door = await watchStore(server.url, (command) => {
    for (const shape of shapesOf(command)) shapes.add(shape);
  });
  try {
    await work(door.url);
  } finally {
    await door.stop();
  }
  return shapes;
};

const runTable = async (url: string): Promise<void> => {
  const store = await openStore(url, ownDatabase());
  for (const form of Object.values(FORMS).flat()) await form.operation(await groundOf(store, form)).catch(() => null);
  await store.db.dropDatabase();
  await store.close();
};

const COMMANDS: readonly (readonly string[])[] = [
  ['account', 'list'],
  ['account', 'show', 'ACCOUNT'],
  ['account', 'grant', 'ACCOUNT', '5'],
  ['account', 'grants', 'ACCOUNT'],
  ['account', 'statement', 'ACCOUNT'],
  ['account', 'statement', 'ACCOUNT', '--since', '1h', '--until', '2100-01-01', '--csv'],
  ['team', 'list'],
  ['team', 'list', '--account', 'ACCOUNT'],
  ['user', 'list'],
  ['member', 'list', '--team', 'TEAM'],
  ['invitation', 'list', '--account', 'ACCOUNT'],
  ['key', 'list'],
  ['key', 'list', '--account', 'ACCOUNT'],
  ['project', 'list'],
  ['project', 'list', '--team', 'TEAM'],
  ['project', 'show', 'PROJECT'],
  ['webhook', 'list'],
  ['webhook', 'list', '--team', 'TEAM'],
  ['trace', 'RENDER'],
  ['audit', '--limit', '1'],
  ['audit', '--with-renders', '--since', '1h', '--csv'],
  ['audit', '--account', 'ACCOUNT', '--kind', 'TeamCreated', '--actor', 'operator:renderctl'],
  ['stats', 'ACCOUNT'],
  ['stats', 'TEAM', '--csv'],
];

/** The endpoint gets all events and refuses the first delivery. */
const WEBHOOK_COMMANDS: readonly (readonly string[])[] = [
  ['webhook', 'show', 'ENDPOINT'],
  ['webhook', 'deliveries', 'ENDPOINT'],
  ['webhook', 'deliveries', 'RENDER'],
  ['webhook', 'delivery', 'EXHAUSTED'],
  ['webhook', 'test', 'ENDPOINT'],
  ['webhook', 'deliver-again', 'EXHAUSTED'],
  ['webhook', 'deliver-again', '--since', '1h', '--failed-or-skipped'],
];

const deliver = async (
  t: ExecutionContext,
  stack: Stack,
  { team_id, render }: { readonly team_id: string; readonly render: () => Promise<string> },
): Promise<void> => {
  const certificate = localCertificate(stack.env.OUTBOUND_CA_FILE);
  if (certificate === null) throw new Error('the stack has no certificate for this machine');
  let refused: string | string[] | undefined;
  const receiver = await startHttpsReceiver({
    certificate,
    answer: ({ headers }) => {
      refused ??= headers['x-webhook-id'];
      return { tag: 'answer', status: headers['x-webhook-id'] === refused ? 500 : 200 };
    },
  });
  t.teardown(receiver.close);
  const clients = await openStackClients({ ...stack.env, MONGODB_URL: server.url });
  t.teardown(clients.close);
  const made = await webhookEndpoints(clients.records, stack.env).make({ team_id, url: `${receiver.origin}/all` });
  const render_id = await render();
  const ended = (state: string) =>
    pollUntil(`a delivery is ${state}`, () => clients.store.db.collection('webhook_deliveries').findOne({ state }));
  const exhausted = await ended('exhausted');
  await ended('succeeded');
  const renderctl = caller(stack.env);
  const names: Readonly<Record<string, string>> = {
    ENDPOINT: made.id,
    RENDER: render_id,
    EXHAUSTED: String(exhausted._id),
  };
  for (const command of WEBHOOK_COMMANDS) {
    const { exit_code, stderr } = await renderctl(...command.map((word) => names[word] ?? word));
    t.is(exit_code, 0, `${command.join(' ')}: ${stderr}`);
  }
};

/** One of every action of clients, operators and auditors, while the components run. */
const useAll = async (t: ExecutionContext, stack: Stack, dataDir: string): Promise<void> => {
  const seeded = await seedDemo({ env: stack.env, seeded_path: join(dataDir, 'seeded.json'), project: SMALL_PROJECT });
  const { api_key: key, project_id, team_id, account_id, user_id } = seeded;
  const get = async (path: string) => (await send(`${stack.base_url}/v1/${path}`, { headers: bearer(key) })).status;
  const render = (name: string) => postJson(`${stack.base_url}/v1/renders`, key, { name, project_id });

  const keyed = { ...bearer(key), 'Content-Type': 'application/json', 'Idempotency-Key': 'once' };
  const body = JSON.stringify({ name: 'Sale', project_id });
  for (let n = 0; n < 2; n += 1)
    t.is((await send(`${stack.base_url}/v1/renders`, { method: 'POST', headers: keyed, body })).status, 201);
  const id = idOf(await render('Summer sale'));
  await render('Summer sales');
  await pollUntil('a render is complete', async () => {
    const { body } = await send(`${stack.base_url}/v1/renders/${id}`, { headers: bearer(key) });
    await get(`renders/${id}/transitions`);
    return JSON.stringify(body).includes('"complete"');
  });

  const lists = ['', '&limit=1', '&order=asc', '&order=asc&limit=1', '&status=complete', '&status=complete&order=asc'];
  for (const search of ['Summer sale', 'sale', 'sa', 'su sa', 'winter', 'summer sale nothing']) {
    lists.push(`&search=${search}`, `&search=${search}&status=complete`, `&limit=1&search=${search}`);
  }
  for (const [path, scope] of [
    ['renders', `project_id=${project_id}`],
    ['projects', `team_id=${team_id}`],
  ]) {
    for (const query of lists) {
      for (let cursor: string | null = ''; cursor !== null; ) {
        const url = `${stack.base_url}/v1/${path}?${scope}${query}${cursor === '' ? '' : `&cursor=${cursor}`}`;
        const { body } = await send(url, { headers: bearer(key) });
        cursor = /"next_cursor":"([^"]+)"/.exec(JSON.stringify(body))?.[1] ?? null;
      }
    }
  }
  const paths = ['teams', `teams/${team_id}`, `users?team_id=${team_id}`, `users/${user_id}`, `projects/${project_id}`];
  for (const path of [...paths, `templates?project_id=${project_id}`]) t.is(await get(path), 200, path);
  t.is(await get('renders/rend_00000000000000000000000000'), 404);

  const renderctl = caller(stack.env);
  const names: Readonly<Record<string, string>> = {
    ACCOUNT: account_id,
    TEAM: team_id,
    PROJECT: project_id,
    RENDER: id,
  };
  for (const command of COMMANDS) {
    const { exit_code, stderr } = await renderctl(...command.map((word) => names[word] ?? word));
    t.is(exit_code, 0, `${command.join(' ')}: ${stderr}`);
  }
  await deliver(t, stack, { team_id, render: async () => idOf(await render('Winter sale')) });
  // The refusal makes the fold record an ignored event.
  await renderctl('account', 'create', '--name', 'Again', '--id', account_id);

  const clients = await openStackClients({ ...stack.env, MONGODB_URL: server.url });
  t.teardown(clients.close);
  await clients.records.log.append({
    topic: 'render-events',
    key: 'rend_1',
    value: Buffer.from('of no schema'),
  });
  await pollUntil('the record is quarantined', () => clients.store.db.collection('quarantine').findOne());
  await pollUntil("the time of the key's last use is written", () =>
    clients.store.db.collection('key_last_used').findOne(),
  );
};

/** Makes the store look like one of earlier code, so that new read models are built next to the serving ones. */
const forgetGenerations = async (): Promise<void> => {
  const store = await openStore(server.url, database);
  const generations = store.db.collection<{ readonly _id: string; readonly current?: number }>('generations');
  await generations.deleteMany({ read_model: { $exists: true } });
  await generations.updateMany({ _id: { $in: ['renders', 'catalogue'] } }, { $set: { current: 1 } });
  await store.close();
};

/** Waits until the new read models serve, and compares them with the log. */
const audit = async (t: ExecutionContext, stack: Stack): Promise<void> => {
  const clients = await openStackClients(stack.env);
  t.teardown(clients.close);
  const { store, records } = clients;
  const serving = async () => {
    const found = await Promise.all([
      readServingGeneration(store.db, 'renders'),
      readServingGeneration(store.db, 'catalogue'),
    ]);
    return found.every((one) => (one?.generation ?? 1) > 1) ? (found[0]?.generation ?? null) : null;
  };
  const generation = await pollUntil('the new generations serve', serving, 60_000);
  t.deepEqual(await faultsOfRenders(records, store.db, generation), []);
  const deps = {
    records,
    db: store.db,
    blobs: clients.blobs,
    seals: clients.seals,
    clock: SYSTEM_CLOCK,
    logger: createLogger('test', 'silent'),
  };
  const options = { outputs: true, stop: new AbortController().signal, onProgress: () => undefined };
  t.like(await verifyReadModels(deps, { tag: 'all' }, options), { verified: { differences: [] } });
  t.deepEqual(await verifyReadModels(deps, { tag: 'account', id: 'acc_none' }, options), { tag: 'not_there' });
};

test.serial('the table has every form that the service sends to its store', async (t) => {
  t.timeout(280_000);
  const dataDir = await mkdtemp(join(tmpdir(), 'forms '));
  t.teardown(() => rm(dataDir, { recursive: true, force: true }));
  const table = await shapesDuring(runTable);
  const used = await shapesDuring(async (url) => {
    const env = {
      MONGODB_URL: url,
      MONGODB_DATABASE: database,
      RATE_LIMIT_PER_S: '10000',
      RATE_LIMIT_BURST: '10000',
      WEBHOOK_RETRY_FIRST_MS: '1',
      WEBHOOK_RETRY_FACTOR: '1',
    };
    const own_servers = ['store'] as const;
    const stack = await startTestStack({ dataDir, env, own_servers });
    try {
      await useAll(t, stack, dataDir);
    } finally {
      await stack.stop();
    }
    await forgetGenerations();
    const { KAFKA_TOPIC_PREFIX = '', BLOB_CONTAINER = '' } = stack.env;
    const same_place = { ...env, KAFKA_TOPIC_PREFIX, BLOB_CONTAINER };
    const again = await startTestStack({ dataDir, env: same_place, own_servers, components: ['projectors'] });
    try {
      await audit(t, again);
    } finally {
      await again.stop();
    }
  });
  t.log(`${used.size} forms in use, ${table.size} in the table`);
  const missing = [...used].filter((shape) => !table.has(shape)).sort();
  t.deepEqual(missing, [], 'used, but missing in test/integration/store/_forms');
});

/** Servers delete expired documents once a minute. */
const EXPIRED_WITHIN_MS = 150_000;

// Last, because most of its waiting time passes during the other test.
test.serial('only expired documents are deleted by their TTL', async (t) => {
  t.timeout(EXPIRED_WITHIN_MS + 30_000);
  await pollUntil(
    'the expired document is gone',
    async () =>
      (await expiring.things.findOne({ _id: 'rend_1' })) === null &&
      (await ending.things.findOne({ _id: 'hook_1' })) === null,
    EXPIRED_WITHIN_MS,
  );
  t.deepEqual(idsOf(await all(expiring.things)), ['rend_2', 'rend_3']);
  t.deepEqual(idsOf(await all(ending.things)), ['hook_2', 'hook_3']);
});
