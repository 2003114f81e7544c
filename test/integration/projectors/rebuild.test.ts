import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import * as io from 'io-ts';
import type { Db } from 'mongodb';
import { partitionOfKey } from '../../../platform/event-log/partition-of-key.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { createMetrics } from '../../../platform/metrics/metrics.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import type { ReadStore } from '../../../platform/read-store/read-store.ts';
import { claimGeneration } from '../../../projectors/generations/claim.ts';
import { tryCutover } from '../../../projectors/generations/cutover.ts';
import { tryRebuildCutover } from '../../../projectors/generations/rebuild.ts';
import { acceptRenderEvents } from '../../../projectors/render/accept.ts';
import { differenceText } from '../../../projectors/verification/difference.ts';
import { createSampleMetrics, sampleRenderAt, sampleRenders } from '../../../projectors/verification/sample-renders.ts';
import { verifyReadModels } from '../../../projectors/verification/verify-read-models.ts';
import { openCatalogue } from '../../../read-models/catalogue/catalogue.ts';
import { catalogueReadModel } from '../../../read-models/catalogue/management.ts';
import { catalogueCollectionsIn } from '../../../read-models/catalogue/model.ts';
import type { CheckpointDocument } from '../../../read-models/checkpoint.ts';
import { COLLECTIONS } from '../../../read-models/collections.ts';
import type { WebhookDeliveryDocument } from '../../../read-models/deliveries/documents.ts';
import { deliveryCollectionsIn } from '../../../read-models/deliveries/model.ts';
import { SKIP_LIST_FORM } from '../../../read-models/embedded/document-form.ts';
import {
  type GenerationDocument,
  generationPointers,
  pointerId,
  readServingGeneration,
} from '../../../read-models/generations.ts';
import { findRebuild, giveUpRebuild, type Rebuild, requestRebuild } from '../../../read-models/rebuilds.ts';
import { renderCollectionsIn } from '../../../read-models/renders/model.ts';
import { openRenders } from '../../../read-models/renders/renders.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { faultsOfRenders } from '../../helpers/faults-of-renders.ts';
import { killHalfWay } from '../../helpers/kill-half-way.ts';
import { meanwhile } from '../../helpers/meanwhile.ts';
import { scraped, sumOf } from '../../helpers/metrics.ts';
import { CATALOGUE } from '../../helpers/record-samples.ts';
import { metaBy } from '../../helpers/render-events.ts';
import { interleaved, lifeOf } from '../../helpers/render-log.ts';
import { caller } from '../../helpers/renderctl.ts';
import { virtualClock } from '../../helpers/virtual-clock.ts';
import { appendAll, ids, startWorld, stopWorld, untilFold, type World } from './_projectors.ts';

// The rebuild of a read model, on real servers. Each test continues with the generation of the one before.
const test = anyTest as TestFn<World>;

const FOLDED_WITHIN_MS = 60_000;

test.before(async (t) => {
  t.timeout(360_000);
  t.context = await startWorld(['projectors']);
  const { clients } = t.context;
  for (const event of CATALOGUE) {
    const appended = await clients.records.append('catalogue-events', 'catalogue', event);
    if (E.isLeft(appended)) throw new Error(appended.left.message);
  }
  await appendAll(clients, interleaved(ids('O', 30)));
  await untilFold(clients, 1, FOLDED_WITHIN_MS);
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await stopWorld(t.context);
});

const Rebuilt = io.type({ generation: io.number, replaced: io.number, records: io.number });

const rebuild = async (t: ExecutionContext<World>, read_model: 'renders' | 'catalogue') => {
  const { exit_code, stdout, stderr } = await caller(t.context.stack.env)('rebuild', read_model, '--json');
  const answer = Rebuilt.decode(exit_code === 0 ? JSON.parse(stdout) : null);
  if (E.isLeft(answer)) throw new Error(`it was not rebuilt: ${stderr}`);
  return answer.right;
};

const serving = async (db: Db, read_model: 'renders' | 'catalogue'): Promise<number> =>
  (await readServingGeneration(db, read_model))?.generation ?? 0;

/** Reads renders repeatedly. An event that a reader has seen may not be missing later. */
const watchAsReader = (db: Db, render_ids: readonly string[]) => {
  const offsets = new Map<string, number>();
  const faults: string[] = [];
  const watching = meanwhile(50, async () => {
    const generation = await serving(db, 'renders');
    const found = await renderCollectionsIn(db, generation)
      .renders.find({ _id: { $in: [...render_ids] } }, { projection: { offset: 1 } })
      .toArray();
    const now = new Map(found.map(({ _id, offset }) => [_id, offset]));
    for (const [id, offset] of offsets) {
      const seen = now.get(id);
      if (seen === undefined || seen < offset) faults.push(`${generation}: ${id} went from ${offset} to ${seen}`);
    }
    for (const [id, offset] of now) offsets.set(id, offset);
  });
  return {
    stop: async () => {
      await watching.stop();
      return { faults, seen: offsets.size };
    },
  };
};

const startLoad = ({ clients }: World, name: string) =>
  meanwhile(250, (n) => appendAll(clients, interleaved(ids(`${name}${n}X`, 2))));

/** By partition, the source offsets of the records in `render-status`. */
const publishedOffsets = async ({ clients: { records } }: World): Promise<readonly (readonly number[])[]> => {
  const { log } = records;
  const partitions = await log.bounds('render-status');
  return await Promise.all(
    partitions.map(async ({ partition, end }) => {
      const places = Array.from({ length: end }, (_, offset) => ({ topic: 'render-status', partition, offset }));
      const found = await log.read(places);
      const decoded = await Promise.all(found.map(async (record) => await records.decode(record?.value ?? null)));
      return decoded.flatMap((one) =>
        one.tag === 'record' && one.record.type === 'RenderFactAccepted' ? one.record.source_offset : [],
      );
    }),
  );
};

const publishedCount = async ({ clients }: World): Promise<number> =>
  (await clients.records.log.bounds('render-status')).reduce((sum, { end }) => sum + end, 0);

test.serial('a rebuild under load corrects documents and publishes nothing twice', async (t) => {
  t.timeout(240_000);
  const { clients } = t.context;
  const { db } = clients.store;
  const { renders } = renderCollectionsIn(db, 1);
  await renders.updateOne({ _id: 'rend_O0000' }, { $set: { 'render.status': 'failed', open: true } });
  await renders.deleteOne({ _id: 'rend_O0001' });
  t.true((await faultsOfRenders(clients.records, db, 1)).length >= 2);

  const reader = watchAsReader(db, [...ids('O', 30), ...ids('N0X', 2), ...ids('N5X', 2), ...ids('N10X', 2)]);
  const load = startLoad(t.context, 'N');
  const { generation, replaced, records } = await rebuild(t, 'renders');
  t.is(replaced, 1);
  t.true(records > 0);
  t.is(await serving(db, 'renders'), generation);
  const before = await publishedCount(t.context);
  await pollUntil('it publishes', async () => (await publishedCount(t.context)) > before + 20);
  await load.stop();
  await untilFold(clients, generation, FOLDED_WITHIN_MS);
  const { faults, seen } = await reader.stop();
  t.deepEqual(faults, []);
  t.true(seen >= 30);
  for (const offsets of await publishedOffsets(t.context)) t.deepEqual(offsets, [...new Set(offsets)]);
});

test.serial('a reader of the former pointer finds renders that are folded after a cutover', async (t) => {
  const { store } = t.context.clients;
  const db = store.client.db(`${store.db.databaseName}_read`);
  const pointer = { _id: pointerId('renders', 3), read_model: 'renders', model_version: 3, serving: true, ends: [] };
  await generationPointers(db).insertOne({ ...pointer, read_model: 'renders', generation: 1 });
  const renders = openRenders(db);
  t.is(await renders.find('rend_1'), null);
  const [folded] = await renderCollectionsIn(store.db, await serving(store.db, 'renders'))
    .renders.find()
    .limit(1)
    .toArray();
  if (folded === undefined) return t.fail('there is no render');
  await renderCollectionsIn(db, 2).renders.insertOne({ ...folded, _id: 'rend_1' });
  await generationPointers(db).updateOne({ _id: pointer._id }, { $set: { generation: 2 } });
  t.like(await renders.find('rend_1'), { _id: 'rend_1', partition: folded.partition });
  await db.dropDatabase();
});

const someKey = async (db: Db) => {
  const key = await catalogueCollectionsIn(db, await serving(db, 'catalogue'))
    .entities('api_key')
    .findOne();
  if (key === null) throw new Error('there is no key');
  return key;
};

test.serial("after a rebuild's cutover, a change resolves once every process reads it", async (t) => {
  const { store } = t.context.clients;
  const db = store.client.db(`${store.db.databaseName}_told`);
  const key = await someKey(store.db);
  const pointer = { _id: pointerId('catalogue', 3), read_model: 'catalogue', model_version: 3 } as const;
  await generationPointers(db).insertOne({ ...pointer, serving: true, ends: [], generation: 1 });
  const other_process = openCatalogue(db);
  t.deepEqual(await other_process.keysBySecret([key.secret_sha256]), []);
  const { entities, checkpoints } = catalogueCollectionsIn(db, 2);
  await entities('api_key').insertOne(key);
  await checkpoints.insertOne(at(0, 5));
  const replaced = { generation: 1, at: new Date() };
  await generationPointers(db).updateOne({ _id: pointer._id }, { $set: { generation: 2, replaced } });
  const told = catalogueReadModel(db);
  t.deepEqual(await pollUntil('it is told', () => told.outcomeOf(4)), { tag: 'accepted' });
  t.is((await other_process.keysBySecret([key.secret_sha256])).length, 1);
  await db.dropDatabase();
});

test.serial("after a version's cutover, a change resolves once every process reads it", async (t) => {
  const { store } = t.context.clients;
  const db = store.client.db(`${store.db.databaseName}_version`);
  const key = await someKey(store.db);
  const pointerOf = (model_version: number, generation: number, is_serving: boolean): GenerationDocument => ({
    ...{ _id: pointerId('catalogue', model_version), read_model: 'catalogue', model_version, generation },
    ...{ serving: is_serving, ends: [5] },
  });
  const own = pointerOf(3, 2, false);
  await generationPointers(db).insertMany([pointerOf(2, 1, true), own]);
  const [former, made] = [catalogueCollectionsIn(db, 1), catalogueCollectionsIn(db, 2)];
  await former.checkpoints.insertOne(at(0, 5));
  await made.checkpoints.insertOne(at(0, 5));
  await made.entities('api_key').insertOne(key);
  const other_process = openCatalogue(db);
  t.deepEqual(await other_process.keysBySecret([key.secret_sha256]), []);
  const cutover = { own, former_checkpoints: former.checkpoints, own_checkpoints: made.checkpoints };
  t.is(await tryCutover({ ...store, db }, cutover, SYSTEM_CLOCK.now), 'serves');
  const told = catalogueReadModel(db);
  t.deepEqual(await pollUntil('it is told', () => told.outcomeOf(4)), { tag: 'accepted' });
  t.is((await other_process.keysBySecret([key.secret_sha256])).length, 1);
  await db.dropDatabase();
});

test.serial('a killed projector continues at its position', async (t) => {
  t.timeout(240_000);
  const { clients, stack } = t.context;
  const { generation } = await killHalfWay(stack, clients.store, () => rebuild(t, 'renders'));
  t.is(await serving(clients.store.db, 'renders'), generation);
  t.true(stack.component('projectors').restarts() > 0);
  await appendAll(clients, interleaved(ids('P', 6)));
  await untilFold(clients, generation, FOLDED_WITHIN_MS);
});

test.serial('a rebuild of the catalogue reverts changes in the store', async (t) => {
  t.timeout(240_000);
  const { db } = t.context.clients.store;
  const contents = async (generation: number) => {
    const { entities } = catalogueCollectionsIn(db, generation);
    const kinds = [entities('account'), entities('project'), entities('user'), entities('webhook_endpoint')] as const;
    return await Promise.all(
      kinds.map(async (one): Promise<readonly unknown[]> => await one.find({}).sort({ _id: 1 }).toArray()),
    );
  };
  const generation = await serving(db, 'catalogue');
  const before = await contents(generation);
  const { entities } = catalogueCollectionsIn(db, generation);
  t.is((await entities('account').updateMany({}, { $set: { name: 'Mallory' } })).modifiedCount > 0, true);
  await entities('user').deleteMany({});
  t.notDeepEqual(await contents(generation), before);
  const rebuilt = await rebuild(t, 'catalogue');
  t.is(await serving(db, 'catalogue'), rebuilt.generation);
  t.deepEqual(await contents(rebuilt.generation), before);
});

test.serial('a stopped rebuild keeps the serving generation, and another rebuild can follow', async (t) => {
  t.timeout(240_000);
  const { clients, stack } = t.context;
  const { db } = clients.store;
  const renderctl = caller(stack.env);
  const before = await serving(db, 'renders');
  t.regex((await renderctl('rebuild', 'renders', '--stop')).stderr, /no rebuild of the renders is in progress/);
  stack.component('projectors').kill('SIGSTOP');
  try {
    const interrupted = new AbortController();
    const asking = caller(stack.env, interrupted.signal)('rebuild', 'renders');
    const wanted = await pollUntil('it is asked for', () => findRebuild(db, 'renders'));
    interrupted.abort();
    const { exit_code, stderr } = await asking;
    t.is(exit_code, 130);
    t.regex(stderr, /The rebuild continues. To see its progress: renderctl rebuild renders/);
    const again = await requestRebuild(db, 'renders', [], { by: 'operator:other', at: new Date() });
    t.like(again, { tag: 'under_way', is_new: false, rebuild: { generation: wanted.generation } });
    t.is((await renderctl('rebuild', 'renders', '--stop')).exit_code, 0);
    t.is(await findRebuild(db, 'renders'), null);
  } finally {
    stack.component('projectors').kill('SIGCONT');
  }
  t.is(await serving(db, 'renders'), before);
  t.true((await rebuild(t, 'renders')).generation > before + 1);
});

test.serial('a new version replaces a rebuild', async (t) => {
  const { db } = t.context.clients.store;
  const pointer = { read_model: 'catalogue', model_version: 99, generation: 990, ends: [0] } as const;
  const _id = pointerId('catalogue', pointer.model_version);
  await generationPointers(db).insertOne({ _id, ...pointer, serving: false });
  try {
    const { stderr } = await caller(t.context.stack.env)('rebuild', 'catalogue');
    t.regex(stderr, /this renderctl does not know the version of the read model "catalogue"/);
    t.is(await findRebuild(db, 'catalogue'), null);
  } finally {
    await generationPointers(db).deleteOne({ _id });
  }
});

/** A store of its own, in which generation 1 serves. */
const withStore = async ({ clients }: World, work: (store: ReadStore, own: GenerationDocument) => Promise<void>) => {
  const store = await clients.openStore('rebuild');
  try {
    await work(store, (await claimGeneration(store.db, 'renders', async () => [3, 0])).own);
  } finally {
    await store.db.dropDatabase();
    await store.close();
  }
};

const at = (_id: number, next: number): CheckpointDocument => ({ _id, next, chain: `${next}`, chain_before: '' });
const ASKED = { by: 'operator:test', at: new Date(0) };

const asked = async (db: Db, ends: readonly number[]): Promise<Rebuild> => {
  const request = await requestRebuild(db, 'renders', ends, ASKED);
  if (request.tag === 'refused') throw new Error(request.reason);
  return request.rebuild;
};

const cutoverOf = (store: ReadStore, made: Rebuild) => {
  const former_checkpoints = renderCollectionsIn(store.db, made.replaces).checkpoints;
  const own_checkpoints = renderCollectionsIn(store.db, made.generation).checkpoints;
  const rebuilding = { rebuild: made, former_checkpoints, own_checkpoints };
  return { former_checkpoints, own_checkpoints, look: () => tryRebuildCutover(store, rebuilding, Date.now) };
};

test.serial('a rebuild serves once it is caught up, and closes its predecessor', async (t) => {
  t.timeout(180_000);
  await withStore(t.context, async (store, own) => {
    const { db } = store;
    const made = await asked(db, [3, 0]);
    const { former_checkpoints, own_checkpoints, look } = cutoverOf(store, made);
    await former_checkpoints.insertMany([at(0, 4), at(1, 0)]);
    t.is(await look(), 'behind');
    await own_checkpoints.insertMany([at(0, 3), at(1, 0)]);
    t.is(await look(), 'near');
    t.is(await serving(db, 'renders'), own.generation);
    await own_checkpoints.updateOne({ _id: 0 }, { $set: { next: 5 } });
    t.is(await look(), 'serves');
    t.is(await serving(db, 'renders'), made.generation);
    t.is(await findRebuild(db, 'renders'), null);
    const ended = await former_checkpoints.find().sort({ _id: 1 }).toArray();
    t.deepEqual(
      ended.map(({ closed }) => closed?.next),
      [4, 0],
    );
    t.is(await look(), 'serves', 'as to a process that did not get the answer');
  });
});

test.serial('a rebuild never serves after a stop, a claim or another cutover', async (t) => {
  t.timeout(180_000);
  await withStore(t.context, async (store, own) => {
    const { db } = store;
    const stopped = await asked(db, [0]);
    t.true(await giveUpRebuild(db, stopped));
    t.is(await cutoverOf(store, stopped).look(), 'given_up');

    const restored = await asked(db, []);
    t.true(restored.generation > stopped.generation);
    await generationPointers(db).updateOne({ _id: own._id }, { $set: { generation: 40 } });
    t.is(await cutoverOf(store, restored).look(), 'given_up');
    await generationPointers(db).updateOne({ _id: own._id }, { $set: { generation: own.generation } });

    const crossed = await asked(db, []);
    const newer = await claimGeneration(db, 'renders', async () => [0], own.model_version + 1);
    t.is(newer.former?.generation, own.generation);
    t.is(await cutoverOf(store, crossed).look(), 'given_up');
    t.deepEqual(await requestRebuild(db, 'renders', [], ASKED), { tag: 'refused', reason: 'upgrading' });
    // A rebuild request that was inserted after the claim deleted it.
    await db.collection<Rebuild>(COLLECTIONS.generations).insertOne(crossed);
    t.is(await cutoverOf(store, crossed).look(), 'given_up');
    t.is(await serving(db, 'renders'), own.generation);
  });
});

test.serial('a new generation number has no collections, even after a restore', async (t) => {
  t.timeout(180_000);
  await withStore(t.context, async ({ db }) => {
    await db.createCollection('renders_g17');
    t.is((await asked(db, [])).generation, 18);
  });
});

test.serial('a replaced generation is dropped on request once no process reads it', async (t) => {
  t.timeout(180_000);
  const { db } = t.context.clients.store;
  const renderctl = caller(t.context.stack.env);
  const there = async (name: RegExp): Promise<readonly string[]> =>
    (await db.listCollections({}, { nameOnly: true }).toArray()).map((one) => one.name).filter((one) => name.test(one));
  const generation = await serving(db, 'renders');
  const { replaced } = (await generationPointers(db).findOne({ _id: pointerId('renders', 3) })) ?? {};
  t.regex((await renderctl('rebuild', 'drop')).stdout, /replaced less than a minute ago/);
  t.deepEqual(await there(/^renders_g1$/), ['renders_g1']);
  t.is((await renderctl('rebuild', 'drop', '--yes')).exit_code, 0);
  t.deepEqual(
    (await there(/^renders_g/)).toSorted(),
    [`renders_g${generation}`, `renders_g${replaced?.generation}`].toSorted(),
  );
  // Its checkpoints tell a late follower that it has ended.
  t.truthy((await renderCollectionsIn(db, 1).checkpoints.findOne({}))?.closed);
  t.is((await renderCollectionsIn(db, generation).renders.countDocuments()) > 30, true);
});

const RENDER = 'rend_Q0000';
const FILM_PATH = `renders/${RENDER}/film.mp4`;
type Test = ExecutionContext<World>;

/** A complete render with an output. */
const appendFilm = async ({ context: { clients, folder } }: Test): Promise<void> => {
  const file = join(folder, 'film.mp4');
  await writeFile(file, 'a film');
  await clients.blobs.ensureContainer();
  const stored = await clients.blobs.upload(FILM_PATH, file, { content_type: 'video/mp4' });
  const output = { variant: 'master', path: FILM_PATH, content_type: 'video/mp4', ...stored };
  const outputs = [{ ...output, width: 64, height: 64, duration_ms: 1_000 }];
  const life = lifeOf(RENDER, 0);
  await appendAll(
    clients,
    life.map((event) => (event.type === 'RenderCompleted' ? { ...event, outputs, poster: null } : event)),
  );
};

/** A skipped delivery, in the log and in the store. */
const appendDelivery = async (t: Test): Promise<WebhookDeliveryDocument> => {
  const { clients } = t.context;
  const planned = { delivery_id: 'hook_1', endpoint_id: 'whe_1', render_id: RENDER, team_id: 'team_1', seq: 6 };
  const about = { ...planned, event: 'render.complete', status_offset: 5, repeats: null } as const;
  const meta = { ...metaBy('relay:relay_1'), occurred_at: Date.now() };
  const appended = await clients.records.append('webhook-events', RENDER, {
    ...{ type: 'DeliverySkipped', meta, ...about, reason: 'disabled' },
  });
  t.true(E.isRight(appended));
  const { deliveries } = deliveryCollectionsIn(clients.store.db);
  const count = (await clients.records.log.bounds('webhook-events')).length;
  const partition = partitionOfKey(RENDER, count);
  const delivery: WebhookDeliveryDocument = {
    ...{ _id: 'hook_1', endpoint_id: 'whe_1', team_id: 'team_1', render_id: RENDER, seq: 6 },
    ...{ event: 'render.complete', partition, status_offset: 5, repeats: null, repeated_by: null },
    ...{ planned_at: 1, timestamp: 1, state: 'skipped', reason: 'disabled', body: null, body_sha256: null },
    ...{ attempts: [], by_endpoint: 'whe_1/hook_1', ended_at: meta.occurred_at },
  };
  await deliveries.insertOne(delivery);
  return delivery;
};

const verifyUnchanged = async (t: Test): Promise<void> => {
  const renderctl = caller(t.context.stack.env);
  const untouched = await renderctl('verify', 'render', RENDER, '--json');
  t.like(JSON.parse(untouched.stdout), { compared: { renders: 1, outputs: 1, deliveries: 1 }, behind: 0, moving: 0 });
  t.is((await renderctl('verify', 'project', 'proj_1')).exit_code, 0);
  const account = JSON.parse((await renderctl('verify', 'account', 'acc_1', '--json')).stdout);
  for (const what of ['renders', 'ledger', 'statistics', 'entities', 'status records'])
    t.true(account.compared[what] > 0, what);
  t.is((await renderctl('verify', 'render', 'rend_none')).exit_code, 1);
  t.is((await renderctl('verify', 'render')).exit_code, 2);
};

/** The differences between the log and the stores, as texts. */
const allDifferences = async ({ context: { clients } }: Test): Promise<readonly string[]> => {
  const { records, blobs, seals, store } = clients;
  const deps = { records, db: store.db, blobs, seals, clock: SYSTEM_CLOCK, logger: createLogger('test', 'silent') };
  const options = { outputs: false, stop: new AbortController().signal, onProgress: () => undefined };
  const result = await verifyReadModels(deps, { tag: 'all' }, options);
  return result.tag === 'verified' ? result.verified.differences.map(differenceText) : [result.tag];
};

const verifyWhileFolding = async (t: Test, generation: number): Promise<void> => {
  const { clients } = t.context;
  t.deepEqual(await allDifferences(t), []);
  const load = meanwhile(20, (n) => appendAll(clients, interleaved(ids(`V${n}X`, 2))));
  for (const time of [1, 2, 3]) t.deepEqual(await allDifferences(t), [], `while more is folded, ${time}`);
  await load.stop();
  await untilFold(clients, generation, FOLDED_WITHIN_MS);
};

const openSampling = async ({ context: { clients } }: Test, generation: number) => {
  const { records, blobs, seals, store } = clients;
  const { renders } = renderCollectionsIn(store.db, generation);
  const own = await renders.findOne({ _id: RENDER });
  if (own === null) throw new Error(`${RENDER} is not folded`);
  const { partition, offset } = own;
  const [record] = await records.log.read([{ topic: 'render-events', partition, offset }]);
  if (record == null) throw new Error(`${RENDER} is not in the log`);
  const count = (await records.log.bounds('render-events')).length;
  const accept = acceptRenderEvents((key) => partitionOfKey(key, count));
  const sampling = { records, renders, generation, form: SKIP_LIST_FORM, accept, blobs, seals };
  return { own, record, sampling };
};

type Opened = Awaited<ReturnType<typeof openSampling>>;

/** Compares one sample each 10 s of a virtual clock. */
const startSampling = ({ own: { partition, offset }, sampling }: Opened) => {
  const registry = createMetrics('test');
  const written = new PassThrough();
  const clock = virtualClock();
  const sampler = sampleRenders({
    ...{ ...sampling, committed: () => new Map([[partition, offset + 1]]), metrics: createSampleMetrics(registry) },
    ...{ logger: createLogger('test', 'error', written), clock, random: () => 0.999_999 },
  });
  const compared = async () => {
    const figures = await registry.metrics();
    return ['same', 'different'].map((result) => sumOf(figures, 'read_model_samples_total', { result }));
  };
  const waitForSample = (compared_before: readonly number[]) =>
    pollUntil('a sample is compared', async () => `${await compared()}` !== `${compared_before}` && compared());
  return { clock, compared, waitForSample, written, stop: sampler.stop };
};

/** Changes documents of every kind. @returns the position at which the log ends for the changed checkpoint */
const changeDocuments = async (
  t: Test,
  generation: number,
  {
    own,
    delivery,
  }: {
    readonly own: Opened['own'];
    readonly delivery: WebhookDeliveryDocument;
  },
): Promise<number | undefined> => {
  const { clients, folder } = t.context;
  const {
    blobs,
    store: { db },
  } = clients;
  const { renders, ledger, statistics, checkpoints } = renderCollectionsIn(db, generation);
  const { deliveries } = deliveryCollectionsIn(db);
  const file = join(folder, 'film.mp4');
  await renders.updateOne({ _id: RENDER }, { $set: { 'render.status': 'failed' } });
  await renders.deleteOne({ _id: 'rend_O0001' });
  await renders.insertOne({ ...own, _id: 'rend_forged' });
  await ledger.updateOne({ account_id: 'acc_1' }, { $inc: { charged_credits: -1 } });
  await statistics.deleteOne({ account_id: 'acc_1' });
  await deliveries.updateOne({ _id: 'hook_1' }, { $set: { reason: null } });
  await deliveries.insertOne({ ...delivery, _id: 'hook_forged' });
  // As if the log had lost its last record after the fold.
  const { next } = (await checkpoints.findOneAndUpdate({ _id: own.partition }, { $inc: { next: 1 } })) ?? {};
  const catalogue = catalogueCollectionsIn(db, await serving(db, 'catalogue'));
  await catalogue.entities('account').updateOne({ _id: 'acc_1' }, { $set: { granted_credits: 1_000_000 } });
  await catalogue.audit.deleteOne({ offset: 3 });
  await writeFile(file, 'another');
  await blobs.upload(FILM_PATH, file, { content_type: 'video/mp4' });
  return next;
};

const checkDifferences = async (t: Test, next: number | undefined): Promise<void> => {
  const found = (await allDifferences(t)).toSorted();
  for (const expected of [
    /^renders@\d+\/\d+, render rend_Q0000, member `render.status`: the log says complete, the store says failed$/,
    /^renders@\d+\/\d+, render rend_O0001: the log says that it is there, the store says nothing$/,
    /^renders@\d+\/\d+, rend_forged: the log says nothing, the store says that it is there$/,
    /^ledger@\d+\/\d+, acc_1\/\d+, member `charged_credits`: /,
    /^statistics@\d+\/\d+, \["acc_1".*: the log says that it is there, the store says nothing$/,
    /^deliveries\/\d+, delivery hook_1, member `reason`: the log says disabled, the store says null$/,
    /^deliveries\/\d+, delivery hook_forged: the log says nothing, the store says that it is there$/,
    new RegExp(
      `^checkpoint of renders@.*, member \`next\`: the log says that it ends at ${next}, the store says \\d+$`,
    ),
    /^catalogue@\d+, account acc_1, member `granted_credits`: the log says \d+, the store says 1000000$/,
    /^audit of catalogue@\d+\/0, catalogue-events\/0\/3: the log says that it is there, the store says nothing$/,
  ])
    t.is(found.filter((one) => expected.test(one)).length, 1, `${expected}`);
  t.is(found.length, 10, found.join('\n'));
};

const verifyChanged = async (t: Test): Promise<void> => {
  const renderctl = caller(t.context.stack.env);
  const shown = await renderctl('verify', 'render', RENDER);
  t.is(shown.exit_code, 1);
  t.regex(shown.stderr, /5 differences between the log and the stores/);
  t.regex(shown.stderr, /render rend_Q0000, output master, member `size_bytes`: the log says 6, Blob says 7/);
  const { stderr } = await renderctl('verify', 'account', 'acc_1');
  t.regex(stderr, /ledger@\d+\/\d+, acc_1\/\d+, member `charged_credits`/);
};

const untilProjectorsSample = async ({ context: { stack } }: Test): Promise<void> => {
  const { health_url } = stack.component('projectors');
  await pollUntil('the projectors compare a sample', async () => {
    const figures = await scraped(health_url ?? '');
    return sumOf(figures, 'read_model_samples_total', { result: 'same' }) > 0;
  });
};

test.serial('renderctl verify names only the changed documents of the stores', async (t) => {
  t.timeout(240_000);
  const { clients } = t.context;
  const generation = await serving(clients.store.db, 'renders');
  await appendFilm(t);
  await untilFold(clients, generation, FOLDED_WITHIN_MS);
  const delivery = await appendDelivery(t);
  await verifyUnchanged(t);
  await verifyWhileFolding(t, generation);

  const opened = await openSampling(t, generation);
  const { own, record, sampling } = opened;
  t.deepEqual(await sampleRenderAt(sampling, record), { render_id: RENDER, difference: null });
  await untilProjectorsSample(t);
  const { clock, compared, waitForSample, written, stop } = startSampling(opened);
  await clock.advance(9_999);
  t.deepEqual(await compared(), [0, 0]);
  await clock.advance(1);
  t.deepEqual(await waitForSample([0, 0]), [1, 0]);

  const next = await changeDocuments(t, generation, { own, delivery });
  await checkDifferences(t, next);
  await verifyChanged(t);
  t.like(await sampleRenderAt(sampling, record), { difference: { member: 'render.status' } });
  await clock.advance(10_000);
  t.deepEqual(await waitForSample([1, 0]), [1, 1]);
  await stop();
  t.regex(`${written.read()}`, /"render_id":"rend_Q0000".*"member":"render.status".*"a render differs from the log"/);
});
