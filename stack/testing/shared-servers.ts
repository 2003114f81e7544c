import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startStack } from '../launcher.ts';
import { ADDRESS_VARIABLES } from '../servers/servers.ts';
import { ROOT } from '../servers/tools.ts';

/** The connection settings of the servers that test files share, as JSON. */
export const SHARED_SERVERS = 'TEST_SERVERS';

export type SharedServers = {
  readonly env: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
};

const NAMES: readonly string[] = [
  ...Object.values(ADDRESS_VARIABLES),
  ...['REPLICATION_FACTOR', 'MIN_INSYNC_REPLICAS', 'NEW_LOG_PARTITIONS'],
];

/** Servers for the test files that do not kill, freeze or fill them. Their data starts empty. */
export const startSharedServers = async (signal: AbortSignal): Promise<SharedServers> => {
  const dataDir = join(ROOT, '.local', 'test-servers');
  await rm(dataDir, { recursive: true, force: true });
  const { env, stop } = await startStack({ dataDir, components: [], signal });
  const addresses = Object.fromEntries(NAMES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  return { env: { [SHARED_SERVERS]: JSON.stringify(addresses) }, stop };
};
