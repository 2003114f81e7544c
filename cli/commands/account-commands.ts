import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { accountById, createAccount, grantCredits, listAccounts } from '../catalogue/accounts.ts';
import type { AccountAnswer } from '../catalogue/answers.ts';
import { answered } from '../output.ts';
import { tableText, timeText } from '../table.ts';
import { answerTo, type Desk, group, leaf, nameText, wholeNumber } from './command.ts';

const accountsText = (accounts: readonly AccountAnswer[]): string =>
  tableText(
    ['id', 'name', 'credits granted', 'created'],
    accounts.map(({ id, name, unlimited_credits, granted_credits, created_at }) => [
      id,
      name,
      unlimited_credits ? `${granted_credits} (unlimited)` : granted_credits,
      timeText(created_at),
    ]),
  );

type CreateOptions = { name: string; unlimited?: true; id?: string; json?: true };
type GrantOptions = { account: string; credits: number; id?: string; json?: true };

export const accountCommands = (program: Command, desk: Desk): void => {
  const accounts = group(program, 'account', 'accounts: they own teams and keys, and pay with credits');

  leaf(accounts, 'create', 'create an account', [
    'account create --name "Acme"',
    'account create --name Demo --unlimited',
  ])
    .requiredOption('--name <name>', 'its name, 1 to 250 characters; it stands in the log for ever', nameText)
    .option('--unlimited', 'never refuse a render for want of credits')
    .option('--id <id>', 'an id of your own, so that a command that was cut off can be repeated')
    .action(async ({ name, unlimited, id, json }: CreateOptions) => {
      const wanted = { name, unlimited_credits: unlimited === true, ...(id === undefined ? {} : { id }) };
      const create = desk.connection.catalogue((catalogue) => createAccount(catalogue, wanted));
      await answerTo(
        desk,
        json,
        create.then((account) => answered(account, (one) => accountsText([one]))),
      );
    });

  leaf(accounts, 'list', 'list every account', ['account list', 'account list --json']).action(
    async ({ json }: { json?: true }) => {
      const list = desk.connection.view(async (view) => E.right({ data: await listAccounts(view) }));
      await answerTo(
        desk,
        json,
        list.then((found) => answered(found, ({ data }) => accountsText(data))),
      );
    },
  );

  leaf(accounts, 'show <account>', 'show one account', ['account show acc_01JD…']).action(
    async (id: string, { json }: { json?: true }) => {
      const show = desk.connection.view((view) => accountById(view, id));
      await answerTo(
        desk,
        json,
        show.then((account) => answered(account, (one) => accountsText([one]))),
      );
    },
  );

  const credits = group(program, 'credits', 'credits: one for each second and megapixel of a master video');

  leaf(credits, 'grant', 'grant credits to an account', ['credits grant --account acc_01JD… --credits 500'])
    .requiredOption('--account <account>', 'the account')
    .requiredOption('--credits <n>', 'how many, a whole number above 0', wholeNumber)
    .option('--id <id>', 'an id of your own: a grant of the same id counts once')
    .action(async ({ account, credits: amount, id, json }: GrantOptions) => {
      const wanted = { account_id: account, credits: amount, ...(id === undefined ? {} : { id }) };
      const grant = desk.connection.catalogue((catalogue) => grantCredits(catalogue, wanted));
      await answerTo(
        desk,
        json,
        grant.then((granted) => answered(granted, (one) => accountsText([one]))),
      );
    });
};
