import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { CompositionRequest } from '../../catalogue/composed-project.ts';
import { type CommandOutput, type PendingOutput, toCommandOutput } from '../output.ts';
import { type ComposedWithFiles, composeWithFiles } from '../plan/composed.ts';
import { cliFaultOfEngine } from '../plan/engine-faults.ts';
import { planAnswer } from '../plan/plan-answer.ts';
import { planText } from '../plan/plan-text.ts';
import { planRemotely, remotePlanText } from '../plan/remote-plan.ts';
import type { RenderTools } from '../plan/render-tools.ts';
import {
  addCommand,
  type CommandContext,
  type DirectOption,
  directOption,
  remotelyOrDirectly,
  runCommand,
} from './command.ts';
import { compositionRequestOf, type DrawingOptions, drawingOptions, reportIgnoredValues } from './drawing-options.ts';

const BUDGET_MS = 120_000;

// Loaded on demand, because it loads slowly.
const planned = async (
  context: CommandContext,
  { account_id, final, assets }: ComposedWithFiles,
  renderTools: RenderTools,
) => {
  const { planComposition } = await import('../../engine/plan-composition.ts');
  const segments = await renderTools.segments();
  if (E.isLeft(segments)) return segments;
  const result = await planComposition({
    ...{ final, assets },
    ...{ ffmpeg_path: renderTools.ffmpeg_path, ffprobe_path: renderTools.ffprobe_path, sandbox: renderTools.sandbox },
    cache: segments.right(account_id),
    cores: availableParallelism(),
    signal: context.stop,
    budget_ms: BUDGET_MS,
  });
  return E.isLeft(result) ? E.left(cliFaultOfEngine(result.left)) : result;
};

const planDirectly = (context: CommandContext, wanted: Omit<CompositionRequest, 'at_s'>): PendingOutput =>
  context.connection.renderTools(async (renderTools) => {
    const found = await composeWithFiles(renderTools, wanted);
    if (E.isLeft(found)) return found;
    reportIgnoredValues(context, found.right.left_out);
    const result = await planned(context, found.right, renderTools);
    return E.isLeft(result) ? result : toCommandOutput(E.right(planAnswer(found.right, result.right)), planText);
  });

const HELP = `
A render consists of segments of at most 4 s, cut where a layer begins or ends. A
segment comes from the cache if an earlier render of the account encoded the same
pictures, texts and settings. The others are encoded in runs. Cache keys contain the
versions of ffmpeg, fonts and libraries, and the command uses those of this machine.
If the workers have other versions, it finds no cached segments.

Over the API, the command shows frames, length, price and warnings, without segments.`;

export const planCommand = (program: Command, context: CommandContext): void => {
  const plan = addCommand(program, 'plan', 'show what a render of a project would encode, and what is cached', [
    'plan proj_01JD…',
    'plan proj_01JD… --template tpl_card --values values.json',
  ]);
  drawingOptions(plan)
    .addOption(directOption())
    .addHelpText('after', HELP)
    .action(async (project: string, options: DrawingOptions & DirectOption) => {
      const wanted = await compositionRequestOf(project, options);
      const answering = E.isLeft(wanted)
        ? Promise.resolve(wanted)
        : remotelyOrDirectly<CommandOutput>(context, options, {
            remotely: async (client) => toCommandOutput(await planRemotely(client, wanted.right), remotePlanText),
            directly: () => planDirectly(context, wanted.right),
          });
      return runCommand(context, options.json, answering);
    });
};
