import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { partitionOfKey } from '../../platform/event-log/partition-of-key.ts';
import { COLLECTIONS } from '../../read-models/collections.ts';
import type { QuarantineDocument } from '../../read-models/quarantine.ts';
import type { StackProcess } from '../../stack/launcher.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import { LONG, SHORT } from '../e2e/_films.ts';
import {
  get,
  importFilm,
  OVER_WITHIN_MS,
  openService,
  post,
  posted,
  type Service,
  traced,
  transitionsOf,
  untilFold,
  untilOver,
  untilStatus,
} from '../e2e/_service.ts';
import { assertLife, WHOLE_LIFE } from '../e2e/_whole-life.ts';

type World = { readonly service: Service; readonly long: string; readonly short: string };

const test = anyTest as TestFn<World>;

test.before(async (t) => {
  t.timeout(300_000);
  const service = await openService({}, { own_servers: ['kafka', 'store'] });
  Object.assign(t.context, { service });
  const long = await importFilm(service, 'long', { ...LONG, duration: 6 });
  const short = await importFilm(service, 'short', SHORT);
  t.context = { service, long, short };
});

test.after.always(async (t) => {
  t.timeout(90_000);
  await t.context.service?.close();
});

let films = 0;

const newFilm = ({ service, long }: World) => {
  films += 1;
  return posted(service, long, `Film ${films}`);
};

const processing = async (world: World): Promise<string> => {
  const { service } = world;
  const { id } = await newFilm(world);
  await untilStatus(service, id, ['processing'], OVER_WITHIN_MS);
  return id;
};

const kill = (victim: StackProcess): (() => Promise<void>) => {
  const [pid, restarts] = [victim.pid(), victim.restarts()];
  victim.kill('SIGKILL');
  return async () => {
    await pollUntil(
      `${victim.name} has a successor`,
      async () => victim.pid() !== null && victim.pid() !== pid,
      60_000,
    );
    if (victim.restarts() !== restarts + 1) throw new Error(`${victim.name} fell again`);
    await victim.untilReady();
  };
};

/** The losses of each attempt of a finished render, first to last; null for an attempt that was not lost. */
const lossesOf = async (service: Service, id: string): Promise<readonly (string | null)[]> =>
  (await traced(service, id)).trace.render?.attempts.map(({ lost }) => lost) ?? [];

/**
 * Asserts that the render is complete, after a gap-free life and one attempt, and was incomplete at that time (ms since
 * the epoch).
 */
const assertComplete = async (t: ExecutionContext<World>, id: string, under_way_at: number): Promise<void> => {
  const { service } = t.context;
  const over = await untilOver(service, id);
  t.is(over.status, 'complete', JSON.stringify((await transitionsOf(service, id)).at(-1)?.failure));
  await assertLife(t, service, id, WHOLE_LIFE);
  t.deepEqual(await lossesOf(service, id), [null]);
  const finalizing = (await transitionsOf(service, id)).find(({ status }) => status === 'finalizing');
  t.true((finalizing?.at ?? 0) >= under_way_at, 'it was killed in mid-render');
};

test.serial('no render is lost when the projectors and the webhook relay are killed', async (t) => {
  t.timeout(300_000);
  const id = await processing(t.context);
  const killed_at = Date.now();
  const successors = ['projectors', 'webhook-relay'].map((name) => kill(t.context.service.stack.component(name)));
  await assertComplete(t, id, killed_at);
  for (const successor of successors) await successor();
});

test.serial('no render is lost or hangs when a dispatcher is killed', async (t) => {
  t.timeout(300_000);
  const { service, short } = t.context;
  const id = await processing(t.context);
  const killed_at = Date.now();
  const successor = kill(service.stack.component('dispatcher'));
  const { id: next } = await posted(service, short);
  for (const one of [id, next]) await assertComplete(t, one, killed_at);
  await successor();
});

test.serial('no render is lost when the preparer is killed while it prepares', async (t) => {
  t.timeout(300_000);
  const { service } = t.context;
  const { id } = await newFilm(t.context);
  const killed_at = Date.now();
  const successor = kill(service.stack.component('preparer'));
  await assertComplete(t, id, killed_at);
  await successor();
});

test.serial('an acknowledged POST survives a kill of the command API', async (t) => {
  t.timeout(300_000);
  const { service, short } = t.context;
  const running = await processing(t.context);
  const { id } = await posted(service, short);
  const killed_at = Date.now();
  const successor = kill(service.stack.component('command-api'));
  await successor();
  const { id: next } = await posted(service, short);
  await assertComplete(t, running, killed_at);
  for (const one of [id, next]) await assertComplete(t, one, killed_at);
});

test.serial('an acknowledged POST survives a kill of Kafka', async (t) => {
  t.timeout(300_000);
  const { service, short } = t.context;
  const running = await processing(t.context);
  const { id } = await posted(service, short);
  const killed_at = Date.now();
  const successor = kill(service.stack.server('kafka'));
  t.is((await get(service, running)).status, 200, 'folded renders can be read');
  const meanwhile = await post(service, short, {});
  t.true([201, 503].includes(meanwhile.status), `${meanwhile.status}`);
  await successor();
  await assertComplete(t, running, killed_at);
  await assertComplete(t, id, killed_at);
  const next = await pollUntil('a POST is accepted again', () => posted(service, short), 60_000);
  await assertComplete(t, next.id, killed_at);
});

test.serial("undecodable bytes between a render's events are quarantined and skipped", async (t) => {
  t.timeout(300_000);
  const { service } = t.context;
  const { records, store } = service.clients;
  const id = await processing(t.context);
  const { length: partitions } = await records.log.bounds('render-events');
  const partition = partitionOfKey(id, partitions);
  const { trace } = await traced(service, id);
  const [event] = await records.log.read([{ topic: 'render-events', partition, offset: trace.rows[0]?.offset ?? -1 }]);
  const cutOff = event?.value?.subarray(0, 20) ?? Buffer.alloc(0);
  t.is(cutOff.length, 20);

  const poisoned_at = Date.now();
  const places: string[] = [];
  for (const value of [Buffer.from('no record at all'), cutOff, Buffer.alloc(0)]) {
    const appended = await records.log.append({ topic: 'render-events', partition, key: id, value });
    if (E.isLeft(appended)) return t.fail(appended.left.message);
    places.push(`render-events/${partition}/${appended.right.offset}`);
  }
  await assertComplete(t, id, poisoned_at);
  const quarantine = store.db.collection<QuarantineDocument>(COLLECTIONS.quarantine);
  t.deepEqual((await quarantine.find().toArray()).map(({ _id }) => _id).toSorted(), places.toSorted());
  const verdicts = (await traced(service, id)).trace.rows.map(({ verdict }) => verdict);
  t.is(verdicts.filter((verdict) => verdict === 'poison').length, 3);
});

test.serial('no render is lost when the store loses everything and a dispatcher restarts', async (t) => {
  t.timeout(300_000);
  const { service, short } = t.context;
  const running = await processing(t.context);
  const { id: next } = await posted(service, short);
  const lost_at = Date.now();
  for (const collection of await service.clients.store.db.collections()) await collection.deleteMany({});
  const successor = kill(service.stack.component('dispatcher'));
  await pollUntil('the store is folded again', async () => (await get(service, running)).status === 200, 60_000);
  await successor();
  for (const one of [running, next]) await assertComplete(t, one, lost_at);
});

test.serial('after all faults, the read model equals a fold of the whole log', async (t) => {
  t.timeout(60_000);
  await t.notThrowsAsync(untilFold(t.context.service));
});
