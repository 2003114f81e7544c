import { rename, rm, writeFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { CompositionRequest } from '../../catalogue/composed-project.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import { cliFault } from '../catalogue/catalogue-fault.ts';
import type { CliFault } from '../fault.ts';
import type { ApiClient } from '../http/api-client.ts';
import { type CommandOutput, type PendingOutput, toCommandOutput } from '../output.ts';
import { cliFaultOfEngine } from '../plan/engine-faults.ts';
import type { RenderTools } from '../plan/render-tools.ts';
import { drawRemotely } from '../still/remote-still.ts';
import type { StillImage } from '../still/stills-service.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';
import {
  addCommand,
  type CommandContext,
  type DirectOption,
  directOption,
  remotelyOrDirectly,
  runCommand,
} from './command.ts';
import { compositionRequestOf, type DrawingOptions, drawingOptions, reportIgnoredValues } from './drawing-options.ts';

type FrameOptions = DrawingOptions &
  DirectOption & { readonly at: number; readonly output?: string; readonly local?: true };

type Format = 'png' | 'jpeg' | 'webp';
const FORMATS: Readonly<Record<string, Format>> = { '.png': 'png', '.jpg': 'jpeg', '.jpeg': 'jpeg', '.webp': 'webp' };

const formatOf = (file: string): Format | undefined => FORMATS[extname(file).toLowerCase()];

const seconds = (text: string): number => {
  if (!/^\d{1,5}(\.\d{1,9})?$/.test(text)) throw new InvalidArgumentError('It must be seconds, like 3.2.');
  return Number(text);
};

const pictureFile = (text: string): string => {
  if (formatOf(text) !== undefined) return text;
  throw new InvalidArgumentError('It must end in .png, .jpg, .jpeg or .webp.');
};

const BUDGET_MS = 60_000;

const drawnHere = async (
  { stop }: CommandContext,
  renderTools: RenderTools,
  wanted: CompositionRequest & { readonly at_s: number },
  format: Exclude<Format, 'webp'>,
): Promise<E.Either<CliFault | CatalogueFault, StillImage>> => {
  const { composeWithFiles: composed } = await import('../plan/composed.ts');
  const found = await composed(renderTools, wanted);
  if (E.isLeft(found)) return found;
  const { final, assets, left_out } = found.right;
  const { renderFrame } = await import('../../engine/render-frame.ts');
  const { ffmpeg_path, ffprobe_path, sandbox } = renderTools;
  const programs = { ffmpeg_path, ffprobe_path, sandbox, signal: stop, budget_ms: BUDGET_MS };
  const result = await withTemporaryFolder('still', (work_dir) =>
    renderFrame({ final, assets, work_dir, format, ...programs }, wanted.at_s),
  );
  if (E.isLeft(result)) return E.left(cliFaultOfEngine(result.left));
  const { frame, width, height, bytes } = result.right;
  const { num, den } = final.composition.fps;
  return E.right({ frame, at_s: (frame * den) / num, width, height, bytes, left_out });
};

/** The stills service draws the still. If it is not configured or unavailable, this machine draws it. */
const drawn = async (
  context: CommandContext,
  wanted: CompositionRequest & { readonly at_s: number },
  format: Exclude<Format, 'webp'>,
  local: boolean,
): Promise<E.Either<CliFault, StillImage>> => {
  const address = local ? E.right(null) : await context.connection.stills();
  if (E.isLeft(address)) return address;
  if (address.right !== null) {
    const { requestStill: askForStill } = await import('../still/stills-service.ts');
    const answer = await askForStill(address.right, { ...wanted, format }, context.stop);
    if (answer.tag === 'answered') return E.mapLeft(cliFault)(answer.still);
    context.stderr.write(
      `renderctl: the stills service is unavailable (${answer.why}); drawing the frame on this machine\n`,
    );
  }
  return await context.connection.renderTools((renderTools) => drawnHere(context, renderTools, wanted, format));
};

const save = async (path: string, bytes: Buffer): Promise<E.Either<CliFault, null>> => {
  const fresh = `${path}.${process.pid}.part`;
  try {
    await writeFile(fresh, bytes);
    await rename(fresh, path);
    return E.right(null);
  } catch (error) {
    await rm(fresh, { force: true });
    const code = error instanceof Error && 'code' in error ? error.code : null;
    const message = code === 'ENOENT' ? 'the folder does not exist' : String(code ?? error);
    return E.left({ tag: 'unwritable_file', path, message });
  }
};

type Wanted = CompositionRequest & { readonly at_s: number };

const otherFormat = (where: string, forms: string): E.Either<CliFault, never> =>
  E.left({ tag: 'usage', message: `${where}, the picture is ${forms}: choose such a file with -o` });

const stillFromApi = async (
  { stderr }: CommandContext,
  client: ApiClient,
  wanted: Wanted,
  { output = resolve(`still-${wanted.at_s}s.jpg`) }: FrameOptions,
): PendingOutput => {
  const format = formatOf(output);
  if (format !== 'jpeg' && format !== 'webp') return otherFormat('over the API', '.jpg or .webp');
  const result = await drawRemotely(client, wanted, format);
  if (E.isLeft(result)) return result;
  const { bytes, ignored } = result.right;
  if (ignored !== null) stderr.write(`renderctl: the template has no fields for these values: ${ignored}\n`);
  const saved = await save(output, bytes);
  if (E.isLeft(saved)) return saved;
  const answer = { file: output, at_s: wanted.at_s, size_bytes: bytes.length };
  return toCommandOutput(E.right(answer), () => `${output}: the frame at ${wanted.at_s} s`);
};

const stillFromServers = async (context: CommandContext, wanted: Wanted, options: FrameOptions): PendingOutput => {
  const file = options.output ?? resolve(`still-${wanted.at_s}s.png`);
  const format = formatOf(file) ?? 'png';
  if (format === 'webp') return otherFormat('with direct access to the servers', '.png or .jpg');
  const result = await drawn(context, wanted, format, options.local === true);
  if (E.isLeft(result)) return result;
  const { frame, at_s, width, height, bytes, left_out } = result.right;
  reportIgnoredValues(context, left_out);
  const saved = await save(file, bytes);
  if (E.isLeft(saved)) return saved;
  return toCommandOutput(
    E.right({ file, frame, at_s, width, height, size_bytes: bytes.length }),
    () => `${file}: frame ${frame} (at ${at_s.toFixed(3)} s), ${width}x${height}`,
  );
};

const still = async (context: CommandContext, project_id: string, options: FrameOptions): PendingOutput => {
  const request = await compositionRequestOf(project_id, options);
  if (E.isLeft(request)) return request;
  const wanted = { ...request.right, at_s: options.at };
  const directly = () => stillFromServers(context, wanted, options);
  if (options.local === true) return directly();
  return remotelyOrDirectly<CommandOutput>(context, options, {
    remotely: (client) => stillFromApi(context, client, wanted, options),
    directly,
  });
};

const HELP = `
The picture is the frame that a render of the latest version of the project has at
that time. The stills service of the stack draws it, or this machine if there is
none. The command prints the path of the picture. Over the API, it is a JPEG or a WebP.`;

export const stillCommand = (program: Command, context: CommandContext): void => {
  const command = addCommand(program, 'still', 'draw one frame of a project without a render', [
    'still proj_01JD… --at 3.2',
    'still proj_01JD… --at 3.2 --template tpl_card --value headline=Hello -o card.png',
  ]);
  drawingOptions(command)
    .addOption(directOption())
    .requiredOption('--at <seconds>', 'the time of the frame, in seconds', seconds)
    .option(
      '-o, --output <file>',
      'the picture, .png or .jpg; over the API .jpg or .webp (default: still-<seconds>s.png or .jpg in this folder)',
      pictureFile,
    )
    .option('--local', 'draw the frame on this machine, without the stills service')
    .addHelpText('after', HELP)
    .action((project: string, options: FrameOptions) =>
      runCommand(context, options.json, still(context, project, options)),
    );
};
