import { Argument, type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { accountById } from '../../catalogue/accounts.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import { statisticsCsv } from '../../catalogue/statistics-csv.ts';
import { teamById } from '../../catalogue/teams.ts';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import { type CatalogueReadModel, catalogueReadModel } from '../../read-models/catalogue/management.ts';
import type { StatisticsScope } from '../../read-models/statistics/documents.ts';
import {
  type CurrentRenderCounts,
  type HourCounts,
  openRenderStatistics,
} from '../../read-models/statistics/statistics.ts';
import type { CliFault } from '../fault.ts';
import { statisticsReport, statisticsText } from '../statistics/statistics-text.ts';
import {
  addCommand,
  type CommandContext,
  commandOutputOf,
  type JsonOption,
  runCommand,
  runStreamingCommand,
} from './command.ts';

type StatsOptions = JsonOption & { csv?: true };

const PERIOD_MS = 30 * 24 * 60 * 60 * 1_000;

const HELP = `
Shows the last 30 days by UTC day: renders requested, completed and failed (including
cancelled ones), credits charged, how long renders waited for a worker, and how long
they then took until they were complete. Each event counts on its day in the log. p50
and p95 are accurate to within 10 %. The command also shows the failures by code and
the number of running renders. --csv lists hours.`;

const scopeOf = async (view: CatalogueReadModel, id: string): Promise<E.Either<CatalogueFault, StatisticsScope>> => {
  if (!id.startsWith('team_')) return E.map(() => ({ account_id: id, team_id: null }))(await accountById(view, id));
  const team = await teamById(view, id);
  return E.isLeft(team) ? team : E.right({ account_id: team.right.account_id, team_id: id });
};

type Read = { readonly hours: readonly HourCounts[]; readonly now: CurrentRenderCounts };

const read = (context: CommandContext, id: string): Promise<E.Either<CliFault, Read>> =>
  context.connection.db(async (db): Promise<E.Either<CatalogueFault | CliFault, Read>> => {
    const scope = await scopeOf(catalogueReadModel(db), id);
    if (E.isLeft(scope)) return scope;
    const statistics = openRenderStatistics(db);
    if (!(await statistics.areFolded())) return E.left({ tag: 'not_folded_yet', what: 'the statistics are' });
    // Reads a minute beyond now, because the broker's clock may be ahead of this machine's.
    const until = SYSTEM_CLOCK.now() + 60_000;
    const hours = await statistics.hours(scope.right, until - PERIOD_MS, until);
    return E.right({ hours, now: await statistics.now(scope.right) });
  });

const asCsv = async (context: CommandContext, id: string): Promise<E.Either<CliFault, null>> =>
  E.map(({ hours }: Read) => {
    context.stdout.write(statisticsCsv(hours));
    return null;
  })(await read(context, id));

const asTable = async (context: CommandContext, id: string) =>
  E.map(({ hours, now }: Read) => statisticsReport(hours, now))(await read(context, id));

export const statsCommand = (program: Command, context: CommandContext): void => {
  addCommand(program, 'stats', 'show statistics of the renders of the last 30 days, of an account or a team', [
    'stats acc_01JD…',
    'stats team_01JD… --csv > hours.csv',
  ])
    .addArgument(new Argument('<account or team>', 'the account or the team'))
    .addOption(new Option('--csv', 'by hour, as CSV').conflicts('json'))
    .addHelpText('after', HELP)
    .action((id: string, options: StatsOptions) =>
      options.csv === true
        ? runStreamingCommand(context, options.json, asCsv(context, id))
        : runCommand(context, options.json, commandOutputOf(asTable(context, id), statisticsText)),
    );
};
