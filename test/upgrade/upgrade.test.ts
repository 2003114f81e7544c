import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import { execa } from 'execa';
import { FOLD_VERSION } from '../../domain/render/fold.ts';
import { MODEL_VERSIONS } from '../../read-models/generations.ts';
import { openFoldedRequests } from '../../read-models/renders/folded-requests.ts';
import { COMPONENTS, DEPLOY_STEP } from '../../stack/components.ts';
import { ROOT } from '../../stack/servers/tools.ts';
import { olderVersion } from '../../stack/testing/older-version.ts';
import { openStackClients } from '../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import { localCertificate } from '../../stack/tls/kept-certificates.ts';
import { writeFilm } from '../e2e/_films.ts';
import { type Load, SMALL_FILM, startLoad } from '../e2e/_load.ts';
import type { Service } from '../e2e/_service.ts';
import { startTestStack } from '../helpers/test-stack.ts';

import { completed, everyMix, forwardAndBack, projectorsLast } from './_orders.ts';
import { startProcesses } from './_processes.ts';

// make test-upgrade FROM=<commit> SEED=<n> ALL=1 PATIENCE=<factor>: the code of a commit and the current code, on one log and store.
const FROM = process.env.FROM || 'def404de4171';
const SEED = Number(process.env.SEED || 1);
/** Multiplies the time limits of the load. A machine with more work than cores needs more than 1. */
const PATIENCE = Number(process.env.PATIENCE || 1);

/**
 * Components that are not started. Without the gateway, which has no state, the clients alternate between the old and
 * the new API. The management API is missing in older versions, and no render needs it.
 */
const NOT_STARTED = ['gateway', 'management-api'];
const FOLDERS = COMPONENTS.filter(({ name }) => !NOT_STARTED.includes(name)).map(({ entry }) =>
  entry.replace('/main.ts', ''),
);

/** Older versions have no default apart from the newest version. */
type OlderFold = Pick<typeof import('../../domain/render/fold.ts'), 'FOLD_VERSION'> & {
  readonly DEFAULT_FOLD_VERSION?: number;
};

const ACKNOWLEDGED_WITHIN_MS = 20_000 * PATIENCE;
const BETWEEN_POSTS_MS = 2_000;
/** Renders of the load after the last restart. */
const NEWEST_RENDERS = 5;
const LOAD_WITHIN_MS = 120_000 * PATIENCE;
const STANDS_STILL_AFTER_MS = 90_000 * PATIENCE;

const untilPosted = async (load: Load, count: number): Promise<void> => {
  const before = load.posted();
  const arePosted = async (): Promise<boolean> => load.posted() >= before + count;
  await Promise.race([pollUntil(`${count} more renders are posted`, arePosted, LOAD_WITHIN_MS), load.broken]);
};

/** A setting of new renders that older code can fold. */
const foldVersionOf = async (root: string): Promise<number> => {
  const { DEFAULT_FOLD_VERSION, FOLD_VERSION: newest }: OlderFold = await import(join(root, 'domain/render/fold.ts'));
  return DEFAULT_FOLD_VERSION ?? newest;
};

test('old and new processes of all components work together, in any restart order', async (t) => {
  t.timeout(60 * 60_000);
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const old_root = await olderVersion(FROM);
  const older: Pick<typeof import('../../read-models/generations.ts'), 'MODEL_VERSIONS'> = await import(
    join(old_root, 'read-models/generations.ts')
  );
  const same_models = isDeepStrictEqual(older.MODEL_VERSIONS, MODEL_VERSIONS);
  const orderOf = same_models ? (process.env.ALL ? everyMix : forwardAndBack) : projectorsLast;
  const steps = completed(orderOf(FOLDERS, SEED), FOLDERS);
  say(`from ${FROM}, seed ${SEED}: ${steps.length} restarts of two processes each`);
  const folder = await mkdtemp(join(tmpdir(), 'an upgrade '));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const servers = await startTestStack({ dataDir: folder, components: [] });
  t.teardown(() => servers.stop());
  const env: Readonly<Record<string, string>> = {
    ...servers.env,
    RATE_LIMIT_PER_S: '100000',
    RATE_LIMIT_BURST: '100000',
    // Stays at an old version until all processes are new, because older code stops at renders of later fold versions.
    RENDER_FOLD_VERSION: String(await foldVersionOf(old_root)),
  };
  const deploy = (root: string) =>
    execa(process.execPath, [join(root, DEPLOY_STEP.entry)], { cwd: root, env: { ...process.env, ...env } });
  await deploy(old_root);
  const processes = await startProcesses(FOLDERS, old_root, env, say);
  t.teardown(() => processes.killAll());
  await deploy(ROOT);

  const clients = await openStackClients(env);
  t.teardown(() => clients.close());
  // Created by the older code, because the new one changes no catalogue before its own read model serves.
  const { seedDemo }: Pick<typeof import('../../demo/seed.ts'), 'seedDemo'> = await import(
    join(old_root, 'demo/seed.ts')
  );
  const { openDemoEndpoint }: Pick<typeof import('../../demo/demo-endpoint.ts'), 'openDemoEndpoint'> = await import(
    join(old_root, 'demo/demo-endpoint.ts')
  );
  const seeded = await seedDemo({ env, seeded_path: join(folder, 'demo.json') });
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
  const film = join(folder, 'film');
  await writeFilm(film, 'film', SMALL_FILM);
  const owners = ['--team', seeded.team_id, '--user', seeded.user_id];
  const imported = await execa(join(old_root, 'renderctl'), ['project', 'import', film, ...owners, '--json'], { env });
  const load = startLoad(service, {
    project_id: JSON.parse(imported.stdout).id,
    ...{ api, say, between_ms: BETWEEN_POSTS_MS },
    ...{ acknowledged_within_ms: ACKNOWLEDGED_WITHIN_MS, stands_still_after_ms: STANDS_STILL_AFTER_MS },
  });
  for (const [i, { component, version, has_newest_fold }] of steps.entries()) {
    const began = Date.now();
    const own_env = has_newest_fold === true ? { RENDER_FOLD_VERSION: String(FOLD_VERSION) } : {};
    await Promise.race([processes.restart(component, version, own_env), processes.broken, load.broken]);
    say(`${i + 1}/${steps.length} ${component} ${version}: ${Date.now() - began} ms; ${load.posted()} renders posted`);
  }
  await Promise.race([untilPosted(load, NEWEST_RENDERS), processes.broken]);
  const { renders, render_ms, post_ms } = await load.settle(t);
  const newest = await openFoldedRequests(clients.store.db).find(load.ids().at(-1) ?? '');
  t.is(newest?.event.fold_version, FOLD_VERSION);
  say(`${renders} renders complete, each within ${render_ms} ms, and acknowledged within ${post_ms} ms`);
});
