import { Argument, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { ProjectView, VersionView } from '../../catalogue/answers.ts';
import { type ImportResult, type ImportTarget, importProject } from '../../catalogue/project-import.ts';
import {
  createProject,
  listProjects,
  listVersions,
  type ProjectWithDocument,
  renameProject,
  showProject,
} from '../../catalogue/projects.ts';
import type { Fault } from '../../domain/composition/fault.ts';
import { mediaInspection } from '../catalogue/media-inspection.ts';
import { NO_INSPECTION, readProject } from '../catalogue/project-files.ts';
import type { CliFault } from '../fault.ts';
import { tableText, timeText } from '../table.ts';
import { idOption, nameArgument, nameOption, noMediaCheckOption, optionalId, versionParser } from './arguments.ts';
import {
  addCommand,
  addCommandGroup,
  type CommandContext,
  changeOutputOf,
  commandOutputOf,
  type JsonOption,
  runCommand,
} from './command.ts';
import { projectCheckCommand, warningsText } from './project-check-command.ts';

const projectsText = (projects: readonly ProjectView[]): string =>
  tableText(
    ['id', 'name', 'team', 'version', 'created'],
    projects.map(({ id, name, team_id, version, created_at }) => [id, name, team_id, version, timeText(created_at)]),
  );

const projectText = (project: ProjectView): string => projectsText([project]);

const versionsText = (versions: readonly VersionView[]): string =>
  tableText(
    ['version', 'name', 'added', 'SHA-256 of the document'],
    versions.map(({ version, name, created_at, document_sha256 }) => [
      version,
      name,
      timeText(created_at),
      document_sha256,
    ]),
  );

const documentText = ({ document, ...project }: ProjectWithDocument): string => {
  if (document === null)
    return `${projectText(project)}\n\nThe project has no versions yet; import one with "renderctl project import FOLDER --project ${project.id}".`;
  const compositions = document.compositions.map(({ id, width, height, duration, layers }) => [
    id === document.main_composition_id ? `${id} (main)` : id,
    `${width}x${height}`,
    `${duration} s`,
    layers.length,
  ]);
  const fields = document.templates.flatMap((template) =>
    template.fields.map((field) => [template.id, field.key, field.kind, field.default_value]),
  );
  return [
    projectText(project),
    tableText(['composition', 'size', 'length', 'layers'], compositions),
    ...(fields.length === 0 ? [] : [tableText(['template', 'field', 'kind', 'default value'], fields)]),
  ].join('\n\n');
};

type ImportAnswer = ImportResult & { readonly warnings: readonly Fault[] };

const importedText = (imported: ImportAnswer): string =>
  [
    projectText(imported),
    ...(imported.added ? [] : [`Version ${imported.version} has the same content; nothing was added.`]),
    ...warningsText(imported.warnings),
  ].join('\n\n');

type CreateOptions = JsonOption & { team: string; name: string; user?: string; id?: string };
type ImportOptions = JsonOption & {
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

const importFrom = async (context: CommandContext, path: string, options: ImportOptions) => {
  const target = targetOf(options);
  if (E.isLeft(target)) return target;
  const local = await readProject(path, options.mediaCheck ? await mediaInspection(context) : NO_INSPECTION);
  if (E.isLeft(local)) return local;
  const imported = await context.connection.catalogue((catalogue) =>
    context.connection.blobs((blobs) => importProject(catalogue, blobs, local.right, target.right)),
  );
  return E.map((project: ImportResult): ImportAnswer => ({ ...project, warnings: local.right.warnings }))(imported);
};

const IMPORT_HELP = `
The command first checks everything, as "renderctl project check" does. If it finds
errors, it lists them with their paths and imports nothing. ffprobe and ffmpeg of this
machine check the media, in the decoder sandbox.`;

export const projectCommands = (program: Command, context: CommandContext): void => {
  const projects = addCommandGroup(program, 'project', 'projects: compositions, assets and templates');
  const project = () => new Argument('<project>', 'the project');

  addCommand(projects, 'create', 'create an empty project', ['project create --team team_01JD… --name "Spring sale"'])
    .requiredOption('--team <team>', 'the team')
    .addOption(nameOption())
    .option('--user <user>', 'the user who creates it')
    .addOption(idOption('proj'))
    .action(({ team, name, user, id, json }: CreateOptions) => {
      const wanted = { team_id: team, name, created_by: user ?? null, ...optionalId(id) };
      const create = context.connection.catalogue((catalogue) =>
        context.connection.blobs((blobs) => createProject(catalogue, blobs, wanted)),
      );
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
    .addHelpText('after', IMPORT_HELP)
    .action((path: string, options: ImportOptions) =>
      runCommand(context, options.json, commandOutputOf(importFrom(context, path, options), importedText)),
    );

  projectCheckCommand(projects, context);

  addCommand(projects, 'list', 'list projects', ['project list', 'project list --team team_01JD… --json'])
    .option('--team <team>', 'only projects of this team')
    .action(({ team, json }: JsonOption & { team?: string }) => {
      const list = context.connection.view(async (view) => E.right({ data: await listProjects(view, team ?? null) }));
      return runCommand(
        context,
        json,
        commandOutputOf(list, ({ data }) => projectsText(data)),
      );
    });

  addCommand(projects, 'show', 'show a project, its compositions and templates', [
    'project show proj_01JD…',
    'project show proj_01JD… --version 2 --json',
  ])
    .addArgument(project())
    .option('--version <n>', 'this version (default: the latest)', versionParser(1))
    .action((id: string, { version: wanted, json }: JsonOption & { version?: number }) => {
      const show = context.connection.view((view) => showProject(view, id, wanted ?? null));
      return runCommand(context, json, commandOutputOf(show, documentText));
    });

  addCommand(projects, 'versions', 'list the versions of a project', ['project versions proj_01JD…'])
    .addArgument(project())
    .action((id: string, { json }: JsonOption) => {
      const list = context.connection.view(async (view) =>
        E.map((data: readonly VersionView[]) => ({ data }))(await listVersions(view, id)),
      );
      return runCommand(
        context,
        json,
        commandOutputOf(list, ({ data }) => versionsText(data)),
      );
    });

  addCommand(projects, 'rename', 'rename a project, as a new version', ['project rename proj_01JD… "Winter sale"'])
    .addArgument(project())
    .addArgument(nameArgument())
    .addHelpText('after', '\nEarlier versions keep their names.\nThe next import takes the name from its project.json.')
    .action((id: string, name: string, { json }: JsonOption) => {
      const rename = context.connection.catalogue((catalogue) =>
        context.connection.blobs((blobs) => renameProject(catalogue, blobs, id, name)),
      );
      return runCommand(context, json, changeOutputOf(rename, projectText));
    });
};
