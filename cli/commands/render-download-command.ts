import { lstat, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { didYouMean } from '../../domain/near-name.ts';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import type { CliFault } from '../fault.ts';
import { folderFault } from '../folder-fault.ts';
import type { ApiResult } from '../http/api-client.ts';
import { commandRetrier } from '../http/retry.ts';
import { bytesText, transferProgress } from '../http/transfer-progress.ts';
import { type PendingOutput, toCommandOutput } from '../output.ts';
import { withDetails } from '../render/detailed-render.ts';
import { DOWNLOAD_DEFAULTS, download, fileExistsFault } from '../render/download.ts';
import type { RenderAnswer } from '../render/render-answers.ts';
import type { RenderApi } from '../render/render-api.ts';
import { percentText } from '../render/render-text.ts';
import { addCommand, type CommandContext, type JsonOption, runCommand } from './command.ts';
import { type TeamOption, teamOption } from './team-option.ts';

type DownloadOptions = JsonOption & { readonly output?: string; readonly variant: string; readonly force?: true };

export const parseFileName = (text: string): string => {
  if (text !== '' && text !== '-') return text;
  throw new InvalidArgumentError(
    'It must be a file or a folder; "renderctl render get" prints a link for other programs.',
  );
};

const notComplete = async (api: RenderApi, render: RenderAnswer): Promise<CliFault> => {
  const { id, status, progress, failure } = await withDetails(api, render);
  if (status === 'failed')
    return { tag: 'render_failed', id, message: failure?.message ?? 'the service gave no reason' };
  const far = progress === undefined ? status : `${status} (${percentText(progress)})`;
  const message = `${id} is not complete (${far}); wait with "renderctl render watch ${id}", then download it`;
  return { tag: 'refused', reason: 'not_complete', message };
};

const linkTo = async (api: RenderApi, id: string, variant: string): ApiResult<string> => {
  const render = await api.get(id);
  if (E.isLeft(render)) return render;
  const { status, output = {} } = render.right;
  if (status !== 'complete') return E.left(await notComplete(api, render.right));
  const link = Object.hasOwn(output, variant) ? output[variant] : undefined;
  if (link !== undefined) return E.right(link);
  const names = Object.keys(output);
  const message = `${id} has no variant "${variant}"; it has ${names.join(', ')}${didYouMean(variant, names)}`;
  return E.left({ tag: 'refused', reason: 'no_such_variant', message });
};

/** The file name comes from the id, because a render's name may be any text. */
const ownName = (id: string, variant: string, link: string): string => {
  const extension = extname(URL.parse(link)?.pathname ?? '') || '.mp4';
  return variant === 'master' ? `${id}${extension}` : `${id}-${variant}${extension}`;
};

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Whether the download may write to `path`. Checked first, because the download may be long. */
const checkWritable = async (path: string, force: boolean): Promise<E.Either<CliFault, null>> => {
  const fault = await folderFault(path);
  if (fault !== null) return E.left({ tag: 'unwritable_file', path, message: fault });
  const found = await lstat(path).catch(() => null);
  if (found === null || (force && found.isFile())) return E.right(null);
  if (found.isFile()) return E.left(fileExistsFault(path));
  return E.left({ tag: 'usage', message: `${path} exists and is not a file; choose another name with -o` });
};

const isForFolder = async (output: string): Promise<boolean> => output.endsWith('/') || (await isFolder(output));

/** Whether a later download may write to `output`, a file or a folder. */
export const checkOutput = async (output: string, force: boolean): Promise<E.Either<CliFault, null>> =>
  (await isForFolder(output)) ? E.right(null) : checkWritable(output, force);

export const downloadRender = async (
  context: CommandContext,
  api: RenderApi,
  id: string,
  options: DownloadOptions,
): PendingOutput => {
  const { output, variant, force = false } = options;
  const retried = commandRetrier(context.stop);
  const link = await retried(() => linkTo(api, id, variant));
  if (E.isLeft(link)) return context.stop.aborted ? E.left({ tag: 'interrupted' }) : link;
  const name = ownName(id, variant, link.right);
  const file = output === undefined ? name : (await isForFolder(output)) ? join(output, name) : output;
  const writable = await checkWritable(file, force);
  if (E.isLeft(writable)) return writable;
  const progress = transferProgress(context.stderr, SYSTEM_CLOCK);
  const result = await download(
    { id, path: file, overwrite: force, url: () => linkTo(api, id, variant) },
    {
      ...{ ...DOWNLOAD_DEFAULTS, clock: SYSTEM_CLOCK, on_bytes: progress.show, stop: context.stop },
      // On a terminal, the message goes into the line of the bar.
      on_failure: (message) =>
        context.stderr.write(`${context.stderr.isTTY === true ? '\n' : ''}renderctl: ${message}; retrying\n`),
    },
  );
  progress.stop();
  return toCommandOutput(
    E.map(({ size_bytes }: { readonly size_bytes: number }) => ({ render_id: id, variant, file, size_bytes }))(result),
    ({ size_bytes }) => `${file}: ${bytesText(size_bytes)}`,
  );
};

const HELP = `
During the download the file has a name that ends in .part. The command renames it
when it is complete. If the connection breaks, the command reconnects and continues.`;

export const renderDownloadCommand = (renders: Command, context: CommandContext): void => {
  addCommand(renders, 'download <render>', 'save the video of a complete render', [
    'render download rend_01JD…',
    'render download rend_01JD… -o card.mp4 --force',
    'render download rend_01JD… --variant small -o out/',
  ])
    .option('-o, --output <file>', 'the file, or a folder for it (default: <render>.mp4)', parseFileName)
    .option('--variant <variant>', 'the name of a variant', 'master')
    .option('--force', 'overwrite an existing file')
    .addOption(teamOption())
    .addHelpText('after', HELP)
    .action((id: string, options: DownloadOptions & TeamOption) =>
      runCommand(
        context,
        options.json,
        context.connection.api((api) => downloadRender(context, api, id, options), options.team),
      ),
    );
};
