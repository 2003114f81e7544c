import { type Stack, type StackOptions, startStack } from '../../stack/launcher.ts';
import { ADDRESS_VARIABLES, type ServerName } from '../../stack/servers/servers.ts';
import { SHARED_SERVERS } from '../../stack/testing/shared-servers.ts';

/**
 * Addresses of the servers that all test files share. Undefined if a test file runs directly: its stack then starts its
 * own servers.
 */
const sharedServers = (): Readonly<Record<string, string>> | undefined => {
  const text = process.env[SHARED_SERVERS];
  return text === undefined ? undefined : JSON.parse(text);
};

export type TestStackOptions = StackOptions & {
  /**
   * Servers that this stack starts for itself, because the test kills, freezes or fills them. A test that kills a
   * process within a transaction needs its own store.
   */
  readonly own_servers?: readonly ServerName[];
};

let stacks = 0;

/**
 * Settings for topics, a database and a container that no other stack of this run uses. Own servers do not need them.
 */
const ownPlace = (own_servers: readonly ServerName[]): Readonly<Record<string, string>> => {
  stacks += 1;
  const name = `t${process.pid}-${stacks}`;
  return {
    ...(!own_servers.includes('kafka') && { KAFKA_TOPIC_PREFIX: `${name}.` }),
    ...(!own_servers.includes('store') && { MONGODB_DATABASE: name }),
    ...(!own_servers.includes('blob') && { BLOB_CONTAINER: name, BLOB_CORS_ORIGINS: '*' }),
  };
};

/**
 * A stack on the servers that all test files share, with its own topics, database and container. They stay until the
 * servers end, because the embedded store blocks while it drops a database, a second for each thousand documents.
 */
export const startTestStack = async ({ own_servers = [], ...options }: TestStackOptions): Promise<Stack> => {
  const shared = sharedServers();
  const own = Object.fromEntries(own_servers.map((name) => [ADDRESS_VARIABLES[name], '']));
  const env = { ...(shared && { ...shared, ...ownPlace(own_servers), ...own }), ...options.env };
  return await startStack({ ...options, env });
};
