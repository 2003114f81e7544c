import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { Topic } from '../../platform/event-log/topics.ts';
import { messageOf } from '../../platform/logging/message-of.ts';
import type { CliFault } from '../fault.ts';
import type { ExportResult } from '../log/export/export-log.ts';
import { exportProgress } from '../log/export/export-progress.ts';
import { EXPORTED_TOPICS } from '../log/export/exported-topics.ts';
import type { SqlAnswer } from '../log/sql/run-sql.ts';
import { type PendingOutput, toCommandOutput } from '../output.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';
import { parseTimeOrAgo } from './arguments.ts';
import { addCommand, type CommandContext, type JsonOption, runCommand } from './command.ts';
import { choiceOption } from './topic-options.ts';

type ExportOptions = JsonOption & { parquet: string; topic?: readonly Topic[] };

type SqlOptions = JsonOption & {
  file?: string;
  export?: string;
  topic?: readonly Topic[];
  from?: number;
  to?: number;
  csv?: true;
};

const TABLES_HELP = `
Each record type has a table of the same name (docs/events.md). Its columns are
log_topic, log_partition, log_offset, log_time, log_key and the members of the record;
a nested record is a STRUCT. "Unreadable" has the records that cannot be decoded.
The tables hide the names of renders and the names and documents of projects, which
records of earlier versions contain.`;

const EXPORT_HELP = `${TABLES_HELP}
The files are FOLDER/<type>/<day>.parquet, by the UTC day of the append. Run the
command again to add newer records, also after an interruption. Only one command may
write to a folder at a time.`;

const SQL_HELP = `${TABLES_HELP} A table has every record. The schema
"accepted" has each event once, and only the render events that the fold accepted:
count in accepted.RenderRequested. "renders" has the current state of each render,
"attempts" each attempt of a worker.

Without --export the command reads the records from --from to --to from the log (by
default the last day) into a temporary folder. The SQL dialect is DuckDB's. It can
read files, and write them with COPY, only in the folder of the export.`;

const exported = async (
  context: CommandContext,
  folder: string,
  options: Pick<SqlOptions, 'topic' | 'from' | 'to'>,
) => {
  const { exportLog } = await import('../log/export/export-log.ts');
  const progress = exportProgress(context.stderr);
  const { topic: topics = EXPORTED_TOPICS, from, to } = options;
  const result = await context.connection.records((records) =>
    exportLog({ records, folder, selection: { topics, from, to }, stop: context.stop, on_progress: progress.show }),
  );
  progress.stop();
  return result;
};

const answerOf = async (
  context: CommandContext,
  folder: string,
  spill: string,
  sql: string,
  csv: boolean,
): PendingOutput => {
  const { readManifest } = await import('../log/export/manifest.ts');
  const { openTables } = await import('../log/sql/open-tables.ts');
  const { runSql, sqlCsv, sqlObjects, sqlTable } = await import('../log/sql/run-sql.ts');
  const { withDuckDb } = await import('../log/duckdb.ts');
  const manifest = await readManifest(folder);
  if (E.isLeft(manifest)) return manifest;
  return await withDuckDb(spill, async (connection): PendingOutput => {
    await openTables(connection, folder, manifest.right);
    const answer = await runSql(connection, sql, context.stop);
    return E.map((found: SqlAnswer) => ({
      text: csv ? sqlCsv(found).trimEnd() : sqlTable(found),
      is_data: csv,
      json: sqlObjects(found),
    }))(answer);
  });
};

const DAY_MS = 24 * 60 * 60 * 1_000;

const statementOf = async (sql: string | undefined, file: string | undefined): Promise<E.Either<CliFault, string>> => {
  if ((sql === undefined) === (file === undefined))
    return E.left({ tag: 'usage', message: 'use either a statement or --file' });
  if (file === undefined) return E.right(sql ?? '');
  try {
    return E.right(await readFile(file, 'utf8'));
  } catch (error) {
    return E.left({ tag: 'unreadable_file', path: file, message: messageOf(error) });
  }
};

const queried = async (context: CommandContext, given: string | undefined, options: SqlOptions): PendingOutput => {
  const statement = await statementOf(given, options.file);
  if (E.isLeft(statement)) return statement;
  const sql = statement.right;
  return await withTemporaryFolder('sql', async (temporary): PendingOutput => {
    const spill = join(temporary, 'spill');
    const csv = options.csv === true;
    if (options.export !== undefined) return await answerOf(context, options.export, spill, sql, csv);
    const folder = join(temporary, 'export');
    const from = options.from ?? Date.now() - DAY_MS;
    const result = await exported(context, folder, { ...options, from });
    return E.isLeft(result) ? result : await answerOf(context, folder, spill, sql, csv);
  });
};

const topicOption = (): Option =>
  choiceOption(EXPORTED_TOPICS, '--topic <topic>', 'only this topic; repeatable (default: all topics)');

export const logTableCommands = (log: Command, context: CommandContext): void => {
  addCommand(log, 'export', 'write the log as Parquet files, or add newer records', [
    'log export --parquet /data/log',
    'log export --parquet /data/log --topic render-status',
  ])
    .requiredOption('--parquet <folder>', 'the output folder; created if it does not exist')
    .addOption(topicOption())
    .addHelpText('after', EXPORT_HELP)
    .action((options: ExportOptions) => {
      const text = ({ records, rows, files }: ExportResult): string =>
        `${records} records were added; ${options.parquet} has ${rows} in ${files} files.`;
      const exporting = exported(context, options.parquet, options).then((result) => toCommandOutput(result, text));
      return runCommand(context, options.json, exporting);
    });

  addCommand(log, 'sql [statement]', 'query records with SQL', [
    `log sql 'select code, count(*) from RenderFailed group by all order by 2 desc' --from 30d`,
    `log sql 'select status, count(*) from renders group by all' --export /data/log`,
    'log sql --file examples/analysis/funnel.sql --from 7d',
  ])
    .option('--file <file>', 'a file with the statement')
    .option('--export <folder>', 'an existing export')
    .addOption(topicOption().conflicts('export'))
    .addOption(new Option('--from <time>', 'from this time').argParser(parseTimeOrAgo).conflicts('export'))
    .addOption(new Option('--to <time>', 'before this time').argParser(parseTimeOrAgo).conflicts('export'))
    .addOption(new Option('--csv', 'as CSV').conflicts('json'))
    .addHelpText('after', SQL_HELP)
    .action((sql: string | undefined, options: SqlOptions) =>
      runCommand(context, options.json, queried(context, sql, options)),
    );
};
