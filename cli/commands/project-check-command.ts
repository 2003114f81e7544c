import { Argument, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { Fault } from '../../domain/composition/fault.ts';
import { faultText } from '../../domain/composition/fault.ts';
import { secondsText } from '../../domain/composition/source-end-rules.ts';
import type { MediaProperties } from '../../engine/media/media-properties.ts';
import { mediaInspection } from '../catalogue/media-inspection.ts';
import { NO_INSPECTION, type ProjectOnDisk, REMOTE_INSPECTION, readProject } from '../catalogue/project-files.ts';
import type { CliFault } from '../fault.ts';
import type { ApiClient } from '../http/api-client.ts';
import { sendFiles } from '../http/import-project.ts';
import type { LayerTimes } from '../http/project-answers.ts';
import { checkRemotely } from '../http/projects.ts';
import type { UploadAnswer } from '../http/upload-file.ts';
import { layerTimesText } from '../plan/layer-times-text.ts';
import { type Cell, tableText } from '../table.ts';
import { noMediaCheckOption } from './arguments.ts';
import {
  addCommand,
  type CommandContext,
  commandOutputOf,
  type DirectOption,
  directOption,
  type JsonOption,
  remotelyOrDirectly,
  runCommand,
} from './command.ts';

const MAX_WARNINGS = 50;

/** Warnings as lines, empty without warnings. The project can be rendered in spite of them. */
export const warningsText = (warnings: readonly Fault[]): readonly string[] => {
  if (warnings.length === 0) return [];
  const more = warnings.length - MAX_WARNINGS;
  const lines = warnings.slice(0, MAX_WARNINGS).map((warning) => `  ${faultText(warning)}`);
  return [
    ['The project can be rendered, with warnings:', ...lines, ...(more > 0 ? [`  … and ${more} more`] : [])].join('\n'),
  ];
};

const checkedAsset = (properties: MediaProperties | undefined) =>
  properties === undefined || properties.kind === 'font'
    ? { width: null, height: null, duration_s: null }
    : {
        width: properties.kind === 'audio' ? null : Math.round(properties.width),
        height: properties.kind === 'audio' ? null : Math.round(properties.height),
        duration_s: properties.duration_s === 0 ? null : Number(properties.duration_s.toFixed(3)),
      };

/** The answer of the service about the film of the project, without its templates. */
type Film = {
  readonly frames: number | null;
  readonly duration_s: number | null;
  readonly price_credits: number | null;
  readonly layers: readonly LayerTimes[] | null;
};

const answerOf = ({ path, file, assets, media, warnings, layers }: ProjectOnDisk) => ({
  path,
  name: file.name,
  compositions: file.compositions.length,
  templates: file.templates.length,
  assets: assets.map(({ stored: { id, kind, file_name, size_bytes, font_family } }) => ({
    ...{ id, kind, file_name, size_bytes, font_family },
    ...checkedAsset(media.get(id)),
  })),
  /** The number of assets that have only a hash and no file, so that their content is not inspected. */
  stored_assets: file.assets.length - assets.length,
  warnings,
  layers,
});
type CheckedProject = ReturnType<typeof answerOf> & Partial<Film>;

const mediaOf = (upload: UploadAnswer | undefined) =>
  upload?.media == null
    ? {}
    : {
        width: upload.media.width,
        height: upload.media.height,
        duration_s: upload.media.duration_s === 0 ? null : upload.media.duration_s,
      };

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const sizeCell = ({ width, height, font_family }: CheckedProject['assets'][number]): Cell =>
  width === null ? font_family : `${width}x${height}`;

const filmText = ({ frames, duration_s, price_credits }: Partial<Film>): readonly string[] =>
  frames == null || duration_s == null || price_credits == null
    ? []
    : [
        `A render has ${counted(frames, 'frame')} in ${secondsText(duration_s)} and costs ${counted(price_credits, 'credit')}.`,
      ];

const answerText = (answer: CheckedProject): string => {
  const { path, assets, stored_assets, warnings } = answer;
  const contents = [
    counted(answer.compositions, 'composition'),
    counted(answer.templates, 'template'),
    counted(assets.length, 'file'),
  ];
  const stored =
    stored_assets === 0
      ? ''
      : ` ${counted(stored_assets, 'asset')} without a file: files in the blob store are not checked.`;
  return [
    `${path} can be imported: ${contents.join(', ')}.${stored}`,
    ...(assets.length === 0
      ? []
      : [
          tableText(
            ['id', 'kind', 'bytes', 'size', 'length', 'file'],
            assets.map((asset) => [
              ...[asset.id, asset.kind, asset.size_bytes, sizeCell(asset)],
              asset.duration_s === null ? null : secondsText(asset.duration_s),
              asset.file_name,
            ]),
          ),
        ]),
    ...filmText(answer),
    ...layerTimesText(answer.layers),
    ...warningsText(warnings),
  ].join('\n\n');
};

const onlyChecked = E.mapLeft(
  (fault: CliFault): CliFault => (fault.tag === 'invalid_project' ? { ...fault, only_checked: true } : fault),
);

/** The service inspects the files and checks the document. Uploads that no project uses expire. */
const checkedRemotely = async (
  context: CommandContext,
  client: ApiClient,
  path: string,
  team_id: string | null,
): Promise<E.Either<CliFault, CheckedProject>> => {
  const read = await readProject(path, REMOTE_INSPECTION);
  if (E.isLeft(read)) return onlyChecked(read);
  const sent = await sendFiles(context, client, read.right, team_id, new Set());
  if (E.isLeft(sent)) return onlyChecked(sent);
  const { document, uploads } = sent.right;
  const checked = await checkRemotely(client, { document });
  if (E.isLeft(checked)) return checked;
  const { faults, warnings, frames, duration_s, price_credits, layers = null } = checked.right;
  const { path: file } = read.right;
  if (faults.length > 0) return E.left({ tag: 'invalid_project', path: file, faults, only_checked: true });
  const answer = answerOf(read.right);
  const assets = answer.assets.map((asset) => ({ ...asset, ...mediaOf(uploads.get(asset.id)) }));
  const film = { frames, duration_s, price_credits, layers };
  return E.right({ ...answer, assets, warnings: [...answer.warnings, ...warnings], ...film });
};

const checkedHere = async (
  context: CommandContext,
  path: string,
  media_check: boolean,
): Promise<E.Either<CliFault, CheckedProject>> => {
  const read = await readProject(path, media_check ? await mediaInspection(context) : NO_INSPECTION);
  if (E.isLeft(read)) return onlyChecked(read);
  const { media_faults: faults, path: file } = read.right;
  return faults.length === 0
    ? E.right(answerOf(read.right))
    : E.left({ tag: 'invalid_project', path: file, faults, only_checked: true });
};

type CheckOptions = JsonOption & DirectOption & { team?: string; mediaCheck: boolean };

const HELP = `
The command changes no project. With a log-in, it uploads the files and the service
checks them; it also says what a render costs. With --direct, it needs no service, but
ffprobe on this machine, in the PATH or as FFPROBE_PATH. It then reads media in the
decoder sandbox, if the machine has one.

Exits with 1 if it finds an error that would make renders fail. A layer that is longer
than its media is only a warning. The command checks the default values of templates;
each render checks its own values.`;

export const projectCheckCommand = (projects: Command, context: CommandContext): void => {
  addCommand(projects, 'check', 'check a project and its media without importing it', [
    'project check examples/demo',
    'project check examples/demo --json',
  ])
    .addArgument(new Argument('<path>', 'the folder, or the file'))
    .option('--team <team>', 'the team of the uploads, if the key reaches several teams')
    .addOption(noMediaCheckOption())
    .addOption(directOption())
    .addHelpText('after', HELP)
    .action((path: string, options: CheckOptions) => {
      const checked = remotelyOrDirectly<CheckedProject>(context, options, {
        remotely: (client) => checkedRemotely(context, client, path, options.team ?? null),
        directly: () => checkedHere(context, path, options.mediaCheck),
      });
      return runCommand(context, options.json, commandOutputOf(checked, answerText));
    });
};
