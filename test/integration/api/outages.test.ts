import anyTest, { type TestFn } from 'ava';
import type { ServerName } from '../../../stack/servers/servers.ts';
import { until } from '../../helpers/until.ts';
import { type Answer, errorOf, send } from './_client.ts';
import { get, OF_TEMPLATE, PLAIN, post, startWorld, type World } from './_world.ts';

// Servers are frozen, not killed: they hold their connections open and say nothing, which is the worst they can do.
const test = anyTest as TestFn<World>;

const BOUND_MS = 30_000;

test.before(async (t) => {
  t.timeout(180_000);
  t.context = await startWorld();
});

test.after.always(async (t) => {
  t.timeout(60_000);
  await t.context.stop?.();
});

const whileFrozen = async ({ stack }: World, name: ServerName, work: () => Promise<void>): Promise<void> => {
  const server = stack.server(name);
  server.kill('SIGSTOP');
  try {
    await work();
  } finally {
    server.kill('SIGCONT');
  }
};

const unavailable = (answer: Answer): string | null =>
  answer.status === 503 && Number(answer.headers.get('retry-after')) > 0 ? errorOf(answer) : null;

const health = async ({ stack }: World, component: string, what: string): Promise<number> =>
  (await send(`${stack.component(component).health_url}/health/${what}`)).status;

const untilAccepted = (world: World, body: unknown) =>
  until('POST is accepted again', async () => (await post(world, body)).status === 201, BOUND_MS);

test.serial('without Kafka nothing is accepted, and reading goes on', async (t) => {
  t.timeout(3 * BOUND_MS);
  await untilAccepted(t.context, PLAIN);
  await whileFrozen(t.context, 'kafka', async () => {
    const answers = await Promise.all([post(t.context, PLAIN), post(t.context, { ...PLAIN, project_id: 'proj_none' })]);
    t.regex(String(unavailable(answers[0])), /nothing happened|outcome is unknown/);
    t.is(answers[1].status, 404);
    t.is((await get(t.context, 'projects/proj_1')).status, 200);
    t.is(await health(t.context, 'command-api', 'live'), 200);
    t.is(await health(t.context, 'command-api', 'ready'), 503);
    t.is(await health(t.context, 'query-api', 'ready'), 200);
  });
  await untilAccepted(t.context, PLAIN);
});

test.serial('without MongoDB everything says to come back, within bounds', async (t) => {
  t.timeout(3 * BOUND_MS);
  await whileFrozen(t.context, 'store', async () => {
    const began = Date.now();
    const answers = await Promise.all([
      post(t.context, PLAIN),
      get(t.context, 'projects/proj_1'),
      get(t.context, 'teams'),
    ]);
    for (const answer of answers.slice(0, 2)) t.regex(String(unavailable(answer)), /nothing happened/);
    t.true(Date.now() - began < 10_000);
    t.is(await health(t.context, 'query-api', 'live'), 200);
    t.is(await health(t.context, 'query-api', 'ready'), 503);
  });
  await untilAccepted(t.context, PLAIN);
  await until('GET is answered again', async () => (await get(t.context, 'projects/proj_1')).status === 200, BOUND_MS);
});

test.serial('without the blob store only renders with values wait', async (t) => {
  t.timeout(3 * BOUND_MS);
  const withValues = { ...OF_TEMPLATE, values: { headline: 'Hello' } };
  await untilAccepted(t.context, withValues);
  await whileFrozen(t.context, 'blob', async () => {
    t.is((await post(t.context, PLAIN)).status, 201);
    t.regex(String(unavailable(await post(t.context, withValues))), /nothing happened/);
  });
  await untilAccepted(t.context, withValues);
});
