import { createHash } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { RenderAnswer } from '../../cli/render/render-answers.ts';
import type { ServerName } from '../../stack/servers/servers.ts';
import { openStackClients } from '../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import { TEMPLATE } from '../e2e/_films.ts';
import { SMALL_FILM } from '../e2e/_load.ts';
import { get, importFilm, openService, posted, type Service, untilFold, untilOver } from '../e2e/_service.ts';
import { assertLife, WHOLE_LIFE } from '../e2e/_whole-life.ts';
import { type ComponentProcess, spawnComponent } from '../helpers/component-process.ts';
import { caller } from '../helpers/renderctl.ts';
import { startTestStack } from '../helpers/test-stack.ts';
import { postJsonOnce } from '../integration/api/_client.ts';
import { webhookEvents } from '../integration/webhook-relay/_relay-world.ts';

type World = {
  readonly folder: string;
  readonly service: Service;
  readonly project_id: string;
  readonly before: string;
  readonly first: string;
};

let world: World;
let after: { readonly data: string; readonly second: string };

const SERVERS: readonly ServerName[] = ['kafka', 'registry', 'store', 'blob'];

const serving = async <A>(
  service: Service,
  dataDir: string,
  work: (service: Service) => Promise<A>,
  components?: readonly string[],
): Promise<A> => {
  const only = components === undefined ? {} : { components };
  const stack = await startTestStack({ dataDir, own_servers: SERVERS, ...only });
  const clients = await openStackClients(stack.env);
  try {
    return await work({ ...service, stack, clients });
  } finally {
    await clients.close();
    await stack.stop();
  }
};

/** The content behind the link of a complete render; null if the link does not work. */
const downloaded = async (service: Service, id: string): Promise<string | null> => {
  const answer = RenderAnswer.decode((await get(service, id)).body);
  const url = E.isRight(answer) ? answer.right.output?.master : undefined;
  if (url === undefined) throw new Error(`${id} has no output`);
  const file = await fetch(url);
  const bytes = Buffer.from(await file.arrayBuffer());
  return file.ok ? createHash('sha256').update(bytes).digest('hex') : null;
};

const attempts = async ({ clients }: Service): Promise<readonly number[]> => {
  const made = (await webhookEvents(clients)).filter(({ type }) => type === 'DeliveryAttempted');
  return [...Map.groupBy(made, ({ delivery_id }) => delivery_id).values()].map(({ length }) => length);
};

const rendered = async (service: Service, project_id: string): Promise<string> => {
  const { id } = await posted(service, project_id);
  const { status } = await untilOver(service, id);
  if (status !== 'complete') throw new Error(`${id} is ${status}`);
  return id;
};

const readiness = async ({ health_url }: ComponentProcess): Promise<string> =>
  await (await fetch(`${health_url}/health/ready`)).text();

const copied = async (from: string, to: string): Promise<string> => {
  await cp(from, to, { recursive: true });
  return to;
};

const mixed = async (server: ServerName): Promise<string> => {
  const { folder, before } = world;
  const data = await copied(after.data, join(folder, `with an older ${server}`));
  await rm(join(data, server), { recursive: true });
  await copied(join(before, server), join(data, server));
  return data;
};

test.before(async (t) => {
  t.timeout(300_000);
  const folder = await mkdtemp(join(tmpdir(), 'backup '));
  const service = await openService({}, { own_servers: SERVERS });
  const project_id = await importFilm(service, 'film', SMALL_FILM);
  const first = await rendered(service, project_id);
  await assertLife(t, service, first, WHOLE_LIFE);
  await service.clients.close();
  await service.stack.stop();
  const before = await copied(join(service.folder, 'data'), join(folder, 'before'));
  world = { folder, service, project_id, first, before };
});

test.after.always(async (t) => {
  t.timeout(60_000);
  await world?.service.close();
  if (world !== undefined) await rm(world.folder, { recursive: true, force: true });
});

test.serial('a copy of all data serves in another folder and continues', async (t) => {
  t.timeout(180_000);
  const { service, project_id, first, before, folder } = world;
  const data = await copied(before, join(folder, 'after'));
  const second = await serving(service, data, async (again) => {
    t.not(await downloaded(again, first), null);
    await assertLife(t, again, first, WHOLE_LIFE);
    const id = await rendered(again, project_id);
    await assertLife(t, again, id, WHOLE_LIFE);
    await untilFold(again);
    t.deepEqual(new Set(await attempts(again)), new Set([1]));
    return id;
  });
  after = { data, second };
});

test.serial('an older store catches up with newer data, without loss or repeated webhooks', async (t) => {
  t.timeout(180_000);
  const { service, first, project_id } = world;
  const { second } = after;
  await serving(service, await mixed('store'), async (again) => {
    await pollUntil('the store has caught up', async () => (await get(again, second)).status === 200);
    for (const id of [first, second]) await assertLife(t, again, id, WHOLE_LIFE);
    await assertLife(t, again, await rendered(again, project_id), WHOLE_LIFE);
    await untilFold(again);
    t.deepEqual(new Set(await attempts(again)), new Set([1]));
  });
});

test.serial('a restored older Blob lacks only newer files, and new renders complete', async (t) => {
  t.timeout(180_000);
  const { service, first, project_id } = world;
  const { second } = after;
  await serving(service, await mixed('blob'), async (again) => {
    t.not(await downloaded(again, first), null);
    t.is(await downloaded(again, second), null);
    for (const id of [first, second]) await assertLife(t, again, id, WHOLE_LIFE);
    const third = await rendered(again, project_id);
    t.not(await downloaded(again, third), null);
    await untilFold(again);
  });
});

test.serial('processes that have read a longer log refuse an older one and send nothing', async (t) => {
  t.timeout(180_000);
  const { service, project_id } = world;
  const data = await mixed('kafka');
  const work = async ({ stack, clients }: Service): Promise<void> => {
    const sent = service.endpoint.received().length;
    const ends = async () => await clients.records.log.bounds('webhook-events');
    const before = await ends();
    const names = ['projectors', 'webhook-relay', 'command-api'] as const;
    const [projectors, relay, api] = await Promise.all(names.map((name) => spawnComponent(name, stack.env)));
    if (projectors === undefined || relay === undefined || api === undefined) throw new Error('they are not started');
    const renderctl = caller(stack.env);
    let stopped = '';
    await pollUntil('both have stopped', async () => {
      stopped = (await renderctl('partition', 'list')).stdout;
      return stopped.includes('render-projector') && stopped.includes('webhook-relay');
    }).finally(() => t.log(stopped));
    t.regex(stopped, /render-projector-g1 +render-events\/\d .*the log ends at \d+, before the checkpoint at \d+/);
    t.regex(
      stopped,
      /webhook-relay +render-status\/\d .*webhook-events ends at \d+, before the position \d+: records were lost/,
    );
    const body = { name: 'Of a test', project_id, template_id: TEMPLATE, values: { title: 'Hello' } };
    const ofRenders = async () => await clients.records.log.bounds('render-events');
    const there = await ofRenders();
    await pollUntil('the process has read the log', async () =>
      (await readiness(api)).includes('an older log was restored'),
    );
    const refused = await postJsonOnce(`${api.url}/v1/renders`, service.seeded.api_key, body);
    t.is(refused.status, 503, refused.text);
    t.regex(
      await readiness(api),
      /ends at \d+, and \d+ of its records are folded: an older log was restored\. Restore the newest copy/,
    );
    t.deepEqual(await ofRenders(), there);
    t.deepEqual(await ends(), before);
    await Promise.all([projectors, relay, api].map((one) => one.kill()));
    t.is(service.endpoint.received().length, sent);
  };
  await serving(service, data, work, []);
});
