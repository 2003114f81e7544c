import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import * as PARTS from '../../../platform/configuration/parts.ts';
import { STOP_DEADLINE_MS } from '../../../platform/process/stop-deadlines.ts';
import {
  COMPONENTS,
  componentProcess,
  DEPLOY_STEP,
  graceMs,
  instancesOf,
  stopWaves,
} from '../../../stack/components.ts';
import { nextBackoff, processMark } from '../../../stack/process/supervised.ts';

test('every component is one process, except that there can be several workers', (t) => {
  t.is(instancesOf(undefined, 1).length, COMPONENTS.length);
  t.deepEqual(
    instancesOf(['worker'], 3).map((instance) => instance.name),
    ['worker', 'worker-2', 'worker-3'],
  );
});

test('an unknown component is an error', (t) => {
  t.throws(() => instancesOf(['gatway'], 1), { message: 'Unknown component: gatway' });
});

test('a stop of all components starts with the gateway and ends with the projectors', (t) => {
  const instances = instancesOf(undefined, 2);
  const waves = stopWaves(instances);
  t.deepEqual(waves[0], ['gateway']);
  t.deepEqual(waves.at(-1), ['projectors']);
  t.deepEqual([...waves.flat()].sort(), instances.map((instance) => instance.name).sort());
});

test('no component is killed within its time to stop, however long a worker drains', (t) => {
  const grace = (name: string, env: Readonly<Record<string, string>>) => {
    const [instance] = instancesOf([name], 1);
    return instance === undefined ? 0 : graceMs(instance.component, env);
  };
  t.is(grace('worker', { WORKER_DRAIN_S: '5' }), 25_000);
  t.is(grace('worker', { WORKER_DRAIN_S: '600' }), 620_000);
  t.is(grace('webhook-relay', {}), 20_000);
  for (const { name } of COMPONENTS) t.true(grace(name, {}) >= STOP_DEADLINE_MS + 5_000, name);
});

/** All known variables, and other variables of an operator's shell. */
const SETTINGS = PARTS.PARTS.flatMap(({ variables }) => Object.values(variables).map(({ name }) => name));
const OF_THE_SHELL = ['AWS_SECRET_ACCESS_KEY', 'NODE_AUTH_TOKEN', 'GITHUB_TOKEN', 'MEDIA_ALLOWED_RANGES', 'LD_PRELOAD'];
const EVERYTHING = Object.fromEntries([...SETTINGS, ...OF_THE_SHELL, 'PATH', 'HOME', 'TZ'].map((name) => [name, 'x']));

const givenTo = (name: string): readonly string[] => {
  const [instance] = instancesOf([name], 1);
  if (instance === undefined) throw new Error(`there is no ${name}`);
  const { env } = componentProcess({
    instance,
    root: '/',
    health_url: '',
    env: EVERYTHING,
    endTransactions: undefined,
  });
  return Object.keys(env);
};

test('the gateway gets the addresses of the APIs and of no store', (t) => {
  const own = givenTo('gateway').filter((name) => !name.startsWith('GATEWAY_'));
  t.deepEqual(
    own.toSorted(),
    [
      ...['PATH', 'HOME', 'TZ', 'HOST', 'PORT', 'HEALTH_HOST', 'HEALTH_PORT', 'LOG_LEVEL', 'CORS_ORIGINS'],
      ...['COMMAND_API_URL', 'QUERY_API_URL', 'MANAGEMENT_API_URL', 'TRUSTED_PROXIES'],
    ].toSorted(),
  );
});

test('each component gets only the secrets it needs and no variables of the shell', (t) => {
  const secrets = PARTS.PARTS.flatMap(({ variables }) => Object.values(variables))
    .filter(({ secret }) => secret)
    .map(({ name }) => name);
  const held = (names: readonly string[]) =>
    COMPONENTS.map(({ name }) => [name, names.filter((one) => givenTo(name).includes(one))] as const);
  const log = ['KAFKA_PASSWORD', 'SCHEMA_REGISTRY_PASSWORD'];
  t.deepEqual(Object.fromEntries(held(secrets)), {
    projectors: [...log, 'MONGODB_URL', 'AZURE_STORAGE_CONNECTION_STRING'],
    'query-api': ['MONGODB_URL', 'AZURE_STORAGE_CONNECTION_STRING', 'CURSOR_SECRET'],
    'command-api': [...log, 'MONGODB_URL', 'AZURE_STORAGE_CONNECTION_STRING', 'IDEMPOTENCY_SECRET', 'STILLS_SECRET'],
    'management-api': [
      ...log,
      'MONGODB_URL',
      'AZURE_STORAGE_CONNECTION_STRING',
      'CURSOR_SECRET',
      'STILLS_SECRET',
      'OIDC_CLIENT_SECRET',
      'IDENTITY_SECRET',
    ],
    preparer: [...log, 'MONGODB_URL', 'AZURE_STORAGE_CONNECTION_STRING'],
    stills: ['MONGODB_URL', 'AZURE_STORAGE_CONNECTION_STRING', 'STILLS_SECRET'],
    dispatcher: [...log, 'MONGODB_URL'],
    worker: [...log, 'AZURE_STORAGE_CONNECTION_STRING'],
    'webhook-relay': [
      ...log,
      'MONGODB_URL',
      'AZURE_STORAGE_CONNECTION_STRING',
      'WEBHOOK_PRIVATE_KEYS',
      'WEBHOOK_SECRETS_KEY',
    ],
    retention: [...log, 'MONGODB_URL', 'AZURE_STORAGE_CONNECTION_STRING'],
    notary: ['KAFKA_PASSWORD', 'MONGODB_URL', 'AZURE_STORAGE_CONNECTION_STRING', 'NOTARY_KEY'],
    gateway: [],
  });
  for (const [name, found] of held(OF_THE_SHELL)) t.deepEqual(found, [], name);
});

const partsImported = (entry: string): readonly string[] =>
  /import \{([^}]*)\} from '[./]+(?:platform\/)?configuration\/parts\.ts'/
    .exec(readFileSync(join(import.meta.dirname, '..', '..', '..', entry), 'utf8'))?.[1]
    ?.match(/[A-Z_]+/g) ?? [];

test('each component gets exactly the variables that its code decodes', (t) => {
  const names = new Map<unknown, string>(Object.entries(PARTS).map(([name, part]) => [part, name]));
  for (const { entry, parts } of [...COMPONENTS, DEPLOY_STEP])
    t.deepEqual(parts.map((part) => names.get(part)).toSorted(), partsImported(entry).toSorted(), entry);
});

test('the backoff starts at 1 s, doubles to 30 s, resets after a minute', (t) => {
  const waits = [0, 1, 2, 3, 4, 5, 6].reduce<number[]>((all) => [...all, nextBackoff(all.at(-1) ?? 0, 100)], []);
  t.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  t.is(nextBackoff(30_000, 60_000), 1_000);
});

test('no process mark is a prefix of another', (t) => {
  const stack = { data: 'd', run: 'r' };
  t.false(processMark(stack, 'worker-2').startsWith(processMark(stack, 'worker')));
});
