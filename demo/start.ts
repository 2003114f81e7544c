import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { instancesOf } from '../stack/components.ts';
import { type DevelopmentOptions, developmentOf, INSPECT_PORT } from '../stack/development.ts';
import { launcherEnvironment } from '../stack/environment.ts';
import { type Stack, startStack, workerCountOf } from '../stack/launcher.ts';
import { catchStopSignals } from '../stack/process/stop-signals.ts';
import { LINK_MINUTES } from '../stack/provider/one-time-links.ts';
import { needsProvider, requestOneTimeLink, signInUrl } from '../stack/provider/server.ts';
import { ADDRESS_VARIABLES, embeddedServers, type ServerName } from '../stack/servers/servers.ts';
import { ROOT } from '../stack/servers/tools.ts';
import { fixedPorts } from '../stack/stack-ports.ts';
import { DEMO_PERSON, linkPeople } from './link-people.ts';
import { seedDemo } from './seed.ts';
import type { SeededEntities } from './seeded.ts';

// make start: serves until Ctrl-C. make dev: with `--development`, restarts components when their files change.
const signals = catchStopSignals();
const say = (line: string) => process.stdout.write(`${line}\n`);
const complain = (line: string) => process.stderr.write(`${line}\n`);

// Tests set another folder, so that they do not use the developer's stack.
const { DEMO_DATA_DIR } = process.env;
const DATA = DEMO_DATA_DIR ?? join(ROOT, '.local', 'data');
const BESIDE = DEMO_DATA_DIR ?? join(ROOT, '.local');
const STACK_FILE = join(BESIDE, 'stack.json');

/** True once the stack runs. A stop is then no failure; a stop during the start is one. */
let served = false;

const serve = async (): Promise<void> => {
  const env = launcherEnvironment(process.env);
  const ports = fixedPorts(env);
  if ('faults' in ports) throw new Error(ports.faults.join('\n'));
  const development = process.argv.includes('--development') ? developmentOf(env, processNames(env)) : null;
  const stack = await startStack({
    dataDir: DATA,
    pidsPath: join(BESIDE, 'pids'),
    ports: ports.ports,
    signal: signals.stop,
    urgent: signals.urgent,
    onNotice: say,
    ...(development === null ? {} : { development }),
    ...(env.LOGS === '1' ? { onLine: (name: string, line: string) => say(`${name} | ${line}`) } : {}),
  });
  try {
    const seed = async (): Promise<SeededEntities> => {
      const seeded = await seedDemo({ env: stack.env, seeded_path: join(DATA, 'demo.json'), say });
      if (!isOwnProvider()) await linkPeople(stack.env, seeded);
      return seeded;
    };
    const seeding = seed();
    // After an interrupt, seeding fails because its servers stop. That is not reported.
    seeding.catch(() => undefined);
    const seeded = await Promise.race([seeding, stopped]);
    // The one-time link is created last, because its lifetime starts now.
    const link = isOwnProvider() ? null : await requestOneTimeLink(stack.env, DEMO_PERSON);
    announce(stack, seeded, link, embeddedServers(env));
    if (development !== null) say(developmentText(development, stack.env.PUBLIC_URL ?? stack.base_url));
    served = true;
    await stopped;
  } finally {
    rmSync(STACK_FILE, { force: true });
    say('Stopping …');
    await stack.stop();
    say('Stopped.');
  }
};

/** Rejects with the reason of the stop. */
const stopped = new Promise<never>((_, reject) => {
  signals.stop.addEventListener('abort', () => reject(signals.stop.reason), { once: true });
});
stopped.catch(() => undefined);

const processNames = (env: Readonly<Record<string, string>>): readonly string[] =>
  instancesOf(undefined, workerCountOf(undefined, env)).map(({ name }) => name);

/** True if people sign in at an external provider. */
const isOwnProvider = (): boolean => !needsProvider(launcherEnvironment(process.env), ['management-api']);

/**
 * Writes .local/stack.json and prints the addresses.
 *
 * @param link signs in once; null with an external provider
 */
const announce = (stack: Stack, seeded: SeededEntities, link: string | null, embedded: readonly ServerName[]): void => {
  const { env } = stack;
  writeStackFile({
    base_url: stack.base_url,
    stills_url: env.RENDERCTL_STILLS_URL,
    stills_secret: env.STILLS_SECRET,
    ...seeded,
    kafka: env.KAFKA_BROKERS,
    registry_url: env.SCHEMA_REGISTRY_URL,
    mongodb_url: env.MONGODB_URL,
    blob_connection_string: env.AZURE_STORAGE_CONNECTION_STRING,
    embedded: embedded.map((name) => ADDRESS_VARIABLES[name]),
    webhook_public_key: env.WEBHOOK_PUBLIC_KEY,
    outbound_allowed_ranges: env.OUTBOUND_ALLOWED_RANGES,
    outbound_allowed_ports: env.OUTBOUND_ALLOWED_PORTS,
    outbound_ca_file: env.OUTBOUND_CA_FILE,
    provider_url: env.OIDC_ISSUER_URL,
    sign_in_url: signInUrl(env.PUBLIC_URL ?? stack.base_url),
    ...(link === null ? {} : { sign_in_once_url: link }),
    health_urls: stack.health_urls,
    pid: process.pid,
  });
  say(`
The service    ${stack.base_url}
API reference  ${stack.base_url}/v1/docs
Dashboard      ${stack.env.PUBLIC_URL}/dashboard/${
    link === null
      ? ''
      : `
               people: Ada owns the demo's account, Grace has no user yet, Olga is an operator
Sign in        ${link}
               as Ada: this link works once, within ${LINK_MINUTES} minutes`
  }
API key        ${seeded.api_key}
Project        ${seeded.project_id}
Template       ${seeded.template_id}
Team           ${seeded.team_id}

Kafka          ${env.KAFKA_BROKERS}
Registry       ${env.SCHEMA_REGISTRY_URL}
Store          ${env.MONGODB_URL}
Blob store     ${/BlobEndpoint=([^;]*)/.exec(env.AZURE_STORAGE_CONNECTION_STRING ?? '')?.[1] ?? 'from the environment'}
Logs           ${stack.logsDir}

Health         /health/ready and /metrics of each process, on 127.0.0.1:
${portsText(stack.health_urls)}

The file .local/stack.json has all of this. To use it, run in another terminal:

  eval "$(./renderctl env)"

Serving until Ctrl-C or SIGTERM to process ${process.pid}.`);
};

const developmentText = ({ inspected, dashboard_port }: DevelopmentOptions, public_url: string): string =>
  [
    '',
    `Development    each component restarts when a file that it imports changes; the logs show it (LOGS=1)`,
    `Dashboard      ${new URL(public_url).protocol}//${new URL(public_url).hostname}:${dashboard_port}/dashboard/ shows changes at once; sign in above first`,
    ...(inspected === null ? [] : [`Debugger       ${inspected} listens at 127.0.0.1:${INSPECT_PORT}`]),
  ].join('\n');

const portsText = (urls: Readonly<Record<string, string>>): string => {
  const ports = Object.entries(urls).map(([name, url]) => `${name} ${new URL(url).port}`);
  const lines = Array.from({ length: Math.ceil(ports.length / 4) }, (_, i) => ports.slice(4 * i, 4 * i + 4).join(', '));
  return lines.map((line) => `               ${line}`).join('\n');
};

/** Writes the file atomically. Only the owner can read it, because it has a key. */
const writeStackFile = (fields: Readonly<Record<string, unknown>>): void => {
  mkdirSync(BESIDE, { recursive: true });
  writeFileSync(`${STACK_FILE}.new`, `${JSON.stringify(fields, null, 2)}\n`, { mode: 0o600 });
  chmodSync(`${STACK_FILE}.new`, 0o600);
  renameSync(`${STACK_FILE}.new`, STACK_FILE);
};

try {
  await serve();
} catch (fault) {
  if (!signals.stop.aborted) complain(fault instanceof Error ? fault.message : String(fault));
  process.exitCode = 1;
}
if (signals.stop.aborted) process.exitCode = served ? 0 : signals.exitCode();
