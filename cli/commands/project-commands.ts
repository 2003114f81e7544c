import { type Command, InvalidArgumentError } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { ProjectAnswer } from '../catalogue/answers.ts';
import { readProject } from '../catalogue/project-files.ts';
import { type Imported, type ImportTarget, importProject } from '../catalogue/project-import.ts';
import { createProject, listProjects, type ProjectWithDocument, showProject } from '../catalogue/projects.ts';
import type { CliFault } from '../fault.ts';
import { answered } from '../output.ts';
import { tableText, timeText } from '../table.ts';
import { answerTo, type Desk, group, leaf, nameText, wholeNumber } from './command.ts';

const projectsText = (projects: readonly ProjectAnswer[]): string =>
  tableText(
    ['id', 'name', 'team', 'version', 'created'],
    projects.map(({ id, name, team_id, version, created_at }) => [id, name, team_id, version, timeText(created_at)]),
  );

const documentText = ({ document, ...project }: ProjectWithDocument): string => {
  if (document === null) return `${projectsText([project])}\n\nIt has no version yet; import one with --project.`;
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
    projectsText([project]),
    tableText(['composition', 'size', 'length', 'layers'], compositions),
    ...(fields.length === 0 ? [] : [tableText(['template', 'field', 'kind', 'default value'], fields)]),
  ].join('\n\n');
};

const importedText = (imported: Imported): string =>
  imported.added
    ? projectsText([imported])
    : `${projectsText([imported])}\n\nVersion ${imported.version} holds exactly this already; nothing was added.`;

const baseVersion = (text: string): number => {
  const version = wholeNumber(text);
  if (version < 0) throw new InvalidArgumentError('It must be 0 or more.');
  return version;
};

type CreateOptions = { team: string; name: string; user?: string; id?: string; json?: true };
type ImportOptions = { team?: string; project?: string; user?: string; baseVersion?: number; json?: true };

const targetOf = ({ team, project, user, baseVersion: base }: ImportOptions): E.Either<CliFault, ImportTarget> => {
  if (project !== undefined && team === undefined && user === undefined)
    return E.right({ tag: 'version_of', project_id: project, base_version: base ?? null });
  if (team !== undefined && project === undefined && base === undefined)
    return E.right({ tag: 'new', team_id: team, created_by: user ?? null });
  const message =
    'give either --team (and --user), for a new project, or --project (and --base-version), for a new version';
  return E.left({ tag: 'usage', message });
};

const importFrom = async (desk: Desk, path: string, options: ImportOptions) => {
  const target = targetOf(options);
  if (E.isLeft(target)) return target;
  const local = await readProject(path);
  if (E.isLeft(local)) return local;
  return desk.connection.catalogue((catalogue) =>
    desk.connection.blobs((blobs) => importProject(catalogue, blobs, local.right, target.right)),
  );
};

export const projectCommands = (program: Command, desk: Desk): void => {
  const projects = group(program, 'project', 'projects: compositions, assets and templates, revised as a whole');

  leaf(projects, 'create', 'create an empty project', ['project create --team team_01JD… --name "Spring sale"'])
    .requiredOption('--team <team>', 'the team that it belongs to')
    .requiredOption('--name <name>', 'its name, 1 to 250 characters; it stands in the log for ever', nameText)
    .option('--user <user>', 'who made it')
    .option('--id <id>', 'an id of your own, so that a command that was cut off can be repeated')
    .action(async ({ team, name, user, id, json }: CreateOptions) => {
      const wanted = { team_id: team, name, created_by: user ?? null, ...(id === undefined ? {} : { id }) };
      const create = desk.connection.catalogue((catalogue) => createProject(catalogue, wanted));
      await answerTo(
        desk,
        json,
        create.then((project) => answered(project, (one) => projectsText([one]))),
      );
    });

  leaf(projects, 'import <path>', 'import a folder with a project.json, or such a file, and the assets it names', [
    'project import examples/demo --team team_01JD…',
    'project import examples/demo --project proj_01JD… --base-version 1',
  ])
    .option('--team <team>', 'import into a new project of this team')
    .option('--user <user>', 'who made the new project')
    .option('--project <project>', 'import as a new version of this project')
    .option('--base-version <n>', 'refuse, unless this is the latest version still', baseVersion)
    .action(async (path: string, options: ImportOptions) => {
      const importing = importFrom(desk, path, options);
      await answerTo(
        desk,
        options.json,
        importing.then((imported) => answered(imported, importedText)),
      );
    });

  leaf(projects, 'list', 'list projects', ['project list', 'project list --team team_01JD… --json'])
    .option('--team <team>', 'only those of this team')
    .action(async ({ team, json }: { team?: string; json?: true }) => {
      const list = desk.connection.view(async (view) => E.right({ data: await listProjects(view, team ?? null) }));
      await answerTo(
        desk,
        json,
        list.then((found) => answered(found, ({ data }) => projectsText(data))),
      );
    });

  leaf(projects, 'show <project>', 'show a project, its compositions and templates', [
    'project show proj_01JD…',
    'project show proj_01JD… --json',
  ]).action(async (id: string, { json }: { json?: true }) => {
    const show = desk.connection.view((view) => showProject(view, id));
    await answerTo(
      desk,
      json,
      show.then((project) => answered(project, documentText)),
    );
  });
};
