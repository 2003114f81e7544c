import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { KeyAnswer } from '../catalogue/answers.ts';
import { createKey, type IssuedKey, listKeys, revokeKey } from '../catalogue/keys.ts';
import { answered } from '../output.ts';
import { tableText, timeText } from '../table.ts';
import { answerTo, collected, type Desk, group, instant, leaf, nameText } from './command.ts';

const stateOf = ({ revoked_at, expires_at }: KeyAnswer): string => {
  if (revoked_at !== null) return `revoked ${timeText(revoked_at)}`;
  if (expires_at === null) return 'live';
  return `${expires_at <= Date.now() ? 'expired' : 'live until'} ${timeText(expires_at)}`;
};

const keysText = (keys: readonly KeyAnswer[]): string =>
  tableText(
    ['id', 'name', 'key', 'account', 'teams', 'user', 'state'],
    keys.map((key) => [
      key.id,
      key.name,
      `${key.prefix}…${key.last4}`,
      key.account_id,
      key.team_ids.join(' '),
      key.user_id,
      stateOf(key),
    ]),
  );

const issuedText = (issued: IssuedKey): string =>
  `${issued.key}\n\nThat is the key. It is shown this once and stored nowhere; keep it now.\n\n${keysText([issued])}`;

type CreateOptions = {
  account: string;
  team: readonly string[];
  user?: string;
  name: string;
  expires?: number;
  json?: true;
};

export const keyCommands = (program: Command, desk: Desk): void => {
  const keys = group(program, 'key', 'API keys: each belongs to an account and reaches some of its teams');

  leaf(keys, 'create', 'issue an API key; it is shown once', [
    'key create --account acc_01JD… --team team_01JD… --name "CI"',
    'key create --account acc_01JD… --team team_01JD… --user user_01JD… --expires 2027-01-31',
  ])
    .requiredOption('--account <account>', 'the account that it belongs to')
    .requiredOption('--team <team>', 'a team of that account that it reaches; can be given several times', collected)
    .option('--user <user>', 'the user that it acts for: it then reaches only teams that the user is a member of')
    .option('--name <name>', 'what it is for, 1 to 250 characters', nameText, 'key')
    .option('--expires <time>', 'when it ends, like 2027-01-31; never, if left out', instant)
    .action(async ({ account, team, user, name, expires, json }: CreateOptions) => {
      const wanted = {
        account_id: account,
        user_id: user ?? null,
        team_ids: [...new Set(team)],
        name,
        expires_at: expires ?? null,
      };
      const create = desk.connection.catalogue((catalogue) => createKey(catalogue, wanted));
      await answerTo(
        desk,
        json,
        create.then((issued) => answered(issued, issuedText)),
      );
    });

  leaf(keys, 'list', 'list keys; of each only how it begins and ends is known', ['key list --account acc_01JD…'])
    .option('--account <account>', 'only those of this account')
    .action(async ({ account, json }: { account?: string; json?: true }) => {
      const list = desk.connection.view(async (view) => E.right({ data: await listKeys(view, account ?? null) }));
      await answerTo(
        desk,
        json,
        list.then((found) => answered(found, ({ data }) => keysText(data))),
      );
    });

  leaf(keys, 'revoke <key>', 'end a key; returns when it is in force everywhere', ['key revoke key_01JD…']).action(
    async (id: string, { json }: { json?: true }) => {
      const revoke = desk.connection.catalogue((catalogue) => revokeKey(catalogue, id));
      await answerTo(
        desk,
        json,
        revoke.then((revoked) => answered(revoked, (one) => keysText([one]))),
      );
    },
  );
};
