import { delimiter, join } from 'node:path';
import { isLeft } from 'fp-ts/lib/Either.js';
import { decodeConfiguration, type Parts } from '../platform/configuration/configuration.ts';
import { OUTBOUND, PARTS, type Part } from '../platform/configuration/parts.ts';
import { embeddedAddresses } from '../platform/configuration/stack-addresses.ts';
import { ROOT } from './servers/tools.ts';

/**
 * The environment that the launcher itself sees, for its children: empty variables left out (an empty one means
 * "not set"), and addresses of an embedded stack, which a shell has of `renderctl env`; the project's own programs first
 * in the PATH, and what Node compiles kept for the next start.
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
 * What the components and renderctl need to reach a stack. Settings that the environment holds already win over the
 * embedded defaults, the addresses of the servers just started over both.
 */
export const stackEnvironment = (
  env: Readonly<Record<string, string>>,
  servers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => ({
  RENDER_TYPE: 'local',
  HOST: '127.0.0.1',
  HEALTH_HOST: '127.0.0.1',
  // Ctrl-C is not kept waiting: what is not done by then is handed back, and goes on at the next start.
  WORKER_DRAIN_S: '5',
  ...pick(env, SETTINGS),
  ...servers,
});

/**
 * What the webhooks of an embedded stack may call: servers on this machine, at any port, with certificates of its own
 * authority. So they can be tried out with nothing but this machine.
 */
export const outboundEnvironment = (ca_file: string): Readonly<Record<string, string>> => ({
  OUTBOUND_ALLOWED_RANGES: 'loopback',
  OUTBOUND_ALLOWED_PORTS: 'any',
  OUTBOUND_CA_FILE: ca_file,
});

/**
 * What media may be fetched from: whoever asks for a render looks at what was fetched, so nothing but public addresses,
 * unless MEDIA_ALLOWED_RANGES and MEDIA_ALLOWED_PORTS say otherwise.
 */
export const mediaEnvironment = (env: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  OUTBOUND_ALLOWED_RANGES: env.MEDIA_ALLOWED_RANGES ?? '',
  OUTBOUND_ALLOWED_PORTS: env.MEDIA_ALLOWED_PORTS ?? '',
});

/** What the launcher says to each process by itself. */
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

/** The variables of an environment that the components decode (see docs/configuration.md). */
const SETTINGS = namesOf(PARTS).filter((name) => !OWN.includes(name));

const pick = (env: Readonly<Record<string, string>>, names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const])));

/**
 * What the components would say of the settings that an environment holds: one line for each that is wrong. Asked before
 * anything is started, so that a slip of the keyboard is told at once, and not by processes that crash.
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
  // The preparer has what media may be fetched from under the names that the relay has for webhooks.
  const ofMedia = faults(mediaEnvironment(env), { OUTBOUND }).map((fault) => fault.replace(/^OUTBOUND_/, 'MEDIA_'));
  return [...faults(env, { given }), ...ofMedia];
};

/** What a program needs whatever it does. Not `NODE_` and what follows: tokens of registries begin like that. */
const OF_ANY_PROGRAM: readonly string[] = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR', 'TMP', 'TEMP', 'TZ', 'LD_LIBRARY_PATH', 'XDG_CACHE_HOME'],
  ...['LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'LC_MESSAGES', 'LC_NUMERIC', 'LC_TIME', 'LC_COLLATE'],
  ...['NODE_OPTIONS', 'NODE_ENV', 'NODE_NO_WARNINGS', 'NODE_EXTRA_CA_CERTS', 'NODE_V8_COVERAGE', 'NODE_COMPILE_CACHE'],
  ...['UV_THREADPOOL_SIZE', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NO_COLOR', 'FORCE_COLOR', 'JAVA_HOME'],
];

/** The environment of a program that is none of ours: no settings, and nothing else that the launcher's shell holds. */
export const programEnvironment = (env: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  pick(env, OF_ANY_PROGRAM);

/** The environment of a component: what any program needs, and the variables of the parts that it decodes. */
export const partsEnvironment = (
  parts: readonly Part[],
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => pick(env, [...OF_ANY_PROGRAM, ...namesOf(parts)]);
