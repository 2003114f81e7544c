import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import type { CliFault } from '../fault.ts';
import type { ApiResult } from '../http/api-client.ts';
import type { RequestRetrier } from '../http/retry.ts';
import type { RenderAnswer, RendersAnswer } from './render-answers.ts';
import type { RenderApi, RenderQuery } from './render-api.ts';

export type RenderList = {
  readonly data: readonly RenderAnswer[];
  readonly has_more?: boolean;
  readonly next_cursor?: string | null;
};

type List = RenderApi['list'];

const LARGEST_PAGE = 60;
/** The projects whose renders a key lists together. */
const MAX_PROJECTS = 60;
const AT_ONCE = 4;

const allPages = async (list: List, query: RenderQuery): ApiResult<RenderList> => {
  const data: RenderAnswer[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Awaited<ApiResult<RendersAnswer>> = await list({
      ...query,
      limit: String(LARGEST_PAGE),
      ...(cursor === null ? {} : { cursor }),
    });
    if (E.isLeft(page)) return page;
    data.push(...page.right.data);
    cursor = page.right.next_cursor;
    if (cursor === null) return E.right({ data });
  }
};

const TOO_MANY: CliFault = {
  tag: 'usage',
  message: `the API key reaches more than ${MAX_PROJECTS} projects: choose one with --project, or log in as a person`,
};

/** Newest first. One page has the newest renders of all projects. */
const merged = (lists: readonly RenderList[], all: boolean): RenderList => {
  const data = lists.flatMap((list) => list.data).toSorted((a, b) => b.created_at - a.created_at);
  if (all) return { data };
  const has_more = data.length > LARGEST_PAGE || lists.some((list) => list.has_more === true);
  return { data: data.slice(0, LARGEST_PAGE), has_more, next_cursor: null };
};

/**
 * Without `project_id`, the renders of a person's team, or of all projects of a key.
 *
 * @param all whether to read all pages
 */
export const listRenders = async (
  api: Pick<RenderApi, 'list' | 'projects'>,
  retried: RequestRetrier,
  query: RenderQuery,
  all: boolean,
): ApiResult<RenderList> => {
  const list: List = (page) => retried(() => api.list(page));
  const { projects } = api;
  if (query.project_id !== undefined || projects === null) return all ? await allPages(list, query) : await list(query);
  const ids = await retried(() => projects(MAX_PROJECTS));
  if (E.isLeft(ids)) return ids;
  if (ids.right.length > MAX_PROJECTS) return E.left(TOO_MANY);
  const limit = pLimit(AT_ONCE);
  const read = (project_id: string): ApiResult<RenderList> => {
    const of_project = { ...query, project_id };
    return all ? allPages(list, of_project) : list({ ...of_project, limit: String(LARGEST_PAGE) });
  };
  const lists: RenderList[] = [];
  for (const found of await Promise.all(ids.right.map((id) => limit(() => read(id))))) {
    if (E.isLeft(found)) return found;
    lists.push(found.right);
  }
  return E.right(merged(lists, all));
};
