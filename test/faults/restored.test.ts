import anyTest, { type TestFn } from 'ava';
import { pollUntil } from '../../stack/testing/until.ts';
import { caller } from '../helpers/renderctl.ts';
import { backupOf, restoreBehind, type StoreBackup } from '../helpers/restored-store.ts';
import { idOf } from '../integration/api/_client.ts';
import { get, getOnce, PLAIN, postOnce, startWorld, type World } from '../integration/api/_world.ts';

const test = anyTest as TestFn<World>;

test.before(async (t) => {
  t.timeout(120_000);
  t.context = await startWorld();
});

test.after.always(async (t) => {
  t.timeout(60_000);
  await t.context?.stop();
});

const collectionsOf = async ({ clients: { store } }: World) =>
  (await store.db.collections()).map(({ collectionName }) => store.db.collection(collectionName));

/** Freezes the projectors and restores all documents of all collections; the indexes stay. */
const restoreAllBehind = async (world: World, then: StoreBackup): Promise<number> => {
  const documents = new Map(then.map((one) => [one.collection.collectionName, one.documents]));
  const all = (await collectionsOf(world)).map((collection) => ({
    collection,
    documents: documents.get(collection.collectionName) ?? [],
  }));
  return await restoreBehind(world.stack.component('projectors'), all);
};

const posted = async (world: World): Promise<string> => {
  const answer = await postOnce(world, PLAIN);
  if (answer.status !== 201) throw new Error(answer.text);
  return idOf(answer);
};

/** The answers to every kind of request, which must be equal. */
const answers = async (world: World, id: string): Promise<readonly number[]> => {
  const asked = [getOnce(world, `renders/${id}`), getOnce(world, 'renders?project_id=proj_1'), getOnce(world, 'teams')];
  return [...(await Promise.all(asked)), await postOnce(world, PLAIN)].map(({ status }) => status);
};

test.serial('a store older than published state serves no request until it has caught up', async (t) => {
  t.timeout(120_000);
  const world = t.context;
  const projectors = world.stack.component('projectors');
  const old = await posted(world);
  await get(world, `renders/${old}`);
  const backup = await backupOf(await collectionsOf(world));
  const later = await posted(world);
  await get(world, `renders/${later}`);
  const folded_at = performance.now();
  await pollUntil('both APIs have noticed the restore', async () => {
    await answers(world, later);
    return performance.now() - folded_at > 1_500;
  });

  const tries = await restoreAllBehind(world, backup);
  await pollUntil(
    'no request is answered',
    async () => (await answers(world, later)).every((status) => status === 503),
    20_000,
  );
  const refused = await getOnce(world, `renders/${later}`);
  t.regex(refused.text, /rebuilding its data from the event log/);
  t.is(refused.headers.get('retry-after'), '5');
  const ready = await fetch(`${world.stack.health_urls['query-api']}/health/ready`);
  t.regex(JSON.stringify(await ready.json()), /"read_models":"renders: \d+ of \d+ records are folded"/);

  // Kills the query API, because a new process does not know which state was published.
  const query_api = world.stack.component('query-api');
  query_api.kill('SIGKILL');
  const seen = new Set<number>();
  await pollUntil('the service answers again', async () => {
    const { status } = await getOnce(world, `renders/${later}`);
    seen.add(status);
    return status === 503;
  });
  t.true(
    [...seen].every((status) => status >= 502),
    `the gateway's own answer, or the same as before: ${[...seen]}`,
  );

  projectors.kill('SIGCONT');
  await pollUntil(
    'the projector has caught up',
    async () => (await get(world, `renders/${later}`)).status === 200,
    30_000,
  );
  t.is((await get(world, `renders/${old}`)).status, 200);
  // A projector that reads a collection while it is empty considers the store lost, and restarts.
  t.true(projectors.restarts() <= tries, 'the projector continues without a restart by hand');
});

test.serial('a store that lost everything serves no request until the log is folded again', async (t) => {
  t.timeout(120_000);
  const world = t.context;
  const id = await posted(world);
  await get(world, `renders/${id}`);
  const call = caller(world.stack.env);
  await pollUntil('the service answers', async () =>
    /renders +1 +\d+ +serves +now/.test((await call('status')).stdout),
  );

  const projectors = world.stack.component('projectors');
  await restoreAllBehind(world, []);
  await pollUntil(
    'no request is answered',
    async () => (await answers(world, id)).every((status) => status === 503),
    20_000,
  );
  t.regex((await call('status')).stdout, /renders +- +0 +no data: are the projectors running\?/);
  projectors.kill('SIGCONT');
  const seen = new Set<number>();
  await pollUntil('all records are folded again', async () => {
    const { status } = await getOnce(world, `renders/${id}`);
    seen.add(status);
    return status === 200;
  });
  t.deepEqual([...seen].toSorted(), [200, 503], 'neither 401 nor 404');
});
