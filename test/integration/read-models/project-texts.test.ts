import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import { PAYLOAD_RULES_VERSION } from '../../../domain/catalogue/rules.ts';
import { BlobFault, type BlobStore } from '../../../platform/blob-store/blob-store.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { payloadTexts } from '../../../projectors/catalogue/payload-texts.ts';
import { NO_STORED_TEXTS, storedTextsOfServing } from '../../../projectors/catalogue/stored-texts.ts';
import { createTextWait } from '../../../projectors/payload-reads.ts';
import { catalogueCollectionsIn } from '../../../read-models/catalogue/model.ts';
import { openProjectFiles } from '../../../read-models/catalogue/project-files.ts';
import { projectDocumentPath, projectNamePath } from '../../../schemas/blobs/paths.ts';
import { projectNameBytes } from '../../../schemas/blobs/payloads.ts';
import type { Stack } from '../../../stack/launcher.ts';
import { openStackClients, type StackClients } from '../../../stack/testing/stack-clients.ts';
import { catalogueEntries } from '../../helpers/batch-entries.ts';
import { metaBy } from '../../helpers/render-events.ts';
import { startTestStack } from '../../helpers/test-stack.ts';
import { catalogueFolding } from './_folding.ts';

// Generations of the catalogue from the same log, on a real store and a real blob store.
const PROJECTS = 40;
const VERSIONS = 2;

const meta = metaBy('operator:test');
const head = { rules: PAYLOAD_RULES_VERSION, meta };
const NO_TEXTS = { name: '', document: '', document_sha256: '' };

let folder: string;
let stack: Stack;
let clients: StackClients;
let log: readonly CatalogueEvent[];

const project = async (n: number): Promise<readonly CatalogueEvent[]> => {
  const { blobs } = clients;
  const project_id = `proj_${n}`;
  const put = (path: string, bytes: Buffer) => blobs.putPayload(path, bytes, 'application/json');
  const name = await put(projectNamePath(project_id), projectNameBytes(`Née ${n}`));
  const events: CatalogueEvent[] = [
    {
      ...{ type: 'ProjectCreated', ...head, project_id, team_id: 'team_1' },
      name: '',
      created_by: null,
      payload: name,
    },
  ];
  for (let version = 1; version <= VERSIONS; version += 1) {
    const document = Buffer.from(JSON.stringify({ name: `Née ${n}, ${version}` }), 'utf8');
    events.push({
      ...{ type: 'ProjectVersionAdded', ...head, project_id, version, base_version: version - 1, ...NO_TEXTS },
      payload: await put(projectDocumentPath(project_id, version), document),
    });
  }
  return events;
};

test.before(async (t) => {
  t.timeout(240_000);
  folder = await mkdtemp(join(tmpdir(), 'project texts '));
  stack = await startTestStack({ dataDir: folder, components: [] });
  clients = await openStackClients(stack.env);
  await clients.blobs.ensureContainer();
  log = [
    { type: 'AccountCreated', rules: 0, meta, account_id: 'acc_1', name: 'A', unlimited_credits: true },
    { type: 'TeamCreated', rules: 0, meta, team_id: 'team_1', account_id: 'acc_1', name: 'T' },
    ...(await Promise.all(Array.from({ length: PROJECTS }, (_, n) => project(n)))).flat(),
  ];
});

test.after.always(async () => {
  await clients?.close();
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

/**
 * Folds the log into a generation, and returns the payloads that it read from the blob store.
 *
 * @param cut between two batches
 */
const folded = async (
  generation: number,
  copies: boolean,
  getSaltedPayload: BlobStore['getSaltedPayload'] = clients.blobs.getSaltedPayload,
  cut = log.length,
): Promise<readonly string[]> => {
  const read: string[] = [];
  const reading: Pick<BlobStore, 'getSaltedPayload'> = {
    getSaltedPayload: async (reference, signal) => {
      read.push(reference.path);
      return await getSaltedPayload(reference, signal);
    },
  };
  const stored = copies ? storedTextsOfServing(clients.store.db, generation) : NO_STORED_TEXTS;
  const texts = payloadTexts({
    ...{
      blobs: reading,
      stored,
      wait: createTextWait(SYSTEM_CLOCK, async () => 0),
      logger: createLogger('test', 'silent'),
      clock: SYSTEM_CLOCK,
    },
    onCorrupt: () => undefined,
  });
  const fold = await catalogueFolding(clients.store, generation, texts);
  await fold(0, catalogueEntries(log.slice(0, cut)));
  if (cut < log.length) await fold(cut, catalogueEntries(log.slice(cut), cut));
  return read;
};

const documentsOf = async (generation: number) => {
  const { entities } = catalogueCollectionsIn(clients.store.db, generation);
  return {
    projects: await entities('project').find().sort({ _id: 1 }).toArray(),
    versions: await entities('project_version').find().sort({ _id: 1 }).toArray(),
  };
};

test.serial('a new generation copies texts from the serving one', async (t) => {
  const read = await folded(1, false);
  t.is(new Set(read).size, PROJECTS * (1 + VERSIONS));
  const serving = await documentsOf(1);
  t.is(serving.projects.find(({ _id }) => _id === 'proj_7')?.name, 'Née 7, 2');
  t.is(serving.versions.find(({ _id }) => _id === 'proj_7:1')?.document, '{"name":"Née 7, 1"}');
  const version = (of: number) => ({ project_id: 'proj_7', version: of });
  const files = await openProjectFiles(clients.store.db)(['proj_7', 'proj_none'], [version(1), version(9)]);
  const named = log.flatMap((event) =>
    'project_id' in event && 'payload' in event && event.project_id === 'proj_7' ? [event.payload?.path] : [],
  );
  t.deepEqual(
    [...files.projects],
    [['proj_7', { is_erased: false, version: VERSIONS, name: named[0], thumbnail: null }]],
  );
  t.deepEqual([...files.documents], [['proj_7:1', named[1]]]);
  t.is(files.next, log.length);
  t.deepEqual(await folded(2, true), []);
  t.deepEqual(await documentsOf(2), serving);
});

test.serial('texts that are missing or do not match are read from Blob', async (t) => {
  const { entities } = catalogueCollectionsIn(clients.store.db, 1);
  const before = await documentsOf(1);
  await entities('project_version').updateOne({ _id: 'proj_3:1' }, { $set: { document: '{"name":"Changed"}' } });
  await entities('project_version').deleteOne({ _id: 'proj_4:2' });
  await entities('project').updateOne({ _id: 'proj_5' }, { $set: { 'created_with.name': 'Changed' } });
  const read = (await folded(3, true)).map((path) => path.replace(/-[^-]*$/, ''));
  t.deepEqual(read.toSorted(), ['projects/proj_3/documents/1', 'projects/proj_4/documents/2', 'projects/proj_5/name']);
  t.deepEqual(await documentsOf(3), before);
});

test.serial('a lost text is in no list and is not copied', async (t) => {
  const erased = async (): Promise<never> => {
    throw new BlobFault('not_found', '', 'there is no such blob');
  };
  await folded(4, false, erased);
  const { projects, versions } = await documentsOf(4);
  t.is(projects.length, PROJECTS);
  t.true(
    projects.every(({ name, by_team, position, search }) => !name && !by_team && !position && search.length === 0),
  );
  t.true(versions.every(({ document, document_sha256, payload }) => !document && !document_sha256 && !payload));
});

test.serial('no text of an erased project remains, even if the log has it', async (t) => {
  const old = { ...{ rules: 1, meta, project_id: 'proj_old' }, payload: null };
  const before = await documentsOf(2);
  log = [
    ...log,
    { type: 'ProjectCreated', ...old, team_id: 'team_1', name: 'Née old', created_by: null },
    ...[1, 2].map((version): CatalogueEvent => {
      const texts = { name: 'Née old', document: '{"name":"Née old"}', document_sha256: 'ab' };
      return { type: 'ProjectVersionAdded', ...old, version, base_version: version - 1, ...texts };
    }),
    ...['proj_1', 'proj_old'].map(
      (project_id): CatalogueEvent => ({
        ...{ type: 'ProjectErased', rules: 1, meta, project_id },
      }),
    ),
  ];
  // The two erasures are in the same batch as the versions, then in the next one.
  for (const [generation, cut] of [
    [5, log.length],
    [6, log.length - 2],
  ] as const) {
    await folded(generation, true, undefined, cut);
    const { projects, versions } = await documentsOf(generation);
    const others = ({ _id }: { readonly _id: string }) => !/^proj_(1|old)(:|$)/.test(_id);
    t.deepEqual(
      { projects: projects.filter(others), versions },
      {
        projects: before.projects.filter(others),
        versions: before.versions.filter(others),
      },
    );
    const erased = projects.filter((project) => !others(project));
    t.deepEqual(
      erased.map(({ _id, name, by_team, search }) => ({ _id, name, by_team, search })),
      ['proj_1', 'proj_old'].map((_id) => ({ _id, name: null, by_team: undefined, search: [] })),
    );
    t.false(JSON.stringify(erased).includes('Née'));
  }
});
