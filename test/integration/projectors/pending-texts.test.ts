import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueWriter } from '../../../catalogue/change.ts';
import { revokeKey } from '../../../catalogue/keys.ts';
import { addVersion, createProject, showProject } from '../../../catalogue/projects.ts';
import { PAYLOAD_RULES_VERSION } from '../../../domain/catalogue/rules.ts';
import { NAMES_IN_BLOB_SINCE, SEALED_SINCE } from '../../../domain/render/fold.ts';
import { renderId } from '../../../domain/render/render-id.ts';
import { mintUlid } from '../../../platform/identity/mint-ulid.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { listStoppedPartitions } from '../../../platform/read-store/stopped-partitions.ts';
import { createSealer } from '../../../platform/seals/sealer.ts';
import { differenceText } from '../../../projectors/verification/difference.ts';
import { verifyReadModels } from '../../../projectors/verification/verify-read-models.ts';
import { servingCatalogue } from '../../../read-models/catalogue/model.ts';
import { erasableRenders } from '../../../read-models/renders/erasable-renders.ts';
import { openIgnoredSeals } from '../../../read-models/renders/ignored-seals.ts';
import { servingRenders } from '../../../read-models/renders/model.ts';
import { keyTreePath, projectNamePath, requestPath } from '../../../schemas/blobs/paths.ts';
import { projectNameBytes, type RequestPayload } from '../../../schemas/blobs/payloads.ts';
import { nameHash, saltedName } from '../../../schemas/blobs/salted-name.ts';
import { decodeKeyTree, encodeKeyTree, puncture } from '../../../schemas/seal/key-tree.ts';
import { launcherEnvironment, programEnvironment } from '../../../stack/environment.ts';
import type { Stack } from '../../../stack/launcher.ts';
import { ROOT } from '../../../stack/servers/tools.ts';
import { openStackClients, type StackClients } from '../../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { type ComponentProcess, startComponent } from '../../helpers/component-process.ts';
import { scraped, sumOf } from '../../helpers/metrics.ts';
import { type RefusingProxy, startRefusingProxy } from '../../helpers/refusing-proxy.ts';
import { assigned, prepared, requested } from '../../helpers/render-events.ts';
import { caller } from '../../helpers/renderctl.ts';
import { testCatalogue } from '../../helpers/test-catalogue.ts';
import { startTestStack } from '../../helpers/test-stack.ts';
import { appendToCatalogue, fillCatalogue, issued, meta, newKey, versionOf } from '../api/_catalogue.ts';
import { bearer, send, sendOnce } from '../api/_client.ts';
import { append } from './_projectors.ts';

// A blob store that serves all blobs but some, for projectors in separate processes.
type World = {
  readonly folder: string;
  readonly stack: Stack;
  readonly clients: StackClients;
  readonly proxy: RefusingProxy;
  readonly key: string;
  readonly query_api: ComponentProcess;
  /** Mutable, because AVA copies the context for each test: a test that restarts the projectors replaces them here. */
  readonly current: { projectors: ComponentProcess };
};
const test = anyTest as TestFn<World>;

const REFUSALS = {
  'a 403': { status: 403, code: 'AuthorizationFailure' },
  'an archived blob': { status: 409, code: 'BlobArchived' },
  'a 503': { status: 503, code: 'ServerBusy' },
  'a stalled request': 'stalled',
} as const;

const behind = (stack: Stack, port: number) => {
  const direct = stack.env.AZURE_STORAGE_CONNECTION_STRING ?? '';
  return {
    ...stack.env,
    AZURE_STORAGE_CONNECTION_STRING: direct.replace(/(BlobEndpoint=http:\/\/[^:;/]+):\d+/, `$1:${port}`),
  };
};

test.before(async (t) => {
  t.timeout(360_000);
  const folder = await mkdtemp(join(tmpdir(), 'pending texts '));
  const stack = await startTestStack({ dataDir: folder, components: [] });
  Object.assign(t.context, { folder, stack });
  // Runs the deploy step here, because a stack without components does not run it.
  const env = { ...programEnvironment(launcherEnvironment(process.env)), ...stack.env };
  const deploying = { cwd: ROOT, env, extendEnv: false, timeout: 120_000 };
  await execa(process.execPath, [join(ROOT, 'deploy', 'main.ts')], deploying);
  const clients = await openStackClients(stack.env);
  const port = Number(/BlobEndpoint=http:\/\/[^:;/]+:(\d+)/.exec(stack.env.AZURE_STORAGE_CONNECTION_STRING ?? '')?.[1]);
  const proxy = await startRefusingProxy(port);
  const projectors = await startComponent('projectors', behind(stack, proxy.port));
  const keys = await fillCatalogue(clients.records, clients.blobs);
  const query_api = await startComponent('query-api', stack.env);
  t.context = { folder, stack, clients, proxy, key: keys.ours, current: { projectors }, query_api };
  await pollUntil(
    'the catalogue is folded',
    async () => (await statusOf(t.context, 'projects/proj_1', keys.ours)) === 200,
  );
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context.query_api?.kill();
  await t.context.current?.projectors.kill();
  await t.context.proxy?.close();
  await t.context.clients?.close();
  await t.context.stack?.stop();
  await rm(t.context.folder ?? '', { recursive: true, force: true });
});

const catalogueOf = ({ clients }: World): CatalogueWriter => testCatalogue(clients);

const statusOf = async ({ query_api }: World, path: string, key: string): Promise<number> =>
  (await send(`${query_api.url}/v1/${path}`, { headers: bearer(key) })).status;

/** True if a read answers 503 because of a pending text, not because the machine is busy. */
const isPending = async ({ query_api }: World, path: string, key: string): Promise<boolean> =>
  (await sendOnce(`${query_api.url}/v1/${path}`, { headers: bearer(key) })).status === 503;

const projectNameOf = async ({ query_api, key }: World, id: string): Promise<unknown> =>
  Object((await send(`${query_api.url}/v1/projects/${id}`, { headers: bearer(key) })).body).name;

const documentOf = (name: string) => {
  const version = versionOf('proj', 1, name);
  return version.type === 'ProjectVersionAdded' ? JSON.parse(version.document) : null;
};

const pendingRows = async ({ clients }: World) =>
  await (await servingCatalogue(clients.store.db)()).pending.find({}).sort({ _id: 1 }).toArray();

const untilNothingPends = (world: World): Promise<unknown> =>
  pollUntil('no text is pending', async () => (await pendingRows(world)).length === 0, 90_000);

const differences = async ({ clients }: World): Promise<readonly string[]> => {
  const { records, store, blobs, seals } = clients;
  const deps = { records, db: store.db, blobs, seals, clock: SYSTEM_CLOCK, logger: createLogger('test', 'silent') };
  const options = { outputs: false, stop: new AbortController().signal, onProgress: () => undefined };
  const result = await verifyReadModels(deps, { tag: 'all' }, options);
  return result.tag === 'verified' ? result.verified.differences.map(differenceText) : [result.tag];
};

/** Appends a key; resolves with the time until an API knows of its revocation. */
const revocationMs = async (world: World, key_id: string): Promise<number> => {
  const fresh = newKey();
  await appendToCatalogue(world.clients.records, [issued(key_id, fresh)]);
  await pollUntil('the key is known', async () => (await statusOf(world, 'projects/proj_1', fresh.key)) === 200);
  const began = performance.now();
  const revoked = await revokeKey(catalogueOf(world), key_id);
  if (E.isLeft(revoked)) throw new Error(JSON.stringify(revoked.left));
  await pollUntil('the key is refused', async () => (await statusOf(world, 'projects/proj_1', fresh.key)) === 401);
  return performance.now() - began;
};

for (const [name, refusal] of Object.entries(REFUSALS))
  test.serial(`${name} of one project does not delay others, and its text appears later`, async (t) => {
    t.timeout(360_000);
    const world = t.context;
    const { proxy, clients, current } = world;
    const { projectors } = current;
    const id = `proj_sick${Object.keys(REFUSALS).indexOf(name)}`;
    proxy.refuse(`/projects/${id}/`, refusal);
    const wanted = { id, team_id: 'team_1', name: 'Sick', created_by: null };
    const created = await createProject(catalogueOf(world), clients.blobs, wanted);
    t.like(created, { left: { tag: 'text_pending', project_id: id } });
    const added = { project_id: id, base_version: 0, document: documentOf('Sick, first') };
    t.like(await addVersion(catalogueOf(world), clients.blobs, added), { left: { tag: 'text_pending' } });

    const took_ms = await revocationMs(world, `key_${id}`);
    t.log(`a revocation beside ${name}: ${Math.round(took_ms)} ms`);
    t.true(await isPending(world, `projects/${id}`, world.key));
    t.is(await statusOf(world, 'projects/proj_1', world.key), 200);
    t.like(await showProject(catalogueOf(world).read_model, id), { left: { tag: 'text_pending' } });
    t.deepEqual(
      (await pendingRows(world)).map(({ _id }) => _id),
      [`${id}:0`, `${id}:1`],
    );

    const kind = refusal === 'stalled' || refusal.status === 503 ? 'does not serve' : 'refuses';
    await pollUntil('renderctl shows the stopped partition', async () => {
      const stopped = await listStoppedPartitions(clients.store.db, SYSTEM_CLOCK.now());
      return stopped.some(({ group, reason }) => /^catalogue-texts-g/.test(group) && reason.includes(`store ${kind} `));
    });
    await pollUntil('readiness reports the pending texts', async () => {
      const readiness = await (await fetch(`${projectors.health_url}/health/ready`)).text();
      return /2 texts of projects are pending/.test(readiness);
    });
    const metrics = await scraped(projectors.health_url);
    t.is(sumOf(metrics, 'projection_pending_texts', { topic: 'catalogue-events' }), 2);

    proxy.heal(`/projects/${id}/`);
    await untilNothingPends(world);
    t.is(await projectNameOf(world, id), 'Sick, first');
    await pollUntil(
      'the projectors are ready again',
      async () => (await fetch(`${projectors.health_url}/health/ready`)).status === 200,
    );
    t.deepEqual(await listStoppedPartitions(clients.store.db, SYSTEM_CLOCK.now()), []);
    t.deepEqual(await differences(world), []);
  });

const GONE = { status: 403, code: 'AuthorizationFailure' };

test.serial('a pending text of an erased project is never stored', async (t) => {
  t.timeout(240_000);
  const world = t.context;
  const { proxy, clients } = world;
  const id = 'proj_erased';
  proxy.refuse(`/projects/${id}/`, GONE);
  await createProject(catalogueOf(world), clients.blobs, { id, team_id: 'team_1', name: 'Née', created_by: null });
  await addVersion(catalogueOf(world), clients.blobs, {
    project_id: id,
    base_version: 0,
    document: documentOf('Née, 1'),
  });
  t.is((await pendingRows(world)).length, 2);
  await appendToCatalogue(clients.records, [{ type: 'ProjectErased', rules: 1, meta, project_id: id }]);
  await untilNothingPends(world);
  proxy.heal(`/projects/${id}/`);
  // Waits until a later text is filled in. If the erased texts were filled in at all, they would be by then.
  const other = 'proj_behind';
  proxy.refuse(`/projects/${other}/`, GONE);
  await createProject(catalogueOf(world), clients.blobs, { id: other, team_id: 'team_1', name: 'B', created_by: null });
  proxy.heal(`/projects/${other}/`);
  await untilNothingPends(world);
  t.is(await projectNameOf(world, other), 'B');
  t.is(await statusOf(world, `projects/${id}`, world.key), 404);
  const { entities } = await servingCatalogue(clients.store.db)();
  t.like(await entities('project').findOne({ _id: id }), { name: null, search: [] });
  t.is(await entities('project_version').countDocuments({ project_id: id }), 0);
  t.deepEqual(await differences(world), []);
});

test.serial('pending texts survive a kill, and the newest version names the project', async (t) => {
  t.timeout(240_000);
  const world = t.context;
  const { proxy, clients, stack } = world;
  const id = 'proj_later';
  for (const part of ['name', 'documents/1']) proxy.refuse(`/projects/${id}/${part}`, GONE);
  await createProject(catalogueOf(world), clients.blobs, { id, team_id: 'team_1', name: 'Zero', created_by: null });
  for (const base_version of [0, 1]) {
    const document = documentOf(base_version === 0 ? 'One' : 'Two');
    await addVersion(catalogueOf(world), clients.blobs, { project_id: id, base_version, document });
  }
  t.is(await projectNameOf(world, id), 'Two');
  t.like(await showProject(catalogueOf(world).read_model, id, 1), { left: { tag: 'text_pending' } });
  await world.current.projectors.kill();
  for (const part of ['name', 'documents/1']) proxy.heal(`/projects/${id}/${part}`);
  t.is((await pendingRows(world)).length, 2);
  world.current.projectors = await startComponent('projectors', behind(stack, proxy.port));
  await untilNothingPends(world);
  t.is(await projectNameOf(world, id), 'Two');
  t.like(await showProject(catalogueOf(world).read_model, id, 1), { right: { name: 'One' } });
  const found = await (await servingCatalogue(clients.store.db)()).entities('project').findOne({ _id: id });
  t.like(found, { name: 'Two', created_with: { name: 'Zero' } });
  t.deepEqual(await differences(world), []);
});

test.serial('keys are revoked during a Blob outage, and texts appear later', async (t) => {
  t.timeout(360_000);
  const world = t.context;
  const { proxy, clients } = world;
  proxy.refuse('/', 'stalled');
  const ids = Array.from({ length: 60 }, (_, n) => `proj_away${n}`);
  const payloads = await Promise.all(
    ids.map((id) => clients.blobs.putPayload(projectNamePath(id), projectNameBytes(`Away ${id}`), 'application/json')),
  );
  await appendToCatalogue(
    clients.records,
    ids.map((project_id, n) => ({
      ...{ type: 'ProjectCreated', rules: PAYLOAD_RULES_VERSION, meta, project_id, team_id: 'team_1' },
      ...{ name: '', created_by: null, payload: payloads[n] ?? null },
    })),
  );
  const took_ms = await revocationMs(world, 'key_away');
  t.log(`a revocation while all of Blob is away: ${Math.round(took_ms)} ms`);
  t.is((await pendingRows(world)).length, ids.length);
  proxy.heal('/');
  await untilNothingPends(world);
  for (const id of ids) t.is(await projectNameOf(world, id), `Away ${id}`);
  t.deepEqual(await differences(world), []);
});

test.serial('a missing name blocks no partition and is stored later', async (t) => {
  t.timeout(240_000);
  const world = t.context;
  const { proxy, clients, key } = world;
  const salted = saltedName('For Ada Lovelace');
  const payload: RequestPayload = { template_id: null, values: {}, name: salted.name, name_salt: salted.salt };
  const render_id = renderId(mintUlid(SYSTEM_CLOCK.now()));
  proxy.refuse(`/renders/${render_id}/`, GONE);
  const bytes = Buffer.from(JSON.stringify(payload));
  const request = await clients.blobs.putPayload(requestPath(render_id), bytes, 'application/json');
  const outside = { name: '', name_sha256: nameHash(salted), fold_version: NAMES_IN_BLOB_SINCE, request };
  await append(clients, requested({ render_id, ...outside }));
  const { renders, pending } = await servingRenders(clients.store.db)();
  const find = (_id: string) => renders.findOne({ _id });
  await pollUntil('the render is folded without its name', async () => (await find(render_id))?.name === null);
  t.is((await pending.find({}).toArray()).length, 1);
  t.true(await isPending(world, `renders/${render_id}`, key));
  await append(clients, { ...prepared, render_id });
  await pollUntil('the projectors are ready', async () => (await find(render_id))?.status === 'ready');
  proxy.heal(`/renders/${render_id}/`);
  await pollUntil('the name is visible', async () => (await pending.find({}).toArray()).length === 0, 90_000);
  t.is((await find(render_id))?.name, salted.name);
  await append(clients, { ...assigned('att_1', 1), render_id });
  await pollUntil('the render is queued', async () => (await find(render_id))?.status === 'queued');
  t.is((await find(render_id))?.name, salted.name);
  t.is(await statusOf(world, `renders/${render_id}`, key), 200);
  t.deepEqual(await differences(world), []);
});

const SEALED_NAME = 'For Grace Hopper';

/** A request whose name is sealed with a key tree of its own. */
const sealedRender = async ({ clients }: World) => {
  const onFailure = (error: unknown): never => {
    throw error;
  };
  const { seal } = createSealer({ blobs: clients.key_blobs, clock: SYSTEM_CLOCK, onFailure });
  const render_id = renderId(mintUlid(SYSTEM_CLOCK.now()));
  const bare = requested({ render_id, name: '', request: null, fold_version: SEALED_SINCE });
  const sealed = await seal(bare, { name: SEALED_NAME });
  const path = keyTreePath(bare.account_id, sealed.tree);
  if (path === null) throw new Error(`${sealed.tree} names no tree`);
  const folded = async () => (await servingRenders(clients.store.db)()).renders.findOne({ _id: render_id });
  return { render_id, event: { ...bare, sealed }, path, folded };
};

const shownName = async ({ query_api, key }: World, id: string): Promise<unknown> =>
  Object((await send(`${query_api.url}/v1/renders/${id}`, { headers: bearer(key) })).body).name;

test.serial('a sealed name whose key tree is refused is pending, and stored later', async (t) => {
  t.timeout(240_000);
  const world = t.context;
  const { proxy, clients, key } = world;
  const { render_id, event, path, folded } = await sealedRender(world);
  proxy.refuse(path, GONE);
  await append(clients, event);
  await pollUntil('the render is folded without its name', async () => (await folded())?.name === null);
  const { pending } = await servingRenders(clients.store.db)();
  t.like(await pending.findOne({ _id: render_id }), {
    payload: { path, sha256: '' },
    sealed: { sealed: event.sealed },
  });
  t.true(await isPending(world, `renders/${render_id}`, key));
  await pollUntil('renderctl names the key tree', async () => {
    const stopped = await listStoppedPartitions(clients.store.db, SYSTEM_CLOCK.now());
    return stopped.some(({ group, reason }) => /^render-names-g/.test(group) && reason.includes(path));
  });
  proxy.heal(path);
  await pollUntil('the name is stored', async () => (await folded())?.name === SEALED_NAME, 90_000);
  t.is(await pending.countDocuments({}), 0);
  t.is(await shownName(world, render_id), SEALED_NAME);
  t.deepEqual(await differences(world), []);
});

test.serial('renders with a punctured or a lost name show their ids', async (t) => {
  t.timeout(240_000);
  const world = t.context;
  const { clients, key, current } = world;
  const erased = await sealedRender(world);
  const stored = await clients.key_blobs.read(erased.path);
  const tree = decodeKeyTree(stored?.bytes ?? Buffer.alloc(0));
  if (stored === null || E.isLeft(tree)) throw new Error('the tree is not stored');
  const punctured = encodeKeyTree(puncture(tree.right, [erased.event.sealed.leaf]));
  t.true(await clients.key_blobs.replace(erased.path, punctured, stored.version));
  const lost = await sealedRender(world);
  await clients.key_blobs.remove(lost.path);
  for (const { event } of [erased, lost]) await append(clients, event);
  await pollUntil('both are folded', async () => (await erased.folded()) !== null && (await lost.folded()) !== null);
  for (const { render_id } of [erased, lost]) t.is(await shownName(world, render_id), render_id);
  const found = await send(`${world.query_api.url}/v1/renders?project_id=proj_1`, { headers: bearer(key) });
  const listed: readonly { readonly id: string }[] = Object(found.body).data;
  t.deepEqual(
    [erased, lost].map(({ render_id }) => listed.some(({ id }) => id === render_id)),
    [true, true],
  );
  const metrics = await scraped(current.projectors.health_url);
  t.is(sumOf(metrics, 'projection_lost_texts_total', { topic: 'render-events' }), 1);
  t.deepEqual(await differences(world), []);
});

test.serial('a sealed name is listed, found and written in no other place', async (t) => {
  t.timeout(240_000);
  const world = t.context;
  const { clients, key, query_api } = world;
  const { render_id, event, folded } = await sealedRender(world);
  await append(clients, event);
  await pollUntil('the render is folded', async () => (await folded()) !== null);
  t.is(await shownName(world, render_id), SEALED_NAME);
  const found = await send(`${query_api.url}/v1/renders?project_id=proj_1&search=hopper`, { headers: bearer(key) });
  const names = Object(found.body).data.map(({ id, name }: { id: string; name: string }) => [id, name]);
  t.true(names.some(([id, name]: [string, string]) => id === render_id && name === SEALED_NAME));
  const document = await folded();
  t.false(JSON.stringify({ ...document, name: null, search: [] }).includes('Hopper'));
  t.deepEqual(await differences(world), []);
});

test.serial('renderctl compares a sealed name, and shows it only as of a time', async (t) => {
  t.timeout(240_000);
  const world = t.context;
  const { clients, stack } = world;
  const renderctl = caller(stack.env);
  const { render_id, event, path, folded } = await sealedRender(world);
  await append(clients, event);
  await pollUntil('the render is folded', async () => (await folded()) !== null);
  const { renders } = await servingRenders(clients.store.db)();
  t.like(await erasableRenders(clients.store.db)(render_id), { name_in_log: false });

  const traced = await renderctl('trace', render_id, '--json');
  t.like(JSON.parse(traced.stdout), { read_model: { tag: 'agrees' } });
  const read = await renderctl('log', 'read', '--render', render_id);
  for (const { stdout } of [traced, read]) {
    t.false(stdout.includes(SEALED_NAME));
    t.false(stdout.includes(event.sealed.box));
  }
  const asOf = async () => await renderctl('render', 'get', render_id, '--as-of', new Date().toISOString(), '--json');
  t.like(JSON.parse((await asOf()).stdout), { id: render_id, name: SEALED_NAME });
  const verified = await renderctl('verify', 'render', render_id, '--json');
  t.like(JSON.parse(verified.stdout), { compared: { renders: 1 } });
  t.false('names without a key' in JSON.parse(verified.stdout).compared);

  await renders.updateOne({ _id: render_id }, { $set: { name: 'Forged' } });
  t.regex((await renderctl('trace', render_id)).stdout, /its name differs from the sealed name in the log/);
  const wrong = await renderctl('verify', 'render', render_id);
  t.is(wrong.exit_code, 1);
  t.regex(wrong.stderr, /member `(name|search)/);
  await renders.updateOne({ _id: render_id }, { $set: { name: SEALED_NAME } });

  await clients.key_blobs.remove(path);
  t.like(JSON.parse((await asOf()).stdout), { name: render_id });
  t.like(JSON.parse((await renderctl('trace', render_id, '--json')).stdout), { read_model: { tag: 'agrees' } });
  const without_key = await renderctl('verify', 'render', render_id, '--json');
  t.is(JSON.parse(without_key.stdout).compared['names without a key'], 1);
});

test.serial('the key of a repeated request is noted for its puncture', async (t) => {
  t.timeout(240_000);
  const world = t.context;
  const { clients } = world;
  const { render_id, event, folded } = await sealedRender(world);
  const again = await sealedRender(world);
  const repeat = { ...event, sealed: again.event.sealed };
  for (const one of [event, event, repeat, { ...prepared, render_id }]) await append(clients, one);
  await pollUntil('all four events are folded', async () => (await folded())?.status === 'ready');
  const { account_id, sealed } = repeat;
  const noted = await openIgnoredSeals(clients.store.db).unpunctured(10);
  t.deepEqual(noted, [{ account_id, tree: sealed.tree, leaf: sealed.leaf }]);
  t.like(await folded(), { name: SEALED_NAME, ignored_count: 2 });
  t.deepEqual(await differences(world), []);
});
