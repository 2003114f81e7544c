import { createHash } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueEvent } from '../../../../domain/catalogue/events.ts';
import { subjectOf } from '../../../../domain/catalogue/subject.ts';
import { openBlobStore } from '../../../../platform/blob-store/azure-blob-store.ts';
import { openEvictableBlobs } from '../../../../platform/blob-store/azure-evictable-blobs.ts';
import type { BlobStore } from '../../../../platform/blob-store/blob-store.ts';
import type { EvictableBlobs } from '../../../../platform/blob-store/evictable-blobs.ts';
import { decodeConfiguration } from '../../../../platform/configuration/configuration.ts';
import { BLOB_STORE } from '../../../../platform/configuration/parts.ts';
import type { ConsumerPositionDocument } from '../../../../platform/read-store/consumer-positions.ts';
import { openCatalogue } from '../../../../read-models/catalogue/catalogue.ts';
import { COLLECTIONS } from '../../../../read-models/collections.ts';
import { openProjectRenders } from '../../../../read-models/renders/project-renders.ts';
import { eraseFiles } from '../../../../retention/erasure/erase-files.ts';
import { erasureNotePath } from '../../../../retention/erasure/positions.ts';
import {
  compositionPath,
  mediaPath,
  outputPath,
  requestPath,
  segmentPath,
  usedPartsPath,
  usedPartsPrefix,
} from '../../../../schemas/blobs/paths.ts';
import { pollUntil } from '../../../../stack/testing/until.ts';
import { type ComponentProcess, startComponent } from '../../../helpers/component-process.ts';
import { erased, failed, metaBy, requested } from '../../../helpers/render-events.ts';
import { type Common, test } from './_stack-in-common.ts';

type World = Common & { readonly blobs: BlobStore; readonly evictable: EvictableBlobs };

const worldOf = (common: Common): World => {
  const settings = decodeConfiguration(common.stack.env, { blob_store: BLOB_STORE });
  if (E.isLeft(settings)) throw new Error(settings.left.join('\n'));
  const { blob_store } = settings.right;
  return { ...common, blobs: openBlobStore(blob_store), evictable: openEvictableBlobs(blob_store) };
};

const ACCOUNT = 'acc_1';
const keyOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const fill = async ({ blobs }: World, render_id: string): Promise<void> => {
  const paths = [
    ...[requestPath(render_id), compositionPath(render_id), mediaPath(render_id, keyOf('a picture'))],
    ...['att_1', 'att_2'].flatMap((attempt) => [
      outputPath(render_id, attempt, 'master.mp4'),
      outputPath(render_id, attempt, 'poster.jpg'),
    ]),
    ...['a', 'b', 'c'].map((part) => segmentPath(ACCOUNT, keyOf(`${render_id} ${part}`))),
  ];
  for (const path of paths) await blobs.writeText(path, `made for ${render_id}`);
  const keys = (parts: readonly string[]) => JSON.stringify(parts.map((part) => keyOf(`${render_id} ${part}`)));
  await blobs.writeText(usedPartsPath(render_id, 'att_1'), keys(['a', 'b']));
  await blobs.writeText(usedPartsPath(render_id, 'att_2'), keys(['b', 'c']));
};

const leftOf = async ({ blobs, evictable }: World, render_id: string): Promise<readonly string[]> => {
  const signal = AbortSignal.timeout(10_000);
  const { found } = await evictable.list(`renders/${render_id}/`, null, signal);
  const parts = ['a', 'b', 'c'].map((part) => segmentPath(ACCOUNT, keyOf(`${render_id} ${part}`)));
  const there = await Promise.all(parts.map(async (path) => ((await blobs.exists(path)) ? [path] : [])));
  // Leaves out the list of used parts, which remains until the sweep.
  const files = found.map(({ path }) => path).filter((path) => !path.startsWith(usedPartsPrefix(render_id)));
  return [...files, ...there.flat()];
};

test.serial('an erasure deletes all blobs of a render, after any interruption, and no others', async (t) => {
  t.timeout(240_000);
  const world = worldOf(t.context);
  const { blobs, evictable } = world;
  await fill(world, 'rend_other');
  const other = await leftOf(world, 'rend_other');
  const stop = AbortSignal.timeout(180_000);
  for (let cut_off_after = 0, is_cut_off = true; is_cut_off; cut_off_after += 1) {
    const render_id = `rend_${cut_off_after}`;
    await fill(world, render_id);
    t.is((await leftOf(world, render_id)).length, 10);
    let requests = 0;
    const cutOff =
      <A extends unknown[], B>(ask: (...args: A) => Promise<B>) =>
      async (...args: A): Promise<B> => {
        requests += 1;
        if (requests > cut_off_after) throw new Error('killed');
        return await ask(...args);
      };
    const failing = {
      blobs: { readText: cutOff(blobs.readText) },
      evictable: { list: cutOff(evictable.list), remove: cutOff(evictable.remove) },
    };
    const about = { render_id, account_id: ACCOUNT };
    is_cut_off = await eraseFiles(failing, about, stop).then(
      () => false,
      () => true,
    );
    await eraseFiles({ blobs, evictable }, about, stop);
    t.deepEqual(await leftOf(world, render_id), [], `cut off after ${cut_off_after} requests`);
    t.true(cut_off_after < 40);
  }
  t.deepEqual(await leftOf(world, 'rend_other'), other);
});

const append = async (
  { clients }: World,
  render_id: string,
  events: readonly ReturnType<typeof requested | typeof failed | typeof erased>[],
) => {
  for (const event of events) {
    const appended = await clients.records.append('render-events', render_id, { ...event, render_id });
    if (E.isLeft(appended)) throw new Error(appended.left.message);
  }
};

const POSITIONS = 'consumer_positions';

const untilErased = async (world: World, render_id: string): Promise<void> => {
  await pollUntil(`${render_id} is erased`, async () => (await leftOf(world, render_id)).length === 0, 60_000);
};

test.serial('erasures in the log are repeated after the store or Blob is restored', async (t) => {
  t.timeout(400_000);
  const world = worldOf(t.context);
  const { stack, clients, blobs } = world;
  const events = [requested({ request: null }), failed('preparer:p', null), erased()];
  for (const id of ['rend_first', 'rend_second']) await fill(world, id);
  await append(world, 'rend_first', events);
  let retention: ComponentProcess = await startComponent('retention', stack.env);
  const restarted = async (): Promise<void> => {
    await retention.kill();
    retention = await startComponent('retention', stack.env);
  };
  t.teardown(() => retention.kill());
  await untilErased(world, 'rend_first');
  t.true((await leftOf(world, 'rend_second')).length > 0);

  const positions = clients.store.db.collection<ConsumerPositionDocument>(POSITIONS);
  const positionOf = async (): Promise<readonly ConsumerPositionDocument[]> =>
    (await positions.find({ _id: /^retention\// }).toArray()).filter(({ next }) => next > 0);
  const before = await pollUntil('its position is stored', async () => {
    const kept = await positionOf();
    return kept.length > 0 && kept;
  });
  await append(world, 'rend_second', events);
  await untilErased(world, 'rend_second');
  await pollUntil('its position is stored', async () => {
    const sum = (all: readonly ConsumerPositionDocument[]) => all.reduce((total, { next }) => total + next, 0);
    return sum(await positionOf()) > sum(before);
  });

  // As if the blob store were restored from before both erasures: their blobs are back, and the notes of the erasures
  // are gone.
  await retention.kill();
  for (const id of ['rend_first', 'rend_second']) await fill(world, id);
  for (const partition of [0, 1, 2, 3]) await blobs.remove(erasureNotePath(partition));
  await restarted();
  for (const id of ['rend_first', 'rend_second']) await untilErased(world, id);

  await retention.kill();
  for (const id of ['rend_first', 'rend_second']) await fill(world, id);
  await positions.deleteMany({ _id: /^retention\// });
  await restarted();
  for (const id of ['rend_first', 'rend_second']) await untilErased(world, id);
  for (const id of ['rend_first', 'rend_second']) t.deepEqual(await leftOf(world, id), []);
});

const LOT = 60;

test.serial('an erased project loses its renders, then its files, despite kills and restores', async (t) => {
  t.timeout(400_000);
  const world = worldOf(t.context);
  const { stack, clients, blobs, evictable } = world;
  const { db } = clients.store;
  const head = { rules: 1, meta: metaBy('operator:ops') };
  const project_id = 'proj_erased';
  const old = { ...head, project_id, payload: null };
  const told: readonly CatalogueEvent[] = [
    { type: 'AccountCreated', ...head, account_id: ACCOUNT, name: 'A', unlimited_credits: true },
    { type: 'TeamCreated', ...head, team_id: 'team_1', account_id: ACCOUNT, name: 'T' },
    { type: 'ProjectCreated', ...old, team_id: 'team_1', name: 'Née', created_by: null },
    {
      ...{ type: 'ProjectVersionAdded', ...old, version: 1, base_version: 0 },
      ...{ name: 'Née', document: '{"name":"Née"}', document_sha256: 'ab' },
    },
  ];
  const tell = async (event: CatalogueEvent): Promise<void> => {
    const appended = await clients.records.append('catalogue-events', subjectOf(event), event, { partition: 0 });
    if (E.isLeft(appended)) throw new Error(appended.left.message);
  };
  for (const event of told) await tell(event);
  const file = `projects/${project_id}/assets/${keyOf('a picture')}`;
  await blobs.writeText(file, 'a picture');
  await blobs.writeText('projects/proj_erased_not/name.json', 'of another');
  const ids = Array.from({ length: LOT }, (_, n) => `rend_of_project_${n}`);
  const running = 'rend_of_project_running';
  const request = { ...requested({ request: null }), project_id };
  await Promise.all(ids.map((id) => append(world, id, [request, failed('preparer:p', null)])));
  await append(world, running, [request]);
  await fill(world, running);
  const left = async (): Promise<number> => (await openProjectRenders(db)(project_id, null, 500)).length;
  await pollUntil('all events are folded', async () => (await left()) === LOT + 1);
  const catalogue = openCatalogue(db);
  await pollUntil('the version is folded', () => catalogue.projectVersion(project_id, 1));

  await tell({ type: 'ProjectErased', ...head, project_id });
  await pollUntil('the project is erased', () => catalogue.isErased(project_id));
  t.is(await catalogue.projectVersion(project_id, 1), null);
  const started = async (): Promise<ComponentProcess> => {
    // Deletes the lease of a killed process, so that the test does not wait for its end.
    await db.collection(COLLECTIONS.leases).deleteMany({});
    return await startComponent('retention', stack.env);
  };
  let retention = await started();
  t.teardown(() => retention.kill());
  await pollUntil('some renders are erased', async () => (await left()) < LOT, 60_000);
  await retention.kill();
  retention = await started();
  await pollUntil('one render has not ended', async () => (await left()) === 1, 90_000);
  t.true(await blobs.exists(file));
  t.true((await leftOf(world, running)).length > 0);

  await append(world, running, [failed('preparer:p', null)]);
  await untilErased(world, running);
  await pollUntil('its files are deleted', async () => !(await blobs.exists(file)), 60_000);
  await blobs.writeText(file, 'of a restored Blob');
  await pollUntil('they are deleted again', async () => !(await blobs.exists(file)), 60_000);
  const others = await evictable.list('projects/', null, AbortSignal.timeout(10_000));
  t.deepEqual(
    others.found.map(({ path }) => path),
    ['projects/proj_erased_not/name.json'],
  );
});
