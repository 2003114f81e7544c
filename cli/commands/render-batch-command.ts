import { stat } from 'node:fs/promises';
import { parse } from 'node:path';
import { Argument, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { didYouMean } from '../../domain/near-name.ts';
import { batchProgress } from '../batch/batch-progress.ts';
import { parseBatchColumns } from '../batch/columns.ts';
import { MAX_BATCH_ROWS, readRows } from '../batch/csv-rows.ts';
import { checkOverwritable, resultsFile } from '../batch/results-file.ts';
import { type BatchRowRequest, batchRowRequests } from '../batch/row-orders.ts';
import { countRows, type RowResult, rowCountsText } from '../batch/row-result.ts';
import { BATCH_POLLING, runBatch } from '../batch/run-batch.ts';
import type { CliFault } from '../fault.ts';
import { BATCH_RETRY_OPTIONS } from '../http/retry.ts';
import type { CommandOutput, PendingOutput } from '../output.ts';
import type { TemplateAnswer } from '../render/render-answers.ts';
import type { RenderApi } from '../render/render-api.ts';
import { countParser } from './arguments.ts';
import { addCommand, type CommandContext, type JsonOption, runCommand } from './command.ts';
import { type TeamOption, teamOption } from './team-option.ts';

type BatchOptions = JsonOption &
  TeamOption & {
    project: string;
    template: string;
    name?: string;
    edition?: string;
    draft?: true;
    concurrency: number;
    results?: string;
    wait: boolean;
    dryRun?: true;
  };

const templateOf = async (
  api: RenderApi,
  { project, template }: BatchOptions,
): Promise<E.Either<CliFault, TemplateAnswer>> => {
  const found = await api.template(project, template);
  if (E.isRight(found) || found.left.tag !== 'http' || found.left.status !== 404) return found;
  const all = await api.templates(project);
  if (E.isLeft(all)) {
    if (all.left.tag !== 'http' || all.left.status !== 404) return all;
    return E.left({ ...all.left, message: `there is no project ${project}, or you have no access to it` });
  }
  const ids = all.right.data.map(({ id }) => id);
  const list = ids.length === 0 ? 'it has none' : `it has ${ids.join(', ')}`;
  const message = `project ${project} has no template "${template}"${didYouMean(template, ids) || `; ${list}`}`;
  return E.left({ tag: 'http', status: 404, message });
};

const readOrders = async (
  api: RenderApi,
  path: string,
  options: BatchOptions,
): Promise<E.Either<CliFault, readonly BatchRowRequest[]>> => {
  const sheet = await readRows(path);
  if (E.isLeft(sheet)) return sheet;
  const template = await templateOf(api, options);
  if (E.isLeft(template)) return template;
  const name = options.name ?? template.right.name;
  const columns = parseBatchColumns(sheet.right.columns, template.right, name);
  if (E.isLeft(columns)) return E.left({ tag: 'invalid_rows', path, faults: columns.left });
  const batch = {
    project_id: options.project,
    template: template.right,
    name,
    edition: options.edition ?? '',
    draft: options.draft ?? false,
  };
  return E.right(batchRowRequests(batch, columns.right, sheet.right.rows));
};

const faultLines = (results: readonly RowResult[]): readonly string[] =>
  results.flatMap(({ line, render_id, error }) =>
    error === null ? [] : [`line ${line}: ${render_id === null ? '' : `${render_id}: `}${error}`],
  );

const checked = (orders: readonly BatchRowRequest[]): E.Either<CliFault, CommandOutput> => {
  const at_fault = orders.flatMap((order) => (order.tag === 'at_fault' ? [order] : []));
  const counts = { rows: orders.length, in_order: orders.length - at_fault.length, at_fault: at_fault.length };
  const summary = `${counts.rows} rows: ${counts.in_order} valid, ${counts.at_fault} invalid; nothing was requested`;
  if (at_fault.length === 0) return E.right({ text: summary, json: counts });
  const rows = at_fault.map(({ line, faults }) => `line ${line}: ${faults.join('; ')}`);
  return E.left({ tag: 'batch_incomplete', summary, results: null, rows, cause: null });
};

/** Rows can be read from a pipe like /dev/stdin, but a results file cannot be written next to it. */
const isPipe = async (path: string): Promise<boolean> => {
  const found = await stat(path).catch(() => null);
  return found !== null && !found.isFile() && !found.isDirectory();
};

const besides = (path: string): string => {
  const { dir, name } = parse(path);
  return `${dir === '' ? '' : `${dir}/`}${name}.results.csv`;
};

const batch = async (context: CommandContext, api: RenderApi, path: string, options: BatchOptions): PendingOutput => {
  if (options.results === undefined && (await isPipe(path)))
    return E.left({ tag: 'usage', message: `${path} is not a file; choose a file for the results with --results` });
  const to = options.results ?? besides(path);
  const writable = options.dryRun === true ? E.right(null) : await checkOverwritable(to);
  if (E.isLeft(writable)) return writable;
  const orders = await readOrders(api, path, options);
  if (E.isLeft(orders)) return orders;
  if (options.dryRun === true) return checked(orders.right);

  const file = resultsFile(to);
  const progress = batchProgress(context.stderr, orders.right.filter(({ tag }) => tag === 'order').length);
  const outcome = await runBatch(api, orders.right, {
    ...BATCH_RETRY_OPTIONS,
    ...BATCH_POLLING,
    concurrency: options.concurrency,
    waits: options.wait,
    stop: context.stop,
    began_at: Date.now(),
    on_change: file.changed,
    on_done: progress.done,
  });
  progress.stop();
  const { results, ended_by } = outcome;
  const written = await file.finish(results);
  if (E.isLeft(written)) return written;
  const counts = countRows(results);
  const summary = rowCountsText(counts);
  const rows = faultLines(results);
  if (rows.length > 0 || ended_by !== null)
    return E.left({ tag: 'batch_incomplete', summary, results: to, rows, cause: ended_by });
  return E.right({ text: `${summary}; the results are in ${to}`, json: { ...counts, results: to } });
};

const HELP = `
The first line of the file has keys of the template's fields; every line below it is
a render. The file is CSV in UTF-8, separated by commas, semicolons or tabs, with at
most ${MAX_BATCH_ROWS} rows. A missing or empty cell takes the default of the field; "" is
an empty text. In --name, {column} is replaced by the value of that column, which
need not be a field. The log keeps names permanently, but not values.

You can stop the command, for example with Ctrl-C, and run it again to continue. A row
is identified by its project, template and values, or by its value in a column "key",
so you can reorder rows. Identical rows are separate renders. The same file creates no
duplicates, even if the project has a new version or a render has failed. To render
everything again, use another --edition. After a change from an API key to a session, or
back, the command creates all renders again.

The command reports invalid rows by line and field, and renders the others. It writes
the results file again after each change: row, render_id, status, error, url (of the
master; "render get" gives a new one). Exit code 1: not all rows are complete.`;

export const renderBatchCommand = (renders: Command, context: CommandContext): void => {
  addCommand(renders, 'batch', 'create a render for each row of a CSV file; can be interrupted and repeated', [
    'render batch --project "$PROJECT_ID" --template "$TEMPLATE_ID" rows.csv --dry-run',
    'render batch --project "$PROJECT_ID" --template "$TEMPLATE_ID" rows.csv',
    'render batch --project "$PROJECT_ID" --template "$TEMPLATE_ID" rows.csv --name "Card {number}" --no-wait',
  ])
    .addArgument(new Argument('<rows>', 'the CSV file'))
    .requiredOption('--project <project>', 'the project to render')
    .requiredOption('--template <template>', 'the template whose fields are the columns')
    .option('--name <name>', 'name of the renders, like "Card {number}" (default: the name of the template)')
    .option('--concurrency <n>', 'number of renders at the same time', countParser(100), 8)
    .option('--results <file>', 'the results file (default: next to the rows, named .results.csv)')
    .option('--edition <word>', 'a new edition renders all rows again')
    .option(
      '--draft',
      'create drafts: smaller, faster and cheaper; for the full renders, run the command again without --draft',
    )
    .option('--no-wait', 'do not wait for the renders; to wait, run the command again without --no-wait')
    .option('--dry-run', 'only check the rows')
    .addOption(teamOption())
    .addHelpText('after', HELP)
    .action((rows: string, options: BatchOptions) =>
      runCommand(
        context,
        options.json,
        context.connection.api((api) => batch(context, api, rows, options), options.team),
      ),
    );
};
