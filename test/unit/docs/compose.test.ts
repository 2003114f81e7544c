import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import * as codec from 'io-ts';
import { parse } from 'yaml';
import { decodeConfiguration } from '../../../platform/configuration/configuration.ts';
import {
  BLOB_STORE,
  CURSORS,
  DISPATCHER,
  ENGINE,
  ENVIRONMENT,
  EVENT_LOG,
  FAILED_WORK,
  HEALTH_AND_LOGS,
  IDEMPOTENCY,
  NOTARY,
  OUTBOUND,
  PARTS,
  type Part,
  PREPARER,
  PROOFS,
  RATE_LIMITS,
  READ_STORE,
  RETENTION,
  SANDBOX,
  SCHEMA_REGISTRY,
  SEGMENT_CACHE,
  STILLS,
  UPLOADS,
  WAITING_RENDERS,
  WEBHOOK_OPENING_KEYS,
  WEBHOOK_SEALING_KEY,
  WEBHOOK_SECRETS,
  WORKER,
} from '../../../platform/configuration/parts.ts';
import {
  RELAY_STOP_DEADLINE_MS,
  STOP_DEADLINE_MS,
  workerStopDeadlineMs,
} from '../../../platform/process/stop-deadlines.ts';
import { COMPONENTS, DEPLOY_STEP } from '../../../stack/components.ts';
import { caller } from '../../helpers/renderctl.ts';

const compose = readFileSync(new URL('../../../docker-compose.yml', import.meta.url), 'utf8');

const File = codec.type({
  services: codec.record(
    codec.string,
    codec.partial({
      environment: codec.record(codec.string, codec.string),
      command: codec.unknown,
      cap_drop: codec.array(codec.string),
      read_only: codec.boolean,
      security_opt: codec.array(codec.string),
      mem_limit: codec.string,
      pids_limit: codec.number,
      networks: codec.array(codec.string),
      stop_grace_period: codec.string,
      entrypoint: codec.array(codec.string),
      volumes: codec.array(codec.unknown),
    }),
  ),
});
const decoded = File.decode(parse(compose, { merge: true }));
if (E.isLeft(decoded)) throw new Error('docker-compose.yml is not read');
const { services } = decoded.right;

const OF_RENDERCTL: readonly Part[] = [
  ...[EVENT_LOG, SCHEMA_REGISTRY, READ_STORE, BLOB_STORE, PROOFS, ENGINE, SANDBOX, OUTBOUND],
  ...[WEBHOOK_SEALING_KEY, WEBHOOK_SECRETS, STILLS],
];

const RUN: readonly { readonly name: string; readonly entry: string | null; readonly parts: readonly Part[] }[] = [
  ...COMPONENTS.map(({ name, entry, parts }) => ({
    ...{ name, entry },
    parts: [HEALTH_AND_LOGS, ...parts],
  })),
  { name: 'deploy', ...DEPLOY_STEP },
  { name: 'renderctl', entry: null, parts: OF_RENDERCTL },
];

/** Variables that renderctl reads in addition to those of the components: the service's address and the caller. */
const OF_A_CALLER = [
  ...['RENDERCTL_BASE_URL', 'RENDERCTL_API_KEY', 'RENDERCTL_OPERATOR', 'RENDERCTL_STILLS_URL'],
  'RENDERCTL_WAIT_S',
];

const variablesOf = (parts: readonly Part[]) => parts.flatMap(({ variables }) => Object.values(variables));
const givenTo = (name: string): readonly string[] => Object.keys(services[name]?.environment ?? {});

for (const { name, entry, parts } of RUN)
  test(`the container of ${name} gets exactly the variables that its program decodes`, (t) => {
    if (entry !== null) t.deepEqual(services[name]?.command, ['node', entry]);
    const own = entry === null ? OF_A_CALLER : [];
    const decodes = [...variablesOf(parts).map((variable) => variable.name), ...own];
    t.deepEqual(
      givenTo(name).filter((given) => !decodes.includes(given)),
      [],
    );
    const needed = variablesOf(parts).filter((variable) => E.isLeft(variable.absent()));
    t.deepEqual(
      needed.map((variable) => variable.name).filter((one) => !givenTo(name).includes(one)),
      [],
    );
  });

test('only the relay gets the private keys of webhook secrets', (t) => {
  const holding = (variable: string) => RUN.map(({ name }) => name).filter((name) => givenTo(name).includes(variable));
  t.deepEqual(holding('WEBHOOK_PRIVATE_KEYS'), ['webhook-relay']);
  t.deepEqual(holding('WEBHOOK_PUBLIC_KEY').toSorted(), ['management-api', 'renderctl']);
  t.deepEqual(holding('WEBHOOK_SECRETS_KEY').toSorted(), ['renderctl', 'webhook-relay']);
  // A public key replaces the older symmetric key.
  t.is(
    services.renderctl?.environment?.WEBHOOK_SECRETS_KEY,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: of docker compose
    '${WEBHOOK_PUBLIC_KEY:-${WEBHOOK_SECRETS_KEY:-}}',
  );
});

test('only the notary gets the signing key of proofs', (t) => {
  t.deepEqual(
    RUN.map(({ name }) => name).filter((name) => givenTo(name).includes('NOTARY_KEY')),
    ['notary'],
  );
});

test('webhooks and media can be allowed separately to call internal networks', (t) => {
  const ranges = (name: string) => services[name]?.environment?.OUTBOUND_ALLOWED_RANGES ?? '';
  for (const name of ['preparer', 'stills']) t.regex(ranges(name), /\{MEDIA_ALLOWED_RANGES:-\}/);
  t.regex(ranges('webhook-relay'), /\{OUTBOUND_ALLOWED_RANGES:-\}/);
});

test('the documented commands create each required secret once, in a valid form', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'compose '));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const lines = compose
    .split('\n')
    .filter((line) => /^# {3}/.test(line))
    .map((line) => line.slice(1));
  await execa('bash', ['-euc', lines.join('\n')], { cwd: folder });
  const made = Object.fromEntries(
    readFileSync(join(folder, '.env'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const asked = Array.from(compose.matchAll(/\$\{([A-Z_]+):\?/g), ([, name]) => name ?? '');
  t.deepEqual(
    Object.keys(made).toSorted(),
    // The commands also create these, but compose does not require them, because older deployments lack them.
    [...new Set(asked), 'STILLS_SECRET', 'WEBHOOK_PRIVATE_KEYS', 'WEBHOOK_PUBLIC_KEY'].toSorted(),
  );
  const parts = {
    a: IDEMPOTENCY,
    b: CURSORS,
    notary: NOTARY,
    stills: STILLS,
    opening: WEBHOOK_OPENING_KEYS,
    sealing: WEBHOOK_SEALING_KEY,
  };
  const configuration = decodeConfiguration(made, parts);
  if (E.isLeft(configuration)) return t.fail(configuration.left.join('\n'));
  const { opening, sealing } = configuration.right;
  t.is(opening.private_keys[0]?.id, sealing.public_key?.id);
  t.is(opening.private_keys.length, 1);
});

test('the image checks health at the port where the program serves it', (t) => {
  const dockerfile = readFileSync(new URL('../../../Dockerfile', import.meta.url), 'utf8');
  const set = Array.from(/^ENV (.*)$/m.exec(dockerfile)?.[1]?.matchAll(/([A-Z_]+)=/g) ?? [], ([, name]) => name ?? '');
  const known = variablesOf(PARTS).map(({ name }) => name);
  for (const name of set) t.true(known.includes(name) || name === 'PATH', name);
  const probed = /^HEALTHCHECK [\s\S]*?process\.env\.([A-Z_]+) \+ '\/health\/ready'/m.exec(dockerfile)?.[1];
  t.is(probed, 'HEALTH_PORT');
  t.true(set.includes('HEALTH_PORT'));
});

test('containers of the service cannot gain privileges, and have own limits and networks', (t) => {
  for (const { name } of RUN) {
    const { cap_drop, read_only, security_opt = [], mem_limit, pids_limit, networks = [] } = services[name] ?? {};
    t.deepEqual(cap_drop, ['ALL'], name);
    t.true(read_only, name);
    t.true(security_opt.includes('no-new-privileges:true'), name);
    t.truthy(mem_limit, name);
    t.truthy(pids_limit, name);
    t.true(
      networks.length > 0 && (networks.includes('outside') ? !['worker', 'dispatcher'].includes(name) : true),
      name,
    );
  }
  t.deepEqual(services.gateway?.networks, ['interface', 'outside']);
});

test('decoding containers require a sandbox, and their profile permits one', (t) => {
  const decoding = RUN.map(({ name }) => name).filter((name) => services[name]?.environment?.SANDBOX !== undefined);
  t.deepEqual(decoding.toSorted(), ['preparer', 'renderctl', 'stills', 'worker']);
  for (const name of decoding) {
    t.is(services[name]?.environment?.SANDBOX, 'required', name);
    t.true(services[name]?.security_opt?.includes('seccomp:stack/compose/seccomp.json'), name);
  }
  const profile: unknown = JSON.parse(
    readFileSync(new URL('../../../stack/compose/seccomp.json', import.meta.url), 'utf8'),
  );
  const text = JSON.stringify(profile);
  for (const call of ['bpf', 'ptrace', 'kexec_load', 'userfaultfd', 'setns']) t.true(text.includes(`"${call}"`), call);
  for (const call of ['clone', 'unshare', 'mount', 'umount2', 'pivot_root', 'sethostname', 'seccomp', 'prctl'])
    t.false(text.includes(`"${call}"`), call);
});

/** A text of the file as compose interpolates it with the variables of .env. */
const filledIn = (text: string, env: Readonly<Record<string, string>> = {}): string =>
  text.replaceAll(/\$\{([A-Z_]+):-([^}]*)\}/g, (_, name: string, otherwise: string) => env[name] || otherwise);

const graceMs = (name: string, env: Readonly<Record<string, string>> = {}): number => {
  const [, seconds] = /^(\d+)s$/.exec(filledIn(services[name]?.stop_grace_period ?? '', env)) ?? [];
  return Number(seconds) * 1_000;
};

test("each container's stop grace exceeds its program's stop deadline", (t) => {
  const drain_s = WORKER.variables.drain_s.absent();
  if (E.isLeft(drain_s)) return t.fail();
  for (const { name } of COMPONENTS) {
    const stops_within_ms =
      name === 'worker'
        ? workerStopDeadlineMs(drain_s.right)
        : name === 'webhook-relay'
          ? RELAY_STOP_DEADLINE_MS
          : STOP_DEADLINE_MS;
    t.true(graceMs(name) >= stops_within_ms + 5_000, `${name}: ${graceMs(name)}`);
  }
  t.is(graceMs('worker'), 40_000);
  const longer = { WORKER_DRAIN_S: '600', WORKER_STOP_GRACE: '620s' };
  t.true(graceMs('worker', longer) >= workerStopDeadlineMs(600) + 5_000, 'as the file says');
});

test('slots and limits come from .env, with the defaults of the configuration', (t) => {
  const limits: readonly (readonly [string, readonly Part[]])[] = [
    ['worker', [WORKER, SEGMENT_CACHE]],
    ['retention', [RETENTION]],
    ['notary', [PROOFS]],
    ['preparer', [PREPARER, FAILED_WORK, ENVIRONMENT]],
    ['dispatcher', [DISPATCHER, ENVIRONMENT]],
    ['command-api', [RATE_LIMITS, FAILED_WORK, WAITING_RENDERS, UPLOADS]],
    ['query-api', [RATE_LIMITS, WAITING_RENDERS, UPLOADS]],
  ];
  for (const [name, parts] of limits)
    for (const variable of variablesOf(parts)) {
      const given = services[name]?.environment?.[variable.name] ?? 'nothing';
      t.is(filledIn(given, { [variable.name]: '7' }), '7', `${name}: ${variable.name}`);
      t.is(filledIn(given), '', `${name}: ${variable.name} counts as unset`);
    }
  t.is(filledIn(services.worker?.mem_limit ?? '', { WORKER_MEMORY: '16g' }), '16g');
});

test('renderctl mounts project folders of the host read-only and never creates one', (t) => {
  const [mount, ...others] = services.renderctl?.volumes ?? [];
  t.deepEqual(others, []);
  t.like(mount, { type: 'bind', target: '/projects', read_only: true, bind: { create_host_path: false } });
  const Mount = codec.type({ source: codec.string });
  if (!Mount.is(mount)) return t.fail();
  t.is(filledIn(mount.source, { PROJECTS_DIR: '/srv/projects' }), '/srv/projects');
  t.true(existsSync(new URL(`../../../${filledIn(mount.source)}/demo/project.json`, import.meta.url)));
});

test('the command in the compose file exists in renderctl and accepts the demo folder', async (t) => {
  const [, words = ''] = /^# {2}docker compose run --rm renderctl (.+)$/m.exec(compose) ?? [];
  const [command = '', folder = '', ...rest] = words.split(' ');
  t.deepEqual([folder, rest], ['/projects/demo', []]);
  t.deepEqual(services.renderctl?.entrypoint, ['./renderctl']);
  const help = await caller({})(command, '--help');
  t.is(help.exit_code, 0);
  t.regex(help.stdout, /Usage: renderctl quickstart \[options\] \[folder\]/);
});

test('renderctl in its container calls the gateway with the key from .env', (t) => {
  const { environment = {}, networks = [] } = services.renderctl ?? {};
  t.is(environment.RENDERCTL_BASE_URL, 'http://gateway:8080');
  t.is(filledIn(environment.RENDERCTL_API_KEY ?? '', { RENDERCTL_API_KEY: 'vr_1' }), 'vr_1');
  t.true(networks.some((name) => services.gateway?.networks?.includes(name)));
});
