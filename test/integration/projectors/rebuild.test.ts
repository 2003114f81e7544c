import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import * as io from 'io-ts';
import type { Db } from 'mongodb';
import type { ReadStore } from '../../../platform/read-store/read-store.ts';
import { claimGeneration } from '../../../projectors/generations/claim.ts';
import { tryRebuildCutover } from '../../../projectors/generations/rebuild.ts';
import { verifyReadModel } from '../../../projectors/render/verify.ts';
import { catalogueModel } from '../../../read-models/catalogue/model.ts';
import type { CheckpointDocument } from '../../../read-models/checkpoint.ts';
import { COLLECTIONS } from '../../../read-models/collections.ts';
import {
  type GenerationDocument,
  pointerId,
  pointersIn,
  readServingGeneration,
} from '../../../read-models/generations.ts';
import { findRebuild, giveUpRebuild, type Rebuild, requestRebuild } from '../../../read-models/rebuilds.ts';
import { renderModel } from '../../../read-models/renders/model.ts';
import { openRenders } from '../../../read-models/renders/renders.ts';
import { until } from '../../../stack/testing/until.ts';
import { meanwhile } from '../../helpers/meanwhile.ts';
import { CATALOGUE } from '../../helpers/record-samples.ts';
import { interleaved } from '../../helpers/render-log.ts';
import { caller } from '../../helpers/renderctl.ts';
import { appendAll, ids, startWorld, stopWorld, untilFold, type World } from './_projectors.ts';

// The rebuild of a read model as an operator asks for it, on real servers. The tests go on from each other's generations.
const test = anyTest as TestFn<World>;

const FOLDED_WITHIN_MS = 60_000;

test.before(async (t) => {
  t.timeout(180_000);
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
  t.timeout(60_000);
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

/** These renders as a reader finds them, again and again: no event that it has seen may be missing later. */
const watchAsReader = (db: Db, render_ids: readonly string[]) => {
  const offsets = new Map<string, number>();
  const faults: string[] = [];
  const watching = meanwhile(50, async () => {
    const generation = await serving(db, 'renders');
    const found = await renderModel(db, generation)
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

/** Of each record in `render-status` the offset of its event, partition by partition. */
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

test.serial('a rebuild mends what the log does not say, under load, and nothing is published twice', async (t) => {
  t.timeout(120_000);
  const { clients } = t.context;
  const { db } = clients.store;
  const { renders } = renderModel(db, 1);
  await renders.updateOne({ _id: 'rend_O0000' }, { $set: { 'render.status': 'failed', open: true } });
  await renders.deleteOne({ _id: 'rend_O0001' });
  t.true((await verifyReadModel({ records: clients.records, db, generation: 1 })).length >= 2);

  const reader = watchAsReader(db, [...ids('O', 30), ...ids('N0X', 2), ...ids('N5X', 2), ...ids('N10X', 2)]);
  const load = startLoad(t.context, 'N');
  const { generation, replaced, records } = await rebuild(t, 'renders');
  t.is(replaced, 1);
  t.true(records > 0);
  t.is(await serving(db, 'renders'), generation);
  const before = await publishedCount(t.context);
  await until('it publishes', async () => (await publishedCount(t.context)) > before + 20);
  await load.stop();
  await untilFold(clients, generation, FOLDED_WITHIN_MS);
  const { faults, seen } = await reader.stop();
  t.deepEqual(faults, []);
  t.true(seen >= 30);
  for (const offsets of await publishedOffsets(t.context)) t.deepEqual(offsets, [...new Set(offsets)]);
});

test.serial('what is folded since a rebuild took over is found by who has not heard of that yet', async (t) => {
  const { store } = t.context.clients;
  const db = store.client.db(`${store.db.databaseName}_read`);
  const pointer = { _id: pointerId('renders', 3), read_model: 'renders', model_version: 3, serving: true, ends: [] };
  await pointersIn(db).insertOne({ ...pointer, read_model: 'renders', generation: 1 });
  const renders = openRenders(db);
  t.is(await renders.find('rend_1'), null);
  const [folded] = await renderModel(store.db, await serving(store.db, 'renders'))
    .renders.find()
    .limit(1)
    .toArray();
  if (folded === undefined) return t.fail('there is no render');
  await renderModel(db, 2).renders.insertOne({ ...folded, _id: 'rend_1' });
  await pointersIn(db).updateOne({ _id: pointer._id }, { $set: { generation: 2 } });
  t.like(await renders.find('rend_1'), { _id: 'rend_1', partition: folded.partition });
  await db.dropDatabase();
});

test.serial('a projector that is killed half-way goes on where it was', async (t) => {
  t.timeout(120_000);
  const { clients, stack } = t.context;
  const { db, client } = clients.store;
  const before = await serving(db, 'renders');
  const projectors = stack.component('projectors');
  const rebuilding = rebuild(t, 'renders');
  const killed = await until('it is half made', async () => {
    const made = await findRebuild(db, 'renders');
    return made !== null && (await renderModel(db, made.generation).checkpoints.findOne({ next: { $gt: 0 } }));
  });
  projectors.kill('SIGKILL');
  // The embedded store does not notice that the client of a transaction is gone.
  await client.db('admin').command({ killAllSessions: [] });
  t.true(killed.next > 0);
  const { generation, replaced } = await rebuilding;
  t.is(replaced, before);
  t.true(projectors.restarts() > 0);
  await appendAll(clients, interleaved(ids('P', 6)));
  await untilFold(clients, generation, FOLDED_WITHIN_MS);
});

test.serial('the catalogue is rebuilt, and is what it was before somebody changed it in the store', async (t) => {
  t.timeout(120_000);
  const { db } = t.context.clients.store;
  const contents = async (generation: number) => {
    const { entities } = catalogueModel(db, generation);
    const kinds = [entities('account'), entities('project'), entities('user'), entities('webhook_endpoint')] as const;
    return await Promise.all(
      kinds.map(async (one): Promise<readonly unknown[]> => await one.find({}).sort({ _id: 1 }).toArray()),
    );
  };
  const generation = await serving(db, 'catalogue');
  const before = await contents(generation);
  const { entities } = catalogueModel(db, generation);
  t.is((await entities('account').updateMany({}, { $set: { name: 'Mallory' } })).modifiedCount > 0, true);
  await entities('user').deleteMany({});
  t.notDeepEqual(await contents(generation), before);
  const rebuilt = await rebuild(t, 'catalogue');
  t.is(await serving(db, 'catalogue'), rebuilt.generation);
  t.deepEqual(await contents(rebuilt.generation), before);
});

test.serial('a rebuild that is stopped leaves what serves as it is; another one can follow', async (t) => {
  t.timeout(120_000);
  const { clients, stack } = t.context;
  const { db } = clients.store;
  const renderctl = caller(stack.env);
  const before = await serving(db, 'renders');
  t.regex((await renderctl('rebuild', 'renders', '--stop')).stderr, /no rebuild of the renders is under way/);
  stack.component('projectors').kill('SIGSTOP');
  try {
    const interrupted = new AbortController();
    const asking = caller(stack.env, interrupted.signal)('rebuild', 'renders');
    const wanted = await until('it is asked for', () => findRebuild(db, 'renders'));
    interrupted.abort();
    const { exit_code, stderr } = await asking;
    t.is(exit_code, 130);
    t.regex(stderr, /It goes on; to see how far it is: renderctl rebuild renders/);
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

test.serial('a version that is made wins over a rebuild', async (t) => {
  const { db } = t.context.clients.store;
  const pointer = { read_model: 'catalogue', model_version: 99, generation: 990, ends: [0] } as const;
  const _id = pointerId('catalogue', pointer.model_version);
  await pointersIn(db).insertOne({ _id, ...pointer, serving: false });
  try {
    const { stderr } = await caller(t.context.stack.env)('rebuild', 'catalogue');
    t.regex(stderr, /another version of the catalogue/);
    t.is(await findRebuild(db, 'catalogue'), null);
  } finally {
    await pointersIn(db).deleteOne({ _id });
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
  const former_checkpoints = renderModel(store.db, made.replaces).checkpoints;
  const own_checkpoints = renderModel(store.db, made.generation).checkpoints;
  const rebuilding = { rebuild: made, former_checkpoints, own_checkpoints };
  return { former_checkpoints, own_checkpoints, look: () => tryRebuildCutover(store, rebuilding, Date.now) };
};

test.serial('it takes over once it is nowhere behind, and what it replaces ends there', async (t) => {
  t.timeout(60_000);
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

test.serial('it never serves once it is stopped, a version is claimed, or another generation serves', async (t) => {
  t.timeout(60_000);
  await withStore(t.context, async (store, own) => {
    const { db } = store;
    const stopped = await asked(db, [0]);
    t.true(await giveUpRebuild(db, stopped));
    t.is(await cutoverOf(store, stopped).look(), 'given_up');

    const restored = await asked(db, []);
    t.true(restored.generation > stopped.generation);
    await pointersIn(db).updateOne({ _id: own._id }, { $set: { generation: 40 } });
    t.is(await cutoverOf(store, restored).look(), 'given_up');
    await pointersIn(db).updateOne({ _id: own._id }, { $set: { generation: own.generation } });

    const crossed = await asked(db, []);
    const newer = await claimGeneration(db, 'renders', async () => [0], own.model_version + 1);
    t.is(newer.former?.generation, own.generation);
    t.is(await cutoverOf(store, crossed).look(), 'given_up');
    t.deepEqual(await requestRebuild(db, 'renders', [], ASKED), { tag: 'refused', reason: 'upgrading' });
    // As one that was inserted behind the claim's deletion.
    await db.collection<Rebuild>(COLLECTIONS.generations).insertOne(crossed);
    t.is(await cutoverOf(store, crossed).look(), 'given_up');
    t.is(await serving(db, 'renders'), own.generation);
  });
});

test.serial('a number is given that has no collections, whatever a restore did to the count', async (t) => {
  t.timeout(60_000);
  await withStore(t.context, async ({ db }) => {
    await db.createCollection('renders_g17');
    t.is((await asked(db, [])).generation, 18);
  });
});

test.serial(
  'what a rebuild has replaced is dropped once nobody reads it, and only when that is asked for',
  async (t) => {
    t.timeout(60_000);
    const { db } = t.context.clients.store;
    const renderctl = caller(t.context.stack.env);
    const there = async (name: RegExp): Promise<readonly string[]> =>
      (await db.listCollections({}, { nameOnly: true }).toArray())
        .map((one) => one.name)
        .filter((one) => name.test(one));
    const generation = await serving(db, 'renders');
    const { replaced } = (await pointersIn(db).findOne({ _id: pointerId('renders', 3) })) ?? {};
    t.regex((await renderctl('rebuild', 'drop')).stdout, /was replaced less than a minute ago/);
    t.deepEqual(await there(/^renders_g1$/), ['renders_g1']);
    t.is((await renderctl('rebuild', 'drop', '--yes')).exit_code, 0);
    t.deepEqual(
      (await there(/^renders_g/)).toSorted(),
      [`renders_g${generation}`, `renders_g${replaced?.generation}`].toSorted(),
    );
    // Whoever begins to follow it finds that it has ended.
    t.truthy((await renderModel(db, 1).checkpoints.findOne({}))?.closed);
    t.is((await renderModel(db, generation).renders.countDocuments()) > 30, true);
  },
);
