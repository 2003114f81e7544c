import { type Command, InvalidArgumentError } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { CliFault } from '../fault.ts';
import { createApiClient } from '../http/api-client.ts';
import { baseUrlOf, isPossibleKey } from '../http/choose-service.ts';
import { awaitApproval, beginDeviceLogIn, type DeviceSignIn, endSession } from '../http/device-log-in.ts';
import { type Identity, identityText, readIdentity } from '../http/identity.ts';
import { type LogIn, readLogIn, removeLogIn, writeLogIn } from '../http/log-in-file.ts';
import { defaultTeam, type LoggedInPerson, personText, readMe } from '../http/me.ts';
import { commandRetrier, withRetries } from '../http/retry.ts';
import { sessionClient } from '../http/service-connection.ts';
import { timeText } from '../table.ts';
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

type Stored = { readonly file: string; readonly uses_servers: boolean };
type KeyAnswer = Identity & Stored;
type PersonAnswer = LoggedInPerson & Stored & { readonly expires_at: number };

/** The former log-in of the same service. */
const formerAt = (before: E.Either<CliFault, LogIn | null>, url: string): LogIn | null =>
  E.isRight(before) && before.right?.url === url ? before.right : null;

const stored = async ({ connection }: CommandContext, log_in: LogIn): Promise<E.Either<CliFault, Stored>> => {
  const written = await writeLogIn(connection.log_in_file, log_in);
  if (E.isLeft(written)) return written;
  const is_remote = await connection.isRemote();
  return E.right({ file: connection.log_in_file, uses_servers: E.isRight(is_remote) && !is_remote.right });
};

const byKey = async (
  context: CommandContext,
  url: string,
  former: LogIn | null,
): Promise<E.Either<CliFault, KeyAnswer>> => {
  const { askSecret, stop } = context;
  const key = (await askSecret(`API key for ${url} (create one at ${url}/dashboard/): `)).trim();
  if (stop.aborted) return E.left({ tag: 'interrupted' });
  if (!isPossibleKey(key)) {
    const message = key === '' ? 'there is no API key' : 'this is no API key: it has spaces or other characters';
    return E.left({ tag: 'usage', message: `${message}; paste it at the prompt, or pipe it to standard input` });
  }
  const client = createApiClient({ base_url: url, api_key: key, key_from: 'log_in' }, stop);
  const identity = await readIdentity(withRetries(client, commandRetrier(stop)));
  if (E.isLeft(identity)) return identity;
  const written = await stored(context, { ...former, url, api_key: key });
  return E.map((file: Stored) => ({ ...identity.right, ...file }))(written);
};

const instructions = ({ verification_uri, user_code, expires_in_s }: DeviceSignIn): string =>
  [
    `Open this page in a browser: ${verification_uri}`,
    `and enter the code: ${user_code}`,
    '',
    `Approve only a code that you see in your own terminal. The code expires in ${Math.ceil(expires_in_s / 60)} minutes.`,
    'Waiting for your approval …',
    '',
  ].join('\n');

const KEY_IN_INPUT: CliFault = {
  tag: 'usage',
  message:
    'standard input has text: to log in with an API key from it, add --key; to log in with a browser, add "< /dev/null"',
};

/** A person who pipes a key without --key would wait for a browser. */
const unlessPiped = async <A>(
  { hasPipedText, stop }: Pick<CommandContext, 'hasPipedText' | 'stop'>,
  logIn: (stop: AbortSignal) => Promise<E.Either<CliFault, A>>,
): Promise<E.Either<CliFault, A>> => {
  const ending = new AbortController();
  const piped = Promise.withResolvers<E.Either<CliFault, never>>();
  void hasPipedText().then((has) => {
    if (has) piped.resolve(E.left(KEY_IN_INPUT));
  });
  const result = await Promise.race([piped.promise, logIn(AbortSignal.any([stop, ending.signal]))]);
  ending.abort();
  return result;
};

const byBrowser = async (
  context: CommandContext,
  url: string,
  former: LogIn | null,
  stop: AbortSignal,
): Promise<E.Either<CliFault, PersonAnswer>> => {
  const { stderr } = context;
  const anonymous = createApiClient({ base_url: url, api_key: null, key_from: 'session' }, stop);
  const client = withRetries(anonymous, commandRetrier(stop));
  const begun = await beginDeviceLogIn(client);
  if (E.isLeft(begun)) return begun;
  stderr.write(instructions(begun.right));
  const approved = await awaitApproval(client, begun.right, { stop });
  if (E.isLeft(approved)) return approved;
  const { token, expires_at } = approved.right;
  const own = sessionClient({ base_url: url, token }, stop);
  const me = await readMe(own);
  if (E.isLeft(me)) return me;
  const team_id = defaultTeam(me.right.teams, former?.session?.team_id ?? null);
  const session = { token, expires_at, ...(team_id === null ? {} : { team_id }) };
  const written = await stored(context, { ...former, url, session });
  if (E.isLeft(written)) {
    await endSession(own);
    return written;
  }
  if (former?.session !== undefined) await endSession(sessionClient({ base_url: url, ...former.session }, stop));
  return E.right({ ...me.right, url, team_id, expires_at, ...written.right });
};

const loggedIn = async (
  context: CommandContext,
  given: string | undefined,
  wantsKey: boolean,
): Promise<E.Either<CliFault, KeyAnswer | PersonAnswer>> => {
  const before = await readLogIn(context.connection.log_in_file);
  const url = given ?? (E.isRight(before) ? before.right?.url : undefined);
  if (url === undefined)
    return E.left({ tag: 'usage', message: 'give the address of the service: renderctl log in --url https://…' });
  const former = formerAt(before, url);
  if (wantsKey) return await byKey(context, url, former);
  return await unlessPiped<PersonAnswer>(context, (stop) => byBrowser(context, url, former, stop));
};

const serversText = ({ uses_servers, url }: { readonly uses_servers: boolean; readonly url: string }) =>
  uses_servers
    ? [
        `The servers can be reached from here, so commands use them and not this log-in. To use the log-in: export RENDERCTL_URL=${url}`,
      ]
    : [];

const keyText = ({ file, uses_servers, ...identity }: KeyAnswer): string =>
  [
    `You are logged in. The key is in ${file}, which only you can read.`,
    identityText(identity),
    ...serversText({ uses_servers, url: identity.url }),
  ].join('\n\n');

const loggedInPersonText = ({ file, uses_servers, expires_at, ...person }: PersonAnswer): string =>
  [
    `You are logged in until ${timeText(expires_at)} at the latest. The session is in ${file}, which only you can read.`,
    personText(person),
    ...(person.team_id === null && person.teams.length > 1
      ? ['You have several teams. Choose one: renderctl team use TEAM']
      : []),
    ...serversText({ uses_servers, url: person.url }),
  ].join('\n\n');

const IN_HELP = `
The command shows a code and the address of a page of your identity provider. Open the
page in any browser, sign in and enter the code. Then "project", "asset", "plan",
"still", "render", "key", "webhook", "team list" and "erase project" act as you. "log out"
ends the session. "key create --use" stores an API key beside the session. Then "project",
"render" and others use the key, so it needs --scope projects:write.

With --key, the command asks for an API key and does not show it; in a script, pipe the
key to standard input. It checks the key before it stores it.

RENDERCTL_URL and RENDERCTL_API_KEY override the log-in. Where a stack runs, or the
environment has addresses of its servers, commands use the servers, as without a log-in.`;

type LoggedOut = {
  readonly file: string;
  readonly was_logged_in: boolean;
  /** Null if the log-in had no session. */
  readonly session_ended: boolean | null;
};

/** Removes the log-in also if the service is unavailable. */
const loggedOut = async ({ connection, stop }: CommandContext): Promise<E.Either<CliFault, LoggedOut>> => {
  const file = connection.log_in_file;
  const log_in = await readLogIn(file);
  const session = E.isRight(log_in) ? log_in.right?.session : undefined;
  const url = E.isRight(log_in) ? (log_in.right?.url ?? '') : '';
  const ended = session === undefined ? null : await endSession(sessionClient({ base_url: url, ...session }, stop));
  const removed = await removeLogIn(file);
  return E.map((was_logged_in: boolean) => ({
    ...{ file, was_logged_in, session_ended: ended === null ? null : E.isRight(ended) },
  }))(removed);
};

const loggedOutText = ({ was_logged_in, session_ended }: LoggedOut): string => {
  if (!was_logged_in) return 'Nothing changed: you are not logged in.';
  if (session_ended === true) return 'You are logged out, and the session has ended. API keys stay valid.';
  return session_ended === false
    ? 'You are logged out here, but the service did not end the session. End it in the dashboard, under your sessions.'
    : 'You are logged out. The key stays valid: to revoke it, use the dashboard.';
};

export const logInCommands = (log: Command, context: CommandContext): void => {
  addCommand(log, 'in', 'log in to a service in a browser or with an API key, to work from this machine', [
    'log in --url https://video.example.com',
    'log in --url https://video.example.com --key < key.txt',
  ])
    .option('--url <url>', 'the address of the service (default: that of the last log-in)', serviceUrl)
    .option('--key', 'log in with an API key, which the command asks for')
    .addHelpText('after', IN_HELP)
    .action(({ url, key, json }: JsonOption & { url?: string; key?: true }) =>
      runCommand(
        context,
        json,
        commandOutputOf(loggedIn(context, url, key === true), (answer) =>
          'expires_at' in answer ? loggedInPersonText(answer) : keyText(answer),
        ),
      ),
    );

  addCommand(log, 'out', 'remove the log-in of this machine and end its session; keys stay valid', ['log out']).action(
    ({ json }: JsonOption) => runCommand(context, json, commandOutputOf(loggedOut(context), loggedOutText)),
  );
};
