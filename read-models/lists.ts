import type { Document } from 'mongodb';
import { type SearchTerms, searchTerms } from '../domain/search/words.ts';
import { queryTimeout } from '../platform/read-store/query-timeout.ts';
import type { ListPosition } from '../schemas/http/cursor.ts';
import type { ListOrder, PageRequest } from '../schemas/http/query.ts';
import { matching, positionRange } from './embedded/queries.ts';
import { type ListPart, restBehind } from './list-part.ts';

/** A search may scan all matches of a frequent prefix. The timeout protects other requests. */
const SEARCH_TIMEOUT_MS = 3_000;

/** The order within every tier that reads a token, whichever order the request asks for. */
const NEWEST_FIRST = 'desc';

/** An element of a list, with its position. */
export type Placed<A> = ListPosition & { readonly element: A };

/** An element of a tier, with its position in it. */
export type TierElement<A> = Omit<Placed<A>, 'tier'>;

/** A list of documents that have `position`, and `search` with their search tokens. */
export type List = {
  /** Prefix of each search token. */
  readonly scope: string;
  /** The indexed string that orders by date: a prefix, a colon and the position. */
  readonly date: { readonly field: string; readonly prefix: string };
  /** Keeps out elements of other projects or teams, whatever their ids look like. */
  readonly own: Document;
  /** Projection. */
  readonly shown: Document;
};

/** By date, or by relevance if there is a search. */
export type ListRequest = Pick<PageRequest, 'order' | 'search'>;

/** An index whose entries are ordered by position. */
export type TierIndex =
  /** Strings of a prefix, a colon and the position. */
  | { readonly tag: 'date'; readonly field: string; readonly prefix: string }
  /** A search token and `position`. */
  | { readonly tag: 'search_token'; readonly scope: string; readonly token: string }
  /** The token of an audit list and `position`. */
  | { readonly tag: 'list_token'; readonly field: 'lists' | 'search'; readonly token: string };

/** A part of a list that is one range on one index, in the order of the index. */
export type Tier = {
  readonly index: TierIndex;
  readonly order: ListOrder;
  readonly own: Document;
  /** Conditions besides `own`. */
  readonly filter: Document;
  /** Projection. */
  readonly shown: Document;
};

/** The pipeline that reads up to `count` elements of a part of a tier. */
export const pagePipeline = ({ index, order, own, filter, shown }: Tier, part: ListPart, count: number): Document[] => {
  const rest = { ...filter, ...own };
  const direction = order === 'asc' ? 1 : -1;
  const end = [{ $limit: count }, { $project: shown }];
  if (index.tag === 'date') {
    const { field, prefix } = index;
    const range = { [field]: positionRange(`${prefix}:`, order, part) };
    return [...matching(range, rest), { $sort: { [field]: direction } }, ...end];
  }
  const field = index.tag === 'search_token' ? 'search' : index.field;
  const range = { [field]: index.token, position: positionRange('', order, part) };
  return [...matching(range, rest), { $sort: { position: direction } }, ...end];
};

export const byDate = ({ date, own, shown }: List, order: ListOrder): Tier => ({
  index: { tag: 'date', ...date },
  ...{ order, own, filter: {}, shown },
});

/** The documents that have the token of an audit list, newest first. */
export const byListToken = (field: 'lists' | 'search', token: string, own: Document, shown: Document): Tier => ({
  index: { tag: 'list_token', field, token },
  ...{ order: NEWEST_FIRST, own, filter: {}, shown },
});

/** A tier of a search: the token whose index range it reads, and the other conditions on tokens. */
type SearchTier = { readonly token: string; readonly filter: Document };

/** @param excluding matches of better tiers */
const searchTier = ([token = '', ...others]: readonly string[], excluding: Document): SearchTier => {
  const rest = { ...(others.length === 0 ? {} : { $all: others }), ...excluding };
  return { token, filter: Object.keys(rest).length === 0 ? {} : { search: rest } };
};

/** The tiers of a search, best first: exactly this name, all of these words, words with these prefixes. None overlap. */
const relevance = ({ exact, whole, prefixes }: SearchTerms): readonly SearchTier[] => [
  searchTier([exact], {}),
  searchTier(whole, { $ne: exact }),
  searchTier(prefixes, { $not: { $all: [...whole] } }),
];

/** One tier by date, or the three of a search. */
export const tiersOf = (list: List, { order, search }: ListRequest): readonly Tier[] => {
  if (search === null) return [byDate(list, order)];
  const { scope, own, shown } = list;
  const terms = searchTerms(scope, search);
  if (terms === null) return [];
  return relevance(terms).map(({ token, filter }) => ({
    index: { tag: 'search_token', scope, token },
    ...{ order: NEWEST_FIRST, own, filter, shown },
  }));
};

/** Time limits of a read: of the client, and of the server if there is one. */
export type ReadTime = { readonly signal: AbortSignal; readonly maxTimeMS?: number };

/** Reads up to `count` elements of a part of a tier. */
export type ReadTier<A> = (
  tier: Tier,
  part: ListPart,
  count: number,
  time: ReadTime,
) => Promise<readonly TierElement<A>[]>;

/** Runs a pipeline on the documents of a list. */
export type RunPipeline<A> = (pipeline: Document[], time: ReadTime) => Promise<readonly TierElement<A>[]>;

/** One query for each part: the server reads its index in order. */
export const readByQuery =
  <A>(run: RunPipeline<A>): ReadTier<A> =>
  (tier, part, count, time) =>
    run(pagePipeline(tier, part, count), time);

/** Reads up to `count` elements after a position, tier after tier; from the beginning if it is null. */
export const readList = async <A>(
  list: List,
  request: ListRequest,
  from: ListPosition | null,
  count: number,
  readTier: ReadTier<A>,
): Promise<readonly Placed<A>[]> => {
  // One limit for all tiers.
  const time =
    request.search === null ? queryTimeout() : { ...queryTimeout(SEARCH_TIMEOUT_MS), maxTimeMS: SEARCH_TIMEOUT_MS };
  const found: Placed<A>[] = [];
  for (const [tier, one] of tiersOf(list, request).entries()) {
    if (found.length === count) break;
    if (tier < (from?.tier ?? 0)) continue;
    const after = tier === from?.tier ? from.position : null;
    const placed = await readTier(one, restBehind(after), count - found.length, time);
    found.push(...placed.map((element) => ({ ...element, tier })));
  }
  return found;
};
