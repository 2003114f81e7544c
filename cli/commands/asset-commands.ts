import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { addAssets, listAssets } from '../../catalogue/project-assets.ts';
import type { AssetKind, StoredAsset } from '../../domain/composition/assets.ts';
import { fileExtensionsOf } from '../../domain/composition/file-forms.ts';
import { LocalId } from '../../domain/composition/names.ts';
import { readAssets } from '../catalogue/asset-files.ts';
import { mediaInspection } from '../catalogue/media-inspection.ts';
import { NO_INSPECTION, REMOTE_INSPECTION } from '../catalogue/project-files.ts';
import type { CliFault } from '../fault.ts';
import type { ApiClient } from '../http/api-client.ts';
import { addRemoteAssets, remoteAssets } from '../http/assets.ts';
import type { RemoteProject } from '../http/projects.ts';
import { tableText } from '../table.ts';
import { noMediaCheckOption, versionParser } from './arguments.ts';
import { assetUploadCommand } from './asset-upload-command.ts';
import {
  addCommand,
  addCommandGroup,
  type CommandContext,
  changeOutputOf,
  commandOutputOf,
  type DirectOption,
  directOption,
  type JsonOption,
  remotelyOrDirectly,
  runCommand,
} from './command.ts';

const KINDS: readonly AssetKind[] = ['image', 'video', 'audio', 'font'];

/** Over the API, assets have no facts of fonts. */
type ShownAsset = Pick<StoredAsset, 'id' | 'sha256' | 'size_bytes' | 'content_type' | 'file_name'> & {
  readonly kind: string;
  readonly font_family?: string | null;
};

type ShownAssets = RemoteProject & { readonly version: number; readonly assets: readonly ShownAsset[] };

type AddedAssets = ShownAssets & { readonly repeated?: true };

const named = ({ font_family, file_name }: ShownAsset): string =>
  font_family == null ? file_name : `${file_name} (${font_family})`;

const assetsText = ({ id, version, assets }: ShownAssets): string =>
  assets.length === 0
    ? `Version ${version} of ${id} has no assets; add some with "renderctl asset add FILE… --project ${id}".`
    : tableText(
        ['id', 'kind', 'bytes', 'file', 'SHA-256'],
        assets.map((asset) => [asset.id, asset.kind, asset.size_bytes, named(asset), asset.sha256]),
      );

const addedText = (added: ShownAssets): string => `${assetsText(added)}\n\n${added.id} is at version ${added.version}.`;

const assetId = (text: string): string => {
  if (LocalId.is(text)) return text;
  throw new InvalidArgumentError('It must be 1 to 64 letters, digits, "-" or "_".');
};

type AddOptions = JsonOption &
  DirectOption & {
    project: string;
    id?: string;
    kind?: AssetKind;
    replace?: true;
    mediaCheck: boolean;
  };

const usageFault = (files: readonly string[], { id }: AddOptions): CliFault | null =>
  id !== undefined && files.length > 1
    ? { tag: 'usage', message: '--id works with one file only; several files get ids from their names' }
    : null;

const addDirectly = async (
  context: CommandContext,
  files: readonly string[],
  options: AddOptions,
): Promise<E.Either<CliFault, AddedAssets>> => {
  const { project, id, kind, replace, mediaCheck } = options;
  const inspection = mediaCheck ? await mediaInspection(context) : NO_INSPECTION;
  const read = await readAssets(files, { id: id ?? null, kind: kind ?? null }, inspection);
  if (E.isLeft(read)) return read;
  return context.connection.catalogue((catalogue) =>
    context.connection.blobs((blobs) => addAssets(catalogue, blobs, project, read.right, replace === true)),
  );
};

const addRemotely = async (
  context: CommandContext,
  client: ApiClient,
  files: readonly string[],
  { project, id, kind, replace }: AddOptions,
): Promise<E.Either<CliFault, AddedAssets>> => {
  const read = await readAssets(files, { id: id ?? null, kind: kind ?? null }, REMOTE_INSPECTION);
  return E.isLeft(read) ? read : addRemoteAssets(context, client, project, read.right, replace === true);
};

const add = async (context: CommandContext, files: readonly string[], options: AddOptions) => {
  const fault = usageFault(files, options);
  if (fault !== null) return E.left(fault);
  return remotelyOrDirectly<AddedAssets>(context, options, {
    remotely: (client) => addRemotely(context, client, files, options),
    directly: () => addDirectly(context, files, options),
  });
};

const HELP = () => `
The blob store keeps each file under the hash of its content, so a file is sent
only once. Versions of a project never change: this command adds a version that
differs from the latest only in its list of assets. Running renders keep their
version.

The service checks each file after its upload; with --direct, ffprobe and ffmpeg of
this machine do so, in the decoder sandbox. The command refuses a file that no render can use, and an asset that ends before the
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
    .addOption(directOption())
    .addHelpText('after', HELP())
    .action((files: string[], options: AddOptions) =>
      runCommand(context, options.json, changeOutputOf(add(context, files, options), addedText)),
    );

  assetUploadCommand(assets, context);

  addCommand(assets, 'list', 'list the assets of a project', [
    'asset list proj_01JD…',
    'asset list proj_01JD… --version 2',
  ])
    .addArgument(new Argument('<project>', 'the project'))
    .option('--version <n>', 'the version (default: the latest)', versionParser(1))
    .addOption(directOption())
    .action((id: string, options: JsonOption & DirectOption & { version?: number }) => {
      const version = options.version ?? null;
      const list = remotelyOrDirectly<ShownAssets>(context, options, {
        remotely: (client) => remoteAssets(client, id, version),
        directly: () => context.connection.view((view) => listAssets(view, id, version)),
      });
      return runCommand(context, options.json, commandOutputOf(list, assetsText));
    });
};
