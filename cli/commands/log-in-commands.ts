import { type Command, InvalidArgumentError } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { CliFault } from '../fault.ts';
import { createApiClient } from '../http/api-client.ts';
import { baseUrlOf } from '../http/choose-service.ts';
import { type Identity, identityText, readIdentity } from '../http/identity.ts';
import { readLogIn, removeLogIn, writeLogIn } from '../http/log-in-file.ts';
import { COMMAND_RETRY_OPTIONS, createRequestRetrier, withRetries } from '../http/retry.ts';
import { addCommand, type CommandContext, commandOutputOf, type JsonOption, runCommand } from './command.ts';

const LOCAL = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const serviceUrl = (text: string): string => {
  const url = baseUrlOf(text);
  if (url === null) throw new InvalidArgumentError('It must be an address like https://video.example.com.');
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:' && !LOCAL.test(hostname))
    throw new InvalidArgumentError(
      'It must begin with https://, because the key must not cross a network unencrypted.',
    );
  return url;
};

const KEY = /^[\x21-\x7e]{1,500}$/;

type LogInAnswer = Identity & { readonly file: string; readonly uses_servers: boolean };

const loggedIn = async (
  { askSecret, connection, stop }: CommandContext,
  given: string | undefined,
): Promise<E.Either<CliFault, LogInAnswer>> => {
  const before = await readLogIn(connection.log_in_file);
  const url = given ?? (E.isRight(before) ? before.right?.url : undefined);
  if (url === undefined)
    return E.left({ tag: 'usage', message: 'give the address of the service: renderctl log in --url https://…' });
  const key = (await askSecret(`API key for ${url} (create one at ${url}/dashboard/): `)).trim();
  if (stop.aborted) return E.left({ tag: 'interrupted' });
  if (!KEY.test(key)) {
    const message = key === '' ? 'there is no API key' : 'this is no API key: it has spaces or other characters';
    return E.left({ tag: 'usage', message: `${message}; paste it at the prompt, or pipe it to standard input` });
  }
  const client = createApiClient({ base_url: url, api_key: key, key_from: 'log_in' }, stop);
  const identity = await readIdentity(withRetries(client, createRequestRetrier({ ...COMMAND_RETRY_OPTIONS, stop })));
  if (E.isLeft(identity)) return identity;
  const written = await writeLogIn(connection.log_in_file, { url, api_key: key });
  if (E.isLeft(written)) return written;
  const is_remote = await connection.isRemote();
  return E.right({
    ...identity.right,
    file: connection.log_in_file,
    uses_servers: E.isRight(is_remote) && !is_remote.right,
  });
};

const loggedInText = ({ file, uses_servers, ...identity }: LogInAnswer): string =>
  [
    `You are logged in. The key is in ${file}, which only you can read.`,
    identityText(identity),
    ...(uses_servers
      ? [
          `The servers can be reached from here, so commands use them and not this log-in. To use the log-in: export RENDERCTL_URL=${identity.url}`,
        ]
      : []),
  ].join('\n\n');

const IN_HELP = `
The command asks for an API key and does not show it; in a script, pipe the key to
standard input. It checks the key before it stores it. Choose the scope projects:write
when you create the key, so that it can change projects.

RENDERCTL_URL and RENDERCTL_API_KEY override the log-in. Where a stack runs, or the
environment has addresses of its servers, commands use the servers, as without a log-in.`;

type Removed = { readonly file: string; readonly was_logged_in: boolean };

export const logInCommands = (log: Command, context: CommandContext): void => {
  addCommand(log, 'in', 'log in to a service with an API key, to work from this machine', [
    'log in --url https://video.example.com',
    'log in --url https://video.example.com < key.txt',
  ])
    .option('--url <url>', 'the address of the service (default: that of the last log-in)', serviceUrl)
    .addHelpText('after', IN_HELP)
    .action(({ url, json }: JsonOption & { url?: string }) =>
      runCommand(context, json, commandOutputOf(loggedIn(context, url), loggedInText)),
    );

  addCommand(log, 'out', 'remove the log-in of this machine; the key stays valid', ['log out']).action(
    ({ json }: JsonOption) => {
      const file = context.connection.log_in_file;
      const removed = removeLogIn(file).then(E.map((was_logged_in: boolean): Removed => ({ file, was_logged_in })));
      const text = ({ was_logged_in }: Removed): string =>
        was_logged_in
          ? 'You are logged out. The key stays valid: to revoke it, use the dashboard.'
          : 'Nothing changed: you are not logged in.';
      return runCommand(context, json, commandOutputOf(removed, text));
    },
  );
};
