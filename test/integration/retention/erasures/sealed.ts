import * as E from 'fp-ts/lib/Either.js';
import type { Seal } from '../../../../domain/event/seal.ts';
import type { VersionedBlobs } from '../../../../platform/blob-store/versioned-blobs.ts';
import { decodeConfiguration } from '../../../../platform/configuration/configuration.ts';
import { BLOB_STORE } from '../../../../platform/configuration/parts.ts';
import { createLogger } from '../../../../platform/logging/logger.ts';
import { SYSTEM_CLOCK } from '../../../../platform/process/clock.ts';
import { openKeyBlobs } from '../../../../platform/seals/open-key-blobs.ts';
import { createSealOpener } from '../../../../platform/seals/opener.ts';
import { createSealer, type Sealer } from '../../../../platform/seals/sealer.ts';
import { COLLECTIONS } from '../../../../read-models/collections.ts';
import { openIgnoredSeals } from '../../../../read-models/renders/ignored-seals.ts';
import { openKnownTrees } from '../../../../read-models/retention/key-trees.ts';
import { openUnpuncturedSeals } from '../../../../read-models/retention/unpunctured-seals.ts';
import { erasureNotePath } from '../../../../retention/erasure/positions.ts';
import { openSealErasure } from '../../../../retention/keys/seal-erasure.ts';
import { sealSweeps } from '../../../../retention/keys/seal-sweeps.ts';
import { keyTreePath } from '../../../../schemas/blobs/paths.ts';
import { decodeKeyTree, hasLeaf } from '../../../../schemas/seal/key-tree.ts';
import { pollUntil } from '../../../../stack/testing/until.ts';
import { type ComponentProcess, startComponent } from '../../../helpers/component-process.ts';
import { containerOf } from '../../../helpers/found-in.ts';
import { scraped, sumOf } from '../../../helpers/metrics.ts';
import { erased, failed, requested } from '../../../helpers/render-events.ts';
import { caller } from '../../../helpers/renderctl.ts';
import { type Common, test } from './_stack-in-common.ts';

const PROJECT = 'proj_1';

type World = Common & {
  readonly account_id: string;
  readonly key_blobs: VersionedBlobs;
  readonly seal: Sealer['seal'];
};

const worldOf = (common: Common, account_id: string): World => {
  const settings = decodeConfiguration(common.stack.env, { blob_store: BLOB_STORE });
  if (E.isLeft(settings)) throw new Error(settings.left.join('\n'));
  const key_blobs = openKeyBlobs(settings.right.blob_store);
  const { seal } = createSealer({ blobs: key_blobs, clock: SYSTEM_CLOCK, onFailure: () => undefined });
  return { ...common, account_id, key_blobs, seal };
};

const contextOf = ({ account_id }: World, render_id: string) => ({
  ...({ type: 'RenderRequested', account_id, project_id: PROJECT, render_id } as const),
});

const nameOf = (render_id: string): string => `Name of ${render_id}`;

const sealName = ({ seal, ...world }: World, render_id: string): Promise<Seal> =>
  seal(contextOf({ seal, ...world }, render_id), { name: nameOf(render_id) });

const append = async (
  { clients }: World,
  render_id: string,
  event: ReturnType<typeof requested | typeof failed | typeof erased>,
): Promise<void> => {
  const appended = await clients.records.append('render-events', render_id, { ...event, render_id });
  if (E.isLeft(appended)) throw new Error(appended.left.message);
};

/** Appends renders that have ended; all use one tree. */
const endedRenders = async (world: World, ids: readonly string[]): Promise<readonly Seal[]> => {
  const { account_id } = world;
  const seals: Seal[] = [];
  for (const render_id of ids) {
    const sealed = await sealName(world, render_id);
    seals.push(sealed);
    const own = { fold_version: 4, name: '', account_id, project_id: PROJECT, request: null, sealed };
    await append(world, render_id, requested(own));
    await append(world, render_id, failed('preparer:p', null));
  }
  return seals;
};

/** The name as a new process reads it from the log and from Blob, or why it cannot. */
const openedFrom = async (world: World, render_id: string, sealed: Seal): Promise<string> => {
  const opening = await createSealOpener(world.key_blobs, SYSTEM_CLOCK).open({
    ...contextOf(world, render_id),
    sealed,
  });
  return opening.state === 'open' ? opening.text.name : opening.state;
};

const statesOf = (world: World, ids: readonly string[], seals: readonly Seal[]): Promise<readonly string[]> =>
  Promise.all(
    ids.map(async (id, n) => {
      const sealed = seals[n];
      return sealed === undefined ? 'no seal' : await openedFrom(world, id, sealed);
    }),
  );

const untilPunctured = async (world: World, sealed: Seal): Promise<void> => {
  await pollUntil('the key is punctured', async () => (await openedFrom(world, 'any', sealed)) === 'punctured', 60_000);
};

const started = async ({ stack, clients }: Common): Promise<ComponentProcess> => {
  // The lease of a killed process would last for too long. Without its progress, every sweep runs at once.
  await clients.store.db.collection(COLLECTIONS.leases).deleteMany({});
  return await startComponent('retention', stack.env);
};

const pathOf = ({ account_id }: World, { tree }: Seal): string => keyTreePath(account_id, tree) ?? '';

const treeBytes = async (world: World, sealed: Seal): Promise<Buffer> => {
  const blob = await world.key_blobs.read(pathOf(world, sealed));
  if (blob === null) throw new Error('the tree is missing');
  return blob.bytes;
};

const restoreTree = async (world: World, sealed: Seal, bytes: Buffer): Promise<void> => {
  await world.key_blobs.remove(pathOf(world, sealed));
  await world.key_blobs.create(pathOf(world, sealed), bytes);
};

test.serial('an erasure punctures the key of its render, despite a crash before that', async (t) => {
  t.timeout(240_000);
  const world = worldOf(t.context, 'acc_sealed');
  const ids = ['rend_sealed_0', 'rend_sealed_1', 'rend_sealed_2'];
  const seals = await endedRenders(world, ids);
  t.is(new Set(seals.map(({ tree }) => tree)).size, 1);
  const [, middle] = seals;
  if (middle === undefined) return t.fail();
  t.deepEqual(await statesOf(world, ids, seals), ids.map(nameOf));
  // The event is in the log, but no process follows erasures.
  await append(world, ids[1] ?? '', erased());
  t.deepEqual(await statesOf(world, ids, seals), ids.map(nameOf));
  const retention = await started(world);
  t.teardown(() => retention.kill());
  await untilPunctured(world, middle);
  t.deepEqual(await statesOf(world, ids, seals), [nameOf('rend_sealed_0'), 'punctured', nameOf('rend_sealed_2')]);
  const tree = decodeKeyTree(await treeBytes(world, middle));
  t.true(E.isRight(tree) && !hasLeaf(tree.right, middle.leaf) && hasLeaf(tree.right, middle.leaf + 1));
});

test.serial('processes that puncture one tree at once lose no puncture', async (t) => {
  t.timeout(180_000);
  const world = worldOf(t.context, 'acc_at_once');
  const ids = Array.from({ length: 60 }, (_, n) => `rend_at_once_${n}`);
  const seals = await Promise.all(ids.map((id) => sealName(world, id)));
  const logger = createLogger('test', 'silent');
  const newPuncture = () =>
    openSealErasure({
      ...{ db: t.context.clients.store.db, key_blobs: world.key_blobs, logger, warn: () => undefined },
      ...{ clock: SYSTEM_CLOCK, random: Math.random, on_restored: () => t.fail('no tree was restored') },
      repeatErasures: async () => t.fail('nothing must be repeated'),
    }).puncture;
  const processes = [newPuncture(), newPuncture(), newPuncture()];
  const { account_id } = world;
  await Promise.all(
    seals.map(async (sealed, n) => (n % 4 === 3 ? null : await processes[n % 4]?.({ account_id, ...sealed }))),
  );
  const expected = ids.map((id, n) => (n % 4 === 3 ? nameOf(id) : 'punctured'));
  t.deepEqual(await statesOf(world, ids, seals), expected);
});

test.serial('a key that Blob refuses to change has a row until it is punctured', async (t) => {
  t.timeout(180_000);
  const world = worldOf(t.context, 'acc_hold');
  const { account_id, key_blobs } = world;
  const { db } = t.context.clients.store;
  const [leased, corrupt, missing] = await Promise.all(
    ['leased', 'corrupt', 'missing'].map((id) => sealName(worldOf(t.context, 'acc_hold'), id)),
  );
  if (leased === undefined || corrupt === undefined || missing === undefined) return t.fail();
  const logger = createLogger('test', 'silent');
  const seals = openSealErasure({
    ...{ db, key_blobs, logger, warn: () => undefined, random: Math.random },
    // Without the pauses, the tries of a minute take a moment.
    clock: { ...SYSTEM_CLOCK, sleep: async () => undefined },
    ...{ on_restored: () => t.fail('no tree was restored'), repeatErasures: async () => undefined },
  });
  const backup = await treeBytes(world, corrupt);
  await restoreTree(world, corrupt, backup.subarray(0, -1));
  await key_blobs.remove(pathOf(world, missing));
  const lease = containerOf(t.context.stack).getBlobClient(pathOf(world, leased)).getBlobLeaseClient();
  await lease.acquireLease(-1);

  const erasing = [leased, corrupt, missing].map(({ tree, leaf }) => ({ account_id, tree, leaf }));
  await seals.punctureAll(erasing, new AbortController().signal);
  const rows = async (): Promise<readonly string[]> =>
    (await seals.unpunctured.page(null, 100)).filter((row) => row.account_id === account_id).map(({ tree }) => tree);
  t.deepEqual(await rows(), [leased.tree, corrupt.tree].toSorted());
  t.is(await openedFrom(world, 'leased', leased), nameOf('leased'));

  const again = sealSweeps({ ...seals, clock: SYSTEM_CLOCK }).find(({ name }) => name === 'unpunctured_seals');
  const sweep = async (): Promise<unknown> => await again?.page(null, new AbortController().signal);
  await sweep();
  t.is((await rows()).length, 2);
  await lease.releaseLease();
  await sweep();
  t.is(await openedFrom(world, 'leased', leased), 'punctured');
  t.deepEqual(await rows(), [corrupt.tree]);
  await restoreTree(world, corrupt, backup);
  await sweep();
  t.is(await openedFrom(world, 'corrupt', corrupt), 'punctured');
  t.deepEqual(await rows(), []);
  return undefined;
});

const notesOf = async ({ key_blobs }: World): Promise<string> => {
  const notes = await Promise.all([0, 1, 2, 3].map((partition) => key_blobs.read(erasureNotePath(partition))));
  return notes.map((note) => note?.bytes.toString() ?? '').join();
};

test.serial('a tree is punctured again after a restore of it, or of Blob', async (t) => {
  t.timeout(400_000);
  const world = worldOf(t.context, 'acc_restored');
  const ids = ['rend_restored_0', 'rend_restored_1'];
  const seals = await endedRenders(world, ids);
  const [first] = seals;
  if (first === undefined) return t.fail();
  const backup = await treeBytes(world, first);
  let retention = await started(world);
  t.teardown(() => retention.kill());
  const notes = await notesOf(world);
  await append(world, 'rend_restored_0', erased());
  await untilPunctured(world, first);
  await pollUntil('the position is saved', async () => (await notesOf(world)) !== notes);
  // The note may be of another partition. Without its write counter, the restored tree would be punctured unnoticed.
  const known_trees = openKnownTrees(world.clients.store.db);
  await pollUntil('the write counter is stored', () => known_trees.find(pathOf(world, first)));
  const after = [nameOf('rend_restored_0'), nameOf('rend_restored_1')];

  await retention.kill();
  await restoreTree(world, first, backup);
  t.deepEqual(await statesOf(world, ids, seals), after);
  retention = await started(world);
  await untilPunctured(world, first);
  t.is(sumOf(await scraped(retention.health_url), 'retention_restored_key_trees_total'), 1);

  // An erasure of another render of the tree shows the restore to a process that runs.
  await restoreTree(world, first, backup);
  await append(world, 'rend_restored_1', erased());
  await untilPunctured(world, first);
  t.deepEqual(await statesOf(world, ids, seals), ['punctured', 'punctured']);

  // All of Blob is older, also the notes. Nothing remains that knows the write counters of the trees.
  await retention.kill();
  await restoreTree(world, first, backup);
  for (const partition of [0, 1, 2, 3]) await world.key_blobs.remove(erasureNotePath(partition));
  await world.clients.store.db.collection(COLLECTIONS.key_trees).deleteMany({});
  retention = await started(world);
  for (const sealed of seals) await untilPunctured(world, sealed);
});

test.serial('the key of a repeated request is punctured, also after a restore', async (t) => {
  t.timeout(240_000);
  const world = worldOf(t.context, 'acc_ignored');
  const id = 'rend_ignored';
  const [accepted] = await endedRenders(world, [id]);
  const ignored = await sealName(world, id);
  if (accepted === undefined) return t.fail();
  const backup = await treeBytes(world, ignored);
  // As if another command API had accepted the same Idempotency-Key, and the producer had repeated the first record.
  const own = { fold_version: 4, name: '', account_id: world.account_id, project_id: PROJECT, request: null };
  for (const sealed of [ignored, accepted]) await append(world, id, requested({ ...own, sealed }));
  let retention = await started(world);
  t.teardown(() => retention.kill());
  await untilPunctured(world, ignored);
  t.deepEqual(await statesOf(world, [id, id], [accepted, ignored]), [nameOf(id), 'punctured']);
  const { unpunctured } = openIgnoredSeals(world.clients.store.db);
  await pollUntil('the row says so', async () => (await unpunctured(1)).length === 0);

  await retention.kill();
  await restoreTree(world, ignored, backup);
  for (const partition of [0, 1, 2, 3]) await world.key_blobs.remove(erasureNotePath(partition));
  // Without the write counters, only the notes show the restore.
  await world.clients.store.db.collection(COLLECTIONS.key_trees).deleteMany({});
  retention = await started(world);
  await untilPunctured(world, ignored);
  t.deepEqual(await statesOf(world, [id, id], [accepted, ignored]), [nameOf(id), 'punctured']);
});

test.serial('renderctl status shows a key that could not be punctured, until it is', async (t) => {
  t.timeout(240_000);
  const world = worldOf(t.context, 'acc_refused');
  const sealed = await sealName(world, 'rend_refused');
  const unpunctured = openUnpuncturedSeals(world.clients.store.db);
  await unpunctured.add([{ account_id: world.account_id, tree: sealed.tree, leaf: sealed.leaf }], new Date());
  const renderctl = caller(world.stack.env);
  const status = JSON.parse((await renderctl('status', '--json')).stdout);
  t.is(status.unpunctured_seals, 1);
  t.deepEqual(status.kept_copies, { soft_delete_days: null, has_versions: false });
  t.regex((await renderctl('status')).stdout, /1 erased text is still readable/);
  const retention = await started(world);
  t.teardown(() => retention.kill());
  await untilPunctured(world, sealed);
  await pollUntil('the row is gone', async () => (await unpunctured.count()) === 0);
  t.is(JSON.parse((await renderctl('status', '--json')).stdout).unpunctured_seals, 0);
  t.notRegex((await renderctl('status')).stdout, /still readable/);
});
