import { setTimeout as pause } from 'node:timers/promises';
import anyTest, { type TestFn } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { Collection } from 'mongodb';
import { decodeConfiguration } from '../../platform/configuration/configuration.ts';
import { DEPLOYMENT, EVENT_LOG } from '../../platform/configuration/parts.ts';
import { type EventLog, type RecordBatch, StopPartition } from '../../platform/event-log/event-log.ts';
import { kafkaClient } from '../../platform/event-log/kafka-client.ts';
import { partitionOfKey } from '../../platform/event-log/partition-of-key.ts';
import { openSockets } from '../../platform/event-log/sockets.ts';
import { settingsOf } from '../../platform/event-log/topic-settings.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import { createLogger } from '../../platform/logging/logger.ts';
import { createMetrics } from '../../platform/metrics/metrics.ts';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import { partitionHandlers } from '../../platform/processor/processor.ts';
import { createIndexes } from '../../platform/read-store/create-indexes.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { INITIAL_CHAIN_HASH } from '../../projectors/checkpoint/chain.ts';
import { partitionBounds } from '../../projectors/checkpoint/checkpoint-fault.ts';
import type { StoredDocument } from '../../projectors/checkpoint/projection.ts';
import { createProjectionMetrics } from '../../projectors/checkpoint/projection-metrics.ts';
import { projectionTasks } from '../../projectors/checkpoint/projection-task.ts';
import { addCredits, creditsOf, ledgerId, NO_CREDITS, type RenderCredits } from '../../projectors/render/ledger.ts';
import { renderProjection, type StatusPublishing } from '../../projectors/render/projection.ts';
import { createStatusPublisher } from '../../projectors/render/publish.ts';
import { publishPosition } from '../../projectors/render/publish-position.ts';
import { createRenderMetrics } from '../../projectors/render/render-metrics.ts';
import type { CatalogueIgnoredDocument } from '../../read-models/catalogue/documents.ts';
import type { CheckpointDocument } from '../../read-models/checkpoint.ts';
import { COLLECTIONS, catalogueCollections, renderCollections } from '../../read-models/collections.ts';
import { SKIP_LIST_FORM } from '../../read-models/embedded/document-form.ts';
import type { QuarantineDocument } from '../../read-models/quarantine.ts';
import type { LiveProgressDocument, RenderDocument } from '../../read-models/renders/documents.ts';
import { renderCollectionsIn, renderIndexes } from '../../read-models/renders/model.ts';
import type { StackClients } from '../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import { scraped, sumOf } from '../helpers/metrics.ts';
import { NO_NAMES } from '../helpers/no-names.ts';
import { CATALOGUE } from '../helpers/record-samples.ts';
import { metaBy } from '../helpers/render-events.ts';
import { interleaved, lifeOf } from '../helpers/render-log.ts';
import {
  appendAll,
  ids,
  startWorld,
  stopWorld,
  untilFold as untilGenerationFold,
  type World,
} from '../integration/projectors/_projectors.ts';

const test = anyTest as TestFn<World>;
const EVENTS: Topic = 'render-events';
const STATUS: Topic = 'render-status';
const names = renderCollections(1);

test.before(async (t) => {
  t.timeout(360_000);
  t.context = await startWorld(['projectors']);
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await stopWorld(t.context);
});

const appendBytes = async ({ clients }: World, key: string, value: Buffer, partition: number): Promise<void> => {
  const appended = await clients.records.log.append({ topic: EVENTS, partition, key, value });
  if (E.isLeft(appended)) throw new Error(appended.left.message);
};

const untilFold = ({ clients }: World, bound_ms = 60_000): Promise<void> => untilGenerationFold(clients, 1, bound_ms);

const followerOf = (
  { records }: Pick<StackClients, 'records'>,
  store: ReadStore,
  position: StatusPublishing['position'] = (partition) => publishPosition(records.log, records, partition),
) => {
  const logger = createLogger('test', 'silent');
  const registry = createMetrics('test');
  const metrics = createProjectionMetrics(registry)(1);
  const published = { projection: metrics, renders: createRenderMetrics(registry) };
  const projection = renderProjection({
    topic: EVENTS,
    partitionOf: (key) => partitionOfKey(key, 4),
    model: renderCollectionsIn(store.db, 1),
    form: SKIP_LIST_FORM,
    accounts: true,
    audits: true,
    names: NO_NAMES,
    clock: SYSTEM_CLOCK,
    publishing: {
      publish: createStatusPublisher(records, 'render-status', published, logger, SYSTEM_CLOCK),
      position,
    },
  });
  const quarantine = store.db.collection<QuarantineDocument>(COLLECTIONS.quarantine);
  const deps = { records, store, quarantine, metrics, logger, clock: SYSTEM_CLOCK };
  return partitionHandlers({
    ...deps,
    group: 'projectors',
    topic: EVENTS,
    accept: projection.accept,
    unknown: 'stop',
    open: projectionTasks(projection, deps, 'projectors'),
  });
};

const written = ({ clients }: World): readonly Collection<StoredDocument>[] =>
  [names.renders, names.ledger, names.statistics, names.audit, names.checkpoints].map((name) =>
    clients.store.db.collection(name),
  );

const all = async <A>(items: AsyncIterable<A>): Promise<readonly A[]> => {
  const found: A[] = [];
  for await (const item of items) found.push(item);
  return found;
};

const batchOf = async (log: EventLog, partition: number, from = 0, to = 20): Promise<RecordBatch> => ({
  topic: EVENTS,
  partition,
  records: await all(log.replay(EVENTS, partition, from, to)),
  high_watermark: (await partitionBounds(log, EVENTS, partition)).end,
});

const statusEnds = async ({ clients }: World) => (await clients.records.log.bounds(STATUS)).map(({ end }) => end);

test.serial('the read model equals a fold of the log, despite interleaving and undecodable bytes', async (t) => {
  t.timeout(240_000);
  const { clients } = t.context;
  const events = interleaved(ids('A', 30));
  const [account] = CATALOGUE;
  if (account === undefined) throw new Error('no sample');

  await appendAll(t.context.clients, events.slice(0, 60));
  for (const partition of [0, 1, 2, 3]) {
    await appendBytes(t.context, 'rend_x', Buffer.from('not Avro at all'), partition);
    await appendBytes(t.context, 'rend_x', Buffer.alloc(0), partition);
  }
  E.isRight(await clients.records.append(EVENTS, 'acc_1', account)) || t.fail();
  const [event] = lifeOf('rend_elsewhere', 0);
  if (event === undefined) throw new Error('no event');
  E.isRight(await clients.records.append(EVENTS, 'rend_another_key', event)) || t.fail();
  const elsewhere = (partitionOfKey(event.render_id, 4) + 1) % 4;
  E.isRight(await clients.records.append(EVENTS, event.render_id, event, { partition: elsewhere })) || t.fail();
  await appendAll(t.context.clients, events.slice(60));

  await untilFold(t.context);
  const found = await clients.store.db.collection<QuarantineDocument>(COLLECTIONS.quarantine).find().toArray();
  const misplaced = ['key_mismatch', 'wrong_partition', 'wrong_topic'];
  t.is(found.length, 8 + misplaced.length);
  t.deepEqual(found.flatMap(({ reason }) => (misplaced.includes(reason) ? [reason] : [])).toSorted(), misplaced);
  t.is(await clients.store.db.collection<RenderDocument>(names.renders).countDocuments({ open: false }), 30);
});

test.serial('a projector killed at any instruction publishes each accepted event once, in order', async (t) => {
  t.timeout(450_000);
  const projectors = t.context.stack.component('projectors');
  const events = interleaved(ids('K', 90));
  let appending = true;
  const load = (async () => {
    for (let i = 0; i < events.length; i += 8) {
      await appendAll(t.context.clients, events.slice(i, i + 8));
      await pause(20);
    }
  })().finally(() => {
    appending = false;
  });
  for (let kills = 0; kills < 4 && appending; kills++) {
    await pause(200 + Math.floor(Math.random() * 500));
    projectors.kill('SIGKILL');
    await projectors.untilReady();
  }
  await load;
  projectors.kill('SIGKILL');
  await projectors.untilReady();
  await untilFold(t.context);
  t.true(projectors.restarts() >= 2);
});

test.serial('a projector with a restored store continues folding and publishes only the missing events', async (t) => {
  t.timeout(240_000);
  const { stack } = t.context;
  const backup = await Promise.all(
    written(t.context).map(async (collection) => ({ collection, documents: await collection.find().toArray() })),
  );
  await appendAll(t.context.clients, interleaved(ids('B', 12)));
  await untilFold(t.context);
  const published = await statusEnds(t.context);

  for (const { collection, documents } of backup) {
    await collection.deleteMany({});
    if (documents.length > 0) await collection.insertMany(documents);
  }
  stack.component('projectors').kill('SIGKILL');

  await untilFold(t.context);
  t.deepEqual(await statusEnds(t.context), published);
});

test.serial('a projector folds the log from the first record after its store lost everything', async (t) => {
  t.timeout(240_000);
  const { stack } = t.context;
  const published = await statusEnds(t.context);
  for (const collection of written(t.context)) await collection.deleteMany({});
  stack.component('projectors').kill('SIGKILL');
  await untilFold(t.context);
  t.deepEqual(await statusEnds(t.context), published);

  const figures = async () => await scraped(stack.health_urls.projectors ?? '');
  const rebuilt = await figures();
  t.true(sumOf(rebuilt, 'projection_lag_seconds_count') > 100, 'all records were folded');
  for (const name of ['renders_total', 'render_status_duration_seconds_count', 'render_attempts_lost_total'])
    t.is(sumOf(rebuilt, name), 0, `${name}: published transitions are not published again`);

  await appendAll(t.context.clients, interleaved(ids('M', 3)));
  await untilFold(t.context);
  await pollUntil('the new events are counted', async () => sumOf(await figures(), 'renders_total') === 3);
  const counted = await figures();
  t.is(sumOf(counted, 'renders_total', { outcome: 'complete' }), 2);
  t.is(sumOf(counted, 'render_failures_total', { stage: 'rendering', code: 'font_unknown' }), 1);
  t.is(sumOf(counted, 'render_attempts_lost_total', { reason: 'crashed' }), 1);
  t.is(sumOf(counted, 'render_status_duration_seconds_count', { status: 'initializing' }), 3);
});

test.serial('the read model states the time up to which it is complete', async (t) => {
  const { clients } = t.context;
  const caughtUp = clients.store.db.collection<{ readonly _id: number; readonly at: number }>(names.caught_up);
  const since = Date.now();
  const found = await pollUntil('every partition is caught up', async () => {
    const documents = await caughtUp.find({ at: { $gte: since } }).toArray();
    return documents.length === 4 && documents;
  });
  t.true(found.every(({ at }) => at <= Date.now()));
});

test.serial('the catalogue projector folds events and lists repeats as ignored', async (t) => {
  t.timeout(180_000);
  const { clients } = t.context;
  for (const event of [...CATALOGUE, ...CATALOGUE]) {
    E.isRight(await clients.records.append('catalogue-events', 'catalogue', event)) || t.fail();
  }
  const { ignored, entities, checkpoints } = catalogueCollections(1);
  const { db } = clients.store;
  await pollUntil('every event is folded', async () => {
    const checkpoint = await db.collection<CheckpointDocument>(checkpoints).findOne({ _id: 0 });
    return checkpoint?.next === 2 * CATALOGUE.length;
  });
  const listed = await db.collection<CatalogueIgnoredDocument>(ignored).find().toArray();
  t.true(listed.length > 0 && listed.every(({ _id }) => _id >= CATALOGUE.length));
  t.is(await db.collection(entities.account).countDocuments(), 1);
  t.like(await db.collection(entities.project).findOne(), { name: 'Sale', team_id: 'team_1' });
  t.is(await db.collection(entities.api_key).countDocuments({ secret_sha256: 'bb' }), 1);
});

test.serial('the read model shows the progress of running attempts, and idle workers write nothing', async (t) => {
  const { clients } = t.context;
  const progress = clients.store.db.collection<LiveProgressDocument>(COLLECTIONS.live_progress);
  const attempt = { render_id: 'rend_live', attempt_id: 'att_1', stage: 'rendering', frames_total: 100 };
  const beat = async (n: number, attempts: readonly { readonly frames_done: number }[]): Promise<void> => {
    const appended = await clients.records.append('worker-heartbeats', 'wkr_1', {
      type: 'WorkerBeat',
      meta: metaBy('worker:wkr_1'),
      worker_id: 'wkr_1',
      beat: n,
      slots: 1,
      draining: false,
      attempts: attempts.map(({ frames_done }) => ({ ...attempt, frames_done })),
      failed: [],
      engines: [],
      impediments: [],
      wanted: [],
      helps: [],
    });
    if (E.isLeft(appended)) throw new Error(appended.left.message);
  };
  await beat(1, []);
  await beat(2, [{ frames_done: 10 }]);
  await beat(3, [{ frames_done: 20 }]);
  const found = await pollUntil(
    'the newest progress is shown',
    async () => await progress.findOne({ frames_done: 20 }),
  );
  t.like(found, { _id: 'rend_live', attempt_id: 'att_1', stage: 'rendering', frames_total: 100 });
  t.is(await progress.countDocuments(), 1);
});

test.serial('only one of two owners of a partition commits, and the other notices', async (t) => {
  t.timeout(240_000);
  const { clients } = t.context;
  const { log } = clients.records;
  const other = await clients.openStore('two_holders');
  try {
    await createIndexes(other.db, SKIP_LIST_FORM.indexes(renderIndexes(1)));
    const [first, second] = [followerOf(clients, other), followerOf(clients, other)];
    const [batch, besides] = [await batchOf(log, 0), await batchOf(log, 1)];
    for (const follower of [first, second]) t.is(await follower.position(EVENTS, 0), 0);
    t.is(await second.position(EVENTS, 1), 0);
    const published = await statusEnds(t.context);

    await first.on_batch(batch);
    // Both batches share a transaction; the guard that fails must not block the other batch.
    await Promise.all([second.on_batch(batch), second.on_batch(besides)]);
    t.is(second.tasks().get(0), undefined, 'the second owner gives the partition up');

    const checkpoints = other.db.collection<CheckpointDocument>(names.checkpoints);
    for (const _id of [0, 1]) t.is((await checkpoints.findOne({ _id }))?.next, 20);
    const expected = new Set(batch.records.map(({ offset }) => offset));
    const documents = await other.db.collection<RenderDocument>(names.renders).find({ partition: 0 }).toArray();
    const folded = documents.flatMap(({ facts }) => facts.map(({ offset }) => offset));
    t.is(new Set(folded).size, folded.length);
    t.true(folded.every((offset) => expected.has(offset)));
    t.deepEqual(await statusEnds(t.context), published);
    await pollUntil(
      'the second owner opens the partition again at the checkpoint',
      async () => second.tasks().get(0)?.committed() === batch.records.length,
    );
  } finally {
    await other.close();
  }
});

/** Kafka's code for topics in requests about configuration. */
const TOPIC_RESOURCE = 2;

/** Sets the largest record batch of the status topic, and keeps the other settings as deployed. */
const limitBatches = async ({ stack }: World, bytes: number): Promise<void> => {
  const decoded = decodeConfiguration(stack.env, { log: EVENT_LOG, deployment: DEPLOYMENT });
  if (E.isLeft(decoded)) throw new Error(decoded.left.join('\n'));
  const { log, deployment } = decoded.right;
  const settings = {
    ...settingsOf({ retention_ms: null }, deployment.min_insync_replicas),
    'max.message.bytes': String(bytes),
  };
  const sockets = openSockets();
  const admin = kafkaClient(log, 'test', createLogger('test', 'silent'), sockets).admin();
  await admin.connect();
  await admin.alterConfigs({
    validateOnly: false,
    resources: [
      {
        type: TOPIC_RESOURCE,
        name: `${log.topic_prefix}${STATUS}`,
        configEntries: Object.entries(settings).map(([name, value]) => ({ name, value })),
      },
    ],
  });
  await admin.disconnect();
  sockets.destroyAll();
};

test.serial("the new owner publishes everything after a former owner's late or lost batches", async (t) => {
  t.timeout(240_000);
  const { clients } = t.context;
  const { records } = clients;
  const { log } = records;
  const other = await clients.openStore('former_holder');
  const outcomes: string[] = [];
  const losing: EventLog = {
    ...log,
    appendBatch: async (batch) => {
      const appended = await log.appendBatch(batch);
      const is_lost = E.isRight(appended) && !outcomes.includes('lost');
      outcomes.push(
        E.isLeft(appended) ? `${appended.left.tag} ${appended.left.too_large}` : is_lost ? 'lost' : 'known',
      );
      return is_lost ? E.left({ tag: 'outcome_unknown', message: 'no answer' }) : appended;
    },
  };
  try {
    await createIndexes(other.db, SKIP_LIST_FORM.indexes(renderIndexes(1)));
    const before = (await partitionBounds(log, STATUS, 0)).end;
    const stale = async () => ({ tag: 'known', source_offset: -1 }) as const;
    const former = followerOf({ records: { ...records, log: losing } }, other, stale);
    await former.position(EVENTS, 0);
    const batch = await batchOf(log, 0);
    await limitBatches(t.context, 4_000);
    await former.on_batch(batch);
    await former.tasks().get(0)?.idle?.();
    const late = await publishPosition(log, records, 0);
    t.true(late.tag === 'known' && late.source_offset < 20, 'the last status record is an old one');
    t.is(outcomes[0], 'not_appended true', 'the broker refused the whole batch');
    t.true(outcomes.includes('lost'));
    t.true(outcomes.length < batch.records.length, 'and accepted several records at once');

    const { end } = await partitionBounds(log, EVENTS, 0);
    const next = followerOf(clients, other);
    const position = await next.position(EVENTS, 0);
    t.true(position <= 20);
    await next.on_batch(await batchOf(log, 0, position, end));
    await next.tasks().get(0)?.idle?.();
    t.true((await partitionBounds(log, STATUS, 0)).end > before + 20);
  } finally {
    await limitBatches(t.context, 2 * 1024 * 1024);
    await other.close();
  }
  await appendAll(clients, interleaved(ids('H', 6)));
  await untilFold(t.context);
});

test.serial('a commit with a lost or missing answer counts once', async (t) => {
  t.timeout(240_000);
  const { clients } = t.context;
  const { log } = clients.records;
  const other = await clients.openStore('lost_answers');
  let transactions = 0;
  const losing: ReadStore = {
    ...other,
    transaction: async (work) => {
      transactions += 1;
      if (transactions % 3 === 1) {
        await other.transaction(work);
        throw new Error('the answer of the commit was lost');
      }
      return await other.transaction(async (session) => {
        const result = await work(session);
        if (transactions % 3 === 2) throw new Error('the process was too slow to commit');
        return result;
      });
    },
  };
  try {
    await createIndexes(other.db, SKIP_LIST_FORM.indexes(renderIndexes(1)));
    const { renders, ledger, checkpoints } = renderCollectionsIn(other.db, 1);
    const follower = followerOf(clients, losing);
    for (const partition of [0, 1, 2]) {
      await follower.position(EVENTS, partition);
      await follower.on_batch(await batchOf(log, partition));
      t.is((await checkpoints.findOne({ _id: partition }))?.next, 20);
    }
    t.true(transactions > 3);
    const sums = new Map<string, RenderCredits>();
    for await (const { render, partition } of renders.find()) {
      if (render === null) continue;
      const _id = ledgerId(render.account_id, partition);
      sums.set(_id, addCredits(sums.get(_id) ?? NO_CREDITS, creditsOf(render)));
    }
    const found = await ledger.find().toArray();
    t.deepEqual(
      new Map(found.map(({ _id, reserved_credits, charged_credits }) => [_id, { reserved_credits, charged_credits }])),
      sums,
    );
  } finally {
    await other.close();
  }
});

test.serial('a ledger ahead of the checkpoint raises an alarm and is not extended', async (t) => {
  t.timeout(240_000);
  const { clients } = t.context;
  const { log } = clients.records;
  const other = await clients.openStore('ledger_ahead');
  try {
    await createIndexes(other.db, SKIP_LIST_FORM.indexes(renderIndexes(1)));
    const { renders, ledger, checkpoints } = renderCollectionsIn(other.db, 1);
    const first = followerOf(clients, other);
    for (const partition of [0, 1]) await first.position(EVENTS, partition);
    await first.on_batch(await batchOf(log, 0));
    const folded = await ledger.find().toArray();
    t.true(folded.length > 0);
    // As if only the renders had been restored from a backup, but not the ledger.
    await renders.deleteMany({});
    await checkpoints.deleteMany({});

    const second = followerOf(clients, other);
    for (const partition of [0, 1]) t.is(await second.position(EVENTS, partition), 0);
    const [ahead, besides] = await Promise.allSettled([
      second.on_batch(await batchOf(log, 0)),
      second.on_batch(await batchOf(log, 1)),
    ]);
    t.true(ahead.status === 'rejected' && ahead.reason instanceof StopPartition);
    t.regex(String(ahead.status === 'rejected' && ahead.reason), /credit_ledger_g1 is ahead of the checkpoint/);
    t.is(besides.status, 'fulfilled');
    t.deepEqual(await ledger.find({ partition: 0 }).toArray(), folded);
    t.is(await renders.countDocuments({ partition: 0 }), 0);
    t.is((await checkpoints.findOne({ _id: 0 }))?.next, 0);
    t.is((await checkpoints.findOne({ _id: 1 }))?.next, 20);
  } finally {
    await other.close();
  }
});

test.serial('a checkpoint that contradicts the log raises an alarm', async (t) => {
  const { clients } = t.context;
  const other = await clients.openStore('altered');
  try {
    await createIndexes(other.db, SKIP_LIST_FORM.indexes(renderIndexes(1)));
    const checkpoints = other.db.collection<CheckpointDocument>(names.checkpoints);
    const { end } = await partitionBounds(clients.records.log, EVENTS, 0);
    const refused = async (checkpoint: CheckpointDocument, reason: RegExp): Promise<void> => {
      await checkpoints.replaceOne({ _id: 0 }, checkpoint, { upsert: true });
      const error = await t.throwsAsync(followerOf(clients, other).position(EVENTS, 0), { instanceOf: StopPartition });
      t.regex(error?.message ?? '', reason);
    };
    await refused(
      { _id: 0, next: 5, chain: 'ab'.repeat(32), chain_before: INITIAL_CHAIN_HASH },
      /differs from the folded one/,
    );
    await refused(
      { _id: 0, next: end + 1, chain: INITIAL_CHAIN_HASH, chain_before: INITIAL_CHAIN_HASH },
      /before the checkpoint/,
    );
  } finally {
    await other.close();
  }
});

test.serial("a new owner's position covers what another process folds during the takeover", async (t) => {
  const { clients } = t.context;
  const { records } = clients;
  const other = await clients.openStore('folded_meanwhile');
  try {
    await createIndexes(other.db, SKIP_LIST_FORM.indexes(renderIndexes(1)));
    const before = followerOf(clients, other);
    t.is(await before.position(EVENTS, 0), 0);
    let next: number | null = null;
    const reachableBounds: EventLog['reachableBounds'] = async (topic) => {
      const bounds = await records.log.reachableBounds(topic);
      if (next !== null) return bounds;
      const batch = await batchOf(records.log, 0);
      next = batch.records.length;
      await before.on_batch(batch);
      // The end of partition 0 as it was before the other process folded the new records.
      return bounds.map((each) => (each.partition === 0 ? { ...each, end: 1 } : each));
    };
    const after = followerOf({ records: { ...records, log: { ...records.log, reachableBounds } } }, other);
    t.is(await after.position(EVENTS, 0), next ?? 0);
  } finally {
    await other.close();
  }
});

test.serial('an unknown fold_version stops its partition and no other', async (t) => {
  t.timeout(240_000);
  const { clients, stack } = t.context;
  const [first] = lifeOf('rend_future', 0);
  if (first?.type !== 'RenderRequested') throw new Error('no request');
  const appended = await clients.records.append(EVENTS, first.render_id, { ...first, fold_version: 99 });
  if (E.isLeft(appended)) throw new Error(appended.left.message);
  const { partition, offset } = appended.right;

  const { health_url } = stack.component('projectors');
  await pollUntil('readiness names the partition', async () => {
    const answer = await fetch(`${health_url}/health/ready`);
    return answer.status === 503 && /unknown fold_version 99/.test(await answer.text());
  });
  const checkpoints = clients.store.db.collection<CheckpointDocument>(names.checkpoints);
  t.is((await checkpoints.findOne({ _id: partition }))?.next, offset);

  await appendAll(t.context.clients, interleaved(ids('F', 12)));
  const { log } = clients.records;
  await pollUntil('the other partitions continue', async () => {
    const positions = new Map((await checkpoints.find().toArray()).map(({ _id, next }) => [_id, next]));
    const bounds = await log.bounds(EVENTS);
    return bounds.every((each) => each.partition === partition || positions.get(each.partition) === each.end);
  });
});
