import * as E from 'fp-ts/lib/Either.js';
import type { Document } from 'mongodb';
import { searchTerms } from '../../domain/search/words.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import { inTime } from '../../platform/read-store/in-time.ts';
import type { ServingGeneration } from '../../read-models/generations.ts';
import { FIRST_MODEL_VERSION } from '../../read-models/generations.ts';
import { dateRange, type RangeAfter, rangePipeline, searchRanges } from '../../read-models/ranges.ts';
import type { ListIdentity } from '../../schemas/http/cursor.ts';
import type { PageRequest } from '../../schemas/http/list-request.ts';
import type { List, Placed } from './page.ts';

/** A search may look at all that begins with a frequent word. It is given up rather than let to slow down the others. */
const SEARCH_TIMEOUT_MS = 3_000;

const RETRY_AFTER_S = 5;

/** While the read model is made anew after an upgrade: an empty answer would say that there is nothing to find. */
export const searchable = (
  { search }: Pick<PageRequest, 'search'>,
  { model_version }: ServingGeneration,
): E.Either<ApiError, void> =>
  search === null || model_version > FIRST_MODEL_VERSION
    ? E.right(undefined)
    : E.left({
        tag: 'unavailable',
        message: 'search: cannot be used yet, as the names are being prepared for it; leave it out, or try again',
        retry_after_s: RETRY_AFTER_S,
      });

/** How the store bounds a read: by the client's clock, and by its own where it has one. */
export type ReadTime = { readonly signal: AbortSignal; readonly maxTimeMS?: number };

/** What is listed, and where it is stored. */
export type Source<A> = Pick<ListIdentity, 'endpoint' | 'scope' | 'status'> & {
  /** The indexed string that orders by date, and what stands in it before the position. */
  readonly date: { readonly field: string; readonly prefix: string };
  /** Equalities that hold for every element, whether it is searched for or not. */
  readonly own: Document;
  readonly shown: Document;
  readonly read: (pipeline: Document[], time: ReadTime) => Promise<readonly Placed<A>[]>;
};

/** The list by date or, where something is searched for, by relevance. */
export const listOf = <A>(source: Source<A>, { search, order }: Pick<PageRequest, 'search' | 'order'>): List<A> => {
  const { endpoint, scope, status, date, own, shown } = source;
  const tierOf = (range: RangeAfter, time: () => ReadTime) => (after: string | null, count: number) =>
    source.read(rangePipeline(range(after), own, count, shown), time());
  if (search === null) {
    const tier = tierOf(dateRange(date.field, date.prefix, order), inTime);
    return { identity: { endpoint, scope, status, order, search }, tiers: [tier] };
  }
  const terms = searchTerms(scope, search);
  const ranges = terms === null ? [] : searchRanges(terms);
  // One for all tiers, and none for a cursor that is refused.
  let time: ReadTime | null = null;
  const searchTime = (): ReadTime => {
    time ??= { ...inTime(SEARCH_TIMEOUT_MS), maxTimeMS: SEARCH_TIMEOUT_MS };
    return time;
  };
  return {
    identity: { endpoint, scope, status, order: null, search: terms?.exact ?? '' },
    tiers: ranges.map((range) => tierOf(range, searchTime)),
  };
};
