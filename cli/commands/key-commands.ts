import { Argument, type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { KeyView } from '../../catalogue/answers.ts';
import {
  createKey,
  type IssuedKey,
  keyById,
  listKeys,
  type RotatedKey,
  revokeKey,
  rotateKey,
} from '../../catalogue/keys.ts';
import { SCOPES, type Scope } from '../../domain/access/scopes.ts';
import { tableText, timeText } from '../table.ts';
import { collectValues, parseDuration, parseFutureTime, parseFutureTimeOrNever, parseName } from './arguments.ts';
import {
  addCommand,
  addCommandGroup,
  type CommandContext,
  changeOutputOf,
  commandOutputOf,
  type JsonOption,
  runCommand,
} from './command.ts';

const stateOf = ({ revoked_at, expires_at, replaced_by }: KeyView): string => {
  const rotated = replaced_by === null ? '' : `, replaced by ${replaced_by}`;
  if (revoked_at !== null) return `revoked ${timeText(revoked_at)}${rotated}`;
  if (expires_at === null) return 'live';
  return `${expires_at <= Date.now() ? 'expired' : 'expires'} ${timeText(expires_at)}${rotated}`;
};

const keysText = (keys: readonly KeyView[]): string =>
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
const keyText = (key: KeyView): string => keysText([key]);

const shownOnce = (key: string): string =>
  `${key}\n\nThis is the key. Copy it now: it is not stored and cannot be shown again.`;

const issuedText = (issued: IssuedKey): string => `${shownOnce(issued.key)}\n\n${keyText(issued)}`;

const rotatedText = ({ replaces, ...issued }: RotatedKey): string => {
  const { id, revoked_at, expires_at } = replaces;
  const until = expires_at === null ? '' : ` works until ${timeText(expires_at)}; replace it by then`;
  const old = `${id}${revoked_at === null ? until : ' no longer works'}.`;
  return `${shownOnce(issued.key)}\n${old}\n\n${keysText([replaces, issued])}`;
};

const BOTH_KINDS = 'a key is either personal or a service key: use only one of --user and --service';

type CreateOptions = JsonOption & {
  account: string;
  team: readonly string[];
  user?: string;
  service?: true;
  name: string;
  expires?: number;
  scope: readonly Scope[];
};
type RotateOptions = JsonOption & { overlap: number; expires?: number | 'never' };

const createCommand = (keys: Command, context: CommandContext): void => {
  addCommand(keys, 'create', 'create an API key, which is shown only once', [
    'key create --account acc_01JD… --team team_01JD… --name "CI"',
    'key create --account acc_01JD… --team team_01JD… --user user_01JD… --expires 2027-01-31',
    'key create --account acc_01JD… --team team_01JD… --name "Maker" --scope projects:write',
  ])
    .requiredOption('--account <account>', 'the account')
    .requiredOption('--team <team>', 'a team that the key can use; repeatable', collectValues)
    .option('--user <user>', 'create a personal key of this member, which stops working when they leave the team')
    .option('--service', 'create a service key without a user (default)')
    .option('--name <name>', 'the purpose of the key, 1 to 250 characters', parseName, 'key')
    .option('--expires <time>', 'expiry date, like 2027-01-31 (default: never)', parseFutureTime)
    .addOption(
      new Option('--scope <scope...>', 'what the key may do beyond other keys: change projects (default: nothing)')
        .choices(SCOPES)
        .default([], 'none'),
    )
    .action(({ account, team, user, service, name, expires, scope, json }: CreateOptions) => {
      if (user !== undefined && service !== undefined)
        return runCommand(context, json, Promise.resolve(E.left({ tag: 'usage', message: BOTH_KINDS })));
      const wanted = {
        account_id: account,
        user_id: user ?? null,
        team_ids: [...new Set(team)],
        name,
        expires_at: expires ?? null,
        scopes: [...new Set(scope)],
      };
      const create = context.connection.catalogue((catalogue) => createKey(catalogue, wanted));
      return runCommand(context, json, commandOutputOf(create, issuedText));
    });
};

export const keyCommands = (program: Command, context: CommandContext): void => {
  const keys = addCommandGroup(program, 'key', 'API keys of an account, for some of its teams');
  const key = () => new Argument('<key>', 'the id of the key');

  createCommand(keys, context);

  addCommand(keys, 'list', 'list keys with their first and last characters', ['key list --account acc_01JD…'])
    .option('--account <account>', 'only keys of this account')
    .action(({ account, json }: JsonOption & { account?: string }) => {
      const list = context.connection.view(async (view) => E.right({ data: await listKeys(view, account ?? null) }));
      return runCommand(
        context,
        json,
        commandOutputOf(list, ({ data }) => keysText(data)),
      );
    });

  addCommand(keys, 'show', 'show a key, and when it was last used (to the minute)', ['key show key_01JD…'])
    .addArgument(key())
    .action((id: string, { json }: JsonOption) =>
      runCommand(
        context,
        json,
        commandOutputOf(
          context.connection.view((view) => keyById(view, id)),
          keyText,
        ),
      ),
    );

  addCommand(keys, 'revoke', 'revoke a key; returns when the change is in effect everywhere', ['key revoke key_01JD…'])
    .addArgument(key())
    .action((id: string, { json }: JsonOption) => {
      const revoke = context.connection.catalogue((catalogue) => revokeKey(catalogue, id));
      return runCommand(context, json, changeOutputOf(revoke, keyText));
    });

  addCommand(keys, 'rotate', 'replace a key with a new one that has the same account, user, teams and name', [
    'key rotate key_01JD… --overlap 24h',
    'key rotate key_01JD… --overlap 0',
  ])
    .addArgument(key())
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
    .action((key_id: string, { overlap, expires, json }: RotateOptions) => {
      const expires_at = expires === 'never' ? null : expires;
      const rotation = { key_id, overlap_ms: overlap, ...(expires_at === undefined ? {} : { expires_at }) };
      const rotate = context.connection.catalogue((catalogue) => rotateKey(catalogue, rotation));
      return runCommand(context, json, commandOutputOf(rotate, rotatedText));
    });
};
