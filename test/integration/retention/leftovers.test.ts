import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlobServiceClient, type ContainerClient } from '@azure/storage-blob';
import anyTest, { type TestFn } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import type { RenderEvent } from '../../../domain/render/events.ts';
import { openBlobStore } from '../../../platform/blob-store/azure-blob-store.ts';
import { openEvictableBlobs } from '../../../platform/blob-store/azure-evictable-blobs.ts';
import type { BlobStore } from '../../../platform/blob-store/blob-store.ts';
import type { EvictableBlobs } from '../../../platform/blob-store/evictable-blobs.ts';
import { decodeConfiguration } from '../../../platform/configuration/configuration.ts';
import { BLOB_STORE, READ_STORE } from '../../../platform/configuration/parts.ts';
import type { ReadStore } from '../../../platform/read-store/read-store.ts';
import { openAccountRetentions } from '../../../read-models/catalogue/account-retentions.ts';
import { openUserEmails } from '../../../read-models/catalogue/user-emails.ts';
import { COLLECTIONS } from '../../../read-models/collections.ts';
import { type GenerationDocument, MODEL_VERSIONS } from '../../../read-models/generations.ts';
import { openCompletedCounts } from '../../../read-models/renders/completed-counts.ts';
import { renderCollectionsIn } from '../../../read-models/renders/model.ts';
import { openRenderBlobs } from '../../../read-models/renders/render-blobs.ts';
import { approveDeletion, heldDeletions, outputDeletions } from '../../../read-models/retention/output-deletions.ts';
import { eraseFiles } from '../../../retention/erasure/erase-files.ts';
import { openOutputLimits } from '../../../retention/renders/output-limits.ts';
import { type RenderSweepDependencies, renderSweep } from '../../../retention/renders/render-sweep.ts';
import type { RemovedByKind } from '../../../retention/sweeps/progress.ts';
import type { Sweep } from '../../../retention/sweeps/run-sweeps.ts';
import { userSweep } from '../../../retention/users/user-sweep.ts';
import { segmentPath } from '../../../schemas/blobs/paths.ts';
import { batchEntries, catalogueEntries } from '../../helpers/batch-entries.ts';
import {
  assigned,
  completed,
  erased,
  failed,
  finished,
  lost,
  master,
  metaBy,
  poster,
  prepared,
  progressed,
  requested,
} from '../../helpers/render-events.ts';
import { startTestStack } from '../../helpers/test-stack.ts';
import { type Folding, folding } from '../read-models/_folding.ts';
import { openStore } from '../store/_store.ts';

/**
 * A real store and real blobs; events are folded as a projector does. The age of a blob is relative to the time up to
 * which the log is folded.
 */

type World = {
  readonly stop: () => Promise<void>;
  readonly store: ReadStore;
  readonly container: ContainerClient;
  readonly blobs: EvictableBlobs;
  readonly whole: BlobStore;
  readonly fold: Folding;
};

const test = anyTest as TestFn<World>;

const DAY_MS = 86_400_000;
const AGES = { leftovers_ms: DAY_MS, sources_ms: 30 * DAY_MS, used_parts_ms: 31 * DAY_MS };
const NO_LOG = { KAFKA_BROKERS: '127.0.0.1:1', SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1' };
const NEVER = new AbortController().signal;
const LIMIT_MS = 120_000;

test.before(async (t) => {
  t.timeout(LIMIT_MS);
  const folder = await mkdtemp(join(tmpdir(), 'leftovers-'));
  const stack = await startTestStack({ dataDir: join(folder, 'data'), components: [], env: NO_LOG });
  const decoded = decodeConfiguration(stack.env, { blob_store: BLOB_STORE, read_store: READ_STORE });
  if (E.isLeft(decoded)) throw new Error(decoded.left.join('\n'));
  const { blob_store, read_store } = decoded.right;
  const service = BlobServiceClient.fromConnectionString(blob_store.connection_string);
  const container = service.getContainerClient(blob_store.container);
  await container.createIfNotExists();
  const store = await openStore(read_store.url, read_store.database);
  await store.db.collection<GenerationDocument>(COLLECTIONS.generations).insertMany(
    (['renders', 'catalogue'] as const).map((read_model) => ({
      ...{ _id: `${read_model}@${MODEL_VERSIONS[read_model]}`, read_model, model_version: MODEL_VERSIONS[read_model] },
      ...{ generation: 1, serving: true, ends: [0] },
    })),
  );
  const fold = await folding(store);
  const stop = async (): Promise<void> => {
    await store.close();
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  };
  t.context = { store, container, stop, fold, whole: openBlobStore(blob_store), blobs: openEvictableBlobs(blob_store) };
});

test.after.always(async (t) => {
  t.timeout(LIMIT_MS);
  await t.context.stop?.();
});

const put = async ({ container }: World, ...paths: readonly string[]): Promise<void> => {
  await Promise.all(paths.map((path) => container.getBlockBlobClient(path).upload(path, path.length)));
};

const left = async ({ container }: World, prefix: string): Promise<readonly string[]> => {
  const found: string[] = [];
  for await (const { name } of container.listBlobsFlat({ prefix })) found.push(name);
  return found.toSorted();
};

const foldedUntil = async ({ store }: World, at: number): Promise<void> => {
  await renderCollectionsIn(store.db, 1).caught_up.updateOne({ _id: 0 }, { $set: { at } }, { upsert: true });
};

const pass = async (sweep: Sweep): Promise<RemovedByKind> => {
  const { next, removed } = await sweep.page(null, NEVER);
  if (next !== null) throw new Error('more than a page');
  return removed;
};

const rendersOf = ({ blobs, whole, store }: World, change: Partial<RenderSweepDependencies> = {}): Sweep =>
  renderSweep({
    blobs,
    readRenderBlobs: openRenderBlobs(store.db),
    retentions: openAccountRetentions(store.db),
    outputLimits: async (set) => new Map(Array.from(set.keys(), (id) => [id, Number.POSITIVE_INFINITY])),
    time: { now: async () => Number.POSITIVE_INFINITY },
    ages: AGES,
    eraseAgain: (render, signal) => eraseFiles({ blobs: whole, evictable: blobs }, render, signal),
    warn: () => undefined,
    ...change,
  });

const renderOf = (n: number) => {
  const render_id = `rend_${String(n).padStart(26, '0')}`;
  const at = (name: string) => `renders/${render_id}/${name}`;
  const paths = {
    request: at('request-01JD0000000000000000000001.json'),
    repeated_request: at('request-01JD0000000000000000000002.json'),
    composition: at('composition-01JD0000000000000000000003.json'),
    repeated_composition: at('composition-01JD0000000000000000000004.json'),
    media: at(`media/${'a'.repeat(64)}`),
    lost: at('att_1/master.mp4'),
    half: at('att_2/720p.mp4'),
    master: at('att_2/master.mp4'),
    poster: at('att_2/poster.jpg'),
    used_parts: at('parts/att_2.json'),
  };
  const own = <E extends RenderEvent>(event: E, i: number): E => ({
    ...event,
    ...{ render_id, meta: { ...event.meta, event_id: `${render_id} ${i}` } },
  });
  const begun: readonly RenderEvent[] = [
    requested({ request: { path: paths.request, sha256: 'ab' } }),
    // Another process appended the same request.
    requested({ request: { path: paths.repeated_request, sha256: 'ab' } }),
    { ...prepared, composition: { path: paths.composition, sha256: 'cd' } },
    { ...prepared, composition: { path: paths.repeated_composition, sha256: 'cd' } },
    ...[
      assigned('att_1', 1),
      progressed('att_1'),
      lost('att_1'),
      assigned('att_2', 2),
      progressed('att_2'),
      finished('att_2'),
    ],
  ];
  const outputs = [{ ...master, path: paths.master }];
  const completion = { ...completed('att_2'), outputs, poster: { ...poster, path: paths.poster } };
  return {
    render_id,
    paths,
    begun: begun.map(own),
    whole: [...begun, completion].map(own),
    failed: [...begun, failed('worker:wkr_1', 'att_2')].map(own),
  };
};

let offset = 0;
let catalogue_offset = 0;
const foldRenders = async ({ fold }: World, events: readonly RenderEvent[]): Promise<void> => {
  await fold.renders(0, batchEntries(events, offset));
  offset += events.length;
};

test.serial('a complete render keeps its references, leftovers a day and inputs a month', async (t) => {
  const { paths, whole } = renderOf(1);
  await put(t.context, ...Object.values(paths));
  await foldRenders(t.context, whole);
  const all = Object.values(paths).toSorted();

  await foldedUntil(t.context, Date.now() + DAY_MS - 3_600_000);
  t.deepEqual(await pass(rendersOf(t.context)), {});
  t.deepEqual(await left(t.context, 'renders/'), all, 'the blobs are less than a day old');

  await foldedUntil(t.context, Date.now() + DAY_MS + 60_000);
  await pass(rendersOf(t.context));
  const { request, master: video, poster: still, composition, media, used_parts } = paths;
  // The events above have times in 1970, so only the times of the blobs decide that they are a day old.
  t.deepEqual(await left(t.context, 'renders/'), [video, still, request, composition, media, used_parts].toSorted());
  await foldedUntil(t.context, Date.now() + 31 * DAY_MS + 60_000);
  await pass(rendersOf(t.context));
  t.deepEqual(await left(t.context, 'renders/'), [video, still, request].toSorted());

  await put(t.context, composition, media);
  const century_ms = 36_500 * DAY_MS;
  const young = rendersOf(t.context, { ages: { ...AGES, sources_ms: century_ms } });
  await foldedUntil(t.context, Date.now() + DAY_MS + 60_000);
  t.deepEqual(await pass(young), {});
  t.deepEqual(await left(t.context, 'renders/'), [video, still, request, composition, media].toSorted());

  await foldedUntil(t.context, Date.now() + century_ms + 60_000);
  const removed = await pass(rendersOf(t.context));
  t.deepEqual(removed, {
    compositions: { removed: 1, removed_bytes: composition.length },
    media: { removed: 1, removed_bytes: media.length },
  });
  t.deepEqual(await left(t.context, 'renders/'), [video, still, request].toSorted(), 'after a hundred years');
});

test.serial("the store's time is known even without blobs", async (t) => {
  const now = await t.context.blobs.now(AbortSignal.timeout(30_000));
  t.true(Math.abs(now - Date.now()) < 60_000, String(now));
});

test.serial('a running render keeps all blobs, and a failed one loses its attempts', async (t) => {
  const { render_id, paths, begun, failed: whole } = renderOf(2);
  await put(t.context, ...Object.values(paths));
  await foldRenders(t.context, begun);
  await foldedUntil(t.context, Date.now() + 400 * DAY_MS);
  await pass(rendersOf(t.context));
  t.deepEqual(await left(t.context, `renders/${render_id}/`), Object.values(paths).toSorted());

  await foldRenders(t.context, whole.slice(begun.length));
  await pass(rendersOf(t.context));
  t.deepEqual(await left(t.context, `renders/${render_id}/`), [paths.request]);
});

test.serial('the list of used parts stays as long as parts may exist', async (t) => {
  const { render_id, paths, whole } = renderOf(8);
  await put(t.context, paths.used_parts);
  await foldRenders(t.context, whole);
  await foldedUntil(t.context, Date.now() + 2 * DAY_MS);
  const century = rendersOf(t.context, { ages: { ...AGES, used_parts_ms: 36_500 * DAY_MS } });
  t.deepEqual(await pass(century), {});
  t.deepEqual(await left(t.context, `renders/${render_id}/`), [paths.used_parts]);
  await foldedUntil(t.context, Date.now() + 32 * DAY_MS);
  await pass(rendersOf(t.context));
  t.deepEqual(await left(t.context, `renders/${render_id}/`), []);
});

test.serial('a sweep deletes late blobs and used parts of an erased render', async (t) => {
  const { render_id, paths, whole } = renderOf(9);
  await foldRenders(t.context, [...whole, { ...erased(), render_id }]);
  const key = 'b'.repeat(64);
  const part = segmentPath('acc_1', key);
  await put(t.context, paths.half, paths.master, part);
  await t.context.whole.writeText(paths.used_parts, JSON.stringify([key]));
  await foldedUntil(t.context, Date.now() - 400 * DAY_MS);
  t.deepEqual(await pass(rendersOf(t.context)), {});
  t.deepEqual(
    [...(await left(t.context, `renders/${render_id}/`)), ...(await left(t.context, part))],
    [paths.used_parts],
  );
});

test.serial("outputs are deleted by the account's setting, and the request stays", async (t) => {
  const { render_id, paths, whole } = renderOf(10);
  const [first, ...rest] = whole;
  if (first?.type !== 'RenderRequested') return t.fail();
  await foldRenders(t.context, [{ ...first, account_id: 'acc_kept' }, ...rest]);
  await put(t.context, ...Object.values(paths));
  const about = { rules: 1, meta: metaBy('operator:ops'), account_id: 'acc_kept' };
  const events: readonly CatalogueEvent[] = [
    { ...about, type: 'AccountCreated', name: 'Kept', unlimited_credits: true },
    { ...about, type: 'AccountRetentionSet', what: 'outputs', days: 36_500 },
    { ...about, type: 'AccountRetentionSet', what: 'outputs', days: 90 },
  ];
  const outputs = [paths.master, paths.poster];
  await t.context.fold.catalogue(0, catalogueEntries(events.slice(0, 2), catalogue_offset));
  await foldedUntil(t.context, Date.now() + 40 * DAY_MS);
  await pass(rendersOf(t.context));
  t.deepEqual(await left(t.context, `renders/${render_id}/`), [...outputs, paths.request].toSorted());
  await t.context.fold.catalogue(0, catalogueEntries(events.slice(2), catalogue_offset + 2));
  catalogue_offset += events.length;
  await foldedUntil(t.context, Date.now() + 92 * DAY_MS);
  await pass(rendersOf(t.context));
  t.deepEqual(await left(t.context, `renders/${render_id}/`), [paths.request]);
  return undefined;
});

test.serial('many outputs of an account stay until an operator approves their deletion', async (t) => {
  const lives = [20, 21, 22].map((n) => renderOf(n));
  for (const { whole } of lives)
    await foldRenders(
      t.context,
      whole.map((event) => (event.type === 'RenderRequested' ? { ...event, account_id: 'acc_many' } : event)),
    );
  const outputs = lives.flatMap(({ paths }) => [paths.master, paths.poster]);
  await put(t.context, ...outputs);
  const { db } = t.context.store;
  const now = Date.now() + 40 * DAY_MS;
  await foldedUntil(t.context, now);
  const sweep = rendersOf(t.context, {
    retentions: async () =>
      new Map([
        [
          'acc_many',
          { kind: 'account_retention', id: 'acc_many', outputs: 7, media: null, outputs_gone_until: 0 } as const,
        ],
      ]),
    outputLimits: openOutputLimits({
      deletions: outputDeletions(db),
      completed: openCompletedCounts(db),
      limit: { max_share_percent: 50, share_min_renders: 2 },
      leftovers_ms: DAY_MS,
      unlimitedUntil: async () => null,
      warn: () => undefined,
    }),
    time: { now: async () => now },
  });
  await pass(sweep);
  const isThere = async (path: string): Promise<boolean> => (await left(t.context, path)).length > 0;
  t.true((await Promise.all(outputs.map(isThere))).every(Boolean));
  const [held] = await heldDeletions(db, now);
  t.like(held, { account_id: 'acc_many', renders: 3, of: 3 });
  if (held === undefined) return;
  t.true(await approveDeletion(db, held));
  await pass(sweep);
  t.false((await Promise.all(outputs.map(isThere))).some(Boolean));
  t.deepEqual(await heldDeletions(db, now), []);
});

test.serial('an unused payload is deleted after a day; foreign and unlogged blobs stay', async (t) => {
  const [gone, fresh, strange] = [renderOf(3), renderOf(4), renderOf(5)];
  await put(
    t.context,
    gone.paths.request,
    strange.paths.master,
    strange.paths.media,
    'renders/elsewhere',
    'renders/a/b/c/d',
  );
  await foldedUntil(t.context, Date.now() + DAY_MS + 60_000);
  const warned: unknown[] = [];
  const sweep = rendersOf(t.context, { warn: (details) => warned.push(details) });
  t.deepEqual(await pass(sweep), { requests: { removed: 1, removed_bytes: gone.paths.request.length } });
  t.deepEqual(await left(t.context, `renders/${gone.render_id}/`), []);
  t.deepEqual(warned, [{ blobs: 2, first: strange.paths.master }]);
  t.deepEqual(
    await left(t.context, `renders/${strange.render_id}/`),
    [strange.paths.master, strange.paths.media].toSorted(),
  );
  t.deepEqual(
    [...(await left(t.context, 'renders/a/')), ...(await left(t.context, 'renders/elsewhere'))],
    ['renders/a/b/c/d', 'renders/elsewhere'],
  );

  // The same key much later: its event is in the log, and the read model is behind it.
  await foldedUntil(t.context, Date.now() + 3_600_000);
  await put(t.context, fresh.paths.request);
  t.deepEqual(await pass(rendersOf(t.context)), {});
  await foldRenders(t.context, fresh.begun);
  await foldedUntil(t.context, Date.now() + 400 * DAY_MS);
  await pass(rendersOf(t.context));
  t.deepEqual(await left(t.context, `renders/${fresh.render_id}/`), [fresh.paths.request]);
});

test.serial('nothing is deleted during a rebuild or before the read model has a position', async (t) => {
  const { paths, render_id } = renderOf(6);
  await put(t.context, paths.request);
  const { caught_up } = renderCollectionsIn(t.context.store.db, 1);
  await foldedUntil(t.context, Date.now() + 400 * DAY_MS);
  await caught_up.insertOne({ _id: 1, at: 0 });
  t.deepEqual(await pass(rendersOf(t.context)), {});
  await caught_up.deleteMany({});
  t.deepEqual(await pass(rendersOf(t.context)), {});
  t.deepEqual(await left(t.context, `renders/${render_id}/`), [paths.request]);
});

test.serial('two processes that sweep a page have the same result as one', async (t) => {
  const { render_id, paths, whole } = renderOf(7);
  await put(t.context, ...Object.values(paths));
  await foldRenders(t.context, whole);
  await foldedUntil(t.context, Date.now() + 400 * DAY_MS);
  await Promise.all([1, 2, 3].map(() => pass(rendersOf(t.context))));
  t.deepEqual(await left(t.context, `renders/${render_id}/`), [paths.request, paths.master, paths.poster].toSorted());
});

test.serial('an unused address is deleted after a day and a full fold', async (t) => {
  const path = (user: string, n: number) => `users/${user}/email-01JD000000000000000000000${n}.json`;
  const [present, former, orphan, of_nobody] = [
    path('user_1', 1),
    path('user_1', 0),
    path('user_2', 1),
    path('user_3', 1),
  ];
  await put(t.context, present, former, orphan, of_nobody, 'users/user_1/elsewhere');
  const events: readonly CatalogueEvent[] = [
    {
      type: 'UserRegistered',
      rules: 1,
      meta: metaBy('operator:ops'),
      user_id: 'user_1',
      email: { path: former, sha256: 'a' },
    },
    { type: 'UserRegistered', rules: 1, meta: metaBy('operator:ops'), user_id: 'user_2', email: null },
    {
      type: 'UserEmailChanged',
      rules: 1,
      meta: metaBy('operator:ops'),
      user_id: 'user_1',
      email: { path: present, sha256: 'b' },
    },
  ];
  await t.context.fold.catalogue(0, catalogueEntries(events.slice(0, 2), catalogue_offset));
  const end = catalogue_offset + 3;
  const sweepAt = (ahead_ms: number, at: number): Sweep =>
    userSweep({
      ...{ blobs: t.context.blobs, catalogueEnd: async () => at, foldedEmails: openUserEmails(t.context.store.db) },
      ...{ leftovers_ms: DAY_MS, warn: () => undefined },
      time: { now: async () => Date.now() + ahead_ms },
    });
  await t.throwsAsync(pass(sweepAt(2 * DAY_MS, end)), {
    message: `the catalogue is folded up to ${end - 1} of ${end}`,
  });
  t.is((await left(t.context, 'users/')).length, 5);

  await t.context.fold.catalogue(0, catalogueEntries(events.slice(2), catalogue_offset + 2));
  t.deepEqual(await pass(sweepAt(DAY_MS - 3_600_000, end)), {});
  const { emails } = await pass(sweepAt(DAY_MS + 60_000, end));
  t.is(emails?.removed, 3);
  t.deepEqual(await left(t.context, 'users/'), ['users/user_1/elsewhere', present].toSorted());
});

test.serial('an undeletable blob does not block others, and an unreachable store ends the page', async (t) => {
  const many = Array.from({ length: 40 }, (_, n) => renderOf(100 + n).paths.request);
  await put(t.context, ...many);
  await foldedUntil(t.context, Date.now() + 400 * DAY_MS);
  const { list, remove } = t.context.blobs;
  const sweepWith = (isFaulty: (path: string) => boolean): Sweep =>
    rendersOf(t.context, {
      blobs: {
        list,
        remove: async (path, signal) => {
          if (isFaulty(path)) throw new Error('away');
          await remove(path, signal);
        },
      },
    });
  await t.throwsAsync(pass(sweepWith(() => true)), { message: 'away' });
  const { requests } = await pass(sweepWith((path) => path === many[0]));
  t.true((requests?.removed ?? 0) >= many.length - 1);
  const kept = new Set(await left(t.context, 'renders/'));
  t.deepEqual(
    many.filter((path) => kept.has(path)),
    many.slice(0, 1),
  );
});
