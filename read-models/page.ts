import { createHmac, createSecretKey } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { searchTerms } from '../domain/search/words.ts';
import type { ApiError } from '../platform/http-server/api-error.ts';
import { decodeCursor, encodeCursor, type ListIdentity, type ListPosition, type Mac } from '../schemas/http/cursor.ts';
import type { PageRequest, Period } from '../schemas/http/query.ts';
import type { PositionedElement } from './lists.ts';

/** Identifies the filters of a list of renders. Older cursors stay valid without the filters that came later. */
export const filterIdentity = (
  filter: Period & { readonly status: string | null; readonly template_id: string | null },
): string | null => {
  const { status, template_id, since, until } = filter;
  if (template_id !== null) return JSON.stringify([status, since, until, template_id]);
  return since === null && until === null ? status : JSON.stringify([status, since, until]);
};

export type List<A> = Pick<ListIdentity, 'endpoint' | 'scope' | 'status'> & {
  /** False while an upgrade folds the read model. */
  readonly areSearchable: () => Promise<boolean>;
  readonly read: (from: ListPosition | null, count: number) => Promise<readonly PositionedElement<A>[]>;
};

export type Page<A> = { readonly elements: readonly A[]; readonly next_cursor: string | null };

export type PageReader = <A>(list: List<A>, request: PageRequest) => Promise<E.Either<ApiError, Page<A>>>;

const RETRY_AFTER_S = 5;

const FOREIGN_CURSOR: ApiError = {
  ...{ tag: 'invalid', code: 'invalid_cursor', param: 'cursor' },
  message: 'cursor: is not valid for this list; start again from the first page',
};

/** An empty list would be wrong, because there may be matches. */
const NOT_SEARCHABLE: ApiError = {
  ...{ tag: 'unavailable', param: 'search' },
  message: 'search: is not available yet, because names are still being indexed; omit it, or try again later',
  retry_after_s: RETRY_AFTER_S,
};

/** Searches for the same terms are the same list, in any spelling and with any requested order. */
const identityOf = (
  { endpoint, scope, status }: Pick<ListIdentity, 'endpoint' | 'scope' | 'status'>,
  { search, order }: Pick<PageRequest, 'search' | 'order'>,
): ListIdentity =>
  search === null
    ? { endpoint, scope, status, order, search }
    : { endpoint, scope, status, order: null, search: searchTerms(scope, search)?.exact ?? '' };

/**
 * Keyset pagination: the range after a position, plus one element to detect a next page. So every page costs the same,
 * and new elements do not shift pages.
 *
 * @param secret signs the cursors
 */
export const openPageReader = (secret: string): PageReader => {
  const key = createSecretKey(secret, 'utf8');
  const mac: Mac = (bytes) => createHmac('sha256', key).update(bytes).digest();
  return async (list, request) => {
    const { cursor, limit, search } = request;
    if (search !== null && !(await list.areSearchable())) return E.left(NOT_SEARCHABLE);
    const identity = identityOf(list, request);
    const from = cursor === null ? null : decodeCursor(mac, identity, cursor);
    if (cursor !== null && from === null) return E.left(FOREIGN_CURSOR);
    const found = await list.read(from, limit + 1);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return E.right({
      elements: page.map(({ element }) => element),
      next_cursor: last === undefined ? null : encodeCursor(mac, identity, last),
    });
  };
};

export const pageBody = <R>(data: readonly R[], { next_cursor }: Page<unknown>) => ({
  data,
  has_more: next_cursor !== null,
  next_cursor,
});
