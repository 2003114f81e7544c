import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import anyTest, { type TestFn } from 'ava';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import type { Db } from 'mongodb';
import type { CatalogueEvent } from '../../domain/catalogue/events.ts';
import { StopPartition } from '../../platform/event-log/event-log.ts';
import { createLogger } from '../../platform/logging/logger.ts';
import { createMetrics } from '../../platform/metrics/metrics.ts';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import { createReadiness } from '../../platform/process/readiness.ts';
import { catalogueReadModel } from '../../projectors/catalogue/follow-catalogue.ts';
import { createProjectionMetrics } from '../../projectors/checkpoint/projection-metrics.ts';
import { claimGeneration } from '../../projectors/generations/claim.ts';
import { tryCutover } from '../../projectors/generations/cutover.ts';
import type { ReadModelSpec } from '../../projectors/generations/follow-read-model.ts';
import { NO_THROTTLE } from '../../projectors/generations/throttle.ts';
import { watchClaim } from '../../projectors/generations/watch-claim.ts';
import type { ProjectorDependencies } from '../../projectors/projector-dependencies.ts';
import { renderReadModel } from '../../projectors/render/follow-renders.ts';
import { createRenderMetrics } from '../../projectors/render/render-metrics.ts';
import type { ProjectDocumentRow } from '../../read-models/catalogue/documents.ts';
import type { CheckpointDocument } from '../../read-models/checkpoint.ts';
import { COLLECTIONS, catalogueCollections, renderCollections } from '../../read-models/collections.ts';
import type { FirstGenerationDocument, GenerationDocument } from '../../read-models/generations.ts';
import { MODEL_VERSIONS, readServingGeneration } from '../../read-models/generations.ts';
import type { QuarantineDocument } from '../../read-models/quarantine.ts';
import { renderCollectionsIn } from '../../read-models/renders/model.ts';
import { freePort } from '../../stack/process/ports.ts';
import type { StackClients } from '../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import { meanwhile } from '../helpers/meanwhile.ts';
import { CATALOGUE } from '../helpers/record-samples.ts';
import { interleaved } from '../helpers/render-log.ts';
import {
  appendAll,
  ids,
  startWorld,
  stopWorld,
  untilFold as untilGenerationFold,
  type World,
} from '../integration/projectors/_projectors.ts';

// The code takes over a store that version 1 wrote, on real servers, with several projectors.
const test = anyTest as TestFn<World>;

test.before(async (t) => {
  t.timeout(180_000);
  // The tests start the projectors; the dispatcher creates the topics.
  t.context = await startWorld(['dispatcher']);
});

test.after.always(async (t) => {
  t.timeout(60_000);
  await stopWorld(t.context);
});

const appendToCatalogue = async ({ records }: StackClients, events: readonly CatalogueEvent[]): Promise<void> => {
  for (const event of events) {
    const appended = await records.append('catalogue-events', 'catalogue', event);
    if (E.isLeft(appended)) throw new Error(appended.left.message);
  }
};

const checkpointsOf = (db: Db, name: string) => db.collection<CheckpointDocument>(name);

const untilFolded = async ({ records }: StackClients, topic: string, db: Db, name: string): Promise<void> => {
  await pollUntil(`${name} are at the end of ${topic}`, async () => {
    const next = new Map((await checkpointsOf(db, name).find().toArray()).map((it) => [it._id, it.next]));
    return (await records.log.bounds(topic)).every(({ partition, end }) => (next.get(partition) ?? 0) >= end);
  });
};

/** The state that the code of version 1 leaves: its pointer, and documents without later members. */
const foldAsVersion1 = async (clients: StackClients): Promise<void> => {
  const { records, store, blobs, seals } = clients;
  const { db } = store;
  const deps: ProjectorDependencies = {
    records,
    store,
    blobs,
    seals,
    logger: createLogger('test', 'silent'),
    clock: SYSTEM_CLOCK,
    readiness: createReadiness(),
    quarantine: db.collection<QuarantineDocument>(COLLECTIONS.quarantine),
    metricsOf: createProjectionMetrics(createMetrics('test')),
    renderMetrics: createRenderMetrics(createMetrics('test')),
  };
  const fold = async (spec: ReadModelSpec, topic: string, name: string): Promise<void> => {
    await spec.prepare(1);
    const following = await spec.follow({ generation: 1, model_version: 1 }, 'former', NO_THROTTLE);
    await untilFolded(clients, topic, db, name);
    await following.stop();
    await db
      .collection<FirstGenerationDocument>(COLLECTIONS.generations)
      .insertOne({ _id: spec.read_model, current: 1 });
  };
  const renders = renderCollections(1);
  const catalogue = catalogueCollections(1);
  await fold(renderReadModel(deps), 'render-events', renders.checkpoints);
  await fold(catalogueReadModel(deps), 'catalogue-events', catalogue.checkpoints);
  const of_renders = {
    position: 1,
    search: 1,
    by_project_skip: 1,
    by_project_status_skip: 1,
    by_team_status: 1,
    by_team_status_skip: 1,
  } as const;
  await db.collection(renders.renders).updateMany({}, { $unset: of_renders });
  const of_projects = { position: 1, search: 1, by_team_skip: 1 } as const;
  await db.collection(catalogue.entities.project).updateMany({}, { $unset: of_projects });
  await db.collection(renders.ledger).drop();
};

const startProjector = async ({ stack, clients }: World) => {
  const port = await freePort();
  const env = { ...stack.env, HEALTH_PORT: String(port), LOG_LEVEL: 'warn' };
  const main = join(import.meta.dirname, '../../projectors/main.ts');
  let wanted = true;
  const start = () => {
    const started = execa(process.execPath, [main], { env, reject: false, stdout: 'ignore', stderr: 'inherit' });
    // A projector that exits is restarted, as in the stack.
    const ended = async (): Promise<void> => {
      const { signal } = await started;
      if (wanted && signal === undefined && child.pid === started.pid) child = start();
    };
    void ended();
    return started;
  };
  let child = start();
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<number | undefined> => {
    const ending = child;
    wanted = signal === 'SIGKILL';
    ending.kill(signal);
    const { exitCode } = await ending;
    // The embedded store does not notice that the client of a transaction is gone.
    if (signal === 'SIGKILL') await clients.store.db.admin().command({ killAllSessions: [] });
    return exitCode;
  };
  return {
    health_url: `http://127.0.0.1:${port}`,
    kill: async () => {
      await end('SIGKILL');
      child = start();
    },
    stop: async () => await end('SIGTERM'),
  };
};

/** A reader that reads the renders as often as it can; records the generation and its progress. */
const watchAsReader = (db: Db) => {
  const seen: { readonly generation: number; readonly folded: ReadonlyMap<number, number> }[] = [];
  const watching = meanwhile(25, async () => {
    const { generation } = (await readServingGeneration(db, 'renders')) ?? { generation: 0 };
    const checkpoints = await renderCollectionsIn(db, generation).checkpoints.find().toArray();
    seen.push({ generation, folded: new Map(checkpoints.map(({ _id, next, closed }) => [_id, closed?.next ?? next])) });
  });
  return {
    stop: async () => {
      await watching.stop();
      return seen;
    },
  };
};

const untilFold = (clients: StackClients, generation: number): Promise<void> =>
  untilGenerationFold(clients, generation, 120_000);

test.serial('the old version serves until the new generation is complete, despite kills', async (t) => {
  t.timeout(400_000);
  const { clients } = t.context;
  const { db } = clients.store;
  await appendToCatalogue(clients, CATALOGUE);
  await appendAll(clients, interleaved(ids('O', 120)));
  await foldAsVersion1(clients);
  const before = await db.collection(renderCollections(1).renders).countDocuments();
  t.deepEqual(await readServingGeneration(db, 'renders'), { generation: 1, model_version: 1 });

  const reader = watchAsReader(db);
  const projectors = await Promise.all([startProjector(t.context), startProjector(t.context)]);
  let loading = true;
  const load = (async () => {
    for (let n = 0; loading; n++) {
      await appendAll(clients, interleaved(ids(`N${n}X`, 3)));
      // Both generations quarantine this record in the same collection.
      const value = Buffer.from('not Avro at all');
      await clients.records.log.append({ topic: 'render-events', partition: n % 4, key: 'rend_x', value });
      await pause(50);
    }
  })();
  const [one, another] = projectors;
  await pollUntil(
    'the new generation is half complete',
    async () => {
      // Reads the number of the generation, because either one determines it if two projectors claim the version at
      // once.
      const _id = `renders@${MODEL_VERSIONS.renders}`;
      const made = await db.collection<GenerationDocument>(COLLECTIONS.generations).findOne({ _id });
      return (
        made !== null &&
        (await renderCollectionsIn(db, made.generation).checkpoints.findOne({ next: { $gt: 0 } })) !== null
      );
    },
    120_000,
  );
  await one?.kill();
  await pause(Math.floor(Math.random() * 2_000));
  await another?.kill();
  const serving = async (read_model: 'renders' | 'catalogue') =>
    await pollUntil(
      `the new generation of the ${read_model} serves`,
      async () => {
        const found = await readServingGeneration(db, read_model);
        return found?.model_version === MODEL_VERSIONS[read_model] && found;
      },
      120_000,
    );
  const renders = await serving('renders');
  // The new generation serves but publishes nothing yet. The running projector begins to publish by itself, the killed
  // one after its restart.
  await one?.kill();
  const catalogue = await serving('catalogue');
  loading = false;
  await load;
  t.true(renders.generation >= 2);

  await appendAll(clients, interleaved(ids('P', 12)));
  await untilFold(clients, renders.generation);
  t.true((await db.collection(renderCollections(renders.generation).ledger).countDocuments()) > 0);

  const { entities } = catalogueCollections(catalogue.generation);
  const project = await db.collection<ProjectDocumentRow>(entities.project).findOne({});
  t.true(project?.search.includes('team_1:=sale'));

  const seen = await reader.stop();
  t.deepEqual([...new Set(seen.map(({ generation }) => generation))], [1, renders.generation]);
  for (const [i, { generation, folded }] of seen.entries()) {
    for (const [partition, next] of seen[i - 1]?.folded ?? []) {
      const now = folded.get(partition) ?? 0;
      if (now < next) t.fail(`a reader of generation ${generation} went back from ${next} to ${now}`);
    }
  }
  t.true((await db.collection(renderCollections(1).renders).countDocuments()) >= before);
  for (const { health_url } of projectors)
    await pollUntil(
      'the projector is ready',
      async () => {
        const answer = await fetch(`${health_url}/health/ready`);
        if (!answer.ok) throw new Error(await answer.text());
        return true;
      },
      120_000,
    );
  t.deepEqual(await Promise.all(projectors.map(async (one) => await one.stop())), [0, 0]);
});

test.serial('no projector continues from the end of the former generation', async (t) => {
  const { records, store, blobs, seals } = t.context.clients;
  const deps: ProjectorDependencies = {
    records,
    store,
    blobs,
    seals,
    logger: createLogger('test', 'silent'),
    clock: SYSTEM_CLOCK,
    readiness: createReadiness(),
    quarantine: store.db.collection<QuarantineDocument>(COLLECTIONS.quarantine),
    metricsOf: createProjectionMetrics(createMetrics('test')),
    renderMetrics: createRenderMetrics(createMetrics('test')),
  };
  const stopped: string[] = [];
  const log = {
    ...records.log,
    subscribe: async ({ position }: Parameters<typeof records.log.subscribe>[0]) => {
      for (const partition of [0, 1, 2, 3]) {
        const error = await t.throwsAsync(position('render-events', partition), { instanceOf: StopPartition });
        stopped.push(error?.message ?? '');
      }
      const steering = { pause: () => undefined, resume: () => undefined, seek: () => undefined };
      const stops = { stopPartition: () => undefined, restartPartition: () => undefined, handOver: () => undefined };
      return { stop: async () => undefined, lag: async () => 0, ...steering, ...stops };
    },
  };
  const spec = renderReadModel({ ...deps, records: { ...records, log } });
  const following = await spec.follow({ generation: 1, model_version: 1 }, 'former', NO_THROTTLE);
  await following.stop();
  t.deepEqual(new Set(stopped), new Set(['another generation of this read model serves now']));
});

test.serial('concurrent claims of a version create one generation', async (t) => {
  t.timeout(60_000);
  const other = await t.context.clients.openStore('claims');
  const { db } = other;
  const pointers = db.collection<GenerationDocument>(COLLECTIONS.generations);
  const first = db.collection<FirstGenerationDocument>(COLLECTIONS.generations);
  const claims = async (version: number) =>
    await Promise.all(
      Array.from({ length: 5 }, async () => await claimGeneration(db, 'renders', async () => [7, 8], version)),
    );
  try {
    await first.insertOne({ _id: 'renders', current: 1 });
    const [claim, ...others] = await claims(2);
    for (const one of others) t.deepEqual(one, claim);
    t.like(claim, { own: { serving: false, ends: [7, 8] }, former: { generation: 1, model_version: 1 } });
    const number = claim?.own.generation ?? 0;
    t.true(number > 1);
    t.deepEqual(await readServingGeneration(db, 'renders', 2), { generation: 1, model_version: 1 });

    // A later version beside one that never became complete gets its own number and the same predecessor.
    const [later] = await claims(3);
    t.true((later?.own.generation ?? 0) > number);
    t.like(later, { own: { serving: false }, former: { generation: 1 } });

    await pointers.updateOne({ _id: 'renders@3' }, { $set: { serving: true } });
    t.is((await claims(3))[0]?.former, null);
    t.deepEqual(await readServingGeneration(db, 'renders', 2), { generation: 1, model_version: 1 });
    t.like(await readServingGeneration(db, 'renders', 3), { model_version: 3 });

    await pointers.deleteMany({});
    const [fresh] = await claims(2);
    t.like(fresh, { own: { generation: 1, serving: true }, former: null });
    // Code of version 1 finds its own generation.
    t.is((await first.findOne({ _id: 'renders' }))?.current, 0);
  } finally {
    await other.close();
  }
});

test.serial('a projector without its claim ends after 30 s, but not during a restore', async (t) => {
  t.timeout(60_000);
  const other = await t.context.clients.openStore('lost_claim');
  const { db } = other;
  const pointers = db.collection<GenerationDocument>(COLLECTIONS.generations);
  let now = 0;
  let look: () => void = () => undefined;
  const clock = {
    ...SYSTEM_CLOCK,
    monotonic: () => now,
    every: (_ms: number, run: () => void) => {
      look = run;
      return () => undefined;
    },
  };
  try {
    const { own } = await claimGeneration(db, 'renders', async () => [7, 8]);
    const watching = watchClaim(
      db,
      { own: () => own, rebuild: () => undefined, replaced: () => undefined },
      createLogger('test', 'silent'),
      clock,
    );
    const lookAt = async (at: number): Promise<void> => {
      now = at;
      look();
      await watching.stop();
    };
    await lookAt(0);
    await pointers.deleteMany({});
    await lookAt(1_000);
    await lookAt(30_999);
    await pointers.insertOne(own);
    await lookAt(31_000);
    // As after a restore from a backup that has another claim.
    await pointers.updateOne({ _id: own._id }, { $inc: { generation: 1 } });
    await lookAt(32_000);
    await lookAt(61_999);
    await t.throwsAsync(lookAt(62_000), { name: 'StoreLost' });
  } finally {
    await other.close();
  }
});

test.serial('the former generation ends at the cutover to the new one', async (t) => {
  t.timeout(60_000);
  const other = await t.context.clients.openStore('hand_over');
  const { db } = other;
  try {
    await db.collection<FirstGenerationDocument>(COLLECTIONS.generations).insertOne({ _id: 'renders', current: 1 });
    const { own } = await claimGeneration(db, 'renders', async () => [2, 0], 2);
    const former = renderCollectionsIn(db, 1).checkpoints;
    const { checkpoints } = renderCollectionsIn(db, own.generation);
    const cutover = { own, former_checkpoints: former, own_checkpoints: checkpoints };
    const at = (_id: number, next: number): CheckpointDocument => ({ _id, next, chain: `${next}`, chain_before: '' });
    await former.insertMany([at(0, 3), at(1, 0)]);
    await checkpoints.insertMany([at(0, 1), at(1, 0)]);

    t.not(await tryCutover(other, cutover, Date.now), 'serves');
    await checkpoints.updateOne({ _id: 0 }, { $set: { next: 2 } });
    t.not(await tryCutover(other, cutover, Date.now), 'serves');
    let folded = 3;
    let refused = false;
    const following = (async () => {
      for (; !refused; folded++) {
        const move = { $set: { next: folded + 1, chain: `${folded + 1}` } };
        const { matchedCount } = await former.updateOne({ _id: 0, next: folded, chain: `${folded}` }, move);
        refused = matchedCount === 0;
        if (!refused) await checkpoints.updateOne({ _id: 0 }, move);
        await pause(20);
      }
    })();
    await pollUntil(
      'the generation serves',
      async () => (await tryCutover(other, cutover, Date.now).catch(() => null)) === 'serves',
    );
    await following;
    const [ended, empty] = await former.find().sort({ _id: 1 }).toArray();
    const reached = (await checkpoints.findOne({ _id: 0 }))?.next ?? 0;
    t.true(reached >= (ended?.closed?.next ?? Number.POSITIVE_INFINITY));
    t.like(empty, { next: -1, chain: 'closed', closed: { next: 0 } });
    t.like(await readServingGeneration(db, 'renders', 2), { generation: own.generation });
    t.is(await tryCutover(other, cutover, Date.now), 'serves');
  } finally {
    await other.close();
  }
});
