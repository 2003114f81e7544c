import type { Collection, Document } from 'mongodb';
import { type SearchTerms, searchTerms } from '../domain/search/words.ts';
import { queryTimeout } from '../platform/read-store/query-timeout.ts';
import type { ListPosition } from '../schemas/http/cursor.ts';
import type { ListOrder, PageRequest } from '../schemas/http/list-request.ts';
import { matching, positionRange } from './embedded-store.ts';
import { type SkipLevel, skipPrefix, skipToken, type TokenList } from './skip-list.ts';
import { MOST_POSITIONS, restBehind, type Window, windowsOf } from './windows.ts';

/** A search may look at all that begins with a frequent word. It is given up rather than let to slow down the others. */
const SEARCH_TIMEOUT_MS = 3_000;

/** What is found by a token comes newest first: within a tier of a search, whatever was asked for. */
const NEWEST_FIRST = 'desc';

/** An element of a list, with its place in it. */
export type Placed<A> = ListPosition & { readonly element: A };

/** A list of documents that have `position`, and `search` with the tokens that they are found by. */
export type List = {
  /** What stands before each token that a search looks for. */
  readonly scope: string;
  /**
   * The indexed string that orders by date, and what stands in it before the position, without the colon; and the one
   * that only elements above level 0 of the skip list have.
   */
  readonly date: { readonly field: string; readonly prefix: string; readonly skip_field: string };
  /** What keeps the elements of other projects or teams out, whatever their ids look like. */
  readonly own: Document;
  /** The fields to read. */
  readonly shown: Document;
};

/** By date or, where something is searched for, by relevance. */
export type ListRequest = Pick<PageRequest, 'order' | 'search'>;

/** The pipelines for up to `count` elements within a window, and for as many positions of a level of its skip list. */
export type Tier = {
  readonly elements: (window: Window, count: number) => Document[];
  readonly positions: (level: SkipLevel, window: Window, count: number) => Document[];
};

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

const POSITION = { position: 1 };

export const byDate = ({ date: { field, prefix, skip_field }, own, shown }: List, order: ListOrder): Tier => {
  const range = (indexed: string, before: string, window: Window, count: number, show: Document) => [
    ...matching({ [indexed]: positionRange(before, order, window) }, own),
    { $sort: { [indexed]: order === 'asc' ? 1 : -1 } },
    { $limit: count },
    { $project: show },
  ];
  return {
    elements: (window, count) => range(field, `${prefix}:`, window, count, shown),
    positions: (level, window, count) => range(skip_field, skipPrefix(prefix, level), window, count, POSITION),
  };
};

/** The documents that have the token of a list in a field, newest first. */
export const byToken = (field: string, list: TokenList, keep: Document, shown: Document): Tier => {
  const range = (level: 0 | SkipLevel, window: Window, count: number, show: Document) => [
    ...matching({ [field]: list(level), position: positionRange('', NEWEST_FIRST, window) }, keep),
    { $sort: { position: -1 } },
    { $limit: count },
    { $project: show },
  ];
  return {
    elements: (window, count) => range(0, window, count, shown),
    positions: (level, window, count) => range(level, window, count, POSITION),
  };
};

const byRelevance =
  ({ scope, own, shown }: List) =>
  ({ anchor, keep }: { readonly anchor: string; readonly keep: Document }): Tier => {
    const range = (token: string, rest: Document, window: Window, count: number, show: Document) => [
      ...matching({ search: token, position: positionRange('', NEWEST_FIRST, window) }, rest),
      { $sort: { position: -1 } },
      { $limit: count },
      { $project: show },
    ];
    return {
      elements: (window, count) => range(anchor, { ...keep, ...own }, window, count, shown),
      positions: (level, window, count) => range(skipToken(scope, anchor, level), own, window, count, POSITION),
    };
  };

/** Each tier is one range on one index, in the order of the index: one by date, and three of a search. */
export const tiersOf = (list: List, { order, search }: ListRequest): readonly Tier[] => {
  if (search === null) return [byDate(list, order)];
  const terms = searchTerms(list.scope, search);
  return terms === null ? [] : relevance(terms).map(byRelevance(list));
};

/** How a list's documents are read, each by running a pipeline. */
export type ListReads<A> = {
  readonly elements: (pipeline: Document[], time: ReadTime) => Promise<readonly Omit<Placed<A>, 'tier'>[]>;
  /** Null where a page is read in one go: by a server that reads its index in order, and of a model without levels. */
  readonly positions: ((pipeline: Document[], time: ReadTime) => Promise<readonly string[]>) | null;
};

/** Of documents that have a position each. */
export const positionsIn =
  <D extends { readonly position?: string | null }>(documents: Collection<D>): ListReads<never>['positions'] =>
  async (pipeline, time) => {
    const found = await documents.aggregate<Pick<D, 'position'>>(pipeline, time).toArray();
    return found.flatMap(({ position }) => position ?? []);
  };

/** Windows up to the end of a part of a list, the last one cut there. */
const within = async function* (windows: AsyncIterable<Window> | Iterable<Window>, order: ListOrder, end: string) {
  for await (const window of windows) {
    const goes_on = window.until !== null && (order === 'asc' ? window.until < end : window.until > end);
    yield goes_on ? window : { ...window, until: end };
    if (!goes_on) return;
  }
};

/** Reads up to `count` elements of one tier within a part of it. */
export const readTier = async <A>(
  { elements, positions }: Tier,
  order: ListOrder,
  { after, until }: Window,
  count: number,
  reads: ListReads<A>,
  time: ReadTime,
): Promise<readonly Omit<Placed<A>, 'tier'>[]> => {
  const read = reads.positions;
  const windows =
    read === null
      ? [restBehind(after)]
      : windowsOf(order, after, count, (level, window) => read(positions(level, window, MOST_POSITIONS), time));
  const found: Omit<Placed<A>, 'tier'>[] = [];
  for await (const window of until === null ? windows : within(windows, order, until)) {
    found.push(...(await reads.elements(elements(window, count - found.length), time)));
    if (found.length === count) break;
  }
  return found;
};

/** Reads up to `count` elements behind a place, tier after tier; from the beginning where it is null. */
export const readList = async <A>(
  list: List,
  request: ListRequest,
  from: ListPosition | null,
  count: number,
  reads: ListReads<A>,
): Promise<readonly Placed<A>[]> => {
  // One for all tiers.
  const time =
    request.search === null ? queryTimeout() : { ...queryTimeout(SEARCH_TIMEOUT_MS), maxTimeMS: SEARCH_TIMEOUT_MS };
  const order = request.search === null ? request.order : NEWEST_FIRST;
  const found: Placed<A>[] = [];
  for (const [tier, pipelines] of tiersOf(list, request).entries()) {
    if (found.length === count) break;
    if (tier < (from?.tier ?? 0)) continue;
    const after = tier === from?.tier ? from.position : null;
    const placed = await readTier(pipelines, order, restBehind(after), count - found.length, reads, time);
    found.push(...placed.map((one) => ({ ...one, tier })));
  }
  return found;
};
