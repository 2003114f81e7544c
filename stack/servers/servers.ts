import { join } from 'node:path';
import type { AddressVariable } from '../../platform/configuration/stack-addresses.ts';
import { programEnvironment } from '../environment.ts';
import { freePort } from '../process/ports.ts';
import type { ProcessGroup } from '../process/process-group.ts';
import type { Supervised } from '../process/supervised.ts';
import { blobServer } from './blob.ts';
import { kafkaServer } from './kafka.ts';
import { registryServer } from './registry.ts';
import type { Server } from './server.ts';
import { storeServer } from './store.ts';

export type ServerName = 'kafka' | 'registry' | 'store' | 'blob';
export type ServerPorts = Readonly<Record<ServerName, number>>;

/** For each server, the variable that has its address if it runs elsewhere. */
export const ADDRESS_VARIABLES: Readonly<Record<ServerName, AddressVariable>> = {
  kafka: 'KAFKA_BROKERS',
  registry: 'SCHEMA_REGISTRY_URL',
  store: 'MONGODB_URL',
  blob: 'AZURE_STORAGE_CONNECTION_STRING',
};

export const SERVER_NAMES: readonly ServerName[] = ['kafka', 'registry', 'store', 'blob'];

/** Servers without an address in the environment start here. */
export const embeddedServers = (env: Readonly<Record<string, string>>): readonly ServerName[] =>
  SERVER_NAMES.filter((name) => (env[ADDRESS_VARIABLES[name]] ?? '') === '');

export const SERVER_TITLES: Readonly<Record<ServerName, string>> = {
  kafka: 'Kafka',
  registry: 'the schema registry',
  store: 'the store',
  blob: 'the blob store',
};

export type RunningServers = {
  readonly names: readonly ServerName[];
  /** Connects a component to all servers, including those that run elsewhere. */
  readonly env: Readonly<Record<string, string>>;
  readonly processes: ReadonlyMap<ServerName, Supervised>;
  readonly ready: (name: ServerName) => Promise<void>;
  /** As in Server; undefined if the store runs elsewhere or does not need it. */
  readonly endTransactions: (() => Promise<void>) | undefined;
};

/**
 * Returns the port for clients of a program that listens on another port, such as the port of a fault-injecting proxy.
 *
 * @param name of a server or of a component
 */
export type ClientPort = (name: string, port: number) => Promise<number>;

export const startServers = async (options: {
  readonly group: ProcessGroup;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly ports?: ServerPorts | undefined;
  readonly clientPort?: ClientPort | undefined;
  readonly signal?: AbortSignal | undefined;
}): Promise<RunningServers> => {
  const { group, env, signal } = options;
  const names = embeddedServers(env);
  const controllerPort = await freePort();
  const planned = new Map<ServerName, Server>();
  for (const name of names) {
    const port = options.ports?.[name] ?? (await freePort());
    const common = {
      folder: join(options.dataDir, name),
      port,
      client_port: (await options.clientPort?.(name, port)) ?? port,
      env: { ...programEnvironment(env), ...group.mark(name) },
    };
    planned.set(name, build(name, common, controllerPort));
  }
  const processes = new Map<ServerName, Supervised>();
  const started = new Map<ServerName, Promise<void>>();
  for (const [name, server] of planned) {
    const life = (async () => {
      await server.prepare?.(signal);
      signal?.throwIfAborted();
      const one = group.start(server.process);
      processes.set(name, one);
      await one.untilReady(signal);
    })();
    // Callers of `ready` get the rejection. Without such a caller, an unhandled rejection must not end the process.
    life.catch(() => undefined);
    started.set(name, life);
  }
  return {
    names,
    env: Object.assign({}, ...[...planned.values()].map((server) => server.env)),
    processes,
    endTransactions: planned.get('store')?.endTransactions,
    ready: (name) => started.get(name) ?? Promise.resolve(),
  };
};

const build = (
  name: ServerName,
  common: {
    readonly folder: string;
    readonly port: number;
    readonly client_port: number;
    readonly env: Readonly<Record<string, string>>;
  },
  controllerPort: number,
): Server => {
  switch (name) {
    case 'kafka':
      return kafkaServer({ ...common, controllerPort });
    case 'registry':
      return registryServer(common);
    case 'store':
      return storeServer(common);
    case 'blob':
      return blobServer(common);
  }
};
