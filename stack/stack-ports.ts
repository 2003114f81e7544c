import { decodePort, type FixedPort, portFault, portMessage } from './process/ports.ts';
import { needsProvider } from './provider/server.ts';
import { embeddedServers, type ServerPorts } from './servers/servers.ts';

export const MAX_WORKERS = 64;

export type StackPorts = ServerPorts & {
  readonly gateway: number;
  readonly provider: number;
  /** See {@link healthPort}. */
  readonly first_health: number;
};

const DEFAULTS: Readonly<Record<keyof StackPorts, FixedPort>> = {
  gateway: { port: 8080, server: 'the service', variable: 'PORT' },
  kafka: { port: 9092, server: 'Kafka', variable: 'KAFKA_PORT' },
  registry: { port: 8085, server: 'the schema registry', variable: 'REGISTRY_PORT' },
  store: { port: 27017, server: 'the store', variable: 'MONGODB_PORT' },
  blob: { port: 10000, server: 'the blob store', variable: 'BLOB_PORT' },
  provider: { port: 8086, server: 'the identity provider', variable: 'PROVIDER_PORT' },
  first_health: { port: 8090, server: 'health and metrics', variable: 'FIRST_HEALTH_PORT' },
};

/**
 * Components in the order of their health ports. New ones are added at the end, so that the ports of others do not
 * change.
 */
const HEALTH_ORDER = [
  ...['projectors', 'query-api', 'command-api', 'preparer', 'dispatcher', 'webhook-relay', 'gateway', 'management-api'],
  ...['retention', 'notary'],
];
const FIRST_WORKER = 10;
/** Components that were added later. Their health ports follow the port of the last possible worker. */
const LATER = ['stills'];

const placeOf = (process: string): number => {
  const [, n = '1'] = /^worker(?:-(\d+))?$/.exec(process) ?? [];
  if (process.startsWith('worker')) return FIRST_WORKER + Number(n) - 1;
  return LATER.includes(process) ? FIRST_WORKER + MAX_WORKERS + LATER.indexOf(process) : HEALTH_ORDER.indexOf(process);
};

/** 8096 for the gateway, 8100 for the first worker, 8101 for the second; independent of which processes run. */
export const healthPort = (first: number, process: string): number => {
  const place = placeOf(process);
  if (place < 0) throw new Error(`${process} has no health port`);
  return first + place;
};

const listening = (env: Readonly<Record<string, string>>, processes: readonly string[]) => [
  ...(['gateway', ...embeddedServers(env)] as const),
  ...(needsProvider(env, processes) ? (['provider'] as const) : []),
];

/** The ports that this stack needs. Servers that run elsewhere need no port. */
const wantedPorts = (
  ports: StackPorts,
  env: Readonly<Record<string, string>>,
  processes: readonly string[],
): { readonly servers: readonly FixedPort[]; readonly health: readonly FixedPort[] } => ({
  servers: listening(env, processes).map((name) => ({ ...DEFAULTS[name], port: ports[name] })),
  health: processes.map((process) => ({
    port: healthPort(ports.first_health, process),
    server: `health and metrics of ${process}`,
    variable: DEFAULTS.first_health.variable,
  })),
});

const PORT_LIMIT = 65_535;

type TakenPort = { readonly one: FixedPort; readonly fault: string };

const takenPorts = async (wanted: readonly FixedPort[]): Promise<readonly TakenPort[]> => {
  const checked = await Promise.all(wanted.map(async (one) => ({ one, fault: await portFault(one.port) })));
  return checked.flatMap(({ one, fault }) => (fault === null ? [] : [{ one, fault }]));
};

/** One line for all health ports, because one variable changes them all. */
const healthMessage = (taken: readonly TakenPort[]): readonly string[] => {
  if (taken.length === 0) return [];
  const ports = taken.map(({ one, fault }) => (fault === 'EADDRINUSE' ? `${one.port}` : `${one.port} (${fault})`));
  const variable = DEFAULTS.first_health.variable;
  return [
    `Ports for health and metrics are in use: ${ports.join(', ')}. Choose other ports with ${variable}=…, the first port`,
  ];
};

/** Lists every unavailable port with its variable, so that the user can change all of them together. */
export const portFaults = async (
  ports: StackPorts,
  env: Readonly<Record<string, string>>,
  processes: readonly string[],
): Promise<readonly string[]> => {
  const { servers, health } = wantedPorts(ports, env, processes);
  const wanted = [...servers, ...health];
  const twice = wanted.flatMap((one, i) => {
    const other = wanted.slice(0, i).find(({ port }) => port === one.port);
    if (other === undefined) return [];
    return [`${one.variable} and ${other.variable} both use port ${one.port} (${other.server}, ${one.server})`];
  });
  const beyond = health.filter(({ port }) => port > PORT_LIMIT);
  const lines = beyond.map(({ variable, server }) => `${variable} is too high: no port remains for ${server}`);
  if (twice.length + lines.length > 0) return [...twice, ...lines];
  const [taken, taken_health] = await Promise.all([takenPorts(servers), takenPorts(health)]);
  return [...taken.map(({ one, fault }) => portMessage(one, fault)), ...healthMessage(taken_health)];
};

/** The ports from the variables, without a check of availability. Left: a line for each invalid value. */
export const fixedPorts = (
  env: Readonly<Record<string, string>>,
): { readonly ports: StackPorts } | { readonly faults: readonly string[] } => {
  const ports = { gateway: 0, kafka: 0, registry: 0, store: 0, blob: 0, provider: 0, first_health: 0 };
  const faults: string[] = [];
  for (const name of ['gateway', 'kafka', 'registry', 'store', 'blob', 'provider', 'first_health'] as const) {
    const { variable, port: otherwise } = DEFAULTS[name];
    const decoded = decodePort(variable, env[variable], otherwise);
    if ('fault' in decoded) faults.push(decoded.fault);
    else ports[name] = decoded.port;
  }
  return faults.length > 0 ? { faults } : { ports };
};
