import test, { type ExecutionContext } from 'ava';
import type { Db, Document } from 'mongodb';
import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import type { RenderEvent } from '../../../domain/render/events.ts';
import type { ReadStore } from '../../../platform/read-store/read-store.ts';
import { claimGeneration } from '../../../projectors/generations/claim.ts';
import { openAudit } from '../../../read-models/audit/audit.ts';
import { openCatalogue } from '../../../read-models/catalogue/catalogue.ts';
import { catalogueCollectionsIn } from '../../../read-models/catalogue/model.ts';
import { MONGODB_FORM, SKIP_LIST_FORM } from '../../../read-models/embedded/document-form.ts';
import {
  chooseDocumentForm,
  hasNoSkipLists,
  hasSlowLists,
  readDocumentForm,
} from '../../../read-models/embedded/generation-form.ts';
import { listReaderForServer } from '../../../read-models/embedded/lists-for-server.ts';
import { skipLevel } from '../../../read-models/embedded/skip-list.ts';
import { generationPointers, readServingGeneration } from '../../../read-models/generations.ts';
import { readByQuery } from '../../../read-models/lists.ts';
import { requestRebuild } from '../../../read-models/rebuilds.ts';
import { renderCollectionsIn } from '../../../read-models/renders/model.ts';
import { openRenders } from '../../../read-models/renders/renders.ts';
import { batchEntries, catalogueEntries } from '../../helpers/batch-entries.ts';
import { cancelled, metaBy, requested } from '../../helpers/render-events.ts';
import { leaveStore, openStore, ownDatabase, type StoreServer, startStore } from '../store/_store.ts';
import { folding } from './_folding.ts';

const RENDERS = 120;
const PROJECTS = 60;
const PAGE = 25;
const META = metaBy('operator:ops');
const BY = { by: 'operator:test', at: new Date() };

const idOf = (kind: 'rend' | 'proj', n: number): string => `${kind}_${String(n).padStart(26, '0')}`;

const renderLog: readonly RenderEvent[] = Array.from({ length: RENDERS }, (_, n) => {
  const render_id = idOf('rend', n);
  const request = requested({ render_id, fold_version: 2, name: n % 3 === 0 ? 'Spring sale' : 'Sale' });
  return n % 5 === 0 ? [request, { ...cancelled('user:user_1'), render_id }] : [request];
}).flat();

const catalogueLog: readonly CatalogueEvent[] = [
  {
    ...{ type: 'AccountCreated', rules: 0, meta: META, account_id: 'acc_1', name: 'Acme' },
    unlimited_credits: true,
  },
  { ...{ type: 'TeamCreated', rules: 0, meta: META, team_id: 'team_1' }, account_id: 'acc_1', name: 'Team' },
  ...Array.from(
    { length: PROJECTS },
    (_, n): CatalogueEvent => ({
      ...{ type: 'ProjectCreated', rules: 0, meta: META, project_id: idOf('proj', n), team_id: 'team_1' },
      ...{ name: 'Sale', created_by: null, payload: null },
    }),
  ),
];

let server: StoreServer;
let plain: ReadStore;
let skips: ReadStore;

/** The same database on a server that reports to be MongoDB. */
const asMongoDb = (db: Db): Db =>
  new Proxy(db, {
    get: (target, name) => {
      if (name === 'admin') return () => ({ command: async () => ({ version: '8.0.0' }) });
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

const isEmbedded = async ({ client }: ReadStore): Promise<boolean> =>
  'secantusVersion' in (await client.db('admin').command({ buildInfo: 1 }));

test.before(async (t) => {
  t.timeout(360_000);
  server = await startStore();
  const database = ownDatabase();
  plain = await openStore(server.url, `${database}_plain`);
  skips = await openStore(server.url, `${database}_skips`);
  for (const read_model of ['renders', 'catalogue'] as const)
    await claimGeneration(asMongoDb(plain.db), read_model, async () => [0]);
  for (const [store, form] of [
    [plain, await readDocumentForm(plain.db, 'renders', 1)],
    [skips, SKIP_LIST_FORM],
  ] as const) {
    const fold = await folding(store, form);
    await fold.catalogue(0, catalogueEntries(catalogueLog));
    await fold.renders(0, batchEntries(renderLog));
  }
});

test.after.always(async (t) => {
  t.timeout(240_000);
  await leaveStore(plain);
  await leaveStore(skips);
  await server?.stop();
});

const listed = async ({ db }: ReadStore): Promise<readonly (readonly string[])[]> => {
  const [renders, catalogue, audit] = [openRenders(db), openCatalogue(db), openAudit(db)];
  const pages: string[][] = [];
  const readAll = async <P extends { readonly position: string; readonly tier: number }>(
    read: (from: P | null) => Promise<readonly P[]>,
  ): Promise<void> => {
    const ids: string[] = [];
    for (let from: P | null = null; ; ) {
      const page: readonly P[] = await read(from);
      ids.push(...page.map(({ tier, position }) => `${tier} ${position}`));
      from = page.at(-1) ?? null;
      if (from === null) break;
    }
    pages.push(ids);
  };
  for (const order of ['asc', 'desc'] as const)
    for (const search of [null, 'sale', 'sp'])
      for (const status of [null, 'initializing'] as const) {
        await readAll((from) =>
          renders.page({ project_id: 'proj_1', status, template_id: null, order, search }, from, PAGE),
        );
        const ever = { since: null, until: null };
        if (search === null)
          await readAll((from) => renders.teamPage({ team_id: 'team_1', status, ...ever }, from, PAGE));
        else if (status === null)
          await readAll((from) => catalogue.projectsPage({ team_id: 'team_1', order, search }, from, PAGE));
      }
  const entries: string[] = [];
  const query = { actor: null, kind: null, with_requests: true, since: null, until: null } as const;
  for await (const { event_id, kind } of audit.stream({ ...query, scope: { tag: 'all' } }))
    entries.push(`${kind} ${event_id}`);
  return [...pages, entries.toSorted()];
};

const storedIn = async ({ db }: ReadStore): Promise<readonly Document[]> => [
  ...(await renderCollectionsIn(db, 1).renders.find({}).toArray()),
  ...(await renderCollectionsIn(db, 1).audit.find({}).toArray()),
  ...(await catalogueCollectionsIn(db, 1).entities('project').find({}).toArray()),
  ...(await catalogueCollectionsIn(db, 1).audit.find({}).toArray()),
];

const indexesIn = async ({ db }: ReadStore): Promise<readonly string[]> => [
  ...(await renderCollectionsIn(db, 1).renders.indexes()).flatMap(({ key }) => Object.keys(key)),
  ...(await catalogueCollectionsIn(db, 1).entities('project').indexes()).flatMap(({ key }) => Object.keys(key)),
];

const isOfLevel = (token: string): boolean =>
  token.includes(':#') || (token.startsWith('[') && JSON.parse(token)[1] !== 0);

const skipMembersOf = (documents: readonly Document[]): readonly string[] =>
  documents.flatMap((document) => [
    ...Object.keys(document).filter((member) => member.endsWith('_skip')),
    ...[...(document.search ?? []), ...(document.lists ?? [])].filter(isOfLevel),
  ]);

test.serial('only generations of the embedded store have skip lists', async (t) => {
  t.timeout(180_000);
  t.true([...Array(RENDERS).keys()].some((n) => skipLevel(idOf('rend', n)) > 0));
  t.deepEqual(skipMembersOf(await storedIn(plain)), []);
  t.deepEqual(
    (await indexesIn(plain)).filter((member) => member.endsWith('_skip')),
    [],
  );
  const members = skipMembersOf(await storedIn(skips));
  for (const member of ['by_project_skip', 'by_project_status_skip', 'by_team_status_skip', 'by_team_skip'])
    t.true(members.includes(member), member);
  for (const beginning of ['proj_1:#', 'team_1:#', '["requested",', '["audit",'])
    t.true(
      members.some((member) => member.startsWith(beginning)),
      beginning,
    );
  t.deepEqual((await indexesIn(skips)).filter((member) => member.endsWith('_skip')).toSorted(), [
    ...['by_project_skip', 'by_project_status_skip', 'by_team_skip', 'by_team_status_skip'],
  ]);
});

test.serial('lists and searches return the same elements with and without skip lists', async (t) => {
  t.timeout(360_000);
  const expected = await listed(plain);
  t.is(expected[0]?.length, RENDERS);
  t.deepEqual(await listed(skips), expected);
});

test.serial('a generation without skip lists is never read in windows', async (t) => {
  const reader = readByQuery<never>(async () => []);
  const serving = { generation: 1, model_version: 3 };
  const isPlainReader = async ({ db }: ReadStore, of = serving): Promise<boolean> =>
    (await listReaderForServer(db, 'renders')(of, renderCollectionsIn(db, 1).renders, reader)) === reader;
  t.true(await isPlainReader(plain));
  t.is(await isPlainReader(skips), !(await isEmbedded(skips)));
  t.true(await isPlainReader({ ...skips, db: asMongoDb(skips.db) }));
  t.true(await isPlainReader(skips, { ...serving, model_version: 2 }));
  t.is(await hasSlowLists(plain.db, 'renders', 1), await isEmbedded(plain));
  t.false(await hasSlowLists(skips.db, 'renders', 1));
});

const rebuiltForm = async (t: ExecutionContext, { db }: ReadStore, server_db: Db) => {
  const asked = await requestRebuild(server_db, 'renders', [0], BY);
  if (asked.tag === 'refused') return t.fail(asked.reason);
  const { _id, generation } = asked.rebuild;
  await generationPointers(db).deleteOne({ _id });
  return await readDocumentForm(db, 'renders', generation);
};

test.serial('the server decides whether a new generation has skip lists, and it keeps them', async (t) => {
  t.timeout(180_000);
  t.is(await rebuiltForm(t, plain, asMongoDb(plain.db)), MONGODB_FORM);
  if (await isEmbedded(plain)) t.is(await rebuiltForm(t, plain, plain.db), SKIP_LIST_FORM);
  const asked = await requestRebuild(asMongoDb(plain.db), 'renders', [0], BY);
  if (asked.tag === 'refused') return t.fail(asked.reason);
  const { _id, generation } = asked.rebuild;
  // Imitates the cutover of older code, which knows no forms.
  await generationPointers(plain.db).deleteOne({ _id });
  await generationPointers(plain.db).updateOne({ _id: 'renders@3' }, { $set: { generation } });
  t.deepEqual(await readServingGeneration(plain.db, 'renders'), { generation, model_version: 3 });
  t.true(await hasNoSkipLists(plain.db, 'renders', generation));
  await generationPointers(plain.db).updateOne({ _id: 'renders@3' }, { $set: { generation: 1 } });
});

test.serial('a generation of older code keeps its skip lists on every server', async (t) => {
  await claimGeneration(asMongoDb(skips.db), 'renders', async () => [0], 3);
  await skips.db.collection<{ readonly _id: string }>('generations').deleteOne({ _id: 'renders/1' });
  await claimGeneration(asMongoDb(skips.db), 'renders', async () => [0], 3);
  t.is(await readDocumentForm(skips.db, 'renders', 1), SKIP_LIST_FORM);
  await chooseDocumentForm(skips.db, 'renders', 2);
  t.is(await hasNoSkipLists(skips.db, 'renders', 2), !(await isEmbedded(skips)));
});
