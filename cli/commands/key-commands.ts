import { Argument, type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { createKey, keyById, listKeys, revokeKey, rotateKey } from '../../catalogue/keys.ts';
import { SCOPES, type Scope } from '../../domain/access/scopes.ts';
import type { CliFault } from '../fault.ts';
import {
  createRemoteKey,
  type KeyAnswer,
  listRemoteKeys,
  type RemoteIssuedKey,
  remoteKeyById,
  revokeRemoteKey,
  rotateRemoteKey,
} from '../http/keys.ts';
import { readLogIn, writeLogIn } from '../http/log-in-file.ts';
import { teamOfCommand } from '../http/me.ts';
import type { SessionService } from '../http/session-service.ts';
import { tableText, timeText } from '../table.ts';
import { collectValues, parseDuration, parseFutureTime, parseFutureTimeOrNever, parseName } from './arguments.ts';
import {
  addCommand,
  addCommandGroup,
  type CommandContext,
  changeOutputOf,
  commandOutputOf,
  type DirectOption,
  directOption,
  type JsonOption,
  remotelyOrDirectly,
  runCommand,
} from './command.ts';
import { inTeam, type TeamOption, teamOption } from './team-option.ts';

const stateOf = ({ revoked_at, expires_at, replaced_by }: KeyAnswer): string => {
  const rotated = replaced_by === null ? '' : `, replaced by ${replaced_by}`;
  if (revoked_at !== null) return `revoked ${timeText(revoked_at)}${rotated}`;
  if (expires_at === null) return 'live';
  return `${expires_at <= Date.now() ? 'expired' : 'expires'} ${timeText(expires_at)}${rotated}`;
};

const keysText = (keys: readonly KeyAnswer[]): string =>
  tableText(
    ['id', 'name', 'key', 'account', 'teams', 'user', 'scopes', 'last used', 'state'],
    keys.map((key) => [
      key.id,
      key.name,
      `${key.prefix}…${key.last4}`,
      key.account_id,
      key.team_ids.join(' '),
      key.user_id,
      key.scopes.join(' '),
      key.last_used_at === null ? null : timeText(key.last_used_at),
      stateOf(key),
    ]),
  );
const keyText = (key: KeyAnswer): string => keysText([key]);

const shownOnce = (key: string): string =>
  `${key}\n\nThis is the key. Copy it now: it is not stored and cannot be shown again.`;

const issuedText = (issued: RemoteIssuedKey): string => `${shownOnce(issued.key)}\n\n${keyText(issued)}`;

const rotatedText = ({ replaces, ...issued }: RemoteIssuedKey & { readonly replaces: KeyAnswer }): string => {
  const { id, revoked_at, expires_at } = replaces;
  const until = expires_at === null ? '' : ` works until ${timeText(expires_at)}; replace it by then`;
  const old = `${id}${revoked_at === null ? until : ' no longer works'}.`;
  return `${shownOnce(issued.key)}\n${old}\n\n${keysText([replaces, issued])}`;
};

const BOTH_KINDS = 'a key is either personal or a service key: use only one of --user and --service';

type CreateOptions = JsonOption &
  DirectOption & {
    account?: string;
    team?: readonly string[];
    user?: string;
    service?: true;
    personal?: true;
    name: string;
    expires?: number;
    scope: readonly Scope[];
    use?: true;
  };
type RotateOptions = JsonOption & DirectOption & TeamOption & { overlap: number; expires?: number | 'never' };

/** The key to create with access to the servers. */
const directWish = (options: CreateOptions) => {
  const { account, team, user, personal, use, name, expires, scope } = options;
  if (account === undefined || team === undefined)
    return E.left<CliFault>({ tag: 'usage', message: 'on the servers, a key needs --account and --team' });
  if (personal !== undefined || use !== undefined)
    return E.left<CliFault>({ tag: 'usage', message: '--personal and --use need a log-in; use --user instead' });
  return E.right({
    ...{ account_id: account, user_id: user ?? null, team_ids: [...new Set(team)], name },
    ...{ expires_at: expires ?? null, scopes: [...new Set(scope)] },
  });
};

/** Stores the key in the log-in, so that commands that need a key use it. */
const storeKey = async ({ connection }: CommandContext, key: string): Promise<E.Either<CliFault, unknown>> => {
  const log_in = await readLogIn(connection.log_in_file);
  if (E.isLeft(log_in) || log_in.right === null) return log_in;
  return await writeLogIn(connection.log_in_file, { ...log_in.right, api_key: key });
};

const createAsPerson = async (
  context: CommandContext,
  session: SessionService,
  { team: [first, ...others] = [], user, personal, name, expires, scope, use }: CreateOptions,
): Promise<E.Either<CliFault, RemoteIssuedKey>> => {
  if (user !== undefined)
    return E.left({ tag: 'usage', message: 'you can create a personal key only of yourself: use --personal' });
  const team_id = await teamOfCommand(session, first);
  if (E.isLeft(team_id)) return team_id;
  const issued = await createRemoteKey(session.client, team_id.right, {
    ...{ name, kind: personal === undefined ? 'service' : 'personal', expires_at: expires ?? null },
    ...{ team_ids: [...new Set([team_id.right, ...others])], scopes: [...new Set(scope)] },
  });
  if (E.isLeft(issued) || use === undefined) return issued;
  const stored = await storeKey(context, issued.right.key);
  if (E.isLeft(stored)) context.stderr.write('The key was created, but could not be stored in the log-in.\n');
  return issued;
};

const createCommand = (keys: Command, context: CommandContext): void => {
  addCommand(keys, 'create', 'create an API key, which is shown only once', [
    'key create --name "Maker" --scope projects:write --use       # with a log-in',
    'key create --account acc_01JD… --team team_01JD… --name "CI"',
    'key create --account acc_01JD… --team team_01JD… --user user_01JD… --expires 2027-01-31',
  ])
    .option('--account <account>', 'the account (with a log-in: that of the team)')
    .option('--team <team>', 'a team that the key can use; repeatable (with a log-in: your team)', collectValues)
    .option('--user <user>', 'create a personal key of this member, which stops working when they leave the team')
    .option('--personal', 'with a log-in: create a personal key of yourself')
    .option('--service', 'create a service key without a user (default)')
    .option('--name <name>', 'the purpose of the key, 1 to 250 characters', parseName, 'key')
    .option('--expires <time>', 'expiry date, like 2027-01-31 (default: never)', parseFutureTime)
    .addOption(
      new Option('--scope <scope...>', 'what the key may do beyond other keys: change projects (default: nothing)')
        .choices(SCOPES)
        .default([], 'none'),
    )
    .option('--use', 'with a log-in: store the key in it; "project", "render" and others then use the key')
    .addOption(directOption())
    .action((options: CreateOptions) => {
      const { user, personal, service, json } = options;
      if ((user ?? personal) !== undefined && service !== undefined)
        return runCommand(context, json, Promise.resolve(E.left({ tag: 'usage', message: BOTH_KINDS })));
      const create = remotelyOrDirectly<RemoteIssuedKey>(context, options, {
        asPerson: (session) => createAsPerson(context, session, options),
        directly: async () => {
          const wanted = directWish(options);
          return E.isLeft(wanted)
            ? wanted
            : await context.connection.catalogue((catalogue) => createKey(catalogue, wanted.right));
        },
      });
      return runCommand(context, json, commandOutputOf(create, issuedText));
    });
};

const rotateCommand = (keys: Command, context: CommandContext): void => {
  addCommand(keys, 'rotate', 'replace a key with a new one that has the same account, user, teams and name', [
    'key rotate key_01JD… --overlap 24h',
    'key rotate key_01JD… --overlap 0',
  ])
    .addArgument(new Argument('<key>', 'the id of the key'))
    .addOption(
      new Option(
        '--overlap <time>',
        'how long the old key still works, up to 90d; 0 ends it before the command returns',
      )
        .argParser(parseDuration)
        .default(parseDuration('24h'), '24h'),
    )
    .option(
      '--expires <time>',
      'expiry date of the new key, like 2027-01-31, or "never" (default: the lifetime of the old key)',
      parseFutureTimeOrNever,
    )
    .addOption(teamOption())
    .addOption(directOption())
    .action((key_id: string, options: RotateOptions) => {
      const { overlap: overlap_ms, expires, team, json } = options;
      const expires_at = expires === 'never' ? null : expires;
      const rotate = remotelyOrDirectly<RemoteIssuedKey & { readonly replaces: KeyAnswer }>(context, options, {
        asPerson: inTeam(team, ({ client, team_id }) =>
          rotateRemoteKey(client, team_id, key_id, { overlap_ms, expires_at }),
        ),
        directly: () => {
          const rotation = { key_id, overlap_ms, ...(expires_at === undefined ? {} : { expires_at }) };
          return context.connection.catalogue((catalogue) => rotateKey(catalogue, rotation));
        },
      });
      return runCommand(context, json, commandOutputOf(rotate, rotatedText));
    });
};

export const keyCommands = (program: Command, context: CommandContext): void => {
  const keys = addCommandGroup(program, 'key', 'API keys of an account, for some of its teams');
  const key = () => new Argument('<key>', 'the id of the key');

  createCommand(keys, context);

  addCommand(keys, 'list', 'list keys with their first and last characters', ['key list --account acc_01JD…'])
    .option('--account <account>', 'on the servers: only keys of this account')
    .addOption(teamOption())
    .addOption(directOption())
    .action((options: JsonOption & DirectOption & TeamOption & { account?: string }) => {
      const list = remotelyOrDirectly<readonly KeyAnswer[]>(context, options, {
        asPerson: inTeam(options.team, ({ client, team_id }) => listRemoteKeys(client, team_id)),
        directly: () => context.connection.view(async (view) => E.right(await listKeys(view, options.account ?? null))),
      }).then(E.map((data: readonly KeyAnswer[]) => ({ data })));
      return runCommand(
        context,
        options.json,
        commandOutputOf(list, ({ data }) => keysText(data)),
      );
    });

  addCommand(keys, 'show', 'show a key, and when it was last used (to the minute)', ['key show key_01JD…'])
    .addArgument(key())
    .addOption(teamOption())
    .addOption(directOption())
    .action((id: string, options: JsonOption & DirectOption & TeamOption) => {
      const show = remotelyOrDirectly<KeyAnswer>(context, options, {
        asPerson: inTeam(options.team, ({ client, team_id }) => remoteKeyById(client, team_id, id)),
        directly: () => context.connection.view((view) => keyById(view, id)),
      });
      return runCommand(context, options.json, commandOutputOf(show, keyText));
    });

  addCommand(keys, 'revoke', 'revoke a key; returns when the change is in effect everywhere', ['key revoke key_01JD…'])
    .addArgument(key())
    .addOption(teamOption())
    .addOption(directOption())
    .action((id: string, options: JsonOption & DirectOption & TeamOption) => {
      const revoke = remotelyOrDirectly<KeyAnswer & { readonly repeated?: true }>(context, options, {
        asPerson: inTeam(options.team, ({ client, team_id }) => revokeRemoteKey(client, team_id, id)),
        directly: () => context.connection.catalogue((catalogue) => revokeKey(catalogue, id)),
      });
      return runCommand(context, options.json, changeOutputOf(revoke, keyText));
    });

  rotateCommand(keys, context);
};
