import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { openBlobStore } from '../../../platform/blob-store/azure-blob-store.ts';
import { decodeConfiguration } from '../../../platform/configuration/configuration.ts';
import { BLOB_STORE } from '../../../platform/configuration/parts.ts';
import { routesOf } from '../../../schemas/http/routes.ts';
import { longStalls, stallOption, stallsIn, unmeasuredPrograms } from '../../../stack/testing/stalls.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { everyFourth } from '../../helpers/runs.ts';
import { fillCatalogue, type Keys } from '../api/_catalogue.ts';
import { bearer } from '../api/_client.ts';
import {
  largeBodies,
  longAddresses,
  longBodies,
  longHeaders,
  longRenderBodies,
  longTexts,
} from '../api/_long-input.ts';
import type { Browser } from './_browser.ts';
import { signInAs, startManagementWorld, type World } from './_world.ts';

// Input of one client must never block a process's other clients.
type Context = { readonly world: World; readonly keys: Keys; readonly ada: Browser; readonly file: string };
const test = anyTest as TestFn<Context>;

const WITHOUT_LIMIT = {
  RATE_LIMIT_PER_S: '1000000',
  RATE_LIMIT_BURST: '1000000',
  GATEWAY_REFUSED_KEYS_PER_MINUTE: '1000000000',
  GATEWAY_OPEN_REQUESTS_PER_MINUTE: '1000000000',
};
const PROGRAMS = ['command-api', 'query-api', 'management-api', 'gateway'] as const;
type Program = (typeof PROGRAMS)[number];

test.before(async (t) => {
  t.timeout(360_000);
  const file = join(tmpdir(), `stalls-${process.pid}`);
  const world = await startManagementWorld({ ...WITHOUT_LIMIT, NODE_OPTIONS: stallOption(file) });
  const settings = decodeConfiguration(world.stack.env, { blob_store: BLOB_STORE });
  if (E.isLeft(settings)) throw new Error(settings.left.join('\n'));
  const keys = await fillCatalogue(world.clients.records, openBlobStore(settings.right.blob_store));
  const { browser: ada } = await signInAs(world, 'ada');
  t.context = { world, keys, ada, file };
  await pollUntil('the catalogue is folded', async () => {
    const answer = await fetch(`${urlOf(t.context, 'query-api')}/v1/projects/proj_1`, { headers: bearer(keys.ours) });
    return answer.status === 200;
  });
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context.world?.stop();
  if (t.context.file !== undefined) await rm(t.context.file, { force: true });
});

const urlOf = ({ world }: Context, program: Program): string => world.stack.component(program).url ?? '';

const AT_ONCE = 4;

/** Sends all, a few at a time; returns each status. A closed connection has none. */
const sendAll = async <A>(all: readonly A[], send: (one: A) => Promise<Response>): Promise<readonly number[]> => {
  const statuses: number[] = [];
  const rest = all.values();
  const one = async (): Promise<void> => {
    for (const each of rest) {
      const answer = await send(each).catch(() => null);
      await answer?.arrayBuffer().catch(() => null);
      statuses.push(answer?.status ?? 0);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return statuses;
};

const JSON_TYPE = { 'Content-Type': 'application/json' };

const post = (url: string, body: string, headers: Readonly<Record<string, string>>) =>
  fetch(url, { method: 'POST', body, headers: { ...JSON_TYPE, ...headers } });

test('the suite measures every process that answers requests', (t) => {
  t.deepEqual(unmeasuredPrograms(t.context.file, PROGRAMS), []);
});

test('long values, names, ids and bodies of renders stall no process', async (t) => {
  t.timeout(450_000);
  const { keys, file } = t.context;
  for (const [i, program] of (['command-api', 'gateway'] as const).entries()) {
    const url = `${urlOf(t.context, program)}/v1/renders`;
    const since = Date.now();
    const plain = await sendAll(everyFourth(longRenderBodies(), i), (body) => post(url, body, bearer(keys.ours)));
    const keyed = await sendAll(everyFourth(longRenderBodies(), i + 2), (body) =>
      post(url, body, { ...bearer(keys.ours), 'Idempotency-Key': 'long' }),
    );
    t.deepEqual(
      [...plain, ...keyed].filter((status) => status >= 500 && status !== 503),
      [],
    );
    t.true(plain.filter((status) => status === 400).length > plain.length / 2, String(plain));
    t.deepEqual(longStalls(stallsIn(file, PROGRAMS, since)), []);
  }
});

test('long addresses stall no process', async (t) => {
  t.timeout(450_000);
  const { keys, ada, file, world } = t.context;
  const since = Date.now();
  const paths = ['renders', 'projects', 'templates', 'teams', 'users', 'nothing'].map((name) => `/v1/${name}`);
  for (const [i, program] of (['query-api', 'gateway'] as const).entries())
    await sendAll(everyFourth(longAddresses(paths), i), (path) =>
      fetch(`${urlOf(t.context, program)}${path}`, { headers: bearer(keys.ours) }),
    );
  const managed = ['audit', 'renders', 'keys', 'endpoints', 'members'].map((name) => `/teams/${world.team_id}/${name}`);
  await sendAll(everyFourth(longAddresses(managed), 2), (path) => ada.ask(`${world.manage}${path}`));
  await sendAll(everyFourth(longAddresses(['/sign-in', '/sign-in/callback']), 3), (path) =>
    ada.ask(`${world.manage}${path}`),
  );
  t.deepEqual(longStalls(stallsIn(file, PROGRAMS, since)), []);
});

test('long headers stall no process', async (t) => {
  t.timeout(450_000);
  const { keys, file, world } = t.context;
  const since = Date.now();
  const paths = { 'query-api': '/v1/openapi.json', 'management-api': '/manage/v1/session', gateway: '/v1/renders' };
  for (const [i, [program, path]] of Object.entries(paths).entries()) {
    const url = `${world.stack.component(program).url}${path}`;
    await sendAll(everyFourth(longHeaders(), i), (headers) =>
      fetch(url, { headers: { ...bearer(keys.ours), ...headers } }),
    );
  }
  await sendAll(everyFourth(longHeaders(), 2), (headers) => fetch(`${world.manage}/session`, { headers }));
  await sendAll(everyFourth(longHeaders(), 3), (headers) =>
    fetch(`${urlOf(t.context, 'gateway')}/v1/openapi.json`, { headers }),
  );
  await sendAll(everyFourth(longHeaders(), 3), (headers) =>
    post(`${urlOf(t.context, 'command-api')}/v1/renders`, '{}', { ...bearer(keys.ours), ...headers }),
  );
  t.deepEqual(longStalls(stallsIn(file, PROGRAMS, since)), []);
});

const MEMBERS = ['name', 'url', 'events', 'user_id', 'role', 'kind', 'team_ids', 'expires_at', 'overlap_s', 'since'];
const MORE_MEMBERS = [
  'token',
  'account_id',
  'team_id',
  'project_id',
  'template_id',
  'values',
  'email',
  'event',
  'state',
];

/** Paths to skip, because requests to them would sign Ada out or erase her. */
const LEAVING = /sign-out|leave|\/me\/erase|revoke/;

test('long members of posted bodies stall no process', async (t) => {
  t.timeout(450_000);
  const { ada, file, world } = t.context;
  const { team_id, account_id, origin } = world;
  const since = Date.now();
  const as_page = { Origin: origin, 'Sec-Fetch-Site': 'same-origin', ...JSON_TYPE };
  const paths = routesOf('management-api')
    .filter(({ method, path }) => method === 'POST' && !LEAVING.test(path))
    .map(({ path }) => path.replace('{team_id}', team_id).replace('{account_id}', account_id))
    .map((path) => path.replaceAll(/\{\w+\}/g, 'x'));
  t.true(paths.length > 15);
  const bodies = [...longBodies([...MEMBERS, ...MORE_MEMBERS], 5_000), ...largeBodies()];
  const bodyOf = (body: string) => ({ method: 'POST', body, headers: as_page });
  const all = paths.flatMap((path, i) => everyFourth(bodies, i).map((body) => ({ path, body })));
  await sendAll(all, ({ path, body }) => ada.ask(`${origin}${path}`, bodyOf(body)));
  const urls = longTexts(1_900).map((text) => ({ url: `https://${text}`, events: ['render.completed'] }));
  const team = `${world.manage}/teams/${team_id}`;
  await sendAll(everyFourth(urls), (body) => ada.ask(`${team}/endpoints`, bodyOf(JSON.stringify(body))));
  const renders = longRenderBodies().map((body) => body.replace('proj_1', 'proj_2'));
  await sendAll(everyFourth(renders), (body) => ada.ask(`${team}/renders`, bodyOf(body)));
  t.is((await ada.ask(`${world.manage}/session`)).status, 200);
  t.deepEqual(longStalls(stallsIn(file, PROGRAMS, since)), []);
});
