import { delimiter, join } from 'node:path';
import { ROOT } from './servers/tools.ts';

/**
 * The environment that the launcher itself sees, for its children: empty variables left out (an empty one means
 * "not set"), the project's own programs first in the PATH.
 */
export const launcherEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
  root: string = ROOT,
): Readonly<Record<string, string>> => {
  const set = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, value] as const],
    ),
  );
  const own = join(root, 'node_modules', '.bin');
  const rest = (set.PATH ?? '').split(delimiter).filter((folder) => folder !== own && folder !== '');
  return { ...set, PATH: [own, ...rest].join(delimiter) };
};

/**
 * What the components and renderctl need to reach a stack. Settings that the environment holds already win over the
 * embedded defaults, the addresses of the servers just started over both.
 */
export const stackEnvironment = (
  env: Readonly<Record<string, string>>,
  servers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => ({
  RENDER_TYPE: 'local',
  HOST: '127.0.0.1',
  // Ctrl-C is not kept waiting: what is not done by then is handed back, and goes on at the next start.
  WORKER_DRAIN_S: '5',
  ...pick(env, SETTINGS),
  ...servers,
});

/**
 * What an embedded stack may call: servers on this machine, at any port, with certificates of its own authority. So
 * webhooks can be tried out with nothing but this machine.
 */
export const outboundEnvironment = (ca_file: string): Readonly<Record<string, string>> => ({
  OUTBOUND_ALLOWED_RANGES: 'loopback',
  OUTBOUND_ALLOWED_PORTS: 'any',
  OUTBOUND_CA_FILE: ca_file,
});

/** The variables of an environment that the components decode (see docs/configuration.md). */
const SETTINGS: readonly string[] = [
  'KAFKA_BROKERS',
  'SCHEMA_REGISTRY_URL',
  'MONGODB_URL',
  'MONGODB_DATABASE',
  'AZURE_STORAGE_CONNECTION_STRING',
  'BLOB_CONTAINER',
  'BLOB_PUBLIC_URL',
  'SIGNED_URL_LIFETIME_S',
  'LOG_LEVEL',
  'RENDER_TYPE',
  'IDEMPOTENCY_SECRET',
  'CURSOR_SECRET',
  'RATE_LIMIT_PER_S',
  'RATE_LIMIT_BURST',
  'CORS_ORIGINS',
  'RENDER_PARTITIONS',
  'REPLICATION_FACTOR',
  'MIN_INSYNC_REPLICAS',
  'WORKER_DRAIN_S',
  'SEGMENT_CACHE_DAYS',
  'SEGMENT_CACHE_BYTES_PER_ACCOUNT',
  'SEGMENT_CACHE_LOCAL_BYTES',
  'WEBHOOK_SECRETS_KEY',
  'WEBHOOK_RETRY_FIRST_MS',
  'WEBHOOK_RETRY_FACTOR',
  'WEBHOOK_ATTEMPT_TIMEOUT_MS',
  'WEBHOOK_ATTEMPTS_AT_ONCE',
  'WEBHOOK_ATTEMPTS_PER_ENDPOINT',
  'WEBHOOK_DISABLE_AFTER_S',
  'OUTBOUND_ALLOWED_RANGES',
  'OUTBOUND_ALLOWED_PORTS',
  'OUTBOUND_CA_FILE',
  'OUTBOUND_DNS_SERVERS',
  'TRUSTED_PROXIES',
  'GATEWAY_CONNECTIONS',
  'GATEWAY_CONNECTIONS_PER_ADDRESS',
  'GATEWAY_REFUSED_KEYS_PER_MINUTE',
  'GATEWAY_HEADERS_TIMEOUT_S',
  'GATEWAY_REQUEST_TIMEOUT_S',
  'GATEWAY_ANSWER_TIMEOUT_S',
  'GATEWAY_IDLE_TIMEOUT_S',
  'GATEWAY_BUFFER_BYTES',
];

const pick = (env: Readonly<Record<string, string>>, names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const])));
