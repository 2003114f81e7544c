import { rename, rm, writeFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { CliFault } from '../fault.ts';
import { answered } from '../output.ts';
import type { Composed } from '../plan/composed.ts';
import { ofEngine } from '../plan/engine-faults.ts';
import type { RenderTools } from '../plan/render-tools.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';
import { addCommand, answerTo, type CommandContext } from './command.ts';
import { type DrawingOptions, drawingOptions, drawn } from './plan-command.ts';

type FrameOptions = DrawingOptions & { readonly at: number; readonly output?: string };

type Format = 'png' | 'jpeg';
const FORMATS: Readonly<Record<string, Format>> = { '.png': 'png', '.jpg': 'jpeg', '.jpeg': 'jpeg' };

const seconds = (text: string): number => {
  if (!/^\d{1,5}(\.\d{1,9})?$/.test(text)) throw new InvalidArgumentError('It must be seconds, like 3.2.');
  return Number(text);
};

const pictureFile = (text: string): string => {
  if (FORMATS[extname(text).toLowerCase()] !== undefined) return text;
  throw new InvalidArgumentError('It must end in .png, .jpg or .jpeg.');
};

const BUDGET_MS = 60_000;

const takeStill = async (
  context: CommandContext,
  renderTools: RenderTools,
  { final, assets }: Composed,
  at_s: number,
  format: Format,
) => {
  const { renderFrame } = await import('../../render-workers/engine/render-frame.ts');
  const { ffmpeg_path, ffprobe_path, sandbox } = renderTools;
  const limits = { signal: context.stop, budget_ms: BUDGET_MS, sandbox };
  return await withTemporaryFolder('still', (work_dir) => {
    const options = { final, assets, work_dir, ffmpeg_path, ffprobe_path, ...limits };
    return renderFrame({ ...options, format }, at_s);
  });
};

/** Whole or not at all. */
const save = async (path: string, bytes: Buffer): Promise<E.Either<CliFault, null>> => {
  const fresh = `${path}.${process.pid}.part`;
  try {
    await writeFile(fresh, bytes);
    await rename(fresh, path);
    return E.right(null);
  } catch (error) {
    await rm(fresh, { force: true });
    const code = error instanceof Error && 'code' in error ? error.code : null;
    const message = code === 'ENOENT' ? 'there is no such folder' : String(code ?? error);
    return E.left({ tag: 'unwritable_file', path, message });
  }
};

const still = async (context: CommandContext, renderTools: RenderTools, project_id: string, options: FrameOptions) => {
  const found = await drawn(context, renderTools, project_id, options);
  if (E.isLeft(found)) return found;
  const { at } = options;
  const file = options.output ?? resolve(`still-${at}s.png`);
  const made = await takeStill(context, renderTools, found.right, at, FORMATS[extname(file).toLowerCase()] ?? 'png');
  if (E.isLeft(made)) return E.left(ofEngine(made.left));
  const { frame, width, height, bytes } = made.right;
  const saved = await save(file, bytes);
  if (E.isLeft(saved)) return saved;
  const { num, den } = found.right.final.composition.fps;
  const answer = { file, frame, at_s: (frame * den) / num, width, height, size_bytes: bytes.length };
  return answered(
    E.right(answer),
    ({ at_s }) => `${file}: frame ${frame} (at ${at_s.toFixed(3)} s), ${width}x${height}`,
  );
};

const HELP = `
It is drawn on this machine, exactly as a render would draw that frame, from the
latest version of the project. It says where it wrote the picture.`;

export const stillCommand = (program: Command, context: CommandContext): void => {
  const command = addCommand(program, 'still', 'draw one frame of a project as a picture, without a render', [
    'still proj_01JD… --at 3.2',
    'still proj_01JD… --at 3.2 --template tpl_card --value headline=Hello -o card.png',
  ]);
  drawingOptions(command)
    .requiredOption('--at <seconds>', 'of which moment, in seconds', seconds)
    .option(
      '-o, --output <file>',
      'the picture, .png or .jpg; still-<seconds>s.png in this folder by default',
      pictureFile,
    )
    .addHelpText('after', HELP)
    .action((project: string, options: FrameOptions) =>
      answerTo(
        context,
        options.json,
        context.connection.renderTools((renderTools) => still(context, renderTools, project, options)),
      ),
    );
};
