import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { execa } from 'execa';
import sharp from 'sharp';
import { ulid } from 'ulid';
import type { Help } from '../../../domain/dispatch/heartbeats.ts';
import { hourOf } from '../../../domain/limits/failed-work.ts';
import { openAttempt } from '../../../domain/render/render.ts';
import { renderId } from '../../../domain/render/render-id.ts';
import { BlobFault, type BlobStore } from '../../../platform/blob-store/blob-store.ts';
import { readHeartbeats } from '../../../platform/records/read-heartbeats.ts';
import { COLLECTIONS } from '../../../read-models/collections.ts';
import { countFailedWork, type FailedWorkDocument, failedWorkId } from '../../../read-models/renders/failed-work.ts';
import { createAssetCache } from '../../../render-workers/local-files/asset-cache.ts';
import type { Stack } from '../../../stack/launcher.ts';
import { openStackClients, type StackClients } from '../../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { startComponent } from '../../helpers/component-process.ts';
import { scraped, sumOf } from '../../helpers/metrics.ts';
import { failed, metaBy, prepared, requested } from '../../helpers/render-events.ts';
import { caller } from '../../helpers/renderctl.ts';
import { startTestStack } from '../../helpers/test-stack.ts';
import {
  addProject,
  appendEvent,
  blobsOf,
  documentOf,
  isOver,
  renderWhere,
  requestRender,
  TRACEPARENT,
  tracesOf,
} from './_renders.ts';

// Projectors, preparer, dispatcher and worker as processes, on real servers. The tests share them, one after the other.
type World = {
  readonly folder: string;
  readonly work: string;
  readonly stack: Stack;
  readonly clients: StackClients;
  readonly blobs: BlobStore;
};

const test = anyTest as TestFn<World>;

test.before(async (t) => {
  t.timeout(360_000);
  const folder = await mkdtemp(join(tmpdir(), 'workers '));
  const work = join(folder, 'work');
  const stack = await startTestStack({
    dataDir: folder,
    components: ['projectors', 'preparer', 'dispatcher', 'worker'],
    env: { WORK_DIR: work, WORKER_DRAIN_S: '1' },
  });
  const clients = await openStackClients(stack.env);
  const blobs = blobsOf(stack.env);
  await blobs.ensureContainer();
  t.context = { folder, work, stack, clients, blobs };
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context.clients?.close();
  await t.context.stack?.stop();
  if (t.context.folder !== undefined) await rm(t.context.folder, { recursive: true, force: true });
});

const SHAPE = { id: 'band', type: 'shape', x: 0, y: 0, width: 320, height: 90, color: '#E30613' };
const TEXT = { id: 'title', type: 'text', text: 'Sale', x: 10, y: 20, width: 300, height: 60, font_size: 40 };

/** Long enough for a kill in the middle: half a minute of full HD. */
const LONG = { width: 1920, height: 1080, duration: 30, layers: [SHAPE, TEXT] };

const probe = async (file: string): Promise<string> =>
  (
    await execa('ffprobe', [
      '-v',
      'error',
      '-show_entries',
      'stream=codec_name,width,height,nb_frames',
      '-of',
      'csv',
      file,
    ])
  ).stdout;

test.serial('a render goes through all its statuses, and its video is in the store', async (t) => {
  t.timeout(240_000);
  const { clients, blobs, folder } = t.context;
  const png = join(folder, 'logo.png');
  const logo = await sharp({ create: { width: 40, height: 40, channels: 3, background: '#00FF00' } })
    .png()
    .toBuffer();
  await writeFile(png, logo);
  const sha256 = createHash('sha256').update(logo).digest('hex');
  const project_id = await addProject(clients, {
    layers: [SHAPE, TEXT, { id: 'logo', type: 'image', asset: 'logo', x: 0, y: 100, width: 40, height: 40 }],
    assets: [{ id: 'logo', kind: 'image', sha256 }],
  });
  await blobs.upload(`projects/${project_id}/assets/${sha256}`, png, { content_type: 'image/png' });

  const render_id = await requestRender(clients, project_id);
  const render = await renderWhere(clients, render_id, 'is over', isOver);
  t.is(render.status, 'complete', JSON.stringify(render.failure));
  t.is(render.attempts.length, 1);
  t.is(render.charged_credits, 1);
  t.like(render.prepared, { width: 320, height: 180, fps_num: 30, fps_den: 1, frames: 30, price_credits: 1 });

  const document = await documentOf(clients, render_id);
  t.is(document?.ignored_count, 0);
  const accepted = document?.facts.flatMap((fact) => (fact.verdict === 'accepted' ? [fact] : [])) ?? [];
  t.deepEqual(
    accepted.map(({ transition }) => transition?.to ?? null),
    ['initializing', 'ready', 'queued', 'processing', 'finalizing', 'complete'],
  );
  for (const [i, { fact }] of accepted.entries()) {
    t.is(fact.meta.correlation_id, 'req_1', fact.type);
    if (i > 0)
      t.true(
        accepted.slice(0, i).some((cause) => cause.fact.meta.event_id === fact.meta.causation_id),
        fact.type,
      );
  }

  for (const [type, trace] of await tracesOf(clients, render_id)) t.is(trace, TRACEPARENT, type);

  const [master] = render.outputs;
  t.is(master?.variant, 'master');
  t.true(master?.path.startsWith(`renders/${render_id}/att_`));
  const file = join(folder, 'master.mp4');
  t.like(await blobs.download(master?.path ?? '', file), { sha256: master?.sha256, size_bytes: master?.size_bytes });
  t.is(master?.size_bytes, (await stat(file)).size);
  t.regex(await probe(file), /h264,320,180,30/);
  t.true(await blobs.exists(render.poster?.path ?? ''));
});

test.serial('stored media stay within the limit, and their real type is checked', async (t) => {
  const { blobs, folder } = t.context;
  const project_id = `proj_${ulid()}`;
  const owner = { project_id, render_id: 'rnd_1' };
  const store = async (id: string, bytes: string, sha256 = createHash('sha256').update(bytes).digest('hex')) => {
    await writeFile(join(folder, id), bytes);
    await blobs.upload(`projects/${project_id}/assets/${sha256}`, join(folder, id), { content_type: 'image/png' });
    return { id, kind: 'image', content_type: 'image/png', sha256, font_family: null, of_render: false } as const;
  };
  const [media, own] = [await mkdtemp(join(folder, 'media-')), await mkdtemp(join(folder, 'own-'))];
  const cache = createAssetCache(blobs, media, 15);
  const { signal } = new AbortController();
  const stored = [await store('a', 'aaaaaaaaaa'), await store('b', 'bbbbbbbbbb')];
  const files = await cache.provide(owner, stored, own, signal);
  t.is(await readFile(files.get('a') ?? '', 'utf8'), 'aaaaaaaaaa');
  t.is(await readFile(files.get('b') ?? '', 'utf8'), 'bbbbbbbbbb');
  t.is((await readdir(media)).length, 1);

  const lying = await store('c', 'cccccccccc', 'c'.repeat(64));
  await t.throwsAsync(cache.provide(owner, [lying], own, signal), { instanceOf: BlobFault, message: /"c"/ });
  t.is((await readdir(media)).length, 0, 'the older copy made room');
});

test.serial('an impossible render fails in preparation, with the field', async (t) => {
  t.timeout(240_000);
  const { clients } = t.context;
  const project_id = await addProject(clients, { layers: [{ ...TEXT, font_family: 'Comic Sans' }] });
  const render_id = await requestRender(clients, project_id);
  const render = await renderWhere(clients, render_id, 'is over', isOver);
  t.is(render.status, 'failed');
  t.like(render.failure, { stage: 'preparation', field: 'layers[0].font_family' });
  t.regex(render.failure?.message ?? '', /^layers\[0\]\.font_family: /);
  t.is(render.attempts.length, 0);
});

test.serial("an older project's text that no font has fails with its field only", async (t) => {
  t.timeout(240_000);
  const { clients } = t.context;
  const project_id = await addProject(clients, { layers: [{ ...TEXT, text: 'An owl: \u{13153}' }] });
  const render = await renderWhere(clients, await requestRender(clients, project_id), 'is over', isOver);
  const message = 'layers[0].text: has a character that no font has';
  t.deepEqual(render.failure, { stage: 'preparation', code: 'no_glyph', message, field: 'layers[0].text' });
});

test.serial('a render whose data the code cannot read fails after three attempts', async (t) => {
  t.timeout(240_000);
  const { clients, blobs, stack } = t.context;
  const pid = stack.component('preparer').pid();
  const project_id = await addProject(clients, { layers: [SHAPE] });
  const request = await blobs.putPayload(`renders/rend_${ulid()}/request.json`, Buffer.from('{ "va'), 'text/plain');
  const render_id = await requestRender(clients, project_id, { request });
  const render = await renderWhere(clients, render_id, 'is over', isOver);
  t.like(render, { status: 'failed', charged_credits: 0 });
  t.like(render.failure, { stage: 'preparation', code: 'internal_error', field: null });
  t.is(await failedWorkOf(t.context, project_id), null);
  t.is(stack.component('preparer').pid(), pid);
});

const failedWorkOf = async ({ clients }: World, project_id: string): Promise<FailedWorkDocument | null> => {
  const { db } = clients.store;
  const _id = failedWorkId(project_id.replace('proj_', 'acc_'), hourOf(Date.now()));
  return await db.collection<FailedWorkDocument>(COLLECTIONS.failed_work).findOne({ _id });
};

test.serial("a failed render's cost counts only if its own media caused the failure", async (t) => {
  t.timeout(240_000);
  const { clients, blobs, folder } = t.context;
  const file = join(folder, 'no-picture');
  await writeFile(file, 'this is no picture');
  const sha256 = createHash('sha256').update('this is no picture').digest('hex');
  const layers = [{ id: 'logo', type: 'image', asset: 'logo', x: 0, y: 0, width: 40, height: 40 }];
  const assets = [{ id: 'logo', kind: 'image', sha256 }];
  const [bad, missing] = [await addProject(clients, { layers, assets }), await addProject(clients, { layers, assets })];
  await blobs.upload(`projects/${bad}/assets/${sha256}`, file, { content_type: 'image/png' });

  const render_id = await requestRender(clients, bad);
  t.is((await renderWhere(clients, render_id, 'is over', isOver)).status, 'failed');
  const counted = await failedWorkOf(t.context, bad);
  t.true(counted !== null && counted.cpu_ms > 0 && counted.cpu_ms < 60_000, JSON.stringify(counted));
  t.deepEqual(counted?.counted, [render_id]);

  const other = await renderWhere(clients, await requestRender(clients, missing), 'is over', isOver);
  t.is(other.failure?.code, 'media_not_found');
  t.is(await failedWorkOf(t.context, missing), null);
});

test.serial('the cost of a failed attempt reaches the store once, by heartbeats', async (t) => {
  t.timeout(180_000);
  const { clients } = t.context;
  const account_id = `acc_${ulid()}`;
  const failed = [{ attempt_id: `att_${ulid()}`, account_id, cpu_ms: 1_234 }];
  const project_id = account_id.replace('acc_', 'proj_');
  for (let beat = 1; beat <= 3; beat += 1) {
    const shown = {
      slots: 0,
      draining: true,
      attempts: [],
      failed,
      engines: [],
      impediments: [],
      wanted: [],
      helps: [],
    };
    const record = { type: 'WorkerBeat' as const, meta: metaBy('worker:wkr_none'), worker_id: 'wkr_none', beat };
    await clients.records.append('worker-heartbeats', 'wkr_none', { ...record, ...shown });
  }
  const counted = await pollUntil('the failed work is counted', () => failedWorkOf(t.context, project_id));
  t.like(counted, { cpu_ms: 1_234, fetched_bytes: 0 });
  const next = { ...failed[0], attempt_id: `att_${ulid()}`, cpu_ms: 1 };
  await clients.records.append('worker-heartbeats', 'wkr_none', {
    ...{ type: 'WorkerBeat' as const, meta: metaBy('worker:wkr_none'), worker_id: 'wkr_none', beat: 4 },
    ...{ slots: 0, draining: true, attempts: [], failed: [...failed, { ...next, account_id }] },
    ...{ engines: [], impediments: [], wanted: [], helps: [] },
  });
  await pollUntil(
    'the next failed work is counted',
    async () => (await failedWorkOf(t.context, project_id))?.counted.length === 2,
  );
  t.is((await failedWorkOf(t.context, project_id))?.cpu_ms, 1_235);
});

test.serial('only renders of an account over its failed-work limit wait', async (t) => {
  t.timeout(240_000);
  const { clients } = t.context;
  const { db } = clients.store;
  const [bad, good] = [
    await addProject(clients, { layers: [SHAPE] }),
    await addProject(clients, { layers: [SHAPE], duration: 0.5 }),
  ];
  const account_id = bad.replace('proj_', 'acc_');
  const cost = { cpu_ms: 10 ** 10, fetched_bytes: 0 };
  await countFailedWork(db, { work_id: 'rend_bomb', account_id, cost }, Date.now());
  const waiting = await Promise.all(Array.from({ length: 20 }, () => requestRender(clients, bad)));
  const other = await renderWhere(clients, await requestRender(clients, good), 'is over', isOver);
  t.is(other.status, 'complete');
  for (const id of waiting) t.is((await documentOf(clients, id))?.status, 'initializing');

  const positions = db.collection<{ readonly _id: string; readonly next: number }>('consumer_positions');
  await pollUntil('no partition waits for these renders', async () => {
    const bounds = await clients.records.log.bounds('render-status');
    const kept = await positions.find({ _id: { $regex: '^preparer/' } }).toArray();
    return bounds.every(
      ({ partition, end }) =>
        kept.some(({ _id, next }) => _id === `preparer/render-status/${partition}` && next >= end) || end === 0,
    );
  });
  await db.collection<FailedWorkDocument>(COLLECTIONS.failed_work).deleteOne({
    _id: failedWorkId(account_id, hourOf(Date.now())),
  });
  for (const id of waiting) await renderWhere(clients, id, 'is prepared', ({ prepared }) => prepared !== null);
  const document = await documentOf(clients, waiting[0] ?? '');
  t.is(document?.ignored_count, 0, 'each is prepared once');
});

test.serial('an asset that is missing from the store fails the render, not the preparer', async (t) => {
  t.timeout(240_000);
  const { clients } = t.context;
  const project_id = await addProject(clients, {
    layers: [{ id: 'logo', type: 'image', asset: 'logo', x: 0, y: 0, width: 40, height: 40 }],
    assets: [{ id: 'logo', kind: 'image', sha256: 'a'.repeat(64) }],
  });
  const render = await renderWhere(clients, await requestRender(clients, project_id), 'is over', isOver);
  t.like(render.failure, { stage: 'preparation', code: 'media_not_found', field: 'assets' });
});

test.serial('a full disk and an unreadable composition affect no other render', async (t) => {
  t.timeout(240_000);
  const { clients, blobs, folder, stack } = t.context;
  const full = await startComponent('render-workers/worker', {
    ...stack.env,
    ...{
      WORK_DIR: join(folder, 'full'),
      WORKER_FREE_BYTES: '999999999999999',
      WORKER_SLOTS: '4',
      WORKER_NAME: 'full',
    },
  });
  t.teardown(full.kill);
  const renderctl = caller(stack.env);
  await pollUntil('the worker reports the impediment', async () =>
    /impeded: disk/.test((await renderctl('worker', 'list')).stdout),
  );

  const newer = renderId(ulid());
  const composition = await blobs.putPayload(`renders/${newer}/final.json`, Buffer.from('{"engine":99}'), 'text/plain');
  const own = { render_id: newer, project_id: `proj_${newer}`, account_id: `acc_${newer}`, request: null };
  // Appended together, so that the render is already prepared when the preparer reads it.
  await Promise.all([
    appendEvent(clients, requested(own)),
    appendEvent(clients, { ...prepared, render_id: newer, composition }),
  ]);
  const handedBack = await renderWhere(clients, newer, 'is handed back', ({ attempts }) => attempts[0]?.lost != null);
  t.is(handedBack.attempts[0]?.lost, 'environment_version');

  const project_id = await addProject(clients, { layers: [SHAPE] });
  const ids = await Promise.all([1, 2, 3].map(() => requestRender(clients, project_id)));
  for (const id of ids) {
    const render = await renderWhere(clients, id, 'is over', isOver);
    t.is(render.status, 'complete', JSON.stringify(render.failure));
    t.deepEqual(
      render.attempts.map(({ worker_id }) => worker_id),
      handedBack.attempts.map(({ worker_id }) => worker_id),
    );
    t.regex(render.attempts[0]?.worker_id ?? '', /^wkr_[0-9a-f]{8}_[0-9A-Z]{26}$/);
  }
  t.is((await documentOf(clients, newer))?.render?.attempts.length, 1, 'the render waits for another engine');
  const told = await scraped(stack.component('dispatcher').health_url ?? '');
  t.is(sumOf(told, 'dispatcher_workers', { standing: 'impeded' }), 1);
  t.is(sumOf(told, 'dispatcher_workers', { standing: 'offering' }), 1);
  t.is(sumOf(told, 'dispatcher_environment_waits'), 1);
  await appendEvent(clients, { ...failed('dispatcher:test', null), render_id: newer });
});

test.serial('after a kill of the worker in mid-render, the second attempt completes', async (t) => {
  t.timeout(400_000);
  const { clients, stack, work } = t.context;
  const render_id = await requestRender(clients, await addProject(clients, LONG));
  await renderWhere(clients, render_id, 'is processing', ({ status }) => status === 'processing');
  stack.component('worker').kill('SIGKILL');

  const render = await renderWhere(clients, render_id, 'is over', isOver, 180_000);
  t.is(render.status, 'complete', JSON.stringify(render.failure));
  t.deepEqual(
    render.attempts.map(({ n, lost }) => ({ n, lost })),
    [
      { n: 1, lost: 'crashed' },
      { n: 2, lost: null },
    ],
  );
  t.true(render.outputs[0]?.path.includes(render.attempts[1]?.id ?? '-'));
  // The dead worker's files are gone, and so are the live worker's files of this render; a still can be in progress.
  await pollUntil('only caches are left', async () => {
    const left = await Promise.all((await readdir(work)).map((name) => readdir(join(work, name))));
    return left.flat().every((entry) => ['media', 'segments'].includes(entry) || entry.startsWith('programs-'));
  });
});

test.serial('a stopping worker returns its attempt uncounted', async (t) => {
  t.timeout(400_000);
  const { clients, stack } = t.context;
  const render_id = await requestRender(clients, await addProject(clients, LONG));
  await renderWhere(clients, render_id, 'is processing', ({ status }) => status === 'processing');
  stack.component('worker').kill('SIGTERM');
  const given = await renderWhere(clients, render_id, 'was handed back', ({ attempts }) => attempts[0]?.lost !== null);
  t.is(given.attempts[0]?.lost, 'drained');
  const render = await renderWhere(clients, render_id, 'is over', isOver, 180_000);
  t.is(render.status, 'complete', JSON.stringify(render.failure));
  t.is(render.attempts.length, 2);
});

test.serial('an attempt that has ended in the log is stopped, and frees its worker', async (t) => {
  t.timeout(400_000);
  const { clients } = t.context;
  const render_id = await requestRender(clients, await addProject(clients, LONG));
  const running = await renderWhere(clients, render_id, 'is processing', ({ status }) => status === 'processing');
  const attempt_id = openAttempt(running)?.id ?? '';
  const over = { render_id, attempt_id, stage: 'rendering', code: 'by_hand', message: 'ended by a test', field: null };
  await appendEvent(clients, { type: 'RenderFailed', meta: metaBy('worker:test'), ...over });

  const begun_at = Date.now();
  const next = await requestRender(clients, await addProject(clients, { layers: [SHAPE] }));
  await renderWhere(clients, next, 'is complete', ({ status }) => status === 'complete');
  t.true(Date.now() - begun_at < 20_000);
  t.is((await documentOf(clients, render_id))?.render?.failure?.code, 'by_hand');
});

const isActive = async (health_url: string): Promise<boolean> =>
  /^dispatcher_active\{[^}]*\} 1$/m.test(await (await fetch(`${health_url}/metrics`)).text());

test.serial('a suspended dispatcher is replaced, and does no harm when it resumes', async (t) => {
  t.timeout(400_000);
  const { clients, stack } = t.context;
  const second = await startComponent('render-workers/dispatcher', stack.env);
  t.teardown(second.kill);
  const dispatchers = [
    { health_url: stack.component('dispatcher').health_url ?? '', pid: stack.component('dispatcher').pid() ?? 0 },
    { health_url: second.health_url, pid: second.pid ?? 0 },
  ];
  await pollUntil('both dispatchers run', async () => {
    const answers = await Promise.all(dispatchers.map(({ health_url }) => fetch(`${health_url}/health/ready`)));
    return answers.every(({ status }) => status === 200);
  });
  const asleep = await pollUntil('one dispatcher is active', async () => {
    const active = await Promise.all(dispatchers.map(({ health_url }) => isActive(health_url)));
    return active.filter(Boolean).length === 1 ? (dispatchers[active.indexOf(true)] ?? null) : null;
  });
  const awake = dispatchers.find((dispatcher) => dispatcher !== asleep);

  const project_id = await addProject(clients, { layers: [SHAPE], duration: 2 });
  const before = await Promise.all([1, 2, 3].map(() => requestRender(clients, project_id)));
  await renderWhere(clients, before[0] ?? '', 'is assigned', ({ attempts }) => attempts.length > 0);
  process.kill(asleep.pid, 'SIGSTOP');
  t.teardown(() => process.kill(asleep.pid, 'SIGCONT'));
  await pollUntil('the other dispatcher took over', () => isActive(awake?.health_url ?? ''));
  process.kill(asleep.pid, 'SIGCONT');
  const after = await Promise.all([1, 2, 3].map(() => requestRender(clients, project_id)));

  for (const id of [...before, ...after]) {
    const render = await renderWhere(clients, id, 'is over', isOver, 120_000);
    t.is(render.status, 'complete', JSON.stringify(render.failure));
    t.is(render.attempts.length, 1, JSON.stringify(render.attempts));
    for (const [type, trace] of await tracesOf(clients, id)) t.is(trace, TRACEPARENT, type);
  }
});

test.serial('more renders of several accounts than slots are all rendered once', async (t) => {
  t.timeout(400_000);
  const { clients } = t.context;
  const projects = await Promise.all([1, 2, 3].map(() => addProject(clients, { layers: [SHAPE] })));
  const ids = await Promise.all(
    projects.flatMap((project_id) => [1, 2, 3].map(() => requestRender(clients, project_id))),
  );
  for (const id of ids) {
    const render = await renderWhere(clients, id, 'is over', isOver, 120_000);
    t.is(render.status, 'complete', JSON.stringify(render.failure));
    t.is(render.attempts.length, 1);
  }
  await pollUntil('the position is stored', async () => {
    const positions = await clients.store.db
      .collection<{ _id: string; next: number }>('consumer_positions')
      .find({})
      .toArray();
    return positions.some(({ _id, next }) => _id.startsWith('preparer/render-status/') && next > 0);
  });
});

// Must be the last test: for some seconds renders would go to the workers that it kills.
test.serial('idle workers help with a long film, yield to renders, and may be killed', async (t) => {
  t.timeout(400_000);
  const { clients, blobs, folder, stack } = t.context;
  // It has more free slots than the other worker, so that renders start here.
  const second = await startComponent('render-workers/worker', {
    ...stack.env,
    ...{ WORK_DIR: join(folder, 'second'), WORKER_SLOTS: '2', WORKER_NAME: 'second' },
  });
  t.teardown(second.kill);
  const beats = async () =>
    (await readHeartbeats(clients.records)).flatMap(({ beat }) => (beat.type === 'WorkerBeat' ? [beat] : []));
  const slots_of = async (worker_id: string | undefined) =>
    (await beats()).findLast((beat) => beat.worker_id === worker_id)?.slots;
  const offering = async () =>
    sumOf(await scraped(stack.component('dispatcher').health_url ?? ''), 'dispatcher_workers', {
      standing: 'offering',
    });
  await pollUntil('the dispatcher knows both workers', async () => (await offering()) === 2);
  const filmOf = async (color: string) => {
    const project_id = await addProject(clients, {
      ...{ width: 640, height: 360, duration: 60 },
      layers: [{ ...SHAPE, color, fade_in: 60 }, TEXT],
    });
    const render_id = await requestRender(clients, project_id);
    const first = await renderWhere(clients, render_id, 'is assigned', ({ attempts }) => attempts.length > 0);
    t.is(await slots_of(first.attempts[0]?.worker_id), 2);
    const attempt_id = first.attempts[0]?.id ?? '';
    const isHelped = (helps: readonly Help[]): boolean =>
      helps.some((help) => help.attempt_id === attempt_id && help.taken.length > 0);
    await pollUntil('the film is helped', async () => (await beats()).some(({ helps }) => isHelped(helps)));
    return render_id;
  };
  const short = await addProject(clients, { layers: [SHAPE] });

  let helped = 0;
  // On a busy machine a film can be complete before its helper has stored a part.
  for (const color of ['#E30613', '#E3A313', '#13E306']) {
    const film = await filmOf(color);
    const made = await renderWhere(clients, film, 'is over', isOver);
    t.deepEqual([made.status, made.attempts.length], ['complete', 1]);
    const file = join(folder, 'helped.mp4');
    await blobs.download(made.outputs[0]?.path ?? '', file);
    t.regex(await probe(file), /h264,640,360,1800/);
    t.is((await documentOf(clients, film))?.ignored_count, 0);
    helped = sumOf(await scraped(second.health_url), 'worker_frames_total', { source: 'helped' });
    if (helped > 0) break;
  }
  t.true(helped > 0, `${helped} frames`);

  const again = await filmOf('#0613E3');
  const took: (number | undefined)[] = [];
  for (const id of await Promise.all([1, 2, 3].map(() => requestRender(clients, short)))) {
    const { status, attempts } = await renderWhere(clients, id, 'is over', isOver);
    t.deepEqual([status, attempts.length], ['complete', 1]);
    took.push(await slots_of(attempts[0]?.worker_id));
  }
  t.true(took.includes(1), 'including the helper');
  process.kill(stack.component('worker').pid() ?? 0, 'SIGKILL');
  const { status, attempts } = await renderWhere(clients, again, 'is over', isOver);
  t.deepEqual([status, attempts.length], ['complete', 1]);
});
