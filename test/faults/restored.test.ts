import anyTest, { type TestFn } from 'ava';
import { until } from '../../stack/testing/until.ts';
import { caller } from '../helpers/renderctl.ts';
import { idOf } from '../integration/api/_client.ts';
import { get, getSoon, PLAIN, post, startWorld, type World } from '../integration/api/_world.ts';

// A store beside the log that is older than what was told of it, or empty.
const test = anyTest as TestFn<World>;

test.before(async (t) => {
  t.timeout(120_000);
  t.context = await startWorld();
});

test.after.always(async (t) => {
  t.timeout(60_000);
  await t.context?.stop();
});

type Backup = readonly (readonly [string, readonly Record<string, unknown>[]])[];

const backupOf = async ({ clients }: World): Promise<Backup> => {
  const collections = await clients.store.db.collections();
  return await Promise.all(collections.map(async (one) => [one.collectionName, await one.find().toArray()] as const));
};

/** All documents of all collections are as they were then; the indexes stay. */
const restore = async ({ clients }: World, backup: Backup): Promise<void> => {
  const then = new Map(backup);
  for (const { collectionName } of await clients.store.db.collections()) {
    const collection = clients.store.db.collection(collectionName);
    await collection.deleteMany({});
    const documents = then.get(collectionName) ?? [];
    if (documents.length > 0) await collection.insertMany([...documents]);
  }
};

/**
 * Freezes the projector and restores. One that is frozen within a transaction keeps documents locked, so it is then let
 * go on, and frozen anew. Returns the number of tries.
 */
const restoreBehind = async (world: World, backup: Backup): Promise<number> => {
  const projectors = world.stack.component('projectors');
  for (let tries = 1; ; tries += 1) {
    projectors.kill('SIGSTOP');
    try {
      await restore(world, backup);
      return tries;
    } catch (error) {
      projectors.kill('SIGCONT');
      if (tries === 3) throw error;
      await projectors.untilReady();
    }
  }
};

const posted = async (world: World): Promise<string> => {
  const answer = await post(world, PLAIN);
  if (answer.status !== 201) throw new Error(answer.text);
  return idOf(answer);
};

/** What every kind of request is answered; all alike. */
const answers = async (world: World, id: string): Promise<readonly number[]> => {
  const asked = [get(world, `renders/${id}`), get(world, 'renders?project_id=proj_1'), get(world, 'teams')];
  return [...(await Promise.all(asked)), await post(world, PLAIN)].map(({ status }) => status);
};

test.serial('a store that is older than what was told answers nobody until it has caught up', async (t) => {
  t.timeout(120_000);
  const world = t.context;
  const projectors = world.stack.component('projectors');
  const old = await posted(world);
  await getSoon(world, `renders/${old}`);
  const backup = await backupOf(world);
  const later = await posted(world);
  await getSoon(world, `renders/${later}`);
  const folded_at = performance.now();
  await until('both APIs, which look once a second, have seen it', async () => {
    await answers(world, later);
    return performance.now() - folded_at > 1_500;
  });

  const tries = await restoreBehind(world, backup);
  await until(
    'nobody is answered',
    async () => (await answers(world, later)).every((status) => status === 503),
    20_000,
  );
  const refused = await get(world, `renders/${later}`);
  t.regex(refused.text, /restoring/);
  t.is(refused.headers.get('retry-after'), '5');
  const ready = await fetch(`${world.stack.health_urls['query-api']}/health/ready`);
  t.regex(JSON.stringify(await ready.json()), /"read_models":"renders: \d+ of \d+ records are folded"/);

  // One that starts knows nothing of what was told.
  const query_api = world.stack.component('query-api');
  query_api.kill('SIGKILL');
  const seen = new Set<number>();
  await until('it is back', async () => {
    const { status } = await get(world, `renders/${later}`);
    seen.add(status);
    return status === 503;
  });
  t.true(
    [...seen].every((status) => status >= 502),
    `the gateway's own, or the same as before: ${[...seen]}`,
  );

  projectors.kill('SIGCONT');
  await until('it has caught up', async () => (await get(world, `renders/${later}`)).status === 200, 30_000);
  t.is((await get(world, `renders/${old}`)).status, 200);
  // One that was asking just when a collection was empty takes the store for lost, and begins anew.
  t.true(projectors.restarts() <= tries, 'the projector goes on without a restart by hand');
});

test.serial('a store that lost everything answers nobody until all is folded again', async (t) => {
  t.timeout(120_000);
  const world = t.context;
  const id = await posted(world);
  await getSoon(world, `renders/${id}`);
  const call = caller(world.stack.env);
  await until('it serves', async () => /renders +1 +\d+ +serves +now/.test((await call('status')).stdout));

  const projectors = world.stack.component('projectors');
  await restoreBehind(world, []);
  await until('nobody is answered', async () => (await answers(world, id)).every((status) => status === 503), 20_000);
  t.regex((await call('status')).stdout, /renders +- +0 +not there: are the projectors running\?/);
  projectors.kill('SIGCONT');
  const seen = new Set<number>();
  await until('all is folded again', async () => {
    const { status } = await get(world, `renders/${id}`);
    seen.add(status);
    return status === 200;
  });
  t.deepEqual([...seen].toSorted(), [200, 503], 'never 401, never 404');
});
