import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { execa } from 'execa';
import { PUBLIC_SERVER } from '../platform/configuration/parts.ts';
import { embeddedAddresses } from '../platform/configuration/stack-addresses.ts';
import { componentProcess, DEPLOY_STEP, type Instance, instancesOf, stopWaves } from './components.ts';
import { type Development, dashboardProcess, developmentFlags } from './development.ts';
import {
  launcherEnvironment,
  mediaEnvironment,
  outboundEnvironment,
  partsEnvironment,
  programEnvironment,
  settingFaults,
  stackEnvironment,
} from './environment.ts';
import { freePort } from './process/ports.ts';
import { openProcessGroup, type ProcessGroup } from './process/process-group.ts';
import type { Supervised } from './process/supervised.ts';
import { needsProvider, providerServer } from './provider/server.ts';
import { keptSecrets, webhookKeys } from './secrets.ts';
import { type ClientPort, SERVER_NAMES, SERVER_TITLES, type ServerName, startServers } from './servers/servers.ts';
import { ROOT } from './servers/tools.ts';
import { healthPort, MOST_WORKERS, portFaults, type StackPorts } from './stack-ports.ts';
import { keptCertificates } from './tls/kept-certificates.ts';

export type StackOptions = {
  /** Holds the data, the logs and (unless `pidsPath` is given) the pids of the stack; made when it is missing. */
  readonly dataDir: string;
  readonly pidsPath?: string;
  readonly ports?: 'free' | StackPorts;
  /** Stands between the processes, e.g. to make faults of the network. */
  readonly clientPort?: ClientPort;
  /** Names of components; all of them by default, none for the servers alone. */
  readonly components?: readonly string[];
  /** Added to the environment of this process, e.g. an address of a server that runs already. */
  readonly env?: Readonly<Record<string, string>>;
  /** How many worker processes; by default the variable WORKERS, else 1. */
  readonly workers?: number;
  /** Aborting it during the start stops what was started; the start then fails with its reason. */
  readonly signal?: AbortSignal;
  /** Restarts each component when its files change, and serves the dashboard from its sources. */
  readonly development?: Development;
  /** Aborting it kills every process at once. */
  readonly urgent?: AbortSignal;
  readonly onLine?: (name: string, line: string) => void;
  /** What a person should know: a crash, leftovers, the step that the start is at. */
  readonly onNotice?: (message: string) => void;
};

export type StackProcess = {
  readonly name: string;
  /** Its public interface; null where it has none. */
  readonly url: string | null;
  /** Where its health and metrics are; servers have none here (see `env`). */
  readonly health_url: string | null;
  readonly pid: () => number | null;
  readonly restarts: () => number;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Waits until it serves (again). */
  readonly untilReady: () => Promise<void>;
};

export type Stack = {
  /** What components and renderctl need to reach this stack. */
  readonly env: Readonly<Record<string, string>>;
  readonly base_url: string;
  readonly logsDir: string;
  /** Of every process of a component, by its name: where its health and metrics are. */
  readonly health_urls: Readonly<Record<string, string>>;
  readonly component: (name: string) => StackProcess;
  readonly server: (name: ServerName) => StackProcess;
  /** Stops everything in order; resolves when no process is left. May be called again. */
  readonly stop: () => Promise<void>;
};

/**
 * Starts the servers, creates topics and schemas, starts the components and waits until all serve. When any of that
 * fails, everything is stopped and the error says what did not come up, with its last lines.
 */
export const startStack = async (options: StackOptions): Promise<Stack> => {
  const given = { ...process.env, ...options.env };
  const left_aside = embeddedAddresses(given);
  if (left_aside.length > 0)
    options.onNotice?.(
      `Left aside, as "renderctl env" set them in this shell and their servers end with their stack: ${left_aside.join(', ')}.`,
    );
  const env = launcherEnvironment(given);
  const instances = instancesOf(options.components, workersOf(options, env));
  const faults = settingFaults(env);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const group = await openProcessGroup({
    dataDir: options.dataDir,
    pidsPath: options.pidsPath,
    urgent: options.urgent,
    onLine: options.onLine,
    onNotice: options.onNotice,
  });
  const stop = () => group.stop(stopWaves(instances));
  try {
    return await startAll(options, env, instances, group, stop);
  } catch (fault) {
    await stop();
    // What was under way then failed because of that: a program that was killed says so in its own words.
    options.signal?.throwIfAborted();
    throw fault;
  }
};

/**
 * Where browsers find the service: under a name of its own, so that its cookies go to no other server at 127.0.0.1. Browsers and curl
 * resolve it by themselves; Node and Python do not on every system, so programs keep the address.
 */
const publicUrl = (base_url: string): string => `http://video.localhost:${new URL(base_url).port}`;

const startAll = async (
  options: StackOptions,
  env: Readonly<Record<string, string>>,
  instances: readonly Instance[],
  group: ProcessGroup,
  stop: () => Promise<void>,
): Promise<Stack> => {
  const { signal } = options;
  const notice = options.onNotice ?? (() => undefined);
  signal?.throwIfAborted();
  const ports = options.ports === undefined || options.ports === 'free' ? undefined : options.ports;
  // Asked only now: what an earlier run had left held them until it was stopped.
  const names = instances.map(({ name }) => name);
  const faults = ports === undefined ? [] : await portFaults(ports, env, names);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  // Before any server runs: a folder whose secrets are damaged is not touched.
  const secrets = keptSecrets(options.dataDir);
  const { ca_file } = await keptCertificates(options.dataDir);
  signal?.throwIfAborted();
  const servers = await startServers({
    ...{ group, dataDir: options.dataDir, env, ports, signal },
    clientPort: options.clientPort,
  });
  const stackEnv = {
    ...secrets,
    ...webhookKeys(secrets, env),
    ...outboundEnvironment(ca_file),
    ...stackEnvironment(env, servers.env),
  };
  if (servers.names.length > 0) notice(`Starting ${servers.names.map((name) => SERVER_TITLES[name]).join(', ')} …`);
  await untilAll([servers.ready('kafka'), servers.ready('registry'), servers.ready('blob')]);
  if (instances.length > 0) {
    const given = partsEnvironment(DEPLOY_STEP.parts, { ...env, ...stackEnv });
    await deploy({ ...given, ...group.mark('deploy') }, signal);
  }
  await untilAll(SERVER_NAMES.map((name) => servers.ready(name)));

  if (instances.length > 0) notice('Starting the components …');
  const gatewayPort = ports?.gateway ?? (await freePort());
  const urls = new Map<string, string>();
  const clientUrl = async (name: string): Promise<string> => {
    const url = urls.get(name);
    if (url === undefined) return '';
    return `http://127.0.0.1:${(await options.clientPort?.(name, Number(new URL(url).port))) ?? new URL(url).port}`;
  };
  const healthUrls = new Map<string, string>();
  for (const { name, component } of instances) {
    const health_port = ports === undefined ? await freePort() : healthPort(ports.first_health, name);
    healthUrls.set(name, `http://127.0.0.1:${health_port}`);
    if (component.parts.includes(PUBLIC_SERVER))
      urls.set(name, `http://127.0.0.1:${name === 'gateway' ? gatewayPort : await freePort()}`);
  }
  const base_url = (await clientUrl('gateway')) || `http://127.0.0.1:${gatewayPort}`;
  const public_url = env.PUBLIC_URL ?? publicUrl(base_url);
  const signing = needsProvider(env, names)
    ? providerServer({
        port: ports?.provider ?? (await freePort()),
        ...{ public_url, client_secret: randomBytes(32).toString('hex') },
        ...{ folder: options.dataDir, env: { ...programEnvironment(env), ...group.mark('provider') } },
      })
    : null;
  await signing?.prepare?.(signal);
  const provider = signing === null ? null : group.start(signing.process);
  const stills = urls.get('stills');
  const wholeEnv = {
    ...{ PUBLIC_URL: public_url, ...stackEnv, ...signing?.env },
    ...(stills === undefined ? {} : { RENDERCTL_STILLS_URL: stills }),
  };
  const started = new Map<string, Supervised>();
  for (const instance of instances) {
    signal?.throwIfAborted();
    const url = urls.get(instance.name);
    const health_url = healthUrls.get(instance.name) ?? '';
    const own: Record<string, string> = { HEALTH_PORT: new URL(health_url).port };
    if (url !== undefined) own.PORT = new URL(url).port;
    if (instance.name === 'preparer') Object.assign(own, mediaEnvironment(env));
    if (instance.name === 'gateway') {
      // Where PUBLIC_URL is somebody's own, a proxy may stand before the gateway.
      if (env.PUBLIC_URL === undefined) own.GATEWAY_PEOPLE_ORIGIN = public_url;
      own.COMMAND_API_URL = await clientUrl('command-api');
      own.QUERY_API_URL = await clientUrl('query-api');
      own.MANAGEMENT_API_URL = await clientUrl('management-api');
    }
    const spec = componentProcess({
      instance,
      root: ROOT,
      health_url,
      env: { ...env, ...wholeEnv, ...own },
      endTransactions: servers.endTransactions,
      flags: developmentFlags(options.development, instance.name),
    });
    started.set(instance.name, group.start(spec));
  }
  const dashboard =
    options.development === undefined
      ? null
      : group.start(
          dashboardProcess({
            ...{ root: ROOT, port: options.development.dashboard_port, public_url },
            ...{ gateway_url: base_url, env: programEnvironment(env) },
          }),
        );
  const all = [...started.values(), ...[provider, dashboard].filter((one) => one !== null)];
  await untilAll(all.map((one) => one.untilReady(signal)));

  const view = (name: string, one: Supervised | undefined): StackProcess => {
    if (one === undefined) throw new Error(`${name} is not part of this stack`);
    const { pid, restarts, kill } = one;
    const where = { url: urls.get(name) ?? null, health_url: healthUrls.get(name) ?? null };
    return { name, ...where, pid, restarts, kill, untilReady: () => one.untilReady() };
  };
  return {
    env: wholeEnv,
    base_url,
    logsDir: group.logsDir,
    health_urls: Object.fromEntries(healthUrls),
    component: (name) => view(name, started.get(name)),
    server: (name) => view(name, servers.processes.get(name)),
    stop,
  };
};

/** The first failure counts; the others are being stopped by then and must not be reported as unhandled. */
const untilAll = async (waits: readonly Promise<void>[]): Promise<void> => {
  for (const wait of waits) wait.catch(() => undefined);
  await Promise.all(waits);
};

const workersOf = (options: StackOptions, env: Readonly<Record<string, string>>): number => {
  const workers = options.workers ?? Number(env.WORKERS ?? '1');
  if (!Number.isInteger(workers) || workers < 1 || workers > MOST_WORKERS)
    throw new Error(`WORKERS must be a number from 1 to ${MOST_WORKERS}`);
  return workers;
};

const DEPLOY_TIMEOUT_MS = 120_000;

/** Topics, schemas and the container of the blobs; safe to repeat. */
const deploy = async (env: Readonly<Record<string, string>>, signal: AbortSignal | undefined): Promise<void> => {
  const script = join(ROOT, DEPLOY_STEP.entry);
  const result = await execa(process.execPath, [script], {
    cwd: ROOT,
    env: { ...env },
    extendEnv: false,
    stdin: 'ignore',
    all: true,
    reject: false,
    timeout: DEPLOY_TIMEOUT_MS,
    ...(signal ? { cancelSignal: signal } : {}),
  });
  signal?.throwIfAborted();
  if (result.failed) throw new Error(`The deploy step (deploy/main.ts) failed:\n${result.all}`);
};
