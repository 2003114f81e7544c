import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import test from 'ava';
import { execa } from 'execa';
import pLimit from 'p-limit';
import { ulid } from 'ulid';
import { openDemoEndpoint } from '../../demo/demo-endpoint.ts';
import { seedDemo } from '../../demo/seed.ts';
import { COMPONENTS, DEPLOY_STEP } from '../../stack/components.ts';
import { ROOT } from '../../stack/servers/tools.ts';
import { openStackClients } from '../../stack/testing/stack-clients.ts';
import { localCertificate } from '../../stack/tls/kept-certificates.ts';
import { TEMPLATE } from '../e2e/_films.ts';
import { get, importFilm, isOver, renderIn, type Service, traced, untilFold } from '../e2e/_service.ts';
import { assertLife, WHOLE_LIFE } from '../e2e/_whole-life.ts';
import { startTestStack } from '../helpers/test-stack.ts';
import { type Answer, bearer, send } from '../integration/api/_client.ts';
import { olderVersion } from './_older-version.ts';
import { everyMix, forwardAndBack } from './_orders.ts';
import { startProcesses } from './_processes.ts';

// make test-upgrade FROM=<commit> SEED=<n> ALL=1: the code of a commit and this code, side by side on one log and store.
const FROM = process.env.FROM || 'def404de4171';
const SEED = Number(process.env.SEED || 1);

/** The gateway has no state and no share in the log: it stays out, and the load goes to both APIs of a kind in turn. */
const FOLDERS = COMPONENTS.filter(({ name }) => name !== 'gateway').map(({ entry }) => entry.replace('/main.ts', ''));

const FILM = {
  ...{ width: 64, height: 36, fps: 10, duration: 1 },
  layers: [{ id: 'title', type: 'text', text: 'Hello', x: 2, y: 2, width: 60, height: 20, font_size: 10 }],
  fields: [
    {
      ...{ key: 'title', label: 'title', description: null, kind: 'text', widget: 'text', default_value: 'Hello' },
      target: { layer: 'title', property: 'text' },
    },
  ],
};

/** As a client beyond a load balancer: what is refused or cut off, it asks of the next one. */
const ACKNOWLEDGED_WITHIN_MS = 20_000;
const BETWEEN_POSTS_MS = 2_000;
const STANDS_STILL_AFTER_MS = 90_000;

test('old and new processes of every component work together, in whatever order they are restarted', async (t) => {
  t.timeout(60 * 60_000);
  const steps = (process.env.ALL ? everyMix : forwardAndBack)(FOLDERS, SEED);
  const say = (line: string) => process.stderr.write(`${line}\n`);
  say(`from ${FROM}, seed ${SEED}: ${steps.length} restarts of two processes each`);
  const old_root = await olderVersion(FROM);
  const folder = await mkdtemp(join(tmpdir(), 'an upgrade '));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const servers = await startTestStack({ dataDir: folder, components: [] });
  t.teardown(() => servers.stop());
  const env: Readonly<Record<string, string>> = {
    ...servers.env,
    RATE_LIMIT_PER_S: '100000',
    RATE_LIMIT_BURST: '100000',
  };
  const deploy = (root: string) =>
    execa(process.execPath, [join(root, DEPLOY_STEP.entry)], { cwd: root, env: { ...process.env, ...env } });
  await deploy(old_root);
  const processes = await startProcesses(FOLDERS, old_root, env);
  t.teardown(() => processes.killAll());
  // What an upgrade does first.
  await deploy(ROOT);

  const clients = await openStackClients(env);
  t.teardown(() => clients.close());
  const seeded = await seedDemo({ env, kept_at: join(folder, 'demo.json') });
  const certificate = localCertificate(env.OUTBOUND_CA_FILE);
  if (certificate === null) throw new Error('the stack has no certificate for this machine');
  const endpoint = await openDemoEndpoint({ env, team_id: seeded.team_id, certificate });
  t.teardown(async () => {
    await endpoint.remove();
  });
  const asked = { n: 0 };
  const api = (component: string): string => {
    const urls = processes.urls(component);
    asked.n += 1;
    return urls[asked.n % urls.length] ?? '';
  };
  const stack = {
    ...servers,
    get base_url() {
      return api('query-api');
    },
  };
  const service: Service = { folder, stack, clients, endpoint, seeded, close: async () => undefined };
  const project_id = await importFilm(service, 'film', FILM);

  const strange: string[] = [];
  const patiently = async (what: string, ask: () => Promise<Answer>, wanted: number): Promise<Answer> => {
    const end = Date.now() + ACKNOWLEDGED_WITHIN_MS;
    for (;;) {
      const answer = await ask().catch((error: Error) => error);
      if (!(answer instanceof Error)) {
        if (answer.status === wanted) return answer;
        if (answer.status !== 503) strange.push(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
      }
      if (Date.now() > end) throw new Error(`${what}: ${answer instanceof Error ? answer : JSON.stringify(answer)}`);
      await pause(200);
    }
  };

  const ids: string[] = [];
  const longest = { post_ms: 0, render_ms: 0 };
  const loading = { on: true };
  const load = (async () => {
    while (loading.on) {
      const body = { name: 'Of a test', project_id, template_id: TEMPLATE, values: { title: `No ${ids.length}` } };
      const headers = { ...bearer(seeded.api_key), 'Content-Type': 'application/json', 'Idempotency-Key': ulid() };
      const began = Date.now();
      const once = () =>
        send(`${api('command-api')}/v1/renders`, { method: 'POST', body: JSON.stringify(body), headers });
      const { id } = renderIn(await patiently('POST', once, 201));
      longest.post_ms = Math.max(longest.post_ms, Date.now() - began);
      ids.push(id);
      await patiently(`GET ${id}`, () => get(service, id), 200);
      await pause(BETWEEN_POSTS_MS);
    }
  })();
  load.catch(() => undefined);

  for (const [i, { component, version }] of steps.entries()) {
    const began = Date.now();
    await Promise.race([processes.restart(component, version), load]);
    say(`${i + 1}/${steps.length} ${component} ${version}: ${Date.now() - began} ms; ${ids.length} renders posted`);
  }
  loading.on = false;
  await load;

  const open = new Set(ids);
  const ended = { at: Date.now() };
  while (open.size > 0) {
    for (const id of open) {
      const render = renderIn(await patiently(`GET ${id}`, () => get(service, id), 200));
      if (!isOver(render)) continue;
      t.is(render.status, 'complete', id);
      open.delete(id);
      ended.at = Date.now();
      longest.render_ms = Math.max(longest.render_ms, (render.updated_at ?? 0) - render.created_at);
    }
    say(`${open.size} of ${ids.length} renders are not over`);
    if (Date.now() - ended.at > STANDS_STILL_AFTER_MS) {
      for (const id of open) say(JSON.stringify((await traced(service, id)).trace.rows));
      throw new Error(`no render ended for ${STANDS_STILL_AFTER_MS} ms, and these are not over: ${[...open]}`);
    }
    await pause(2_000);
  }
  const at_once = pLimit(8);
  await Promise.all(ids.map((id) => at_once(() => assertLife(t, service, id, WHOLE_LIFE))));
  await untilFold(service);
  t.deepEqual(strange, []);
  say(
    `${ids.length} renders complete, each within ${longest.render_ms} ms, and acknowledged within ${longest.post_ms} ms`,
  );
});
