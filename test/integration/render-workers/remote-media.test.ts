import { constants, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { execa } from 'execa';
import sharp from 'sharp';
import { ulid } from 'ulid';
import type { Render } from '../../../domain/render/render.ts';
import type { BlobStore } from '../../../platform/blob-store/blob-store.ts';
import { renderCollections } from '../../../read-models/collections.ts';
import type { RenderDocument } from '../../../read-models/renders/documents.ts';
import { requestPath } from '../../../schemas/blobs/paths.ts';
import type { Stack } from '../../../stack/launcher.ts';
import { freePort } from '../../../stack/process/ports.ts';
import { type HttpsReceiver, mediaFrom, startHttpsReceiver } from '../../../stack/testing/https-receiver.ts';
import { openStackClients, type StackClients } from '../../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { localCertificate } from '../../../stack/tls/kept-certificates.ts';
import { scraped, sumOf } from '../../helpers/metrics.ts';
import { startTestStack } from '../../helpers/test-stack.ts';
import { ffmpeg, framesOf, pixelAt } from '../engine/_measuring.ts';
import { type Listener, startListener } from '../platform/_outbound-world.ts';
import { type Bait, hostileMedia, referringSvg } from './_hostile-media.ts';
import {
  addProject,
  addVersion,
  blobsOf,
  documentOf,
  isOver,
  type ProjectParts,
  renderWhere,
  requestRender,
} from './_renders.ts';

// Media at the URLs of values, with the real preparer and worker. The tests share them.
type World = {
  readonly folder: string;
  readonly stack: Stack;
  readonly clients: StackClients;
  readonly blobs: BlobStore;
  readonly server: HttpsReceiver;
  readonly canary: Listener;
  readonly bait: Bait;
  readonly project_id: string;
  readonly assets: NonNullable<ProjectParts['assets']>;
  readonly closing: (() => unknown)[];
};

const test = anyTest as TestFn<World>;

const MAKE_PIPE = 'mkfifo';

const MIB = 1024 ** 2;
const KINDS = ['image', 'video', 'audio'] as const;

/** A hidden layer of each kind with a field, and two visible pictures. */
const LAYERS = [
  ...KINDS.map((type) => ({ id: `any-${type}`, type, asset: `own-${type}`, visible: false })),
  { id: 'left', type: 'image', asset: 'own-image', x: 0, y: 0, width: 160, height: 180 },
  { id: 'right', type: 'image', asset: 'own-image', x: 160, y: 0, width: 160, height: 180 },
];
const fieldOf = (key: string, layer: string, kind: string) => ({
  ...{ key, kind, default_value: `own-${kind}` },
  target: { layer, property: 'asset' },
});
const TEMPLATE = {
  id: 'tpl_media',
  name: 'Media',
  target_composition_id: 'comp_main',
  fields: [
    ...KINDS.map((kind) => fieldOf(kind, `any-${kind}`, kind)),
    fieldOf('left', 'left', 'image'),
    fieldOf('right', 'right', 'image'),
  ],
};

const plain = (background: string, size = 40): Promise<Buffer> =>
  sharp({ create: { width: size, height: size, channels: 3, background } })
    .png()
    .toBuffer();

const storeOwn = async (
  folder: string,
  blobs: BlobStore,
  clients: StackClients,
): Promise<Pick<World, 'project_id' | 'assets'>> => {
  const files = { image: join(folder, 'own.png'), video: join(folder, 'own.mp4'), audio: join(folder, 'own.wav') };
  await writeFile(files.image, await plain('#0000FF'));
  await ffmpeg('-f', 'lavfi', '-i', 'color=s=64x64:d=1', files.video);
  await ffmpeg('-f', 'lavfi', '-i', 'sine=d=1', files.audio);
  const staged = `staged/${ulid()}`;
  const assets = [];
  for (const kind of KINDS) {
    const { sha256 } = await blobs.upload(staged, files[kind], { content_type: 'image/png' });
    assets.push({ id: `own-${kind}`, kind, sha256 });
  }
  const project_id = await addProject(clients, { layers: LAYERS, assets, templates: [TEMPLATE] });
  for (const { kind, sha256 } of assets)
    await blobs.upload(`projects/${project_id}/assets/${sha256}`, files[kind], { content_type: 'image/png' });
  return { project_id, assets };
};

test.before(async (t) => {
  t.timeout(360_000);
  const closing: (() => unknown)[] = [];
  Object.assign(t.context, { closing });
  const folder = await mkdtemp(join(tmpdir(), 'remote '));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  const port = await freePort();
  const stack = await startTestStack({
    dataDir: folder,
    components: ['projectors', 'preparer', 'dispatcher', 'worker'],
    env: { ...mediaFrom(port), WORK_DIR: join(folder, 'work'), WORKER_DRAIN_S: '1' },
    // Hundreds of renders end at once, and other writers of a shared embedded store would wait for ten seconds.
    own_servers: ['store'],
  });
  closing.push(() => stack.stop());
  const clients = await openStackClients(stack.env);
  closing.push(() => clients.close());
  const blobs = blobsOf(stack.env);
  await blobs.ensureContainer();
  const certificate = localCertificate(stack.env.OUTBOUND_CA_FILE);
  if (certificate === null) throw new Error('the stack has no certificate for this machine');
  const server = await startHttpsReceiver({ certificate, port, answer: { tag: 'answer', status: 404 } });
  closing.push(() => server.close());
  const canary = await startListener({ teardown: (close) => closing.push(close) }, '127.0.0.1');
  const pipe = join(folder, 'secret');
  await execa(MAKE_PIPE, [pipe]);
  const bait = { file: pipe, url: `https://127.0.0.1:${canary.port}/` };
  const own = await storeOwn(folder, blobs, clients);
  t.context = { folder, stack, clients, blobs, server, canary, bait, ...own, closing };
});

test.after.always(async (t) => {
  t.timeout(180_000);
  for (const close of (t.context.closing ?? []).toReversed()) await close();
});

type Values = Readonly<Record<string, string>>;

/** Requests a render as the command API does; resolves with its id. */
const asked = async (
  { clients, blobs, project_id }: World,
  values: Values,
  account_id?: string,
  project_version = 1,
): Promise<string> => {
  const template_id = TEMPLATE.id;
  const bytes = Buffer.from(JSON.stringify({ template_id, values }));
  const request = await blobs.putPayload(requestPath(`rnd_${ulid()}`), bytes, 'application/json');
  const of_account = account_id === undefined ? {} : { account_id };
  return await requestRender(clients, project_id, { template_id, request, project_version, ...of_account });
};

const rendered = async (world: World, values: Values): Promise<Render> =>
  await renderWhere(world.clients, await asked(world, values), 'is over', isOver, 150_000);

const giving = (server: HttpsReceiver, path: string, body: Buffer): string => {
  server.answer(path, { tag: 'answer', body, headers: { 'Content-Type': 'image/png' } });
  return `${server.origin}${path}`;
};

const masterOf = async ({ blobs, folder }: World, render: Render): Promise<string> => {
  const file = join(folder, `${render.id}.mp4`);
  await blobs.download(render.outputs[0]?.path ?? '', file);
  return file;
};

/** If a writer finds no reader, no process reads the pipe. */
const isUntouched = (pipe: string): boolean => {
  try {
    openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENXIO';
  }
};

test.serial('a URL in two fields is fetched once and kept with the render', async (t) => {
  t.timeout(360_000);
  const { server, blobs, folder } = t.context;
  const url = giving(server, '/photo.png?sig=a%2Fb', await plain('#FF0000'));
  const render = await rendered(t.context, { left: url, right: url });
  t.is(render.status, 'complete', JSON.stringify(render.failure));
  t.is(server.receivedAt('/photo.png?sig=a%2Fb').length, 1);

  const bytes = await blobs.getPayload(render.prepared?.composition ?? { path: '', sha256: '' });
  const { assets } = JSON.parse(bytes.toString());
  t.like(assets, [
    { of_render: false },
    { of_render: false },
    { of_render: false },
    { of_render: true, kind: 'image' },
  ]);
  t.notRegex(bytes.toString(), /photo\.png|https/, 'the URL can contain a secret');
  const kept = `renders/${render.id}/media/${assets[3].sha256}`;
  t.is((await blobs.download(kept, join(folder, 'kept'))).sha256, assets[3].sha256);

  const [frame] = await framesOf(await masterOf(t.context, render), 320, 180, [10]);
  for (const x of [80, 240]) {
    const [red, green, blue] = pixelAt(frame, 320, x, 90);
    t.true((red ?? 0) > 200 && (green ?? 255) < 60 && (blue ?? 255) < 60, `${x}: ${red},${green},${blue}`);
  }

  t.true((await blobs.deletePrefix(`renders/${render.id}/`)) >= 3);
  t.false(await blobs.exists(kept));
});

test.serial('a server that is briefly unavailable is retried; one that refuses is not', async (t) => {
  t.timeout(360_000);
  const { server } = t.context;
  const body = await plain('#FF0000');
  server.answer('/flaky', (_received, nth) =>
    nth === 1 ? { tag: 'answer', status: 503 } : nth === 2 ? { tag: 'reset' } : { tag: 'answer', body },
  );
  server.answer('/gone', { tag: 'answer', status: 410 });
  const [flaky, gone] = await Promise.all([
    rendered(t.context, { left: `${server.origin}/flaky` }),
    rendered(t.context, { left: `${server.origin}/gone` }),
  ]);
  t.is(flaky.status, 'complete', JSON.stringify(flaky.failure));
  t.is(server.receivedAt('/flaky').length, 3);
  t.like(gone.failure, {
    ...{ stage: 'preparation', code: 'media_status', field: 'values.left' },
    message: 'values.left: could not be fetched. The server answered 410.',
  });
  t.is(server.receivedAt('/gone').length, 1);
});

test.serial('the length of a film follows from the file of a URL', async (t) => {
  t.timeout(360_000);
  const { server, clients, folder, project_id, assets } = t.context;
  await addVersion(clients, project_id, 2, {
    duration: 'auto',
    layers: [
      { id: 'clip', type: 'video', asset: 'own-video', duration: 'media' },
      { id: 'end', type: 'shape', color: '#FF0000', start: { after: 'clip', offset: -0.5 }, duration: 1 },
    ],
    assets,
    templates: [{ ...TEMPLATE, fields: [fieldOf('clip', 'clip', 'video')] }],
  });
  const film = join(folder, 'two-seconds.mp4');
  await ffmpeg('-f', 'lavfi', '-i', 'color=s=64x64:d=2:r=30', film);
  const url = giving(server, '/two-seconds.mp4', await readFile(film));
  for (const [values, frames] of [
    [{ clip: url }, 75],
    [{}, 45],
  ] as const) {
    const id = await asked(t.context, values, undefined, 2);
    const render = await renderWhere(clients, id, 'is over', isOver, 150_000);
    t.is(render.status, 'complete', JSON.stringify(render.failure));
    t.is(render.prepared?.frames, frames);
    const master = await masterOf(t.context, render);
    const shown = await framesOf(master, 320, 180);
    t.is(shown.length, frames);
    const begins = shown.findIndex((frame) => (pixelAt(frame, 320, 160, 90)[0] ?? 0) > 200);
    t.is(begins, frames - 30);
  }
});

let crowd: readonly string[] = [];

test.serial('hundreds of renders with slow media of one account do not delay another account', async (t) => {
  t.timeout(360_000);
  const { server, clients, stack } = t.context;
  // More than the window of one account, so most wait in the read model.
  const CROWD = 220;
  server.answer('/slow', { tag: 'drip', every_ms: 1_000 });
  const slow = { left: `${server.origin}/slow` };
  crowd = await Promise.all(Array.from({ length: CROWD }, () => asked(t.context, slow, 'acc_crowd')));
  const preparer = stack.component('preparer').health_url ?? '';
  await pollUntil(
    'most renders wait in the read model',
    async () => sumOf(await scraped(preparer), 'preparer_accounts_left', {}) === 1,
  );
  t.true(sumOf(await scraped(preparer), 'preparer_renders', { state: 'waiting' }) < CROWD);

  const began = Date.now();
  const single = await asked(t.context, {}, 'acc_single');
  await renderWhere(clients, single, 'is prepared', (render) => render.prepared !== null);
  t.log(`a render beside the crowd was prepared in ${Date.now() - began} ms`);
  for (const id of crowd.slice(-5)) t.is((await documentOf(clients, id))?.status, 'initializing');

  server.answer('/slow', { tag: 'answer', status: 410 });
  await server.down();
  await server.up();
});

test.serial('a forbidden URL fails at once, with the field but never the URL', async (t) => {
  t.timeout(360_000);
  const { server, canary, bait } = t.context;
  const to = (Location: string) => ({ tag: 'answer', status: 302, headers: { Location } }) as const;
  server.answer('/metadata', to(`https://169.254.169.254:${server.port}/latest/meta-data/`));
  server.answer('/plain', to(`http://127.0.0.1:${canary.port}/`));
  server.answer('/loop', to('/loop'));
  server.answer('/large', { tag: 'big', size_bytes: 60 * MIB });
  server.answer('/packed', { tag: 'answer', body: 'x', headers: { 'Content-Encoding': 'gzip' } });
  const WRONG: Readonly<Record<string, string>> = {
    [`${server.origin}/metadata`]: 'media_address_refused',
    [`${server.origin}/plain`]: 'media_address_refused',
    [`${server.origin}/loop`]: 'media_redirects',
    [`${server.origin}/large`]: 'media_too_large',
    [`${server.origin}/packed`]: 'media_encoded',
    [`https://10.0.0.1:${server.port}/a.png`]: 'media_address_refused',
    [bait.url]: 'media_address_refused',
    [`https://nothing.invalid:${server.port}/a.png`]: 'media_name_not_found',
    [bait.url.replace('https', 'http')]: 'invalid_values',
  };
  const ended = await Promise.all(
    Object.entries(WRONG).map(async ([right, code]) => ({ right, code, render: await rendered(t.context, { right }) })),
  );
  for (const { right, code, render } of ended) {
    t.like(render.failure, { stage: 'preparation', code, field: 'values.right' }, right);
    t.regex(render.failure?.message ?? '', /^values\.right: /, right);
    t.notRegex(render.failure?.message ?? '', /:\/\/(?!$)|localhost|\d+\.\d+/, right);
  }
  t.is(canary.connections(), 0);
});

test.serial('hostile media fail by name, without any file read or connection; other renders continue', async (t) => {
  t.timeout(450_000);
  const { server, folder, canary, bait } = t.context;
  const hostile = await hostileMedia(folder, bait);
  const ended = await Promise.all(
    hostile.map(async ({ bytes, code = 'unreadable_media', ...file }) => ({
      ...{ ...file, code },
      render: await rendered(t.context, { [file.kind]: giving(server, `/${file.name}`, bytes) }),
    })),
  );
  for (const { name, kind, says, code, render } of ended) {
    t.like(render.failure, { stage: 'preparation', code, field: `values.${kind}` }, name);
    t.regex(render.failure?.message ?? '', /^values\.\w+: the file at the URL /, name);
    t.regex(render.failure?.message ?? '', says, name);
  }

  const secret = join(folder, 'picture.png');
  await writeFile(secret, await plain('#FF00FF', 80));
  const url = giving(server, '/refers.svg', referringSvg(bait, secret));
  const drawn = await rendered(t.context, { left: url, right: url });
  t.is(drawn.status, 'complete', JSON.stringify(drawn.failure));
  const [frame] = await framesOf(await masterOf(t.context, drawn), 320, 180, [10]);
  const [red, green] = pixelAt(frame, 320, 80, 90);
  t.true((red ?? 255) < 60 && (green ?? 0) > 200, `only its own green is drawn: ${red},${green}`);

  t.is(canary.connections(), 0);
  t.true(isUntouched(bait.file));
});

test.serial('all waiting renders are prepared, each once', async (t) => {
  t.timeout(180_000);
  const renders = t.context.clients.store.db.collection<RenderDocument>(renderCollections(1).renders);
  const once = { _id: { $in: [...crowd] }, status: 'failed', ignored_count: 0 } as const;
  await pollUntil('the renders have ended', async () => (await renders.countDocuments(once)) === crowd.length, 60_000);
  t.true(crowd.length > 0);
});
