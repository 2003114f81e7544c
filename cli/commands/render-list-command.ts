import { type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { STATUSES } from '../../domain/render/render.ts';
import type { CliFault } from '../fault.ts';
import type { ApiResult } from '../http/api-client.ts';
import { commandRetrier } from '../http/retry.ts';
import { type PendingOutput, toCommandOutput } from '../output.ts';
import { type DetailedRender, MAX_DETAILED, withDetailsOfAll } from '../render/detailed-render.ts';
import type { RenderAnswer } from '../render/render-answers.ts';
import type { RenderApi, RenderQuery } from '../render/render-api.ts';
import { rendersText } from '../render/render-text.ts';
import { addCommand, type CommandContext, runCommand } from './command.ts';
import { type TeamOption, teamOption } from './team-option.ts';

type ListOptions = TeamOption & {
  project: string;
  search?: string;
  status?: string;
  order?: string;
  all?: true;
  json?: true;
};

type Listed<A> = {
  readonly data: readonly A[];
  readonly has_more?: boolean;
  readonly next_cursor?: string | null;
};

const LARGEST_PAGE = '60';

const queryOf = ({ project, search, status, order }: ListOptions): RenderQuery => ({
  project_id: project,
  ...(search === undefined ? {} : { search }),
  ...(status === undefined ? {} : { status }),
  ...(order === undefined ? {} : { order }),
});

const allPages = async (list: RenderApi['list'], query: RenderQuery): ApiResult<Listed<RenderAnswer>> => {
  const data: RenderAnswer[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Awaited<ReturnType<RenderApi['list']>> = await list({
      ...query,
      limit: LARGEST_PAGE,
      ...(cursor === null ? {} : { cursor }),
    });
    if (E.isLeft(page)) return page;
    data.push(...page.right.data);
    cursor = page.right.next_cursor;
    if (cursor === null) return E.right({ data });
  }
};

const listText = ({ data, has_more }: Listed<DetailedRender>): string =>
  has_more === true ? `${rendersText(data)}\n\nThere are more renders. Use --all to list them.` : rendersText(data);

const listed = async ({ stop }: CommandContext, api: RenderApi, query: RenderQuery, all: boolean): PendingOutput => {
  const retried = commandRetrier(stop);
  const list: RenderApi['list'] = (page) => retried(() => api.list(page));
  const found: E.Either<CliFault, Listed<RenderAnswer>> = all ? await allPages(list, query) : await list(query);
  if (E.isLeft(found)) return found;
  const data = await withDetailsOfAll(api, found.right.data);
  return toCommandOutput<Listed<DetailedRender>>(E.right({ ...found.right, data }), listText);
};

const HELP = `
Services up to version 0.9 have progress and failures in another place: for those, the
command reads them one by one, only for the first ${MAX_DETAILED} renders of a list.`;

export const renderListCommand = (renders: Command, context: CommandContext): void => {
  addCommand(renders, 'list', 'list the renders of a project, newest first', [
    'render list --project "$PROJECT_ID"',
    'render list --project "$PROJECT_ID" --status failed --all --json',
    'render list --project "$PROJECT_ID" --search "spring sale"',
  ])
    .requiredOption('--project <project>', 'the project')
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
        context.connection.api((api) => listed(context, api, queryOf(options), options.all === true), options.team),
      ),
    );
};
