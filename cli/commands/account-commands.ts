import { Argument, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { accountLimits } from '../../catalogue/account-limits.ts';
import { accountRetention } from '../../catalogue/account-retention.ts';
import {
  accountWithCredits,
  createAccount,
  grantCredits,
  listAccounts,
  renameAccount,
  setCreditLimit,
} from '../../catalogue/accounts.ts';
import type {
  AccountAnswer,
  CreditsAnswer,
  DownloadNamingAnswer,
  LimitAnswer,
  OwnerAnswer,
  RetentionAnswer,
} from '../../catalogue/answers.ts';
import { downloadNaming } from '../../catalogue/download-naming.ts';
import { type GrantWithAuthor, listGrants } from '../../catalogue/grants.ts';
import { listOwners } from '../../catalogue/owners.ts';
import { actorText } from '../../domain/event/meta.ts';
import { tableText, timeText } from '../table.ts';
import { idOption, nameArgument, nameOption, ownId, wholeNumber } from './arguments.ts';
import {
  addCommand,
  answeredAs,
  answeredChange,
  answerTo,
  type CommandContext,
  group,
  type JsonOption,
} from './command.ts';
import { downloadCommand, downloadsText } from './download-command.ts';
import { limitCommands, limitsText } from './limit-commands.ts';
import { ownerCommands, ownersText } from './owner-commands.ts';
import { retentionCommand, retentionText } from './retention-command.ts';
import { statementCommand } from './statement-command.ts';

const accountsText = (accounts: readonly AccountAnswer[]): string =>
  tableText(
    ['id', 'name', 'credits granted', 'unlimited', 'created'],
    accounts.map(({ id, name, unlimited_credits, granted_credits, created_at, erased_at }) => [
      id,
      erased_at === undefined ? name : '(erased)',
      granted_credits,
      unlimited_credits ? 'yes' : 'no',
      timeText(created_at),
    ]),
  );
const accountText = (account: AccountAnswer): string => accountsText([account]);

type ShownAccount = CreditsAnswer & {
  readonly owners: readonly OwnerAnswer[];
  readonly limits: readonly LimitAnswer[];
  readonly retention: readonly RetentionAnswer[];
  readonly downloads: DownloadNamingAnswer;
};

const shownText = (account: ShownAccount): string => {
  const { granted_credits, charged_credits, reserved_credits, left_credits } = account;
  const credits = tableText(
    ['credits granted', 'charged', 'reserved', 'left'],
    [[granted_credits, charged_credits, reserved_credits, left_credits ?? 'no limit']],
  );
  const { owners, limits, retention, downloads } = account;
  const parts = [ownersText(owners), limitsText(limits), retentionText(retention), downloadsText(downloads), credits];
  return [accountText(account), ...parts].join('\n\n');
};

const grantsText = (grants: readonly GrantWithAuthor[]): string =>
  tableText(
    ['id', 'credits', 'granted', 'by'],
    grants.map(({ id, credits, created_at, granted_by }) => [
      id,
      credits,
      timeText(created_at),
      granted_by === null ? 'unknown' : actorText(granted_by),
    ]),
  );

type CreateOptions = JsonOption & { name: string; unlimited?: true; id?: string };
type GrantOptions = JsonOption & { id?: string };

export const accountCommands = (program: Command, context: CommandContext): void => {
  const accounts = group(program, 'account', 'accounts, which own teams and keys and pay with credits');
  const account = () => new Argument('<account>', 'the account');

  addCommand(accounts, 'create', 'create an account', [
    'account create --name "Acme"',
    'account create --name Demo --unlimited',
  ])
    .addOption(nameOption())
    .option('--unlimited', 'never refuse a render for lack of credits')
    .addOption(idOption('acc'))
    .action(({ name, unlimited, id, json }: CreateOptions) => {
      const wanted = { name, unlimited_credits: unlimited === true, ...ownId(id) };
      const create = context.connection.catalogue((catalogue) => createAccount(catalogue, wanted));
      return answerTo(context, json, answeredChange(create, accountText));
    });

  addCommand(accounts, 'list', 'list all accounts', ['account list', 'account list --json']).action(
    ({ json }: JsonOption) => {
      const list = context.connection.view(async (view) => E.right({ data: await listAccounts(view) }));
      return answerTo(
        context,
        json,
        answeredAs(list, ({ data }) => accountsText(data)),
      );
    },
  );

  addCommand(accounts, 'show', 'show an account: owners, limits, retention, download names and credits', [
    'account show acc_01JD…',
  ])
    .addArgument(account())
    .action((id: string, { json }: JsonOption) =>
      answerTo(
        context,
        json,
        answeredAs(
          context.connection.view(async (view) => {
            const shown = await accountWithCredits(view, id);
            if (E.isLeft(shown)) return shown;
            const now = Date.now();
            const [owners, limits] = [await listOwners(view, id), await accountLimits(view, id, now)];
            const retention = await accountRetention(view, id, now);
            if (E.isLeft(owners)) return owners;
            if (E.isLeft(limits)) return limits;
            if (E.isLeft(retention)) return retention;
            const downloads = await downloadNaming(view, id);
            if (E.isLeft(downloads)) return downloads;
            const all = { owners: owners.right, limits: limits.right, retention: retention.right };
            return E.right({ ...shown.right, ...all, downloads: downloads.right });
          }),
          shownText,
        ),
      ),
    );

  addCommand(accounts, 'rename', 'rename an account', ['account rename acc_01JD… "Acme Films"'])
    .addArgument(account())
    .addArgument(nameArgument())
    .action((id: string, name: string, { json }: JsonOption) => {
      const rename = context.connection.catalogue((catalogue) => renameAccount(catalogue, id, name));
      return answerTo(context, json, answeredChange(rename, accountText));
    });

  addCommand(accounts, 'grant', 'grant credits: one for each second and megapixel of a master video', [
    'account grant acc_01JD… 500',
    'account grant acc_01JD… 500 --id grant_2027-05',
  ])
    .addArgument(account())
    .addArgument(new Argument('<credits>', 'number of credits, a whole number above 0').argParser(wholeNumber))
    .addOption(idOption('grant'))
    .action((account_id: string, credits: number, { id, json }: GrantOptions) => {
      const wanted = { account_id, credits, ...ownId(id) };
      const grant = context.connection.catalogue((catalogue) => grantCredits(catalogue, wanted));
      return answerTo(context, json, answeredChange(grant, accountText));
    });

  addCommand(accounts, 'grants', 'list the credit grants of an account and who made them', ['account grants acc_01JD…'])
    .addArgument(account())
    .action((id: string, { json }: JsonOption) => {
      const list = context.connection.view((view) =>
        context.connection.records(async (records) => {
          const grants = await listGrants(view, records, id);
          return E.isLeft(grants) ? grants : E.right({ data: grants.right });
        }),
      );
      return answerTo(
        context,
        json,
        answeredAs(list, ({ data }) => grantsText(data)),
      );
    });

  ownerCommands(accounts, context);
  limitCommands(accounts, context);
  retentionCommand(accounts, context);
  downloadCommand(accounts, context);
  statementCommand(accounts, context);

  addCommand(accounts, 'unlimited', 'lift or impose the credit limit; renders are charged either way', [
    'account unlimited acc_01JD… on',
    'account unlimited acc_01JD… off',
  ])
    .addArgument(account())
    .addArgument(new Argument('<limit>', 'on: never refuse renders for lack of credits').choices(['on', 'off']))
    .action((id: string, limit: string, { json }: JsonOption) => {
      const set = context.connection.catalogue((catalogue) => setCreditLimit(catalogue, id, limit === 'on'));
      return answerTo(context, json, answeredChange(set, accountText));
    });
};
