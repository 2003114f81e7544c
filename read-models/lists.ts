import type { Document } from 'mongodb';
import { type SearchTerms, searchTerms } from '../domain/search/words.ts';
import { queryTimeout } from '../platform/read-store/query-timeout.ts';
import type { ListPosition } from '../schemas/http/cursor.ts';
import type { PageRequest } from '../schemas/http/list-request.ts';
import { matching, positionRange } from './embedded-store.ts';

/** A search may look at all that begins with a frequent word. It is given up rather than let to slow down the others. */
const SEARCH_TIMEOUT_MS = 3_000;

/** An element of a list, with its place in it. */
export type Placed<A> = ListPosition & { readonly element: A };

/** A list of documents that have `position`, and `search` with the tokens that they are found by. */
export type List = {
  /** What stands before each token that a search looks for. */
  readonly scope: string;
  /** The indexed string that orders by date, and what stands in it before the position, without the colon. */
  readonly date: { readonly field: string; readonly prefix: string };
  /** What keeps the elements of other projects or teams out, whatever their ids look like. */
  readonly own: Document;
  /** The fields to read. */
  readonly shown: Document;
};

/** By date or, where something is searched for, by relevance. */
export type ListRequest = Pick<PageRequest, 'order' | 'search'>;

/** The pipeline for up to `count` elements behind a position; null for the beginning. */
export type Tier = (after: string | null, count: number) => Document[];

/** How the store bounds a read: by the client's clock, and by its own where it has one. */
type ReadTime = { readonly signal: AbortSignal; readonly maxTimeMS?: number };

/** @param but what would put an element into a better tier */
const searched = ([anchor = '', ...others]: readonly string[], but: Document) => {
  const rest = { ...(others.length === 0 ? {} : { $all: others }), ...but };
  return { anchor, keep: Object.keys(rest).length === 0 ? {} : { search: rest } };
};

/** The tiers of a search, best first: exactly this name, all of these words, words that begin so. None overlap. */
const relevance = ({ exact, whole, prefixes }: SearchTerms) => [
  searched([exact], {}),
  searched(whole, { $ne: exact }),
  searched(prefixes, { $not: { $all: [...whole] } }),
];

/** Each tier is one range on one index, in the order of the index: one by date, and three of a search. */
export const tiersOf = ({ scope, date, own, shown }: List, { order, search }: ListRequest): readonly Tier[] => {
  const end = (count: number) => [{ $limit: count }, { $project: shown }];
  if (search === null) {
    const { field, prefix } = date;
    const sort = { $sort: { [field]: order === 'asc' ? 1 : -1 } };
    return [
      (after, count) => [...matching({ [field]: positionRange(`${prefix}:`, order, after) }, own), sort, ...end(count)],
    ];
  }
  const terms = searchTerms(scope, search);
  return (terms === null ? [] : relevance(terms)).map(({ anchor, keep }) => (after, count) => [
    ...matching({ search: anchor, position: positionRange('', 'desc', after) }, { ...keep, ...own }),
    { $sort: { position: -1 } },
    ...end(count),
  ]);
};

/**
 * Reads up to `count` elements behind a place, tier after tier; from the beginning where it is null.
 *
 * @param read runs one pipeline
 */
export const readList = async <A>(
  list: List,
  request: ListRequest,
  from: ListPosition | null,
  count: number,
  read: (pipeline: Document[], time: ReadTime) => Promise<readonly Omit<Placed<A>, 'tier'>[]>,
): Promise<readonly Placed<A>[]> => {
  // One for all tiers.
  const time =
    request.search === null ? queryTimeout() : { ...queryTimeout(SEARCH_TIMEOUT_MS), maxTimeMS: SEARCH_TIMEOUT_MS };
  const found: Placed<A>[] = [];
  for (const [tier, pipeline] of tiersOf(list, request).entries()) {
    if (found.length === count) break;
    if (tier < (from?.tier ?? 0)) continue;
    const after = tier === from?.tier ? from.position : null;
    for (const placed of await read(pipeline(after, count - found.length), time)) found.push({ ...placed, tier });
  }
  return found;
};
