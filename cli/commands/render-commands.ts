import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { CliFault } from '../fault.ts';
import { commandRetrier } from '../http/retry.ts';
import { type PendingOutput, toCommandOutput } from '../output.ts';
import { type DetailedRender, withDetails } from '../render/detailed-render.ts';
import { FOLLOW_DEFAULTS, followRender } from '../render/follow.ts';
import { lifecycleDisplay } from '../render/progress-bar.ts';
import type { RenderApi, RenderRequestBody } from '../render/render-api.ts';
import { renderAsOf } from '../render/render-as-of.ts';
import { renderText } from '../render/render-text.ts';
import { timeText } from '../table.ts';
import { parseName, parsePastTime } from './arguments.ts';
import { addCommand, addCommandGroup, type CommandContext, runCommand } from './command.ts';
import { renderBatchCommand } from './render-batch-command.ts';
import { renderCancelCommand } from './render-cancel-command.ts';
import { checkOutput, downloadRender, parseFileName, renderDownloadCommand } from './render-download-command.ts';
import { renderListCommand } from './render-list-command.ts';
import { type TeamOption, teamOption } from './team-option.ts';
import { readFieldValues, type ValueOptions, valueEntry } from './values.ts';

type CreateOptions = ValueOptions &
  TeamOption & {
    name: string;
    project: string;
    template?: string;
    draft?: true;
    watch?: true;
    output?: string;
    force?: true;
    json?: true;
  };

const orderOf = async (options: CreateOptions): Promise<E.Either<CliFault, RenderRequestBody>> => {
  const given = await readFieldValues(options);
  if (E.isLeft(given)) return given;
  const values = given.right;
  return E.right({
    name: options.name,
    project_id: options.project,
    ...(options.template === undefined ? {} : { template_id: options.template }),
    ...(Object.keys(values).length === 0 ? {} : { values }),
    ...(options.draft === undefined ? {} : { draft: options.draft }),
  });
};

const renderOutput = async (
  { connection }: CommandContext,
  result: E.Either<CliFault, DetailedRender>,
): PendingOutput => {
  if (E.isLeft(result)) return result;
  const is_remote = await connection.isRemote();
  const can_trace = E.isLeft(is_remote) || !is_remote.right;
  return toCommandOutput(result, (render) => renderText(render, can_trace));
};

/** Writes progress to stderr, so that stdout has only the result. */
const watched = async (context: CommandContext, api: RenderApi, id: string): PendingOutput => {
  const display = lifecycleDisplay(context.stderr);
  const result = await followRender(api, id, { ...FOLLOW_DEFAULTS, on_lifecycle: display.show, stop: context.stop });
  display.stop();
  return renderOutput(context, result);
};

const created = async (context: CommandContext, options: CreateOptions): PendingOutput => {
  const order = await orderOf(options);
  if (E.isLeft(order)) return order;
  const { output } = options;
  const writable = output === undefined ? E.right(null) : await checkOutput(output, options.force === true);
  if (E.isLeft(writable)) return writable;
  return context.connection.api(async (api) => {
    const retried = commandRetrier(context.stop);
    // One key for all tries, so that they create one render.
    const key = randomUUID();
    const render = await retried(() => api.create(order.right, key));
    if (E.isLeft(render) || (options.watch === undefined && output === undefined)) return renderOutput(context, render);
    const { id } = render.right;
    context.stderr.write(`${id}\n`);
    const ended = await watched(context, api, id);
    return E.isLeft(ended) || output === undefined
      ? ended
      : downloadRender(context, api, id, { ...options, output, variant: 'master' });
  }, options.team);
};

const AS_OF_HELP = `
With --as-of the command shows the render as the API returned it at that time, folded
from the log. It does not find erased renders, even if they were erased later. Links to
files are omitted, because files have no history.`;

const shownAsOf = (context: CommandContext, id: string, at: number): PendingOutput =>
  context.connection.records((records) =>
    context.connection.blobs((blobs) =>
      context.connection.seals(async (seals) => {
        const found = await renderAsOf({ records, blobs, seals }, id, at);
        return toCommandOutput(found, (render) => `${renderText(render, true)}\n\nAs of ${timeText(at)}.`);
      }),
    ),
  );

export const renderCommands = (program: Command, context: CommandContext): void => {
  const renders = addCommandGroup(program, 'render', 'create and follow renders over the API');

  addCommand(renders, 'create', 'create a render of a project', [
    'render create --name First --project "$PROJECT_ID"',
    'render create --name First --project "$PROJECT_ID" --template "$TEMPLATE_ID" --values values.json --watch',
    'render create --name First --project "$PROJECT_ID" --template "$TEMPLATE_ID" --value headline=Hello --draft',
    'render create --name First --project "$PROJECT_ID" -o first.mp4',
  ])
    .requiredOption('--name <name>', 'the name, 1 to 250 characters', parseName)
    .requiredOption('--project <project>', 'the project to render')
    .option('--template <template>', 'a template of the project (default: the project without a template)')
    .option('--values <file>', 'a JSON file that maps field keys to values')
    .option('--value <key=value>', 'one value; repeatable; overrides the file', valueEntry)
    .option('--draft', 'create a draft of about 640x360: smaller, faster and cheaper')
    .option('--watch', 'show its progress until it ends')
    .option('-o, --output <file>', 'wait until it ends, then save the video in this file or folder', parseFileName)
    .option('--force', 'overwrite an existing file')
    .addOption(teamOption())
    .action((options: CreateOptions) => runCommand(context, options.json, created(context, options)));

  const shown = async (api: RenderApi, id: string): PendingOutput => {
    const retried = commandRetrier(context.stop);
    const render = await retried(() => api.get(id));
    return E.isLeft(render) ? render : renderOutput(context, E.right(await withDetails(api, render.right)));
  };
  const description = 'show the status of a render, with its failure or new links to its files';
  addCommand(renders, 'get <render>', description, ['render get rend_01JD…', 'render get rend_01JD… --as-of 2h'])
    .addOption(
      new Option(
        '--as-of <time>',
        'show the render as it was at this time: a date, or how long ago, like 30m',
      ).argParser(parsePastTime),
    )
    .addOption(teamOption())
    .addHelpText('after', AS_OF_HELP)
    .action((id: string, { json, asOf, team }: TeamOption & { json?: true; asOf?: number }) =>
      asOf === undefined
        ? runCommand(
            context,
            json,
            context.connection.api((api) => shown(api, id), team),
          )
        : runCommand(context, json, shownAsOf(context, id, asOf)),
    );

  renderListCommand(renders, context);
  renderBatchCommand(renders, context);
  renderDownloadCommand(renders, context);
  renderCancelCommand(renders, context);

  addCommand(
    renders,
    'watch <render>',
    'show the progress of a render until it ends; Ctrl-C does not stop the render',
    ['render watch rend_01JD…'],
  )
    .addOption(teamOption())
    .action((id: string, { json, team }: TeamOption & { json?: true }) =>
      runCommand(
        context,
        json,
        context.connection.api((api) => watched(context, api, id), team),
      ),
    );
};
