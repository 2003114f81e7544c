import type { Document } from 'mongodb';
import { type SearchTerms, searchTerms } from '../domain/search/words.ts';
import { queryTimeout } from '../platform/read-store/query-timeout.ts';
import type { ListPosition } from '../schemas/http/cursor.ts';
import type { ListOrder, PageRequest, Period } from '../schemas/http/query.ts';
import { matchStages, positionRange } from './embedded/queries.ts';
import { type ListPart, partInPeriod } from './list-part.ts';

/** A search may scan all matches of a frequent prefix. The timeout protects other requests. */
const SEARCH_TIMEOUT_MS = 3_000;

/** Every tier that reads a token has this order, also if the request asks for another. */
const NEWEST_FIRST = 'desc';

export type PositionedElement<A> = ListPosition & { readonly element: A };

export type TierElement<A> = Omit<PositionedElement<A>, 'tier'>;

export type List = {
  readonly scope: string;
  /** The indexed string that orders by date: a prefix, a colon and the position. */
  readonly date: { readonly field: string; readonly prefix: string };
  /** Excludes elements of other projects or teams, even if their ids begin with the same prefix. */
  readonly own: Document;
  readonly shown: Document;
};

export type ListRequest = Pick<PageRequest, 'order' | 'search'> & Partial<Period>;

export type TierIndex =
  | { readonly tag: 'date'; readonly field: string; readonly prefix: string }
  | { readonly tag: 'search_token'; readonly scope: string; readonly token: string }
  | { readonly tag: 'list_token'; readonly field: 'lists' | 'search'; readonly token: string };

export type ListTier = {
  readonly index: TierIndex;
  readonly order: ListOrder;
  readonly own: Document;
  readonly filter: Document;
  readonly shown: Document;
};

export const pagePipeline = (
  { index, order, own, filter, shown }: ListTier,
  part: ListPart,
  count: number,
): Document[] => {
  const rest = { ...filter, ...own };
  const direction = order === 'asc' ? 1 : -1;
  const end = [{ $limit: count }, { $project: shown }];
  if (index.tag === 'date') {
    const { field, prefix } = index;
    const range = { [field]: positionRange(`${prefix}:`, order, part) };
    return [...matchStages(range, rest), { $sort: { [field]: direction } }, ...end];
  }
  const field = index.tag === 'search_token' ? 'search' : index.field;
  const range = { [field]: index.token, position: positionRange('', order, part) };
  return [...matchStages(range, rest), { $sort: { position: direction } }, ...end];
};

export const tierByDate = ({ date, own, shown }: List, order: ListOrder): ListTier => ({
  index: { tag: 'date', ...date },
  ...{ order, own, filter: {}, shown },
});

export const tierByListToken = (
  field: 'lists' | 'search',
  token: string,
  own: Document,
  shown: Document,
): ListTier => ({
  index: { tag: 'list_token', field, token },
  ...{ order: NEWEST_FIRST, own, filter: {}, shown },
});

/** The token whose index range the tier reads, and the conditions on other tokens. */
type SearchTier = { readonly token: string; readonly filter: Document };

const searchTier = ([token = '', ...others]: readonly string[], excluding: Document): SearchTier => {
  const rest = { ...(others.length === 0 ? {} : { $all: others }), ...excluding };
  return { token, filter: Object.keys(rest).length === 0 ? {} : { search: rest } };
};

/** Best first: the exact name, all of these words, words with these prefixes. The tiers do not overlap. */
const relevance = ({ exact, whole, prefixes }: SearchTerms): readonly SearchTier[] => [
  searchTier([exact], {}),
  searchTier(whole, { $ne: exact }),
  searchTier(prefixes, { $not: { $all: [...whole] } }),
];

export const listTiersOf = (list: List, { order, search }: ListRequest): readonly ListTier[] => {
  if (search === null) return [tierByDate(list, order)];
  const { scope, own, shown } = list;
  const terms = searchTerms(scope, search);
  if (terms === null) return [];
  return relevance(terms).map(({ token, filter }) => ({
    index: { tag: 'search_token', scope, token },
    ...{ order: NEWEST_FIRST, own, filter, shown },
  }));
};

/** All matches of a search, or the whole list, in one tier, so in the order of time. Null if the text has no words. */
export const newestFirstTier = (list: List, search: string | null): ListTier | null => {
  if (search === null) return tierByDate(list, NEWEST_FIRST);
  const { scope, own, shown } = list;
  const terms = searchTerms(scope, search);
  if (terms === null) return null;
  const { token, filter } = searchTier(terms.prefixes, {});
  return { index: { tag: 'search_token', scope, token }, ...{ order: NEWEST_FIRST, own, filter, shown } };
};

/** For all tiers of a search. */
export const searchLimits = (): ReadLimits => ({
  ...queryTimeout(SEARCH_TIMEOUT_MS),
  maxTimeMS: SEARCH_TIMEOUT_MS,
});

export type ReadLimits = { readonly signal: AbortSignal; readonly maxTimeMS?: number };

export type ReadListTier<A> = (
  tier: ListTier,
  part: ListPart,
  count: number,
  time: ReadLimits,
) => Promise<readonly TierElement<A>[]>;

export type RunPipeline<A> = (pipeline: Document[], time: ReadLimits) => Promise<readonly TierElement<A>[]>;

export const readByQuery =
  <A>(run: RunPipeline<A>): ReadListTier<A> =>
  (tier, part, count, time) =>
    run(pagePipeline(tier, part, count), time);

/**
 * Reads up to `count` elements after a position, tier after tier.
 *
 * @param from null for the beginning
 */
export const readList = async <A>(
  list: List,
  request: ListRequest,
  from: ListPosition | null,
  count: number,
  readTier: ReadListTier<A>,
): Promise<readonly PositionedElement<A>[]> => {
  // One limit for all tiers.
  const time = request.search === null ? queryTimeout() : searchLimits();
  const { since = null, until = null } = request;
  const found: PositionedElement<A>[] = [];
  for (const [tier, one] of listTiersOf(list, request).entries()) {
    if (found.length === count) break;
    if (tier < (from?.tier ?? 0)) continue;
    const after = tier === from?.tier ? from.position : null;
    const part = partInPeriod({ since, until }, one.order, after);
    const placed = await readTier(one, part, count - found.length, time);
    found.push(...placed.map((element) => ({ ...element, tier })));
  }
  return found;
};
