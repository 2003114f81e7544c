import { type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { STATUSES } from '../../domain/render/render.ts';
import type { CliFault } from '../fault.ts';
import { answered } from '../output.ts';
import type { RenderAnswer } from '../render/render-answers.ts';
import type { RenderApi, RenderQuery } from '../render/render-api.ts';
import { tableText, timeText } from '../table.ts';
import { addCommand, answerTo, type CommandContext } from './command.ts';

type ListOptions = {
  project: string;
  search?: string;
  status?: string;
  order?: string;
  all?: true;
  json?: true;
};

type Listed = {
  readonly data: readonly RenderAnswer[];
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

const allPages = async (api: RenderApi, query: RenderQuery): Promise<E.Either<CliFault, Listed>> => {
  const data: RenderAnswer[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Awaited<ReturnType<RenderApi['list']>> = await api.list({
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

const listText = ({ data, has_more }: Listed): string => {
  const rows = data.map(({ id, name, status, created_at }) => [id, name, status, timeText(created_at)]);
  const table = tableText(['id', 'name', 'status', 'created'], rows);
  return has_more === true ? `${table}\n\nThere are more; --all lists them.` : table;
};

export const renderListCommand = (renders: Command, context: CommandContext): void => {
  addCommand(renders, 'list', 'list the renders of a project, the newest first', [
    'render list --project "$PROJECT_ID"',
    'render list --project "$PROJECT_ID" --status failed --all --json',
    'render list --project "$PROJECT_ID" --search "spring sale"',
  ])
    .requiredOption('--project <project>', 'whose renders')
    .option('--search <words>', 'only those with these words in their names, the best match first')
    .addOption(new Option('--status <status>', 'only those with this status').choices(STATUSES))
    .addOption(new Option('--order <order>', 'desc: the newest first; asc: the oldest first').choices(['asc', 'desc']))
    .option('--all', 'every page, not only the first')
    .action((options: ListOptions) => {
      const query = queryOf(options);
      const listing = context.connection.api(async (api) =>
        answered<Listed>(options.all === true ? await allPages(api, query) : await api.list(query), listText),
      );
      return answerTo(context, options.json, listing);
    });
};
