import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import sharp from 'sharp';
import { ulid } from 'ulid';
import type { ProjectThumbnailMade } from '../../../domain/catalogue/events.ts';
import type { RenderEvent } from '../../../domain/render/events.ts';
import { renderId } from '../../../domain/render/render-id.ts';
import type { BlobStore } from '../../../platform/blob-store/blob-store.ts';
import type { CatalogueIgnoredDocument, ProjectThumbnailDocument } from '../../../read-models/catalogue/documents.ts';
import { catalogueCollections } from '../../../read-models/collections.ts';
import type { Stack } from '../../../stack/launcher.ts';
import { openStackClients, type StackClients } from '../../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { assigned, completed, failed, finished, prepared, progressed, requested } from '../../helpers/render-events.ts';
import { startTestStack } from '../../helpers/test-stack.ts';
import { addProject, addVersion, appendEvent, blobsOf, renderWhere } from './_renders.ts';

// Thumbnails of projects by the real process, on real servers. No worker runs: the tests append its events.
type World = {
  readonly folder: string;
  readonly stack: Stack;
  readonly clients: StackClients;
  readonly blobs: BlobStore;
};

const test = anyTest as TestFn<World>;

test.before(async (t) => {
  t.timeout(360_000);
  const folder = await mkdtemp(join(tmpdir(), 'stills '));
  const stack = await startTestStack({ dataDir: folder, components: ['projectors', 'preparer'] });
  const clients = await openStackClients(stack.env);
  t.context = { folder, stack, clients, blobs: blobsOf(stack.env) };
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context.clients?.close();
  await t.context.stack?.stop();
  if (t.context.folder !== undefined) await rm(t.context.folder, { recursive: true, force: true });
});

/** Red in the first quarter of the second, then green, blue and white. */
const QUARTERS = ['#FF0000', '#00FF00', '#0000FF', '#FFFFFF'].map((color, n) => ({
  ...{ id: `q${n}`, type: 'shape', x: 0, y: 0, width: 320, height: 180, color },
  ...{ start: n / 4, duration: 1 / 4 },
}));

const BEFORE_THE_END = [assigned('att_1', 1), progressed('att_1'), finished('att_1')];

const rendered = async (
  clients: StackClients,
  project_id: string,
  project_version = 1,
  end: RenderEvent = completed('att_1'),
): Promise<string> => {
  const render_id = renderId(ulid());
  const own = { account_id: project_id.replace('proj_', 'acc_'), project_id, project_version };
  const events: readonly RenderEvent[] = [
    requested({ ...own, template_id: null, request: null }),
    prepared,
    ...BEFORE_THE_END,
    end,
  ];
  for (const event of events) await appendEvent(clients, { ...event, render_id });
  return render_id;
};

const entities = catalogueCollections(1).entities;

const shownOf = async ({ store }: StackClients, project_id: string): Promise<ProjectThumbnailDocument | null> =>
  await store.db.collection<ProjectThumbnailDocument>(entities.project_thumbnail).findOne({ _id: project_id });

const untilShown = (clients: StackClients, project_id: string, version: number): Promise<ProjectThumbnailDocument> =>
  pollUntil(`version ${version} of ${project_id} is shown`, async () => {
    const shown = await shownOf(clients, project_id);
    return shown?.version === version && shown;
  });

const madeOf = async ({ records }: StackClients, project_id: string): Promise<readonly ProjectThumbnailMade[]> => {
  const found: ProjectThumbnailMade[] = [];
  for (const { partition, start, end } of await records.log.bounds('catalogue-events')) {
    for await (const { value } of records.log.replay('catalogue-events', partition, start, end)) {
      const decoded = await records.decode(value);
      if (decoded.tag !== 'record' || decoded.record.type !== 'ProjectThumbnailMade') continue;
      if (decoded.record.project_id === project_id) found.push(decoded.record);
    }
  }
  return found;
};

const assertColour = async (
  t: ExecutionContext<World>,
  { path }: ProjectThumbnailDocument,
  wanted: readonly number[],
): Promise<void> => {
  const file = join(t.context.folder, `${ulid()}.jpg`);
  await t.context.blobs.download(path, file);
  const { data, info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
  const at = (90 * info.width + 160) * info.channels;
  const found = [...data.subarray(at, at + 3)];
  t.true(
    found.every((value, n) => Math.abs(value - (wanted[n] ?? 0)) < 12),
    `${found} instead of ${wanted}`,
  );
};

test.serial("a still shows the project's thumbnail time, by default a quarter of the film", async (t) => {
  const { clients } = t.context;
  const at = async (poster_time?: number) =>
    await addProject(clients, { layers: QUARTERS, ...(poster_time === undefined ? {} : { poster_time }) });
  const wanted = [
    [await at(), [0, 255, 0]],
    [await at(0), [255, 0, 0]],
    [await at(0.24), [0, 255, 0]],
    [await at(0.7), [0, 0, 255]],
    [await at(0.999), [255, 255, 255]],
  ] as const;
  for (const [project_id] of wanted) await rendered(clients, project_id);
  for (const [project_id, colour] of wanted) {
    const shown = await untilShown(clients, project_id, 1);
    t.like(shown, { width: 320, height: 180, content_type: 'image/jpeg' });
    await assertColour(t, shown, colour);
  }
});

test.serial('the first still counts when several renders of a version complete at once', async (t) => {
  const { clients } = t.context;
  const project_id = await addProject(clients, { width: 1280, height: 720, layers: QUARTERS });
  const renders = await Promise.all([1, 2, 3, 4, 5, 6].map(() => rendered(clients, project_id)));
  const shown = await untilShown(clients, project_id, 1);
  t.like(shown, { width: 640, height: 360 });
  for (const id of renders) await renderWhere(clients, id, 'is complete', ({ status }) => status === 'complete');
  const [first] = await madeOf(clients, project_id);
  t.is(first?.path, shown.path);
  t.regex(first?.meta.actor ?? '', /^preparer:prep_/);
  t.is(first?.meta.correlation_id, 'req_1');
});

test.serial('the thumbnail follows newer rendered versions, never older ones', async (t) => {
  const { clients } = t.context;
  const [red, green, blue = {}] = QUARTERS.map((layer) => ({ ...layer, start: 0, duration: 1 }));
  const project_id = await addProject(clients, { layers: [red] });
  await addVersion(clients, project_id, 2, { layers: [green] });
  await addVersion(clients, project_id, 3, { layers: [blue] });
  await rendered(clients, project_id, 2);
  await assertColour(t, await untilShown(clients, project_id, 2), [0, 255, 0]);
  await rendered(clients, project_id, 1);
  await rendered(clients, project_id, 3);
  await assertColour(t, await untilShown(clients, project_id, 3), [0, 0, 255]);
  t.deepEqual(
    (await madeOf(clients, project_id)).map(({ version }) => version),
    [2, 3],
  );
});

test.serial('a project without a complete or drawable render has no thumbnail', async (t) => {
  const { clients } = t.context;
  const project_id = await addProject(clients, { layers: QUARTERS });
  await rendered(clients, project_id, 1, failed('worker:wkr_1', 'att_1'));
  const missing = { id: 'logo', kind: 'image', sha256: 'a'.repeat(64) };
  const layer = { id: 'logo', type: 'image', asset: 'logo', x: 0, y: 0, width: 40, height: 40 };
  const lacking = await addProject(clients, { layers: [layer], assets: [missing] });
  await rendered(clients, lacking);
  // The failure does not delay later projects.
  const after = await addProject(clients, { layers: QUARTERS });
  await rendered(clients, after);
  await untilShown(clients, after, 1);
  t.is(await shownOf(clients, project_id), null);
  t.is(await shownOf(clients, lacking), null);
});

test.serial('a kill while stills are drawn loses none of them', async (t) => {
  t.timeout(240_000);
  const { clients, stack } = t.context;
  const preparer = stack.component('preparer');
  const projects: string[] = [];
  for (let n = 0; n < 8; n += 1) {
    projects.push(await addProject(clients, { width: 1280, height: 720, layers: QUARTERS }));
  }
  await Promise.all(projects.map((project_id) => rendered(clients, project_id)));
  await pollUntil('the first still is shown', async () => {
    const shown = await Promise.all(projects.map((project_id) => shownOf(clients, project_id)));
    return shown.some((one) => one !== null);
  });
  const pid = preparer.pid();
  preparer.kill('SIGKILL');
  t.true(
    (await Promise.all(projects.map((id) => shownOf(clients, id)))).includes(null),
    'some stills were still to be drawn',
  );
  await pollUntil('the process was restarted', async () => preparer.pid() !== null && preparer.pid() !== pid, 60_000);
  for (const project_id of projects) await untilShown(clients, project_id, 1);

  const ignored = clients.store.db.collection<CatalogueIgnoredDocument>(catalogueCollections(1).ignored);
  const reasons = new Set((await ignored.find({ type: 'ProjectThumbnailMade' }).toArray()).map(({ reason }) => reason));
  t.true(
    [...reasons].every((reason) => reason === 'already_made'),
    `${[...reasons]}`,
  );
});
