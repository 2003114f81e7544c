import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import type { RenderEvent } from '../../../domain/render/events.ts';
import { decodeConfiguration } from '../../../platform/configuration/configuration.ts';
import { READ_STORE } from '../../../platform/configuration/parts.ts';
import type { ReadStore } from '../../../platform/read-store/read-store.ts';
import { openErasedEntities } from '../../../read-models/catalogue/erased-entities.ts';
import { COLLECTIONS } from '../../../read-models/collections.ts';
import {
  collectionsOf,
  type GenerationDocument,
  MODEL_VERSIONS,
  type ReadModel,
} from '../../../read-models/generations.ts';
import { openInactiveCatalogueCleaner } from '../../../read-models/left/left-catalogue.ts';
import { openInactiveGenerations } from '../../../read-models/left/left-generations.ts';
import { openInactiveRenderCleaner } from '../../../read-models/left/left-renders.ts';
import { renderCollectionsIn } from '../../../read-models/renders/model.ts';
import { inactiveGenerationSweeps } from '../../../retention/generations/left-sweeps.ts';
import { batchEntries, catalogueEntries } from '../../helpers/batch-entries.ts';
import { erased, failed, metaBy, requested } from '../../helpers/render-events.ts';
import { startTestStack } from '../../helpers/test-stack.ts';
import { type Folding, folding } from '../read-models/_folding.ts';
import { openStore } from '../store/_store.ts';

// Erased names and texts are nowhere in the store, in no generation of the read models.
type World = { readonly stop: () => Promise<void>; readonly store: ReadStore; readonly fold: Folding };

const test = anyTest as TestFn<World>;
const NO_LOG = { KAFKA_BROKERS: '127.0.0.1:1', SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1' };
const NEVER = new AbortController().signal;
const NAME = 'Lovelace';
const SERVING = 1;
/** A cancelled or replaced rebuild, a generation of an older version, and one in progress. */
const [UNUSED, OLDER, MADE] = [2, 3, 4];

test.before(async (t) => {
  t.timeout(240_000);
  const folder = await mkdtemp(join(tmpdir(), 'left-'));
  const stack = await startTestStack({ dataDir: join(folder, 'data'), components: [], env: NO_LOG });
  const decoded = decodeConfiguration(stack.env, { read_store: READ_STORE });
  if (E.isLeft(decoded)) throw new Error(decoded.left.join('\n'));
  const { url, database } = decoded.right.read_store;
  const store = await openStore(url, database);
  const pointers = (['renders', 'catalogue'] as const).flatMap((read_model): readonly GenerationDocument[] => {
    const model_version = MODEL_VERSIONS[read_model];
    const _id = `${read_model}@${model_version}`;
    const before = model_version - 1;
    return [
      { _id, read_model, model_version, generation: SERVING, serving: true, ends: [0] },
      {
        ...{ _id: `${read_model}@${before}`, read_model, model_version: before, generation: OLDER },
        ...{ serving: true, ends: [0] },
      },
      { _id: `${_id}/rebuild`, read_model, model_version, generation: MADE, serving: false, ends: [0] },
    ];
  });
  await store.db.collection<GenerationDocument>(COLLECTIONS.generations).insertMany([...pointers]);
  const fold = await folding(store);
  const stop = async (): Promise<void> => {
    await store.close();
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  };
  t.context = { store, stop, fold };
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context.stop?.();
});

const leaveCopies = async ({ db }: ReadStore, read_model: ReadModel): Promise<void> => {
  const names = collectionsOf(read_model, SERVING);
  for (const generation of [UNUSED, OLDER, MADE]) {
    for (const [n, name] of collectionsOf(read_model, generation).entries()) {
      const documents = await db
        .collection(names[n] ?? '')
        .find({})
        .toArray();
      if (documents.length > 0) await db.collection(name).insertMany(documents);
    }
  }
};

const collectionsWith = async ({ db }: ReadStore, name: string): Promise<readonly string[]> => {
  const all = await db.listCollections({}, { nameOnly: true }).toArray();
  const holding: string[] = [];
  for (const collection of all) {
    const documents = await db.collection(collection.name).find({}).toArray();
    if (JSON.stringify(documents).toLowerCase().includes(name.toLowerCase())) holding.push(collection.name);
  }
  return holding.toSorted();
};

const sweepsOf = ({ db }: ReadStore) => {
  const left = (read_model: ReadModel) => openInactiveGenerations(db, read_model, Date.now);
  return inactiveGenerationSweeps({
    renders: openInactiveRenderCleaner(db, left('renders')),
    catalogue: openInactiveCatalogueCleaner(db, left('catalogue')),
    erased: {
      account: openErasedEntities(db, 'account'),
      user: openErasedEntities(db, 'user'),
      project: openErasedEntities(db, 'project'),
    },
    logger: { info: () => undefined },
  });
};

const runPasses = async (store: ReadStore): Promise<void> => {
  for (const { page } of sweepsOf(store))
    for (let from: string | null = null; ; ) {
      ({ next: from } = await page(from, NEVER));
      if (from === null) break;
    }
};

const renderOf = (n: number) => {
  const render_id = `rend_${String(n).padStart(26, '0')}`;
  const own = (event: RenderEvent, i: number): RenderEvent => ({
    ...event,
    ...{ render_id, meta: { ...event.meta, event_id: `${render_id} ${i}` } },
  });
  return {
    render_id,
    begun: [own(requested({ name: `For Ada ${NAME}` }), 0), own(failed('preparer:prep_1', null), 1)],
    erased: own(erased(), 2),
  };
};

test.serial('names of erased renders are removed from unused generations', async (t) => {
  t.timeout(180_000);
  const { store, fold } = t.context;
  const renders = [1, 2, 3].map(renderOf);
  await fold.renders(2, batchEntries(renders.flatMap(({ begun }) => begun)));
  await leaveCopies(store, 'renders');
  const outside = { $set: { name: `Ada ${NAME}`, name_salt: 'salt' } };
  for (const generation of [UNUSED, OLDER])
    await renderCollectionsIn(store.db, generation).renders.updateMany({}, outside);
  const all = ['renders_g1', 'renders_g2', 'renders_g3', 'renders_g4'];
  t.deepEqual(await collectionsWith(store, NAME), all);

  const left = openInactiveRenderCleaner(store.db, openInactiveGenerations(store.db, 'renders', Date.now));
  const [first, ...others] = renders;
  await left.clear([first?.render_id ?? '']);
  const cleared = await renderCollectionsIn(store.db, UNUSED).renders.findOne({ _id: first?.render_id ?? '' });
  t.false(JSON.stringify(cleared).includes(NAME));
  t.like(cleared, { name: null, name_salt: null, search: [], by_project: null, position: null });
  t.is(cleared?.render?.erased_at ?? null, null, 'code of that version still finds the erasure in the log');
  await fold.renders(
    2,
    batchEntries(
      renders.map((one) => one.erased),
      6,
    ),
  );
  await runPasses(store);
  t.deepEqual(await collectionsWith(store, NAME), ['renders_g4'], 'a generation in progress folds the erasure');
  t.is(others.length, 2);
});

test.serial('unused generations keep the names of other renders', async (t) => {
  const { store, fold } = t.context;
  const kept = renderOf(9);
  await fold.renders(2, batchEntries(kept.begun, 9));
  const document = await renderCollectionsIn(store.db, SERVING).renders.findOne({ _id: kept.render_id });
  if (document === null) return t.fail('it is not folded');
  await renderCollectionsIn(store.db, UNUSED).renders.insertOne(document);
  await runPasses(store);
  t.deepEqual(await renderCollectionsIn(store.db, UNUSED).renders.findOne({ _id: kept.render_id }), document);
});

test.serial('texts of erased entities are removed from unused generations', async (t) => {
  t.timeout(180_000);
  const { store, fold } = t.context;
  const meta = metaBy('operator:ops');
  const email = { path: `users/user_1/email-${NAME}.json`, sha256: 'ab' };
  const made: readonly CatalogueEvent[] = [
    {
      ...{ type: 'AccountCreated', rules: 0, meta, account_id: 'acc_1', name: `Analytics ${NAME}` },
      unlimited_credits: true,
    },
    { type: 'TeamCreated', rules: 0, meta, team_id: 'team_1', account_id: 'acc_1', name: 'team' },
    { type: 'UserRegistered', rules: 0, meta, user_id: 'user_1', email },
    {
      ...{ type: 'ProjectCreated', rules: 0, meta, project_id: 'proj_1', team_id: 'team_1', name: `Engine ${NAME}` },
      ...{ created_by: 'user_1', payload: null },
    },
    {
      ...{ type: 'ProjectVersionAdded', rules: 0, meta, project_id: 'proj_1', version: 1, base_version: 0 },
      ...{ name: `Engine ${NAME}`, document: JSON.stringify({ of: NAME }), document_sha256: 'ab', payload: null },
    },
    // A project whose newest version is unread has the name of its older version.
    {
      ...{ type: 'ProjectCreated', rules: 0, meta, project_id: 'proj_2', team_id: 'team_1', name: 'untitled' },
      ...{ created_by: 'user_1', payload: null },
    },
    {
      ...{ type: 'ProjectVersionAdded', rules: 0, meta, project_id: 'proj_2', version: 1, base_version: 0 },
      ...{ name: 'untitled', document: JSON.stringify({ of: NAME }), document_sha256: 'ab', payload: null },
    },
    {
      ...{ type: 'ProjectVersionAdded', rules: 0, meta, project_id: 'proj_2', version: 2, base_version: 1 },
      ...{ name: '', document: '', document_sha256: '', payload: { path: 'a.json', sha256: 'ab' } },
    },
  ];
  await fold.catalogue(0, catalogueEntries(made));
  await leaveCopies(store, 'catalogue');
  const before = (await collectionsWith(store, NAME)).filter((name) => name.endsWith('_g2'));
  t.deepEqual(before, ['accounts_g2', 'project_versions_g2', 'projects_g2', 'renders_g2', 'users_g2']);
  await fold.catalogue(
    0,
    catalogueEntries(
      [
        { type: 'ProjectErased', rules: 1, meta, project_id: 'proj_1' },
        { type: 'ProjectErased', rules: 1, meta, project_id: 'proj_2' },
        { type: 'UserErased', rules: 1, meta, user_id: 'user_1' },
        { type: 'AccountErased', rules: 1, meta, account_id: 'acc_1' },
      ],
      made.length,
    ),
  );
  await runPasses(store);
  const after = (await collectionsWith(store, NAME)).filter((name) => !name.startsWith('renders_'));
  t.deepEqual(after, ['accounts_g4', 'project_versions_g4', 'projects_g4', 'users_g4']);
});
