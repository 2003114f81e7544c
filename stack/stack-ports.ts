import { decodePort, type FixedPort, portFault, portMessage } from './process/ports.ts';
import { embeddedServers, type ServerPorts } from './servers/servers.ts';

/** Where everything listens when it is to be the same at every start. */
export type StackPorts = ServerPorts & { readonly gateway: number };

const DEFAULTS: Readonly<Record<keyof StackPorts, FixedPort>> = {
  gateway: { port: 8080, server: 'the service', variable: 'PORT' },
  kafka: { port: 9092, server: 'Kafka', variable: 'KAFKA_PORT' },
  registry: { port: 8085, server: 'the schema registry', variable: 'REGISTRY_PORT' },
  store: { port: 27017, server: 'the store', variable: 'MONGODB_PORT' },
  blob: { port: 10000, server: 'the blob store', variable: 'BLOB_PORT' },
};

/** The one line that says which of the ports cannot be had, or null: only those of servers started here are asked for. */
export const takenPort = async (ports: StackPorts, env: Readonly<Record<string, string>>): Promise<string | null> => {
  for (const name of ['gateway', ...embeddedServers(env)] as const) {
    const one = { ...DEFAULTS[name], port: ports[name] };
    const fault = await portFault(one.port);
    if (fault !== null) return portMessage(one, fault);
  }
  return null;
};

/** The ports that the variables say, without asking whether they are free; none may be given twice. */
export const fixedPorts = (
  env: Readonly<Record<string, string>>,
): { readonly ports: StackPorts } | { readonly fault: string } => {
  const ports = { gateway: 0, kafka: 0, registry: 0, store: 0, blob: 0 };
  const seen = new Map<number, string>();
  for (const name of ['gateway', 'kafka', 'registry', 'store', 'blob'] as const) {
    const { variable, port: otherwise } = DEFAULTS[name];
    const decoded = decodePort(variable, env[variable], otherwise);
    if ('fault' in decoded) return decoded;
    const other = seen.get(decoded.port);
    if (other !== undefined) return { fault: `${variable} and ${other} are both ${decoded.port}: they must differ` };
    seen.set(decoded.port, variable);
    ports[name] = decoded.port;
  }
  return { ports };
};
