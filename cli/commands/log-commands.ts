import { type Command, InvalidArgumentError, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { TOPICS, type Topic } from '../../platform/event-log/topics.ts';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import { renderOwners } from '../../read-models/renders/owners.ts';
import type { RecordType } from '../../schemas/any-record.ts';
import { RECORDS } from '../../schemas/records.ts';
import type { CliFault } from '../fault.ts';
import type { RecordFilter } from '../log/matching.ts';
import type { LogSelection } from '../log/ranges.ts';
import { type LogReadOptions, writeLog, writeTail } from '../log/write-log.ts';
import { countParser, parseTimeOrAgo, parseWholeNumber } from './arguments.ts';
import { addCommand, addCommandGroup, type CommandContext, type JsonOption, runStreamingCommand } from './command.ts';
import { logInCommands } from './log-in-commands.ts';
import { logTableCommands } from './log-table-commands.ts';
import { choiceOption } from './topic-options.ts';

type FilterOptions = JsonOption & {
  topic?: readonly Topic[];
  partition?: number;
  from?: number;
  to?: number;
  render?: string;
  project?: string;
  account?: string;
  type?: readonly RecordType[];
};

/** The topics whose records are events. Records of render-status only confirm events of render-events. */
const EVENTS: readonly Topic[] = ['render-events', 'catalogue-events', 'webhook-events'];

const TYPED: readonly Topic[] = TOPICS.map(({ name }) => name).filter((name) => name !== 'deployment');

const HELP = `
Without --topic the command reads the topics with events: ${EVENTS.join(', ')}.
Records are in the order in which they were appended. A terminal shows readable lines.
With --json, or in a pipe, each record is a line of JSON: topic, partition, offset,
time, key, type and record. A record that cannot be decoded has "poison" or "unknown"
with the reason instead of "record". --project and --account omit such records. For a
render's record without a project or account, the read model supplies them.

docs/events.md describes the records. The command hides the names of renders and the
names and documents of projects, which records of earlier versions contain.`;

const place = (text: string): number => {
  const value = parseWholeNumber(text);
  if (value < 0) throw new InvalidArgumentError('It must be 0 or more.');
  return value;
};

const withFilters = (command: Command): Command =>
  command
    .addOption(choiceOption(TYPED, '--topic <topic>', 'only this topic; repeatable'))
    .option('--partition <number>', 'only this partition', place)
    .option('--from <time>', 'start at this time: a date, or how long ago, like 30m', parseTimeOrAgo)
    .option('--to <time>', 'before this time', parseTimeOrAgo)
    .option('--render <render>', 'only records of this render')
    .option('--project <project>', 'only records of this project and its renders')
    .option('--account <account>', 'only records of this account and its renders')
    .addOption(
      choiceOption(
        RECORDS.map(({ type }) => type),
        '--type <type>',
        'only this type, like RenderFailed; repeatable',
      ),
    )
    .addHelpText('after', HELP);

const selectionOf = ({ topic, partition, from, to, render }: FilterOptions): LogSelection => ({
  ...{ topics: topic ?? EVENTS, partition, from, to, render },
});

const wantedOf = ({ render, project, account, type }: FilterOptions): RecordFilter => ({
  render,
  project,
  account,
  types: type,
});

/** Opens the read model only if the options need it. */
const reading = (
  context: CommandContext,
  { json, project, account }: FilterOptions,
  use: (reading: LogReadOptions) => Promise<E.Either<CliFault, null>>,
): Promise<E.Either<CliFault, null>> =>
  context.connection.records((records) => {
    const { stdout: screen, stop } = context;
    const as_json = json === true || screen.isTTY !== true;
    const parts = { records, clock: SYSTEM_CLOCK, screen, as_json, stop };
    if (project === undefined && account === undefined) return use({ ...parts, owners: async () => new Map() });
    return context.connection.db((db) => use({ ...parts, owners: renderOwners(db) }));
  });

const MAX = 1_000_000_000;
const MAX_LAST = 10_000;
const DEFAULT_LAST = 10;

type ReadOptions = FilterOptions & { offset?: number; limit?: number };
type TailOptions = FilterOptions & { lines: number; follow?: true };

const usageFault = ({ topic = EVENTS, partition, offset }: ReadOptions): CliFault | null =>
  offset === undefined || (partition !== undefined && topic.length === 1)
    ? null
    : { tag: 'usage', message: '--offset needs one --topic and its --partition' };

const readLog = async (context: CommandContext, options: ReadOptions): Promise<E.Either<CliFault, null>> => {
  const fault = usageFault(options);
  if (fault !== null) return E.left(fault);
  const selection = { ...selectionOf(options), offset: options.offset };
  return reading(context, options, (parts) => writeLog(parts, selection, wantedOf(options), options.limit));
};

export const logCommands = (program: Command, context: CommandContext): void => {
  const log = addCommandGroup(program, 'log', 'log in and out, and read the records of the log');
  logInCommands(log, context);

  const read = addCommand(log, 'read', 'print records, oldest first', [
    'log read --render rend_01JD…',
    'log read --type RenderFailed --account acc_01JD… --from 7d',
    'log read --topic render-status --partition 3 --offset 1200 --limit 1',
    'log read --from 2026-11-01 --to 2026-12-01 > november.jsonl',
  ]);
  withFilters(read)
    .option('--offset <number>', 'start at this offset; needs one --topic and its --partition', place)
    .option('--limit <count>', 'maximum number of records', countParser(MAX))
    .action((options: ReadOptions) => runStreamingCommand(context, options.json, readLog(context, options)));

  const tail = addCommand(log, 'tail', 'print the newest records, and new ones as they arrive with --follow', [
    'log tail --follow',
    'log tail --lines 100 --type RenderFailed --type AttemptLost',
    'log tail --lines 0 --follow --project proj_01JD…',
  ]);
  withFilters(tail)
    .addOption(
      new Option('-n, --lines <count>', `number of last records, 0 to ${MAX_LAST}`)
        .argParser((text) => (text === '0' ? 0 : countParser(MAX_LAST)(text)))
        .default(DEFAULT_LAST),
    )
    .option('-f, --follow', 'print new records until Ctrl-C')
    .action((options: TailOptions) => {
      const how = { count: options.lines, follow: options.follow === true };
      const selection = selectionOf(options);
      const writing = reading(context, options, (parts) => writeTail(parts, selection, wantedOf(options), how));
      return runStreamingCommand(context, options.json, writing);
    });

  logTableCommands(log, context);
};
