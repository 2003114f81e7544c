import { Argument, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { type ImportTarget, importProject } from '../../catalogue/project-import.ts';
import { createProject } from '../../catalogue/projects.ts';
import type { Fault } from '../../domain/composition/fault.ts';
import { mediaInspection } from '../catalogue/media-inspection.ts';
import { NO_INSPECTION, REMOTE_INSPECTION, readProject } from '../catalogue/project-files.ts';
import { projectText } from '../catalogue/project-text.ts';
import type { CliFault } from '../fault.ts';
import type { ApiClient } from '../http/api-client.ts';
import { importRemotely, type RemoteImport, type RemoteImportTarget } from '../http/import-project.ts';
import { idOption, nameOption, noMediaCheckOption, optionalId, versionParser } from './arguments.ts';
import {
  addCommand,
  type CommandContext,
  changeOutputOf,
  commandOutputOf,
  type DirectOption,
  directOption,
  type JsonOption,
  remotelyOrDirectly,
  runCommand,
} from './command.ts';
import { warningsText } from './project-check-command.ts';

type ImportAnswer = RemoteImport & { readonly warnings: readonly Fault[] };

const importedText = (imported: ImportAnswer): string =>
  [
    projectText(imported),
    ...(imported.added ? [] : [`Version ${imported.version} has the same content; nothing was added.`]),
    ...warningsText(imported.warnings),
  ].join('\n\n');

type CreateOptions = JsonOption & DirectOption & { team: string; name: string; user?: string; id?: string };
type ImportOptions = JsonOption &
  DirectOption & {
    team?: string;
    project?: string;
    user?: string;
    id?: string;
    baseVersion?: number;
    mediaCheck: boolean;
  };

const targetOf = (options: ImportOptions): E.Either<CliFault, ImportTarget> => {
  const { team, project, user, id, baseVersion } = options;
  if (project !== undefined && team === undefined && user === undefined && id === undefined)
    return E.right({ tag: 'version_of', project_id: project, base_version: baseVersion ?? null });
  if (team !== undefined && project === undefined && baseVersion === undefined)
    return E.right({ tag: 'new', team_id: team, created_by: user ?? null, ...optionalId(id) });
  const message =
    'use either --team (and --user, --id) for a new project, or --project (and --base-version) for a new version';
  return E.left({ tag: 'usage', message });
};

const remoteTargetOf = (options: ImportOptions): E.Either<CliFault, RemoteImportTarget> => {
  const { team, project, user, id, baseVersion } = options;
  if (user !== undefined || id !== undefined)
    return E.left({ tag: 'usage', message: '--user and --id work only with direct access to the servers' });
  if (project !== undefined && team === undefined)
    return E.right({ tag: 'version_of', project_id: project, base_version: baseVersion ?? null });
  if (project === undefined && baseVersion === undefined) return E.right({ tag: 'new', team_id: team ?? null });
  const message = 'use either --team for a new project, or --project (and --base-version) for a new version';
  return E.left({ tag: 'usage', message });
};

const importedRemotely = async (context: CommandContext, client: ApiClient, path: string, options: ImportOptions) => {
  const target = remoteTargetOf(options);
  if (E.isLeft(target)) return target;
  const local = await readProject(path, REMOTE_INSPECTION);
  if (E.isLeft(local)) return local;
  const imported = await importRemotely(context, client, local.right, target.right);
  return E.map((project: RemoteImport): ImportAnswer => ({ ...project, warnings: local.right.warnings }))(imported);
};

const importedDirectly = async (context: CommandContext, path: string, options: ImportOptions) => {
  const target = targetOf(options);
  if (E.isLeft(target)) return target;
  const local = await readProject(path, options.mediaCheck ? await mediaInspection(context) : NO_INSPECTION);
  if (E.isLeft(local)) return local;
  const imported = await context.connection.catalogue((catalogue) =>
    context.connection.blobs((blobs) => importProject(catalogue, blobs, local.right, target.right)),
  );
  return E.map((project: RemoteImport): ImportAnswer => ({ ...project, warnings: local.right.warnings }))(imported);
};

const IMPORT_HELP = `
The command first checks everything, as "renderctl project check" does. If it finds
errors, it lists them with their paths and imports nothing.

Over the API, it uploads only the files that the project and the team do not have, and
the service inspects them. You can interrupt it: the same command continues. With
--direct, ffprobe and ffmpeg of this machine check the media, in the decoder sandbox.`;

const NEEDS_DOCUMENT: CliFault = {
  tag: 'usage',
  message: 'over the API, a project begins with its first version: use "renderctl project import FOLDER"',
};

export const projectImportCommands = (projects: Command, context: CommandContext): void => {
  addCommand(projects, 'create', 'create an empty project', ['project create --team team_01JD… --name "Spring sale"'])
    .requiredOption('--team <team>', 'the team')
    .addOption(nameOption())
    .option('--user <user>', 'the user who creates it')
    .addOption(idOption('proj'))
    .addOption(directOption())
    .action((options: CreateOptions) => {
      const { team, name, user, id, json } = options;
      const wanted = { team_id: team, name, created_by: user ?? null, ...optionalId(id) };
      const create = remotelyOrDirectly(context, options, {
        remotely: async () => E.left(NEEDS_DOCUMENT),
        directly: () =>
          context.connection.catalogue((catalogue) =>
            context.connection.blobs((blobs) => createProject(catalogue, blobs, wanted)),
          ),
      });
      return runCommand(context, json, changeOutputOf(create, projectText));
    });

  addCommand(projects, 'import', 'import a project.json, or a folder with one, and its assets', [
    'project import examples/demo --team team_01JD…',
    'project import examples/demo --project proj_01JD… --base-version 1',
  ])
    .addArgument(new Argument('<path>', 'the folder, or the file'))
    .option('--team <team>', 'import into a new project of this team')
    .option('--user <user>', 'the user who creates the project')
    .addOption(idOption('proj'))
    .option('--project <project>', 'import as a new version of this project, if it differs from the latest version')
    .option('--base-version <n>', 'fail if this is not the latest version', versionParser(0))
    .addOption(noMediaCheckOption())
    .addOption(directOption())
    .addHelpText('after', IMPORT_HELP)
    .action((path: string, options: ImportOptions) => {
      const imported = remotelyOrDirectly<ImportAnswer>(context, options, {
        remotely: (client) => importedRemotely(context, client, path, options),
        directly: () => importedDirectly(context, path, options),
      });
      return runCommand(context, options.json, commandOutputOf(imported, importedText));
    });
};
