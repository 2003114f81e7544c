import { delimiter, join } from 'node:path';
import { isLeft } from 'fp-ts/lib/Either.js';
import { decodeConfiguration, type Parts } from '../platform/configuration/configuration.ts';
import { OUTBOUND, PARTS, type Part } from '../platform/configuration/parts.ts';
import { embeddedAddresses } from '../platform/configuration/stack-addresses.ts';
import { ROOT } from './servers/tools.ts';

/**
 * The environment of the launcher and its children. It differs from the shell's environment:
 * - It has no empty variables, because empty means "not set".
 * - It has no addresses of an embedded stack, which `renderctl env` sets in a shell.
 * - The project's own programs are first in the PATH.
 * - Node uses a compile cache.
 */
export const launcherEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
  root: string = ROOT,
): Readonly<Record<string, string>> => {
  const embedded: readonly string[] = embeddedAddresses(env);
  const set = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || value === '' || embedded.includes(name) ? [] : [[name, value] as const],
    ),
  );
  const own = join(root, 'node_modules', '.bin');
  const compiled = join(root, '.local', 'compile-cache');
  const rest = (set.PATH ?? '').split(delimiter).filter((folder) => folder !== own && folder !== '');
  return { NODE_COMPILE_CACHE: compiled, ...set, PATH: [own, ...rest].join(delimiter) };
};

/**
 * The variables that connect components and renderctl to a stack. Variables of the environment override defaults of the
 * embedded stack. Addresses of servers that the stack started override both.
 */
export const stackEnvironment = (
  env: Readonly<Record<string, string>>,
  servers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => ({
  RENDER_TYPE: 'local',
  HOST: '127.0.0.1',
  HEALTH_HOST: '127.0.0.1',
  // Ctrl-C must not wait for renders: the worker gives unfinished renders back, and the next start continues them.
  WORKER_DRAIN_S: '5',
  ...pick(env, SETTINGS),
  ...servers,
});

/**
 * The embedded blob server lets pages of every origin write to signed URLs, because the port of the gateway may change.
 * Accounts that the stack does not own keep their rules.
 */
export const uploadOrigins = (servers: readonly string[]): Readonly<Record<string, string>> =>
  servers.includes('blob') ? { BLOB_CORS_ORIGINS: '*' } : {};

/**
 * Webhooks of an embedded stack may call servers on this machine, at any port, with certificates of the stack's own
 * authority. So webhooks can be tried without another machine.
 */
export const outboundEnvironment = (ca_file: string): Readonly<Record<string, string>> => ({
  OUTBOUND_ALLOWED_RANGES: 'loopback',
  OUTBOUND_ALLOWED_PORTS: 'any',
  OUTBOUND_CA_FILE: ca_file,
});

/**
 * Media may be fetched only from public addresses, because the client sees the fetched content in the render.
 * MEDIA_ALLOWED_RANGES and MEDIA_ALLOWED_PORTS override this.
 */
export const mediaEnvironment = (env: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  OUTBOUND_ALLOWED_RANGES: env.MEDIA_ALLOWED_RANGES ?? '',
  OUTBOUND_ALLOWED_PORTS: env.MEDIA_ALLOWED_PORTS ?? '',
});

const OWN: readonly string[] = [
  'HOST',
  'PORT',
  'HEALTH_HOST',
  'HEALTH_PORT',
  'COMMAND_API_URL',
  'QUERY_API_URL',
  'MANAGEMENT_API_URL',
];

const namesOf = (parts: readonly Part[]): readonly string[] =>
  parts.flatMap(({ variables }) => Object.values(variables).map(({ name }) => name));

const SETTINGS = namesOf(PARTS).filter((name) => !OWN.includes(name));

const pick = (env: Readonly<Record<string, string>>, names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const])));

/**
 * The configuration faults that the components would report, one per line. The launcher checks the settings first, so a
 * typo gives a message instead of crashing processes.
 */
export const settingFaults = (env: Readonly<Record<string, string>>): readonly string[] => {
  const set = PARTS.flatMap(({ variables }) => Object.values(variables)).filter(
    ({ name }) => SETTINGS.includes(name) && env[name] !== undefined,
  );
  const given: Part = {
    title: 'Settings that are given',
    variables: Object.fromEntries(set.map((one) => [one.name, one])),
  };
  const faults = (environment: Readonly<Record<string, string>>, parts: Parts): readonly string[] => {
    const decoded = decodeConfiguration(environment, parts);
    return isLeft(decoded) ? decoded.left : [];
  };
  // The preparer limits its downloads with the same parts as the relay, but the user sets them as MEDIA_… variables.
  const ofMedia = faults(mediaEnvironment(env), { OUTBOUND }).map((fault) => fault.replace(/^OUTBOUND_/, 'MEDIA_'));
  return [...faults(env, { given }), ...ofMedia];
};

/**
 * Variables that every program needs. The Node variables are listed one by one, because `NODE_*` would include registry
 * tokens.
 */
const OF_ANY_PROGRAM: readonly string[] = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR', 'TMP', 'TEMP', 'TZ', 'LD_LIBRARY_PATH', 'XDG_CACHE_HOME'],
  ...['LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'LC_MESSAGES', 'LC_NUMERIC', 'LC_TIME', 'LC_COLLATE'],
  ...['NODE_OPTIONS', 'NODE_ENV', 'NODE_NO_WARNINGS', 'NODE_EXTRA_CA_CERTS', 'NODE_V8_COVERAGE', 'NODE_COMPILE_CACHE'],
  ...['UV_THREADPOOL_SIZE', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NO_COLOR', 'FORCE_COLOR', 'JAVA_HOME'],
];

/** The environment of a third-party program, without settings and secrets of the launcher. */
export const programEnvironment = (env: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  pick(env, OF_ANY_PROGRAM);

/** The environment of a component: the variables that every program needs, and the variables of its parts. */
export const partsEnvironment = (
  parts: readonly Part[],
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => pick(env, [...OF_ANY_PROGRAM, ...namesOf(parts)]);
