import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { answered } from '../output.ts';
import { type Composed, composed } from '../plan/composed.ts';
import { ofEngine } from '../plan/engine-faults.ts';
import { planAnswer } from '../plan/plan-answer.ts';
import { planText } from '../plan/plan-text.ts';
import type { RenderTools } from '../plan/render-tools.ts';
import { addCommand, answerTo, type CommandContext } from './command.ts';
import { type DrawingOptions, drawingOptions, tellLeftOut, wantedOf } from './drawing-options.ts';

const BUDGET_MS = 120_000;

// Loaded on demand, because it loads slowly.
const planned = async (context: CommandContext, { account_id, final, assets }: Composed, renderTools: RenderTools) => {
  const { planComposition } = await import('../../engine/plan-composition.ts');
  const segments = await renderTools.segments();
  if (E.isLeft(segments)) return segments;
  const made = await planComposition({
    ...{ final, assets },
    ...{ ffmpeg_path: renderTools.ffmpeg_path, ffprobe_path: renderTools.ffprobe_path, sandbox: renderTools.sandbox },
    cache: segments.right(account_id),
    cores: availableParallelism(),
    signal: context.stop,
    budget_ms: BUDGET_MS,
  });
  return E.isLeft(made) ? E.left(ofEngine(made.left)) : made;
};

const HELP = `
A render consists of segments of at most 4 s, cut where a layer begins or ends. A
segment comes from the cache if an earlier render of the account encoded the same
pictures, texts and settings. The others are encoded in runs. Cache keys contain the
versions of ffmpeg, fonts and libraries, and the command uses those of this machine.
If the workers have other versions, it finds no cached segments.`;

export const planCommand = (program: Command, context: CommandContext): void => {
  const plan = addCommand(program, 'plan', 'show what a render of a project would encode, and what is cached', [
    'plan proj_01JD…',
    'plan proj_01JD… --template tpl_card --values values.json',
  ]);
  drawingOptions(plan)
    .addHelpText('after', HELP)
    .action((project: string, options: DrawingOptions) => {
      const answering = context.connection.renderTools(async (renderTools) => {
        const wanted = await wantedOf(project, options);
        if (E.isLeft(wanted)) return wanted;
        const found = await composed(renderTools, wanted.right);
        if (E.isLeft(found)) return found;
        tellLeftOut(context, found.right.left_out);
        const made = await planned(context, found.right, renderTools);
        return E.isLeft(made) ? made : answered(E.right(planAnswer(found.right, made.right)), planText);
      });
      return answerTo(context, options.json, answering);
    });
};
