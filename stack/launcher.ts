import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { execa } from 'execa';
import { PUBLIC_SERVER } from '../platform/configuration/parts.ts';
import { embeddedAddresses } from '../platform/configuration/stack-addresses.ts';
import { componentProcess, DEPLOY_STEP, type Instance, instancesOf, stopWaves } from './components.ts';
import { type DevelopmentOptions, dashboardProcess, developmentFlags } from './development.ts';
import {
  launcherEnvironment,
  mediaEnvironment,
  outboundEnvironment,
  partsEnvironment,
  programEnvironment,
  settingFaults,
  stackEnvironment,
  uploadOrigins,
} from './environment.ts';
import { freePort } from './process/ports.ts';
import { openProcessGroup, type ProcessGroup } from './process/process-group.ts';
import type { Supervised } from './process/supervised.ts';
import { needsProvider, providerServer } from './provider/server.ts';
import { loadOrCreateSecrets, webhookKeys } from './secrets.ts';
import { type ClientPort, SERVER_NAMES, SERVER_TITLES, type ServerName, startServers } from './servers/servers.ts';
import { ROOT } from './servers/tools.ts';
import { healthPort, MAX_WORKERS, portFaults, type StackPorts } from './stack-ports.ts';
import { loadOrCreateCertificates } from './tls/kept-certificates.ts';

export type StackOptions = {
  /** The folder of the stack's data, logs and (without `pidsPath`) pids; created on demand. */
  readonly dataDir: string;
  readonly pidsPath?: string;
  readonly ports?: 'free' | StackPorts;
  /** Gives clients another port than the process has, e.g. the port of a proxy that injects network faults. */
  readonly clientPort?: ClientPort;
  /** Names of components; all by default, an empty list starts only the servers. */
  readonly components?: readonly string[];
  /** Added to the environment of this process, e.g. the address of a running server. */
  readonly env?: Readonly<Record<string, string>>;
  /** Number of worker processes; by default the variable WORKERS, else 1. */
  readonly workers?: number;
  /** Aborting it during the start stops the started processes. The start then fails with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Restarts a component when its files change, and serves the dashboard from its sources. */
  readonly development?: DevelopmentOptions;
  /** Kills every process at once when it aborts. */
  readonly urgent?: AbortSignal;
  readonly onLine?: (name: string, line: string) => void;
  /** Messages for the user: crashes, leftovers, and the steps of the start. */
  readonly onNotice?: (message: string) => void;
};

export type StackProcess = {
  readonly name: string;
  /** The URL of its public interface; null if it has none. */
  readonly url: string | null;
  /** The URL of its health and metrics; servers have none here (see `env`). */
  readonly health_url: string | null;
  readonly pid: () => number | null;
  readonly restarts: () => number;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly untilReady: () => Promise<void>;
};

export type Stack = {
  /** The variables that connect components and renderctl to this stack. */
  readonly env: Readonly<Record<string, string>>;
  readonly base_url: string;
  readonly logsDir: string;
  /** The URL of health and metrics for every process, by the process's name. */
  readonly health_urls: Readonly<Record<string, string>>;
  readonly component: (name: string) => StackProcess;
  readonly server: (name: ServerName) => StackProcess;
  /** Stops all processes in order; resolves when none is left. May be called repeatedly. */
  readonly stop: () => Promise<void>;
};

/**
 * Starts the servers, creates topics and schemas, starts the components and waits until all are ready. If a step fails,
 * it stops everything. The error names the process that failed, with its last lines.
 */
export const startStack = async (options: StackOptions): Promise<Stack> => {
  const given = { ...process.env, ...options.env };
  const left_aside = embeddedAddresses(given);
  if (left_aside.length > 0)
    options.onNotice?.(
      `Ignored, because "renderctl env" set them in this shell for servers of an embedded stack: ${left_aside.join(', ')}.`,
    );
  const env = launcherEnvironment(given);
  const instances = instancesOf(options.components, workerCountOf(options.workers, env));
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
    // After an abort, the program failed only because the abort killed it.
    options.signal?.throwIfAborted();
    throw fault;
  }
};

/** Components that fetch files from URLs of clients. */
const FETCHES_MEDIA: readonly string[] = ['preparer', 'stills'];

/**
 * The service's URL for browsers. It has a host name of its own, so that browsers send its cookies to no other server
 * at 127.0.0.1. Programs use the address, because Node and Python do not resolve the name on every system.
 */
const publicUrl = (base_url: string): string => `http://video.localhost:${new URL(base_url).port}`;

type ProcessUrls = {
  /** Components without a public interface are missing. */
  readonly public_urls: ReadonlyMap<string, string>;
  readonly health_urls: ReadonlyMap<string, string>;
  readonly gateway_port: number;
};

const processUrls = async (instances: readonly Instance[], ports: StackPorts | undefined): Promise<ProcessUrls> => {
  const gateway_port = ports?.gateway ?? (await freePort());
  const public_urls = new Map<string, string>();
  const health_urls = new Map<string, string>();
  for (const { name, component } of instances) {
    const health_port = ports === undefined ? await freePort() : healthPort(ports.first_health, name);
    health_urls.set(name, `http://127.0.0.1:${health_port}`);
    if (component.parts.includes(PUBLIC_SERVER))
      public_urls.set(name, `http://127.0.0.1:${name === 'gateway' ? gateway_port : await freePort()}`);
  }
  return { public_urls, health_urls, gateway_port };
};

const stackProcess = (name: string, one: Supervised | undefined, urls: ProcessUrls): StackProcess => {
  if (one === undefined) throw new Error(`${name} is not part of this stack`);
  const { pid, restarts, kill } = one;
  const where = { url: urls.public_urls.get(name) ?? null, health_url: urls.health_urls.get(name) ?? null };
  return { name, ...where, pid, restarts, kill, untilReady: () => one.untilReady() };
};

const portVariables = ({ public_urls, health_urls }: ProcessUrls, name: string): Readonly<Record<string, string>> => {
  const url = public_urls.get(name);
  return {
    HEALTH_PORT: new URL(health_urls.get(name) ?? '').port,
    ...(url === undefined ? {} : { PORT: new URL(url).port }),
  };
};

const gatewayVariables = async (
  env: Readonly<Record<string, string>>,
  public_url: string,
  clientUrl: (name: string) => Promise<string>,
): Promise<Readonly<Record<string, string>>> => ({
  // Not set with a PUBLIC_URL from the environment, because a proxy may then be in front of the gateway.
  ...(env.PUBLIC_URL === undefined ? { GATEWAY_PEOPLE_ORIGIN: public_url } : {}),
  COMMAND_API_URL: await clientUrl('command-api'),
  QUERY_API_URL: await clientUrl('query-api'),
  MANAGEMENT_API_URL: await clientUrl('management-api'),
});

/** The dashboard from its sources, for developers. */
const developmentDashboard = (
  { dashboard_port }: DevelopmentOptions,
  env: Readonly<Record<string, string>>,
  { base_url, public_url }: { readonly base_url: string; readonly public_url: string },
) =>
  dashboardProcess({
    ...{ root: ROOT, port: dashboard_port, public_url },
    ...{ gateway_url: base_url, env: programEnvironment(env) },
  });

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
  // Checks the ports after the cleanup, because leftovers of an earlier run may still use them.
  const names = instances.map(({ name }) => name);
  const faults = ports === undefined ? [] : await portFaults(ports, env, names);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  // Loads the secrets before the servers start, so that a folder with damaged secrets remains untouched.
  const secrets = loadOrCreateSecrets(options.dataDir);
  const { ca_file } = await loadOrCreateCertificates(options.dataDir);
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
    const given = partsEnvironment(DEPLOY_STEP.parts, { ...uploadOrigins(servers.names), ...env, ...stackEnv });
    await deploy({ ...given, ...group.mark('deploy') }, signal);
  }
  await untilAll(SERVER_NAMES.map((name) => servers.ready(name)));

  if (instances.length > 0) notice('Starting the components …');
  const urls = await processUrls(instances, ports);
  const clientUrl = async (name: string): Promise<string> => {
    const url = urls.public_urls.get(name);
    if (url === undefined) return '';
    return `http://127.0.0.1:${(await options.clientPort?.(name, Number(new URL(url).port))) ?? new URL(url).port}`;
  };
  const base_url = (await clientUrl('gateway')) || `http://127.0.0.1:${urls.gateway_port}`;
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
  const stills = urls.public_urls.get('stills');
  const wholeEnv = {
    ...{ PUBLIC_URL: public_url, ...stackEnv, ...signing?.env },
    ...(stills === undefined ? {} : { RENDERCTL_STILLS_URL: stills, STILLS_URL: stills }),
  };
  const started = new Map<string, Supervised>();
  for (const instance of instances) {
    signal?.throwIfAborted();
    const health_url = urls.health_urls.get(instance.name) ?? '';
    const own = {
      ...portVariables(urls, instance.name),
      ...(FETCHES_MEDIA.includes(instance.name) ? mediaEnvironment(env) : {}),
      ...(instance.name === 'gateway' ? await gatewayVariables(env, public_url, clientUrl) : {}),
    };
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
  const { development } = options;
  const dashboard =
    development === undefined ? null : group.start(developmentDashboard(development, env, { base_url, public_url }));
  const all = [...started.values(), ...[provider, dashboard].filter((one) => one !== null)];
  await untilAll(all.map((one) => one.untilReady(signal)));

  return {
    env: wholeEnv,
    base_url,
    logsDir: group.logsDir,
    health_urls: Object.fromEntries(urls.health_urls),
    component: (name) => stackProcess(name, started.get(name), urls),
    server: (name) => stackProcess(name, servers.processes.get(name), urls),
    stop,
  };
};

/** Rejects with the first failure. The other waits end later, and their rejections must not count as unhandled. */
const untilAll = async (waits: readonly Promise<void>[]): Promise<void> => {
  for (const wait of waits) wait.catch(() => undefined);
  await Promise.all(waits);
};

/** How many workers start: `chosen`, or the variable WORKERS, else 1. Throws an error that names the variable. */
export const workerCountOf = (chosen: number | undefined, env: Readonly<Record<string, string>>): number => {
  const workers = chosen ?? Number(env.WORKERS ?? '1');
  if (!Number.isInteger(workers) || workers < 1 || workers > MAX_WORKERS)
    throw new Error(`WORKERS must be a number from 1 to ${MAX_WORKERS}`);
  return workers;
};

const DEPLOY_TIMEOUT_MS = 120_000;

/** Creates the topics, schemas and the container of the blobs; idempotent. */
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
