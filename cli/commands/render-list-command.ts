import { type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { STATUSES } from '../../domain/render/render.ts';
import type { CliFault } from '../fault.ts';
import { commandRetrier } from '../http/retry.ts';
import { type PendingOutput, toCommandOutput } from '../output.ts';
import { type DetailedRender, MAX_DETAILED, withDetailsOfAll } from '../render/detailed-render.ts';
import type { RenderApi, RenderQuery } from '../render/render-api.ts';
import { listRenders, type RenderList } from '../render/render-lists.ts';
import { rendersText } from '../render/render-text.ts';
import { addCommand, type CommandContext, runCommand } from './command.ts';
import { type TeamOption, teamOption } from './team-option.ts';

type ListOptions = TeamOption & {
  project?: string;
  search?: string;
  status?: string;
  order?: string;
  all?: true;
  json?: true;
};

type Listed = Omit<RenderList, 'data'> & { readonly data: readonly DetailedRender[] };

const queryOf = ({ project, search, status, order }: ListOptions): RenderQuery => ({
  ...(project === undefined ? {} : { project_id: project }),
  ...(search === undefined ? {} : { search }),
  ...(status === undefined ? {} : { status }),
  ...(order === undefined ? {} : { order }),
});

const MORE = 'There are more renders. Use --all to list them.';

const listText =
  (names_projects: boolean) =>
  ({ data, has_more }: Listed): string => {
    const table = rendersText(data, names_projects);
    return has_more === true ? `${table}\n\n${MORE}` : table;
  };

const ORDER_NEEDS_PROJECT: CliFault = {
  tag: 'usage',
  message: '--order needs --project: other lists are newest first',
};

const listed = async ({ stop }: CommandContext, api: RenderApi, query: RenderQuery, all: boolean): PendingOutput => {
  const found = await listRenders(api, commandRetrier(stop), query, all);
  if (E.isLeft(found)) return found;
  const data = await withDetailsOfAll(api, found.right.data);
  return toCommandOutput<Listed>(E.right({ ...found.right, data }), listText(query.project_id === undefined));
};

const HELP = `
Without --project, the list has the newest renders of your team. With an API key, it
has those of all projects that the key reaches, up to 60.

Services up to version 0.9 have progress and failures in another place: for those, the
command reads them one by one, only for the first ${MAX_DETAILED} renders of a list.`;

export const renderListCommand = (renders: Command, context: CommandContext): void => {
  addCommand(renders, 'list', 'list renders, newest first', [
    'render list',
    'render list --project "$PROJECT_ID"',
    'render list --project "$PROJECT_ID" --status failed --all --json',
    'render list --project "$PROJECT_ID" --search "spring sale"',
  ])
    .option('--project <project>', 'only renders of this project')
    .option('--search <words>', 'only renders with these words in their names, best match first')
    .addOption(new Option('--status <status>', 'only renders with this status').choices(STATUSES))
    .addOption(new Option('--order <order>', 'desc: newest first; asc: oldest first').choices(['asc', 'desc']))
    .option('--all', 'all pages')
    .addOption(teamOption())
    .addHelpText('after', HELP)
    .action((options: ListOptions) =>
      runCommand(
        context,
        options.json,
        options.order !== undefined && options.project === undefined
          ? Promise.resolve(E.left(ORDER_NEEDS_PROJECT))
          : context.connection.api((api) => listed(context, api, queryOf(options), options.all === true), options.team),
      ),
    );
};
