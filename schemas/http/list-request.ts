import { sequenceS } from 'fp-ts/lib/Apply.js';
import * as E from 'fp-ts/lib/Either.js';
import { AUDIT_KINDS } from '../../domain/audit/kinds.ts';
import { RenderStatus, STATUSES } from '../../domain/render/render.ts';
import { optionalParameter, requiredParameter } from './query-parameter.ts';

export type ListOrder = 'asc' | 'desc';

/** The parameters of every paged list. */
export type PageRequest = {
  /** 1 to 60. */
  readonly limit: number;
  readonly cursor: string | null;
  readonly search: string | null;
  readonly order: ListOrder;
};

export type RenderListRequest = PageRequest & { readonly project_id: string; readonly status: RenderStatus | null };
export type ProjectListRequest = PageRequest & { readonly team_id: string | null };

const LIMITS = { page: 60, default_page: 20, search: 250 } as const;

/** Digits of a number so large that it is clamped in any case. */
const CLAMPED_DIGITS = 9;

const limitOf = (query: URLSearchParams): E.Either<string, number> => {
  const text = query.get('limit');
  if (text === null) return E.right(LIMITS.default_page);
  const digits = /^\d+$/.test(text) ? text.replace(/^0+/, '') : '';
  if (digits === '') return E.left('limit: must be a whole number, 1 or more');
  return E.right(digits.length > CLAMPED_DIGITS ? LIMITS.page : Math.min(LIMITS.page, Number(digits)));
};

const searchOf = (query: URLSearchParams): E.Either<string, string | null> => {
  const text = query.get('search') ?? '';
  // The first comparison avoids counting code points of a text that is too long in any case.
  if (text.length > 2 * LIMITS.search || [...text].length > LIMITS.search)
    return E.left(`search: must have at most ${LIMITS.search} characters`);
  return E.right(text.trim() === '' ? null : text);
};

const orderOf = (query: URLSearchParams): E.Either<string, ListOrder> => {
  const order = query.get('order') ?? 'desc';
  return order === 'asc' || order === 'desc' ? E.right(order) : E.left('order: must be asc or desc');
};

const statusOf = (query: URLSearchParams): E.Either<string, RenderStatus | null> => {
  const status = query.get('status');
  if (status === null) return E.right(null);
  return RenderStatus.is(status) ? E.right(status) : E.left(`status: must be one of ${STATUSES.join(', ')}`);
};

/** An empty cursor, like an empty search, counts as absent: clients send both from forms. */
const cursorOf = (query: URLSearchParams): E.Either<string, string | null> => E.right(query.get('cursor') || null);

/** All faults are reported at once. */
const all = sequenceS(E.getApplicativeValidation({ concat: (a: string, b: string) => `${a}; ${b}` }));

const pageParts = (query: URLSearchParams) => ({
  limit: limitOf(query),
  cursor: cursorOf(query),
  search: searchOf(query),
  order: orderOf(query),
});

/** Query of GET /v1/renders; else one line that names every parameter at fault. The cursor is not looked into here. */
export const decodeRenderListRequest = (query: URLSearchParams): E.Either<string, RenderListRequest> =>
  all({ project_id: requiredParameter(query, 'project_id'), ...pageParts(query), status: statusOf(query) });

/** Query of GET /v1/projects; else one line that names every parameter at fault. The cursor is not looked into here. */
export const decodeProjectListRequest = (query: URLSearchParams): E.Either<string, ProjectListRequest> =>
  all({ team_id: optionalParameter(query, 'team_id'), ...pageParts(query) });

/** The parameters of every paged list that has an order and a search. */
export const decodePageRequest = (query: URLSearchParams): E.Either<string, PageRequest> => all(pageParts(query));

/** The same of renders: with their status. */
export const decodeStatusRequest = (query: URLSearchParams) => all({ ...pageParts(query), status: statusOf(query) });

const plainParts = (query: URLSearchParams) => ({
  limit: limitOf(query),
  cursor: cursorOf(query),
  search: E.right(null),
  order: E.right<string, ListOrder>('desc'),
});

/** The parameters of a list that has one order, the newest first, and no search. */
export const decodePlainListRequest = (query: URLSearchParams): E.Either<string, PageRequest> => all(plainParts(query));

/** The parameters of the list of a team's renders. */
export const decodeTeamRendersRequest = (query: URLSearchParams) =>
  all({ ...plainParts(query), status: statusOf(query) });

const optionalWord = <W extends string>(
  query: URLSearchParams,
  name: string,
  words: readonly W[],
): E.Either<string, W | null> => {
  const value = query.get(name);
  if (value === null) return E.right(null);
  const word = words.find((one) => one === value);
  return word === undefined ? E.left(`${name}: must be one of ${words.join(', ')}`) : E.right(word);
};

/** A time in ms since the epoch, of at most 15 digits. */
const optionalTime = (query: URLSearchParams, name: string): E.Either<string, number | null> => {
  const value = query.get(name);
  if (value === null) return E.right(null);
  return /^\d{1,15}$/.test(value) ? E.right(Number(value)) : E.left(`${name}: must be milliseconds since the epoch`);
};

/** From `since` on and before `until`; null where there is no bound. */
const inPeriod = <A extends { readonly since: number | null; readonly until: number | null }>(
  decoded: E.Either<string, A>,
): E.Either<string, A> =>
  E.isRight(decoded) &&
  decoded.right.since !== null &&
  decoded.right.until !== null &&
  decoded.right.until <= decoded.right.since
    ? E.left('until: must be after since')
    : decoded;

const periodParts = (query: URLSearchParams) => ({
  since: optionalTime(query, 'since'),
  until: optionalTime(query, 'until'),
});

const LONGEST_ACTOR = 200;

const actorOf = (query: URLSearchParams): E.Either<string, string | null> => {
  const actor = optionalParameter(query, 'actor');
  return E.isRight(actor) && actor.right !== null && actor.right.length > LONGEST_ACTOR
    ? E.left(`actor: must have at most ${LONGEST_ACTOR} characters`)
    : actor;
};

/** The parameters of an audit. */
export const decodeAuditRequest = (query: URLSearchParams) =>
  inPeriod(
    all({
      ...plainParts(query),
      ...periodParts(query),
      actor: actorOf(query),
      kind: optionalWord(query, 'kind', AUDIT_KINDS),
      with_renders: optionalWord(query, 'with_renders', ['true', 'false']),
    }),
  );

/** The parameters of the statement of an account. */
export const decodeUsageRequest = (query: URLSearchParams) =>
  inPeriod(all({ ...plainParts(query), ...periodParts(query) }));

export const STATISTICS_BY = ['day', 'hour'] as const;

/** The parameters of statistics. */
export const decodeStatisticsRequest = (query: URLSearchParams) =>
  inPeriod(all({ ...periodParts(query), by: optionalWord(query, 'by', STATISTICS_BY) }));
