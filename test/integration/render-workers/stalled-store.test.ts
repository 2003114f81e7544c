import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import sharp from 'sharp';
import { canonicalJson } from '../../../domain/composition/canonical-json.ts';
import { composeFinal, type FinalComposition } from '../../../domain/composition/final-composition.ts';
import { decodeProjectDocument, type ProjectDocument } from '../../../domain/composition/project-document.ts';
import type { AttemptLost } from '../../../domain/render/events.ts';
import { foldStep } from '../../../domain/render/fold.ts';
import type { Render } from '../../../domain/render/render.ts';
import { NO_CACHE } from '../../../engine/cache/segment-cache.ts';
import { openPartClaims } from '../../../engine/render/part-claims.ts';
import { openBlobStore } from '../../../platform/blob-store/azure-blob-store.ts';
import { type BlobStore, isBlobStoreUnavailable } from '../../../platform/blob-store/blob-store.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { type Clock, SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { createReadiness } from '../../../platform/process/readiness.ts';
import { environmentProbes } from '../../../render-workers/environment/probes.ts';
import { createAssetCache } from '../../../render-workers/local-files/asset-cache.ts';
import { openWorkFolder } from '../../../render-workers/local-files/work-folder.ts';
import { createMetaFactory } from '../../../render-workers/log/record-author.ts';
import { type WorkMeter, workMeter } from '../../../render-workers/metering/work-meter.ts';
import { openEnvironmentGate } from '../../../render-workers/preparer/environment-gate.ts';
import { prepare } from '../../../render-workers/preparer/prepare.ts';
import { prepareWhenPossible } from '../../../render-workers/preparer/prepare-when-possible.ts';
import { openAccountSlots } from '../../../render-workers/queue/account-slots.ts';
import { startAttempt } from '../../../render-workers/worker/attempt.ts';
import { openHelpCoordinator } from '../../../render-workers/worker/help/help-desk.ts';
import type { AnyRecord } from '../../../schemas/any-record.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { coldPrograms } from '../../helpers/cold-programs.ts';
import { metaBy, requested } from '../../helpers/render-events.ts';
import { SANDBOX as sandbox } from '../../helpers/sandbox.ts';
import { type StallingProxy, startStallingProxy } from '../../helpers/stalling-proxy.ts';
import { projectJson, storedJson } from '../../unit/composition/_project.ts';
import { type BlobServer, openBlobServer } from './_blob-server.ts';

// A store that stalls in mid-body: the real one, behind a proxy that stops forwarding and stays open.
type World = { readonly server: BlobServer };

const test = anyTest as TestFn<World>;
const logger = createLogger('test', 'silent');
const clock = SYSTEM_CLOCK;
const NEVER = new AbortController().signal;
const LARGE = randomBytes(8_000_000);
/** Much shorter than the idle timeout. */
const SHORT_MS = 400;

test.before(async (t) => {
  t.timeout(180_000);
  t.context = { server: await openBlobServer() };
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context.server?.close();
});

type Stalling = {
  readonly proxy: StallingProxy;
  readonly blobs: BlobStore;
  readonly folder: string;
  readonly openFiles: () => Promise<readonly string[]>;
};

const behindProxy = async (t: ExecutionContext<World>, idle_ms = 60_000): Promise<Stalling> => {
  const { port, settingsAt, folder: root } = t.context.server;
  const proxy = await startStallingProxy(port);
  t.teardown(proxy.close);
  const own = { ...settingsAt(proxy.port), public_url: undefined, signed_url_lifetime_s: 60 };
  const folder = await mkdtemp(join(root, 'stalled-'));
  const openFiles = async (): Promise<readonly string[]> => {
    const links = await readdir('/proc/self/fd');
    const files = await Promise.all(links.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
    return files.filter((file) => file.startsWith(folder));
  };
  return { proxy, blobs: openBlobStore(own, createReadiness(), idle_ms), folder, openFiles };
};

/** Waits until the aborted work has left no stalled connection, no open file, and no other files than these. */
const nothingIsLeft = async ({ proxy, folder, openFiles }: Stalling, files: readonly string[] = []): Promise<void> => {
  await pollUntil('its connections are closed', async () => proxy.stalling() === 0);
  await pollUntil('its files are closed', async () => (await openFiles()).length === 0);
  await pollUntil('its files are removed', async () => {
    const left = await readdir(folder, { recursive: true, withFileTypes: true });
    return left.every((entry) => entry.isDirectory() || files.includes(entry.name));
  });
};

for (const [name, work] of Object.entries({
  'a download': async ({ blobs, folder, proxy }: Stalling, signal?: AbortSignal) => {
    proxy.stall('answers', LARGE.length / 2);
    await blobs.download('large', join(folder, 'down'), signal);
  },
  'a document': async ({ blobs, proxy }: Stalling, signal?: AbortSignal) => {
    proxy.stall('answers', LARGE.length / 2);
    await blobs.getPayload({ path: 'large', sha256: 'ab' }, signal);
  },
  'an upload': async ({ blobs, folder, proxy }: Stalling, signal?: AbortSignal) => {
    // More than the buffers up to the proxy can hold.
    await truncate(join(folder, 'large'), 64_000_000);
    proxy.stall('requests', 1_000_000);
    const own = signal === undefined ? {} : { signal };
    await blobs.upload('up', join(folder, 'large'), { content_type: 'video/mp4', ...own });
  },
  'an answer': async ({ blobs, proxy }: Stalling, signal?: AbortSignal) => {
    proxy.stall('answers', 0);
    await blobs.sizeOf('large', signal);
  },
})) {
  test(`${name} on a stalled store ends with its signal and leaves no file`, async (t) => {
    t.timeout(180_000);
    await t.context.server.put('large', LARGE);
    const world = await behindProxy(t);
    await writeFile(join(world.folder, 'large'), LARGE);
    const stop = new AbortController();
    const working = work(world, stop.signal);
    working.catch(() => undefined);
    await pollUntil('the store stalls', async () => world.proxy.stalled() > 0);
    const reason = new Error('given up');
    stop.abort(reason);
    t.is(await t.throwsAsync(working), reason);
    await nothingIsLeft(world, ['large']);
  });

  test(`${name} on a stalled store counts as an unavailable store`, async (t) => {
    t.timeout(180_000);
    await t.context.server.put('large', LARGE);
    const world = await behindProxy(t, SHORT_MS);
    await writeFile(join(world.folder, 'large'), LARGE);
    const fault = await t.throwsAsync(work(world));
    t.true(isBlobStoreUnavailable(fault));
    t.regex(fault?.message ?? '', /nothing was sent or received for 0\.4 s$/);
    await nothingIsLeft(world, ['large']);
  });
}

/** A picture over the whole frame with the file `large`, whose contents never arrive. */
const withPicture = (sha256: string): { project: ProjectDocument; final: FinalComposition } => {
  const layer = { id: 'logo', type: 'image', asset: 'logo', x: 0, y: 0, width: 320, height: 180 };
  const picture = { id: 'comp_main', width: 320, height: 180, fps: 30, duration: 1, layers: [layer] };
  const assets = [{ ...storedJson('logo', 'image'), sha256 }];
  const json = projectJson({ compositions: [picture], assets, templates: [], variants: [] });
  const project = decodeProjectDocument(json);
  if (E.isLeft(project)) throw new Error(JSON.stringify(project.left));
  const final = composeFinal(project.right, null, {});
  if (E.isLeft(final)) throw new Error(final.left.message);
  return { project: project.right, final: final.right };
};

const LOGO = 'c'.repeat(64);

const LONG_MS = 60_000;

const attemptOn = async (
  t: ExecutionContext<World>,
  world: Stalling,
  short: { composition_ms?: number; download_ms?: number },
) => {
  const { blobs, folder } = world;
  const { final } = withPicture(LOGO);
  const through = openBlobStore({ ...t.context.server.settings, public_url: undefined, signed_url_lifetime_s: 60 });
  await t.context.server.put(`projects/proj_1/assets/${LOGO}`, LARGE);
  const bytes = Buffer.from(canonicalJson(final));
  const composition = await through.putPayload('renders/rend_1/composition.json', bytes, 'application/json');
  const said: AnyRecord[] = [];
  const media = join(folder, 'media');
  await mkdir(media, { recursive: true });
  const attempt = startAttempt(
    {
      ...{ type: 'StartAttempt', meta: metaBy('dispatcher:disp_1'), worker_id: 'wkr_1', n: 1, account_id: 'acc_1' },
      ...{ render_id: 'rend_1', attempt_id: 'att_1', project_id: 'proj_1', frames: 30, composition },
    },
    {},
    {
      append: async (_topic, _key, record) => {
        said.push(record);
        return null;
      },
      blobs,
      assets: createAssetCache(blobs, media, 1e9),
      segments: { of: () => NO_CACHE, clear: async () => undefined },
      claims: openPartClaims(),
      warm: coldPrograms(folder),
      helpDesk: openHelpCoordinator('work_1', () => undefined, SYSTEM_CLOCK),
      folder: await openWorkFolder(folder, 'worker'),
      ...{ ffmpeg_path: 'ffmpeg', ffprobe_path: 'ffprobe', sandbox, cores: 1 },
      deadlines: { composition_ms: LONG_MS, download_ms: LONG_MS, upload_ms: LONG_MS, ...short },
      ...{ impediments: { report: () => undefined, reportSuccess: () => undefined }, least_free_bytes: 1 },
      rendered: () => undefined,
      spent: () => t.fail('nothing of it is the account’s'),
      by: createMetaFactory('worker', 'wkr_1', clock),
      logger,
      clock,
    },
    NEVER,
    () => undefined,
  );
  return { attempt, said };
};

for (const [stage, after_bytes] of Object.entries({ composition: 200, download: 1_000_000 })) {
  const detail = `${stage}_deadline`;
  test(`an attempt whose store stalls frees its slot at its deadline: ${detail}`, async (t) => {
    t.timeout(180_000);
    const world = await behindProxy(t);
    world.proxy.stall('answers', after_bytes);
    const { attempt, said } = await attemptOn(t, world, { [`${stage}_ms`]: SHORT_MS });
    t.true(attempt.takesSlot());
    await attempt.ended;
    t.false(attempt.takesSlot());
    t.like(said, [{ type: 'AttemptLost', reason: 'environment', detail } satisfies Partial<AttemptLost>]);
    t.is(said.length, 1);
    await nothingIsLeft(world);
  });
}

test('an attempt that is returned while its store stalls ends at once, uncounted', async (t) => {
  t.timeout(180_000);
  const world = await behindProxy(t);
  world.proxy.stall('answers', 1_000_000);
  const { attempt, said } = await attemptOn(t, world, {});
  await pollUntil('the store stalls', async () => world.proxy.stalled() > 0);
  attempt.handBack();
  await attempt.ended;
  t.like(said, [{ type: 'AttemptLost', reason: 'drained' }]);
  await nothingIsLeft(world);
});

const withoutRequest = (): Render => {
  const step = foldStep(null, requested({ request: null, template_id: null, project_id: 'proj_1' }), 1);
  if (step.tag !== 'accepted') throw new Error('not accepted');
  return step.render;
};

const preparerOn = async ({ blobs, folder }: Stalling, sha256: string, clock: Clock) => {
  const media = join(folder, 'media');
  await mkdir(media, { recursive: true });
  const held: number[] = [];
  const parts = {
    versions: async () => E.right(withPicture(sha256).project),
    readRequest: async () => E.right({ values: {}, draft: false }),
    blobs,
    assets: createAssetCache(blobs, media, 1e9),
    uploads: { find: async () => null },
    fetcher: { fetch: async () => E.right([]) },
    folder: await openWorkFolder(folder, 'preparer'),
    disk: {
      reserve: async (_account_id: string, bytes: number) => {
        held.push(bytes);
        return { shrink: () => undefined, release: () => void held.pop() };
      },
      reserved: () => 0,
      waiting: () => 0,
    },
    ...{ ffprobe_path: 'ffprobe', sandbox, clock, logger },
    looks: { inSlot: <A>(_account_id: string, _signal: AbortSignal, run: () => Promise<A>) => run() },
    ...{ limit_ms: 60_000, download_ms: SHORT_MS },
  };
  return { parts, held };
};

const preparationOn = async (world: Stalling, stop: AbortSignal, download_ms = SHORT_MS) => {
  const { parts, held } = await preparerOn(world, LOGO, clock);
  return { outcome: prepare(withoutRequest(), { ...parts, download_ms }, workMeter(), stop), held };
};

test('a preparation without its store waits without a slot, then continues', async (t) => {
  t.timeout(180_000);
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const picture = await sharp({ create: { width: 320, height: 180, channels: 3, background: '#000000', noise } })
    .png()
    .toBuffer();
  const sha256 = createHash('sha256').update(picture).digest('hex');
  await t.context.server.put(`projects/proj_1/assets/${sha256}`, picture);
  const world = await behindProxy(t, SHORT_MS);
  world.proxy.stall('answers', 0);
  // Removes the pauses of the preparation's retries, which take half a minute.
  const hurried: Clock = { ...clock, sleep: async (_ms, signal) => await clock.sleep(10, signal) };
  const { parts, held } = await preparerOn(world, sha256, hurried);
  const { blobs, folder } = parts;
  const probes = environmentProbes({ folder, blobs, makeRoom: async () => undefined, least_free_bytes: 1 });
  const gate = openEnvironmentGate(probes, logger, clock);
  t.teardown(gate.stop);
  const slots = openAccountSlots({ at_once: 1, at_once_per_account: 1 });
  const paused = new Set<string>();
  const waiting = {
    ...{ slots, gate, paused, logger, clock, environment_timeout_ms: 60_000 },
    isInitializing: async () => true,
    prepare: (render: Render, meter: WorkMeter, signal: AbortSignal) => prepare(render, parts, meter, signal),
  };
  const outcome = prepareWhenPossible(waiting, withoutRequest(), NEVER);
  await pollUntil('the store is known to be unavailable', async () => !gate.isOpen() && paused.size === 1, 30_000);
  t.is(slots.running(), 0);
  t.deepEqual(held, []);
  world.proxy.heal();
  t.like(await outcome, { outcome: { _tag: 'Right', right: { frames: 30 } } });
  t.is(paused.size, 0);
});

test('a missing container means that the store is unavailable, and nothing is lost', async (t) => {
  t.timeout(180_000);
  const { settings, folder } = t.context.server;
  const blobs = openBlobStore({ ...settings, container: 'none', public_url: undefined, signed_url_lifetime_s: 60 });
  for (const work of [
    () => blobs.sizeOf('a'),
    () => blobs.download('a', join(folder, 'none')),
    () => blobs.getPayload({ path: 'a', sha256: 'ab' }),
    () => blobs.putPayload('a', Buffer.from('a'), 'text/plain'),
  ])
    t.true(isBlobStoreUnavailable(await t.throwsAsync(work())), String(work));
});

test('a preparation whose store stalls ends at its deadline and names its step', async (t) => {
  t.timeout(180_000);
  await t.context.server.put(`projects/proj_1/assets/${LOGO}`, LARGE);
  const world = await behindProxy(t);
  world.proxy.stall('answers', 1_000_000);
  const { outcome, held } = await preparationOn(world, NEVER);
  const message = 'could not be prepared: downloading the media took longer than 0.4 s';
  t.like(await outcome, { left: { code: 'surroundings', message, ours: true } });
  t.deepEqual(held, [], 'its disk space is free');
  await nothingIsLeft(world);
});

test('a preparation that is stopped while its store stalls ends at once', async (t) => {
  t.timeout(180_000);
  await t.context.server.put(`projects/proj_1/assets/${LOGO}`, LARGE);
  const world = await behindProxy(t);
  world.proxy.stall('answers', 1_000_000);
  const stop = new AbortController();
  const { outcome, held } = await preparationOn(world, stop.signal, 30_000);
  const ended = outcome.then((made) => t.fail(`it did not stall, and came to ${JSON.stringify(made)}`));
  ended.catch(() => undefined);
  await Promise.race([pollUntil('the store stalls', async () => world.proxy.stalled() > 0), ended]);
  stop.abort();
  t.is(await t.throwsAsync(outcome), stop.signal.reason);
  t.deepEqual(held, []);
  await nothingIsLeft(world);
});
