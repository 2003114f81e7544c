import { Argument, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { accountLimits } from '../../catalogue/account-limits.ts';
import { accountRetention } from '../../catalogue/account-retention.ts';
import {
  accountWithCredits,
  createAccount,
  listAccounts,
  renameAccount,
  setCreditLimit,
} from '../../catalogue/accounts.ts';
import type { CreditsView, DownloadNamingView, LimitView, OwnerView, RetentionView } from '../../catalogue/answers.ts';
import { downloadNaming } from '../../catalogue/download-naming.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import { listOwners } from '../../catalogue/owners.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import { tableText } from '../table.ts';
import { accountsText, accountText } from './account-text.ts';
import { idOption, nameArgument, nameOption, optionalId } from './arguments.ts';
import {
  addCommand,
  addCommandGroup,
  type CommandContext,
  changeOutputOf,
  commandOutputOf,
  type JsonOption,
  runCommand,
} from './command.ts';
import { downloadCommand, downloadsText } from './download-command.ts';
import { grantCommands } from './grant-commands.ts';
import { limitCommands, limitsText } from './limit-commands.ts';
import { ownerCommands, ownersText } from './owner-commands.ts';
import { retentionCommand, retentionText } from './retention-command.ts';
import { statementCommand } from './statement-command.ts';

type ShownAccount = CreditsView & {
  readonly owners: readonly OwnerView[];
  readonly limits: readonly LimitView[];
  readonly retention: readonly RetentionView[];
  readonly downloads: DownloadNamingView;
};

const showAccount = async (view: CatalogueReadModel, id: string): Promise<E.Either<CatalogueFault, ShownAccount>> => {
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

type CreateOptions = JsonOption & { name: string; unlimited?: true; id?: string };

export const accountCommands = (program: Command, context: CommandContext): void => {
  const accounts = addCommandGroup(program, 'account', 'accounts, which own teams and keys and pay with credits');
  const account = () => new Argument('<account>', 'the account');

  addCommand(accounts, 'create', 'create an account', [
    'account create --name "Acme"',
    'account create --name Demo --unlimited',
  ])
    .addOption(nameOption())
    .option('--unlimited', 'set no credit limit')
    .addOption(idOption('acc'))
    .action(({ name, unlimited, id, json }: CreateOptions) => {
      const wanted = { name, unlimited_credits: unlimited === true, ...optionalId(id) };
      const create = context.connection.catalogue((catalogue) => createAccount(catalogue, wanted));
      return runCommand(context, json, changeOutputOf(create, accountText));
    });

  addCommand(accounts, 'list', 'list all accounts', ['account list', 'account list --json']).action(
    ({ json }: JsonOption) => {
      const list = context.connection.view(async (view) => E.right({ data: await listAccounts(view) }));
      return runCommand(
        context,
        json,
        commandOutputOf(list, ({ data }) => accountsText(data)),
      );
    },
  );

  addCommand(accounts, 'show', 'show an account: owners, limits, retention, download names and credits', [
    'account show acc_01JD…',
  ])
    .addArgument(account())
    .action((id: string, { json }: JsonOption) =>
      runCommand(
        context,
        json,
        commandOutputOf(
          context.connection.view((view) => showAccount(view, id)),
          shownText,
        ),
      ),
    );

  addCommand(accounts, 'rename', 'rename an account', ['account rename acc_01JD… "Acme Films"'])
    .addArgument(account())
    .addArgument(nameArgument())
    .action((id: string, name: string, { json }: JsonOption) => {
      const rename = context.connection.catalogue((catalogue) => renameAccount(catalogue, id, name));
      return runCommand(context, json, changeOutputOf(rename, accountText));
    });

  grantCommands(accounts, context);
  ownerCommands(accounts, context);
  limitCommands(accounts, context);
  retentionCommand(accounts, context);
  downloadCommand(accounts, context);
  statementCommand(accounts, context);

  addCommand(
    accounts,
    'unlimited',
    'remove or restore the credit limit of an account; renders are charged in both cases',
    ['account unlimited acc_01JD… on', 'account unlimited acc_01JD… off'],
  )
    .addArgument(account())
    .addArgument(
      new Argument('<limit>', 'on: no credit limit; off: credits are limited to the grants').choices(['on', 'off']),
    )
    .action((id: string, limit: string, { json }: JsonOption) => {
      const set = context.connection.catalogue((catalogue) => setCreditLimit(catalogue, id, limit === 'on'));
      return runCommand(context, json, changeOutputOf(set, accountText));
    });
};
