import anyTest, { type TestFn } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueWriter } from '../../../catalogue/change.ts';
import { addVersion, createProject, listProjects, renameProject, showProject } from '../../../catalogue/projects.ts';
import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import { PAYLOAD_RULES_VERSION } from '../../../domain/catalogue/rules.ts';
import { decodeProjectDocument, type ProjectDocument } from '../../../domain/composition/project-document.ts';
import type { PayloadRef } from '../../../domain/event/payload.ts';
import { projectDocumentPath, projectNamePath } from '../../../schemas/blobs/paths.ts';
import { projectNameBytes } from '../../../schemas/blobs/payloads.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { metaBy } from '../../helpers/render-events.ts';
import { testCatalogue } from '../../helpers/test-catalogue.ts';
import { appendToCatalogue, versionOf } from './_catalogue.ts';
import { whileFrozen } from './_keyed.ts';
import { get, getOnce, post, startWorld, type World } from './_world.ts';

const test = anyTest as TestFn<World>;

const meta = metaBy('operator:test');

test.before(async (t) => {
  t.timeout(360_000);
  t.context = await startWorld({ own_servers: ['blob'] });
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context.stop?.();
});

const catalogueOf = ({ clients }: World): CatalogueWriter => testCatalogue(clients);

const made = async <A>(change: Promise<E.Either<unknown, A>>): Promise<A> => {
  const answer = await change;
  if (E.isLeft(answer)) throw new Error(JSON.stringify(answer.left));
  return answer.right;
};

const documentNamed = (name: string): ProjectDocument => {
  const version = versionOf('proj', 1, name);
  const decoded = decodeProjectDocument(version.type === 'ProjectVersionAdded' ? JSON.parse(version.document) : null);
  if (E.isLeft(decoded)) throw new Error(JSON.stringify(decoded.left));
  return decoded.right;
};

const logBytes = async ({ clients }: World): Promise<Buffer> => {
  const { log } = clients.records;
  const bytes: Buffer[] = [];
  for (const { partition, start, end } of await log.bounds('catalogue-events'))
    for await (const { key, value, headers } of log.replay('catalogue-events', partition, start, end))
      bytes.push(key ?? Buffer.alloc(0), value ?? Buffer.alloc(0), Buffer.from(JSON.stringify(headers)));
  return Buffer.concat(bytes);
};

const created = (project_id: string, payload: PayloadRef | null, name = ''): CatalogueEvent => ({
  ...{ type: 'ProjectCreated', rules: payload === null ? 0 : PAYLOAD_RULES_VERSION, meta, project_id },
  ...{ team_id: 'team_1', name, created_by: null, payload },
});

const storeName = ({ blobs }: World, project_id: string, name: string): Promise<PayloadRef> =>
  blobs.putPayload(projectNamePath(project_id), projectNameBytes(name), 'application/json');

const idsOf = async (world: World, query = ''): Promise<readonly string[]> =>
  Object(Object((await get(world, `projects?team_id=team_1${query}`)).body).data).map(({ id }: { id: string }) => id);

test.serial('the document text is not in catalogue-events', async (t) => {
  t.timeout(180_000);
  const { blobs, clients } = t.context;
  const catalogue = catalogueOf(t.context);
  const { id } = await made(
    createProject(catalogue, blobs, { team_id: 'team_1', name: 'For Ada Lovelace', created_by: null }),
  );
  t.like((await get(t.context, `projects/${id}`)).body, { name: 'For Ada Lovelace' });
  t.deepEqual(await idsOf(t.context, '&search=lovelace'), [id]);
  const document = documentNamed('For Grace Hopper');
  await made(addVersion(catalogue, blobs, { project_id: id, base_version: 0, document }));
  await made(renameProject(catalogue, blobs, id, 'For Mary Somerville'));
  t.like((await get(t.context, `projects/${id}`)).body, { name: 'For Mary Somerville' });
  t.deepEqual(await idsOf(t.context, '&search=somerville'), [id]);
  t.deepEqual(await idsOf(t.context, '&search=lovelace'), []);
  t.deepEqual(await made(showProject(catalogue.read_model, id, 1)).then((shown) => shown.document), document);
  t.is((await get(t.context, `templates?project_id=${id}`)).status, 200);
  t.is((await post(t.context, { name: 'A render', project_id: id })).status, 201);

  const log = await logBytes(t.context);
  t.true(log.includes(id));
  for (const text of ['Lovelace', 'Hopper', 'Somerville', 'compositions'])
    t.is(log.subarray(log.indexOf(id)).includes(text), false, text);
  // The log must not contain the unsalted hash either, because it would confirm a guess of the text.
  const version = await clients.store.db.collection('project_versions_g1').findOne({ version: 2, project_id: id });
  t.is(log.includes(String(Object(version).document_sha256)), false);
});

test.serial('a refused or repeated change leaves no payload', async (t) => {
  const { blobs } = t.context;
  const catalogue = catalogueOf(t.context);
  const wanted = { id: 'proj_once', team_id: 'team_1', name: 'Once', created_by: null };
  t.is((await made(createProject(catalogue, blobs, wanted))).repeated, undefined);
  t.true((await made(createProject(catalogue, blobs, wanted))).repeated);
  t.like(await createProject(catalogue, blobs, { ...wanted, name: 'Twice' }), { left: { reason: 'already_exists' } });
  t.like(await createProject(catalogue, blobs, { ...wanted, id: 'proj_none', team_id: 'team_none' }), {
    left: { reason: 'team_unknown' },
  });
  t.like(await createProject(catalogue, blobs, { ...wanted, id: 'proj_none', name: 'A\u202eB' }), {
    left: { tag: 'name_refused' },
  });
  const document = documentNamed('Once');
  t.like(await addVersion(catalogue, blobs, { project_id: 'proj_once', base_version: 5, document }), {
    left: { reason: 'base_version_outdated' },
  });
  t.is(await blobs.deletePrefix('projects/proj_none/'), 0);
  t.is(await blobs.deletePrefix('projects/proj_once/'), 1);
});

test.serial('a project without its payload is invisible', async (t) => {
  t.timeout(180_000);
  const { clients, blobs } = t.context;
  const { read_model } = catalogueOf(t.context);
  const before = await idsOf(t.context);
  const erased = await storeName(t.context, 'proj_erased', 'Erased thing');
  await blobs.remove(erased.path);
  const kept = await storeName(t.context, 'proj_damaged', 'Damaged thing');
  await appendToCatalogue(clients.records, [
    created('proj_erased', erased),
    created('proj_damaged', { ...kept, sha256: '0'.repeat(64) }),
    created('proj_behind', await storeName(t.context, 'proj_behind', 'Thing behind')),
  ]);
  await pollUntil('the events are folded', async () => (await get(t.context, 'projects/proj_behind')).status === 200);
  const unknown = await post(t.context, { name: 'A render', project_id: 'proj_unknown' });
  for (const project_id of ['proj_erased', 'proj_damaged']) {
    t.is((await get(t.context, `projects/${project_id}`)).status, 404);
    t.is((await get(t.context, `templates?project_id=${project_id}`)).status, 404);
    t.is((await get(t.context, `renders?project_id=${project_id}`)).status, 404);
    const refused = await post(t.context, { name: 'A render', project_id });
    t.deepEqual([refused.status, refused.body], [unknown.status, unknown.body]);
    t.like(await showProject(read_model, project_id), { left: { tag: 'missing', id: project_id } });
  }
  t.deepEqual(await idsOf(t.context), ['proj_behind', ...before]);
  t.deepEqual(await idsOf(t.context, '&search=thing'), ['proj_behind']);
  t.false((await listProjects(read_model, 'team_1')).some(({ id }) => id === 'proj_erased' || id === 'proj_damaged'));
});

test.serial('a missing document hides its project until a newer version exists', async (t) => {
  t.timeout(180_000);
  const { clients, blobs } = t.context;
  const catalogue = catalogueOf(t.context);
  const gone = await storeName(t.context, 'proj_1st', 'Gone');
  await blobs.remove(gone.path);
  const texts = { name: '', document: '', document_sha256: '' };
  await appendToCatalogue(clients.records, [
    created('proj_1st', null, 'Of old'),
    {
      ...{ type: 'ProjectVersionAdded', rules: PAYLOAD_RULES_VERSION, meta, project_id: 'proj_1st', version: 1 },
      ...{ base_version: 0, ...texts, payload: gone },
    },
    created('proj_after', await storeName(t.context, 'proj_after', 'After it')),
  ]);
  await pollUntil('the events are folded', async () => (await get(t.context, 'projects/proj_after')).status === 200);
  t.is((await get(t.context, 'projects/proj_1st')).status, 404);
  t.false((await idsOf(t.context)).includes('proj_1st'));
  const document = documentNamed('Newer');
  await made(addVersion(catalogue, blobs, { project_id: 'proj_1st', base_version: 1, document }));
  t.like((await get(t.context, 'projects/proj_1st')).body, { name: 'Newer' });
  t.like(await showProject(catalogue.read_model, 'proj_1st', 1), { left: { tag: 'version_missing', version: 1 } });
});

test.serial('without the blob store the catalogue continues, reports the outage and shows texts later', async (t) => {
  t.timeout(240_000);
  const { clients, stack } = t.context;
  const { health_url } = stack.component('projectors');
  const ready = async () => (await fetch(`${health_url}/health/ready`)).status;
  const waiting = await storeName(t.context, 'proj_waiting', 'Waited for');
  await whileFrozen(t.context, 'blob', async () => {
    await appendToCatalogue(clients.records, [
      created('proj_waiting', waiting),
      created('proj_of_old', null, 'Of old'),
    ]);
    await pollUntil('the outage is reported', async () => (await ready()) === 503);
    await pollUntil(
      'the catalogue continues',
      async () => (await get(t.context, 'projects/proj_of_old')).status === 200,
    );
    t.is((await getOnce(t.context, 'projects/proj_waiting')).status, 503);
  });
  const shown = await pollUntil(
    'the text is visible',
    async () => {
      const answer = await get(t.context, 'projects/proj_waiting');
      return answer.status === 200 ? answer : null;
    },
    120_000,
  );
  t.like(shown.body, { name: 'Waited for' });
  await pollUntil('the component is ready', async () => (await ready()) === 200);
});

test.serial('documents larger than a transaction allows are folded in parts', async (t) => {
  t.timeout(240_000);
  const { clients, blobs } = t.context;
  const project_id = 'proj_large';
  const texts = { name: '', document: '', document_sha256: '' };
  // 20 MB together.
  const bytes = (n: number) => Buffer.from(JSON.stringify({ name: `Large ${n}`, notes: 'x'.repeat(250_000) }));
  const payloads = await Promise.all(
    Array.from({ length: 80 }, (_, n) =>
      blobs.putPayload(projectDocumentPath(project_id, n + 1), bytes(n + 1), 'application/json'),
    ),
  );
  await whileFrozen(t.context, 'projectors', async () => {
    await appendToCatalogue(clients.records, [
      created(project_id, null, 'Large'),
      ...payloads.map(
        (payload, n): CatalogueEvent => ({
          ...{ type: 'ProjectVersionAdded', rules: PAYLOAD_RULES_VERSION, meta, project_id, version: n + 1 },
          ...{ base_version: n, ...texts, payload },
        }),
      ),
    ]);
  });
  const shown = async () => Object((await get(t.context, `projects/${project_id}`)).body).name;
  await pollUntil('all events are folded', async () => (await shown()) === 'Large 80', 120_000);
  const versions = clients.store.db.collection('project_versions_g1');
  t.is(await versions.countDocuments({ project_id, document: { $ne: null } }), 80);
});

test.serial('a crash between payload and event shows nothing, and the next attempt succeeds', async (t) => {
  t.timeout(180_000);
  const { blobs } = t.context;
  const catalogue = catalogueOf(t.context);
  const { records } = catalogue;
  const wanted = { id: 'proj_killed', team_id: 'team_1', name: 'Killed', created_by: null };
  const end = async () => (await records.log.bounds('catalogue-events'))[0]?.end;
  const before = await end();
  const dies = new Promise<never>((_resolve, reject) => {
    const append = async (): Promise<never> => {
      reject(new Error('killed'));
      return await new Promise<never>(() => undefined);
    };
    void createProject({ ...catalogue, records: { ...records, append } }, blobs, wanted);
  });
  await t.throwsAsync(dies, { message: 'killed' });
  t.is(await end(), before);
  t.is((await get(t.context, 'projects/proj_killed')).status, 404);
  await made(createProject(catalogue, blobs, wanted));
  t.like((await get(t.context, 'projects/proj_killed')).body, { name: 'Killed' });
  t.is(await blobs.deletePrefix('projects/proj_killed/'), 2);
});
