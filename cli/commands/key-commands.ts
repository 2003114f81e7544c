import { Argument, type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { KeyAnswer } from '../../catalogue/answers.ts';
import {
  createKey,
  type IssuedKey,
  keyById,
  listKeys,
  type RotatedKey,
  revokeKey,
  rotateKey,
} from '../../catalogue/keys.ts';
import { tableText, timeText } from '../table.ts';
import { collected, instant, instantOrNever, nameText, span } from './arguments.ts';
import {
  addCommand,
  answeredAs,
  answeredChange,
  answerTo,
  type CommandContext,
  group,
  type JsonOption,
} from './command.ts';

const stateOf = ({ revoked_at, expires_at, replaced_by }: KeyAnswer): string => {
  const rotated = replaced_by === null ? '' : `, replaced by ${replaced_by}`;
  if (revoked_at !== null) return `revoked ${timeText(revoked_at)}${rotated}`;
  if (expires_at === null) return 'live';
  return `${expires_at <= Date.now() ? 'expired' : 'live until'} ${timeText(expires_at)}${rotated}`;
};

const keysText = (keys: readonly KeyAnswer[]): string =>
  tableText(
    ['id', 'name', 'key', 'account', 'teams', 'user', 'last used', 'state'],
    keys.map((key) => [
      key.id,
      key.name,
      `${key.prefix}…${key.last4}`,
      key.account_id,
      key.team_ids.join(' '),
      key.user_id,
      key.last_used_at === null ? null : timeText(key.last_used_at),
      stateOf(key),
    ]),
  );
const keyText = (key: KeyAnswer): string => keysText([key]);

const shownOnce = (key: string): string =>
  `${key}\n\nThat is the key. It is shown this once and stored nowhere; keep it now.`;

const issuedText = (issued: IssuedKey): string => `${shownOnce(issued.key)}\n\n${keyText(issued)}`;

const rotatedText = ({ replaces, ...issued }: RotatedKey): string => {
  const { id, revoked_at, expires_at } = replaces;
  const until =
    expires_at === null ? '' : ` goes on until ${timeText(expires_at)}; replace it by then where it is used`;
  const old = `${id}${revoked_at === null ? until : ' is refused from now on'}.`;
  return `${shownOnce(issued.key)}\n${old}\n\n${keysText([replaces, issued])}`;
};

const BOTH_KINDS = 'a key is either personal or a service key: give --user or --service';

type CreateOptions = JsonOption & {
  account: string;
  team: readonly string[];
  user?: string;
  service?: true;
  name: string;
  expires?: number;
};
type RotateOptions = JsonOption & { overlap: number; expires?: number | 'never' };

export const keyCommands = (program: Command, context: CommandContext): void => {
  const keys = group(program, 'key', 'API keys: each belongs to an account and reaches some of its teams');
  const key = () => new Argument('<key>', 'the id of the key');

  addCommand(keys, 'create', 'issue an API key; it is shown once', [
    'key create --account acc_01JD… --team team_01JD… --name "CI"',
    'key create --account acc_01JD… --team team_01JD… --user user_01JD… --expires 2027-01-31',
  ])
    .requiredOption('--account <account>', 'the account that it belongs to')
    .requiredOption('--team <team>', 'a team of that account that it reaches; can be given several times', collected)
    .option(
      '--user <user>',
      'makes it a personal key: of a member of each of those teams, and ended with the membership',
    )
    .option('--service', 'makes it a service key, which is of no user, as it is without --user')
    .option('--name <name>', 'what it is for, 1 to 250 characters', nameText, 'key')
    .option('--expires <time>', 'when it ends, like 2027-01-31; never, if left out', instant)
    .action(({ account, team, user, service, name, expires, json }: CreateOptions) => {
      if (user !== undefined && service !== undefined)
        return answerTo(context, json, Promise.resolve(E.left({ tag: 'usage', message: BOTH_KINDS })));
      const wanted = {
        account_id: account,
        user_id: user ?? null,
        team_ids: [...new Set(team)],
        name,
        expires_at: expires ?? null,
      };
      const create = context.connection.catalogue((catalogue) => createKey(catalogue, wanted));
      return answerTo(context, json, answeredAs(create, issuedText));
    });

  addCommand(keys, 'list', 'list keys; of each only how it begins and ends is known', ['key list --account acc_01JD…'])
    .option('--account <account>', 'only those of this account')
    .action(({ account, json }: JsonOption & { account?: string }) => {
      const list = context.connection.view(async (view) => E.right({ data: await listKeys(view, account ?? null) }));
      return answerTo(
        context,
        json,
        answeredAs(list, ({ data }) => keysText(data)),
      );
    });

  addCommand(keys, 'show', 'show a key, and when it was last used (to the minute)', ['key show key_01JD…'])
    .addArgument(key())
    .action((id: string, { json }: JsonOption) =>
      answerTo(
        context,
        json,
        answeredAs(
          context.connection.view((view) => keyById(view, id)),
          keyText,
        ),
      ),
    );

  addCommand(keys, 'revoke', 'end a key; returns when it is in force everywhere', ['key revoke key_01JD…'])
    .addArgument(key())
    .action((id: string, { json }: JsonOption) => {
      const revoke = context.connection.catalogue((catalogue) => revokeKey(catalogue, id));
      return answerTo(context, json, answeredChange(revoke, keyText));
    });

  addCommand(keys, 'rotate', 'issue a key in the place of another: of the same account, user, teams and name', [
    'key rotate key_01JD… --overlap 24h',
    'key rotate key_01JD… --overlap 0',
  ])
    .addArgument(key())
    .addOption(
      new Option('--overlap <time>', 'how long the old key goes on, up to 90d; with 0 it ends before this returns')
        .argParser(span)
        .default(span('24h'), '24h'),
    )
    .option(
      '--expires <time>',
      'when the new key ends, like 2027-01-31, or "never"; if left out, it lives as long as the old one was to',
      instantOrNever,
    )
    .action((key_id: string, { overlap, expires, json }: RotateOptions) => {
      const expires_at = expires === 'never' ? null : expires;
      const rotation = { key_id, overlap_ms: overlap, ...(expires_at === undefined ? {} : { expires_at }) };
      const rotate = context.connection.catalogue((catalogue) => rotateKey(catalogue, rotation));
      return answerTo(context, json, answeredAs(rotate, rotatedText));
    });
};
