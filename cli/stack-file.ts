import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import { faultsOf, faultText } from '../domain/composition/fault.ts';
import { type AddressVariable, externalAddresses } from '../platform/configuration/stack-addresses.ts';
import type { CliFault } from './fault.ts';

const optional = t.union([t.string, t.undefined]);

/** Addresses and secrets of a running embedded stack, in `.local/stack.json` with mode 0600. */
export const StackFile = t.type({
  base_url: t.string,
  kafka: t.string,
  registry_url: t.string,
  mongodb_url: t.string,
  blob_connection_string: t.string,
  pid: t.union([t.number, t.undefined]),
  api_key: optional,
  account_id: optional,
  team_id: optional,
  project_id: optional,
  template_id: optional,
  /** Names of the address variables whose servers the stack started itself. Missing in files of older stacks. */
  embedded: t.union([t.array(t.string), t.undefined]),
  stills_url: optional,
  stills_secret: optional,
  /**
   * The following values are those of the environment variables of the same names. Missing in files of older stacks.
   */
  webhook_secrets_key: optional,
  webhook_public_key: optional,
  outbound_allowed_ranges: optional,
  outbound_allowed_ports: optional,
  outbound_ca_file: optional,
});
export type StackFile = t.TypeOf<typeof StackFile>;

/** The addresses of a stack as environment variables. */
export const addressesOf = (stack: StackFile): Readonly<Record<AddressVariable, string>> => ({
  KAFKA_BROKERS: stack.kafka,
  SCHEMA_REGISTRY_URL: stack.registry_url,
  MONGODB_URL: stack.mongodb_url,
  AZURE_STORAGE_CONNECTION_STRING: stack.blob_connection_string,
});

/**
 * Whether the environment has an address of a server outside the stack. Then all addresses come from the environment.
 */
export const usesExternalServers = (env: NodeJS.ProcessEnv, stack: StackFile | null): boolean => {
  const running: Readonly<Record<string, string>> = stack === null ? {} : addressesOf(stack);
  return externalAddresses(env).some((name) => env[name] !== running[name]);
};

/** `RENDERCTL_STACK_FILE`, or `.local/stack.json` of this project, independent of the current folder. */
export const stackFilePath = (env: NodeJS.ProcessEnv): string =>
  env.RENDERCTL_STACK_FILE ?? join(import.meta.dirname, '..', '.local', 'stack.json');

/**
 * A killed launcher leaves its file behind. Only "no such process" proves that it is gone, because a launcher of
 * another user cannot be signalled.
 */
const isGone = (pid: number | undefined): boolean => {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
};

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

export const readStackFile = async (path: string): Promise<E.Either<CliFault, StackFile>> => {
  const unreadable = (message: string): CliFault => ({ tag: 'stack_file_unreadable', path, message });
  try {
    const json: unknown = JSON.parse(await readFile(path, 'utf8'));
    return pipe(
      StackFile.decode(json),
      E.mapLeft((errors) => unreadable(faultsOf(errors).map(faultText).join('; '))),
      E.chain(
        (stack): E.Either<CliFault, StackFile> => (isGone(stack.pid) ? E.left({ tag: 'no_stack' }) : E.right(stack)),
      ),
    );
  } catch (error) {
    return E.left(
      isMissing(error)
        ? { tag: 'no_stack' }
        : unreadable(error instanceof SyntaxError ? 'it is not JSON' : String(error)),
    );
  }
};
