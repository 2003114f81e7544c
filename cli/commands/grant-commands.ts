import { Argument, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { grantCredits } from '../../catalogue/accounts.ts';
import { type GrantWithAuthor, listGrants } from '../../catalogue/grants.ts';
import { actorText } from '../../domain/event/meta.ts';
import { tableText, timeText } from '../table.ts';
import { accountText } from './account-text.ts';
import { idOption, optionalId, parseWholeNumber } from './arguments.ts';
import {
  addCommand,
  type CommandContext,
  changeOutputOf,
  commandOutputOf,
  type JsonOption,
  runCommand,
} from './command.ts';

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

type GrantOptions = JsonOption & { id?: string };

export const grantCommands = (accounts: Command, context: CommandContext): void => {
  const account = () => new Argument('<account>', 'the account');

  addCommand(accounts, 'grant', 'grant credits; a second of a master video costs 1 credit per megapixel', [
    'account grant acc_01JD… 500',
    'account grant acc_01JD… 500 --id grant_2027-05',
  ])
    .addArgument(account())
    .addArgument(new Argument('<credits>', 'number of credits, a whole number, 1 or more').argParser(parseWholeNumber))
    .addOption(idOption('grant'))
    .action((account_id: string, credits: number, { id, json }: GrantOptions) => {
      const wanted = { account_id, credits, ...optionalId(id) };
      const grant = context.connection.catalogue((catalogue) => grantCredits(catalogue, wanted));
      return runCommand(context, json, changeOutputOf(grant, accountText));
    });

  addCommand(accounts, 'grants', 'list the credit grants of an account and who granted them', [
    'account grants acc_01JD…',
  ])
    .addArgument(account())
    .action((id: string, { json }: JsonOption) => {
      const list = context.connection.view((view) =>
        context.connection.records(async (records) => {
          const grants = await listGrants(view, records, id);
          return E.isLeft(grants) ? grants : E.right({ data: grants.right });
        }),
      );
      return runCommand(
        context,
        json,
        commandOutputOf(list, ({ data }) => grantsText(data)),
      );
    });
};
