import { Argument, type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { creditStatement } from '../../catalogue/statement.ts';
import type { CliFault } from '../fault.ts';
import { dataScreen } from '../screen.ts';
import { CSV_FORMAT, JSON_FORMAT, TABLE_FORMAT } from '../statement/statement-formats.ts';
import { writeStatement } from '../statement/write-statement.ts';
import { parsePastTime, parseTimeOrAgo } from './arguments.ts';
import { addCommand, type CommandContext, type JsonOption, runStreamingCommand } from './command.ts';

type StatementOptions = JsonOption & { since?: number; until?: number; csv?: true };

const HELP = `
Lists each grant and each completed render in order, with the balance after it: all
grants minus all charges. "account show" has the credits that running renders reserve;
a failed render returns them and is not in the statement. Times are UTC, and a date
means its midnight: --since 2026-11-01 --until 2026-12-01 is November.`;

const statement = async (
  context: CommandContext,
  account_id: string,
  { csv, json, ...period }: StatementOptions,
): Promise<E.Either<CliFault, null>> => {
  const [since, until] = [period.since ?? null, period.until ?? null];
  if (since !== null && until !== null && until <= since)
    return E.left({ tag: 'usage', message: '--until must be after --since' });
  const format = json === true ? JSON_FORMAT : csv === true ? CSV_FORMAT : TABLE_FORMAT;
  return context.connection.view((view) =>
    context.connection.records(async (records) => {
      const stated = await creditStatement(view, records, account_id, { since, until });
      const screen = format === CSV_FORMAT ? dataScreen(context.stdout) : context.stdout;
      return E.isLeft(stated) ? stated : writeStatement(screen, stated.right, format, context.stop);
    }),
  );
};

export const statementCommand = (accounts: Command, context: CommandContext): void => {
  addCommand(accounts, 'statement', 'list the grants and charges of an account', [
    'account statement acc_01JD…',
    'account statement acc_01JD… --since 2026-11-01 --until 2026-12-01 --csv > november.csv',
  ])
    .addArgument(new Argument('<account>', 'the account'))
    .option('--since <time>', 'start at this time: a date, or how long ago, like 30d', parsePastTime)
    .option('--until <time>', 'before this time', parseTimeOrAgo)
    .addOption(new Option('--csv', 'as CSV').conflicts('json'))
    .addHelpText('after', HELP)
    .action((id: string, options: StatementOptions) =>
      runStreamingCommand(context, options.json, statement(context, id, options)),
    );
};
