import { Argument, type Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { listProjects, listVersions, renameProject, showProject } from '../../catalogue/projects.ts';
import {
  documentText,
  projectsText,
  projectText,
  type ShownProject,
  type ShownVersion,
  versionsText,
} from '../catalogue/project-text.ts';
import type { VersionAnswer } from '../http/project-answers.ts';
import {
  copyRemoteProject,
  listRemoteProjects,
  listRemoteVersions,
  type RemoteProject,
  renameRemoteProject,
  showRemoteProject,
} from '../http/projects.ts';
import { nameArgument, parseName, versionParser } from './arguments.ts';
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
import { projectCheckCommand } from './project-check-command.ts';
import { projectImportCommands } from './project-import-command.ts';

type Options = JsonOption & DirectOption;
type Listed<A> = { readonly data: readonly A[] };

const listed = <A>(data: readonly A[]): Listed<A> => ({ data });

const remoteVersion = ({ version, added_by, created_at }: VersionAnswer): ShownVersion => ({
  ...{ version, name: null, document_sha256: null, created_at, added_by },
});

const project = () => new Argument('<project>', 'the project');

const readCommands = (projects: Command, context: CommandContext): void => {
  addCommand(projects, 'list', 'list projects', ['project list', 'project list --team team_01JD… --json'])
    .option('--team <team>', 'only projects of this team')
    .addOption(directOption())
    .action((options: Options & { team?: string }) => {
      const team_id = options.team ?? null;
      const list = remotelyOrDirectly<Listed<RemoteProject>>(context, options, {
        remotely: async (client) => E.map(listed<RemoteProject>)(await listRemoteProjects(client, team_id)),
        directly: () => context.connection.view(async (view) => E.right(listed(await listProjects(view, team_id)))),
      });
      return runCommand(
        context,
        options.json,
        commandOutputOf(list, ({ data }) => projectsText(data)),
      );
    });

  addCommand(projects, 'show', 'show a project, its compositions and templates', [
    'project show proj_01JD…',
    'project show proj_01JD… --version 2 --json',
  ])
    .addArgument(project())
    .option('--version <n>', 'this version (default: the latest)', versionParser(1))
    .addOption(directOption())
    .action((id: string, options: Options & { version?: number }) => {
      const version = options.version ?? null;
      const show = remotelyOrDirectly<ShownProject>(context, options, {
        remotely: (client) => showRemoteProject(client, id, version),
        directly: () => context.connection.view((view) => showProject(view, id, version)),
      });
      return runCommand(context, options.json, commandOutputOf(show, documentText));
    });

  addCommand(projects, 'versions', 'list the versions of a project', ['project versions proj_01JD…'])
    .addArgument(project())
    .addOption(directOption())
    .action((id: string, options: Options) => {
      const list = remotelyOrDirectly<readonly ShownVersion[]>(context, options, {
        remotely: async (client) =>
          E.map((versions: readonly VersionAnswer[]) => versions.map(remoteVersion))(
            await listRemoteVersions(client, id),
          ),
        directly: () => context.connection.view((view) => listVersions(view, id)),
      });
      const shown = list.then(E.map(listed<ShownVersion>));
      return runCommand(
        context,
        options.json,
        commandOutputOf(shown, ({ data }) => versionsText(data)),
      );
    });
};

type CopyOptions = JsonOption & { name?: string; team?: string; version?: number };

const changeCommands = (projects: Command, context: CommandContext): void => {
  addCommand(projects, 'rename', 'rename a project, as a new version', ['project rename proj_01JD… "Winter sale"'])
    .addArgument(project())
    .addArgument(nameArgument())
    .addOption(directOption())
    .addHelpText('after', '\nEarlier versions keep their names.\nThe next import takes the name from its project.json.')
    .action((id: string, name: string, options: Options) => {
      const rename = remotelyOrDirectly<RemoteProject & { readonly repeated?: true }>(context, options, {
        remotely: (client) => renameRemoteProject(client, id, name),
        directly: () =>
          context.connection.catalogue((catalogue) =>
            context.connection.blobs((blobs) => renameProject(catalogue, blobs, id, name)),
          ),
      });
      return runCommand(context, options.json, changeOutputOf(rename, projectText));
    });

  addCommand(projects, 'copy', 'copy a project with its assets, through the API', [
    'project copy proj_01JD… --name "Winter sale"',
    'project copy proj_01JD… --version 2 --team team_01JE…',
  ])
    .addArgument(project())
    .option('--name <name>', 'the name of the copy (default: the name of the project)', parseName)
    .option('--team <team>', 'the team of the copy (default: the team of the project)')
    .option('--version <n>', 'the version to copy (default: the latest)', versionParser(1))
    .action((id: string, { name, team, version, json }: CopyOptions) => {
      const wish = {
        ...(name === undefined ? {} : { name }),
        ...(team === undefined ? {} : { team_id: team }),
        ...(version === undefined ? {} : { version }),
      };
      const copy = context.connection.service((client) => copyRemoteProject(client, id, wish));
      return runCommand(context, json, commandOutputOf(copy, projectText));
    });
};

export const projectCommands = (program: Command, context: CommandContext): void => {
  const projects = addCommandGroup(program, 'project', 'projects: compositions, assets and templates');
  projectImportCommands(projects, context);
  projectCheckCommand(projects, context);
  readCommands(projects, context);
  changeCommands(projects, context);
};
