import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { addAssets, listAssets, type ProjectWithAssets } from '../../catalogue/project-assets.ts';
import type { AssetKind, StoredAsset } from '../../domain/composition/assets.ts';
import { fileExtensionsOf } from '../../domain/composition/file-forms.ts';
import { LocalId } from '../../domain/composition/names.ts';
import { readAssets } from '../catalogue/asset-files.ts';
import { mediaInspection } from '../catalogue/media-inspection.ts';
import { NO_INSPECTION } from '../catalogue/project-files.ts';
import { tableText } from '../table.ts';
import { noMediaCheckOption, versionParser } from './arguments.ts';
import {
  addCommand,
  addCommandGroup,
  type CommandContext,
  changeOutputOf,
  commandOutputOf,
  type JsonOption,
  runCommand,
} from './command.ts';

const KINDS: readonly AssetKind[] = ['image', 'video', 'audio', 'font'];

const named = ({ font_family, file_name }: StoredAsset): string =>
  font_family === null ? file_name : `${file_name} (${font_family})`;

const assetsText = ({ id, version, assets }: ProjectWithAssets): string =>
  assets.length === 0
    ? `Version ${version} of ${id} has no assets; add some with "renderctl asset add FILE… --project ${id}".`
    : tableText(
        ['id', 'kind', 'bytes', 'file', 'SHA-256'],
        assets.map((asset) => [asset.id, asset.kind, asset.size_bytes, named(asset), asset.sha256]),
      );

const addedText = (added: ProjectWithAssets): string =>
  `${assetsText(added)}\n\n${added.id} is at version ${added.version}.`;

const assetId = (text: string): string => {
  if (LocalId.is(text)) return text;
  throw new InvalidArgumentError('It must be 1 to 64 letters, digits, "-" or "_".');
};

type AddOptions = JsonOption & {
  project: string;
  id?: string;
  kind?: AssetKind;
  replace?: true;
  mediaCheck: boolean;
};

const add = async (context: CommandContext, files: readonly string[], options: AddOptions) => {
  const { project, id, kind, replace, mediaCheck } = options;
  if (id !== undefined && files.length > 1)
    return E.left({
      tag: 'usage' as const,
      message: '--id works with one file only; several files get ids from their names',
    });
  const inspection = mediaCheck ? await mediaInspection(context) : NO_INSPECTION;
  const read = await readAssets(files, { id: id ?? null, kind: kind ?? null }, inspection);
  if (E.isLeft(read)) return read;
  return context.connection.catalogue((catalogue) =>
    context.connection.blobs((blobs) => addAssets(catalogue, blobs, project, read.right, replace === true)),
  );
};

const HELP = () => `
The blob store keeps each file under the hash of its content, so a file is sent
only once. Versions of a project never change: this command adds a version that
differs from the latest only in its list of assets. Running renders keep their
version.

ffprobe and ffmpeg check each file first, in the decoder sandbox. The command
refuses a file that no render can use, and an asset that ends before the
trim_start of a layer of the project.

Kinds by file extension:
${KINDS.map((kind) => `  ${kind.padEnd(6)} ${fileExtensionsOf(kind)}`).join('\n')}`;

export const assetCommands = (program: Command, context: CommandContext): void => {
  const assets = addCommandGroup(program, 'asset', 'assets of projects: pictures, videos, sounds and fonts');

  addCommand(assets, 'add', 'store files and add them to the assets of a project, as a new version', [
    'asset add logo.png song.mp3 --project proj_01JD…',
    'asset add "new logo.png" --project proj_01JD… --id logo --replace',
  ])
    .addArgument(new Argument('<files...>', 'the files; each id comes from the file name'))
    .requiredOption('--project <project>', 'the project')
    .option('--id <id>', 'asset id for layers to reference (only with one file)', assetId)
    .addOption(new Option('--kind <kind>', 'refuse files of another kind').choices(KINDS))
    .option('--replace', 'replace an asset with the same id')
    .addOption(noMediaCheckOption())
    .addHelpText('after', HELP())
    .action((files: string[], options: AddOptions) =>
      runCommand(context, options.json, changeOutputOf(add(context, files, options), addedText)),
    );

  addCommand(assets, 'list', 'list the assets of a project', [
    'asset list proj_01JD…',
    'asset list proj_01JD… --version 2',
  ])
    .addArgument(new Argument('<project>', 'the project'))
    .option('--version <n>', 'the version (default: the latest)', versionParser(1))
    .action((id: string, { version, json }: JsonOption & { version?: number }) => {
      const list = context.connection.view((view) => listAssets(view, id, version ?? null));
      return runCommand(context, json, commandOutputOf(list, assetsText));
    });
};
