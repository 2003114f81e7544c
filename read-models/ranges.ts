import type { Document } from 'mongodb';
import type { SearchTerms } from '../domain/search/words.ts';
import type { ListOrder } from '../schemas/http/list-request.ts';

/**
 * Every list is one range on one index, in the order of the index. Positions begin with a digit of a time, so that `0`
 * is not above the lowest and `9` above the highest. (A range to the successor of the prefix, or a `$regex`, would say
 * the same; the embedded store answers both wrongly.)
 */
const LOWEST = '0';
const HIGHEST = '9';

export type Range = {
  /** Equalities and one range, on one index. */
  readonly within: Document;
  /** What else must be true of an element. */
  readonly keep: Document;
  readonly sort: Readonly<Record<string, 1 | -1>>;
};

/** What follows a position; null for what there is from the beginning. */
export type RangeAfter = (after: string | null) => Range;

/**
 * A list by date.
 *
 * @param field the indexed string
 * @param prefix what stands in it before the position, without the colon
 */
export const dateRange = (field: string, prefix: string, order: ListOrder): RangeAfter => {
  const at = (position: string): string => `${prefix}:${position}`;
  return (after) => {
    const ascending = { ...(after === null ? { $gte: at(LOWEST) } : { $gt: at(after) }), $lt: at(HIGHEST) };
    const descending = { $gte: at(LOWEST), $lt: at(after ?? HIGHEST) };
    return order === 'asc'
      ? { within: { [field]: ascending }, keep: {}, sort: { [field]: 1 } }
      : { within: { [field]: descending }, keep: {}, sort: { [field]: -1 } };
  };
};

/** @param but what would put an element into a better tier */
const tierRange = ([anchor = '', ...others]: readonly string[], but: Document): RangeAfter => {
  const rest = { ...(others.length === 0 ? {} : { $all: others }), ...but };
  const keep = Object.keys(rest).length === 0 ? {} : { search: rest };
  return (after) => ({
    within: { search: anchor, position: { $gte: LOWEST, $lt: after ?? HIGHEST } },
    keep,
    sort: { position: -1 },
  });
};

/** The tiers of a search, best first: exactly this name, all of these words, words that begin so. None overlap. */
export const searchRanges = ({ exact, whole, prefixes }: SearchTerms): readonly RangeAfter[] => [
  tierRange([exact], {}),
  tierRange(whole, { $ne: exact }),
  tierRange(prefixes, { $not: { $all: [...whole] } }),
];

/**
 * Two `$match`, because the embedded store uses an index only where every condition of the first is an equality or a
 * range. MongoDB makes one of them, and reads the index in order.
 *
 * @param own what keeps the elements of other projects or teams out, whatever their ids look like
 * @param shown the fields to read
 */
export const rangePipeline = (range: Range, own: Document, count: number, shown: Document): Document[] => [
  { $match: range.within },
  { $match: { ...range.keep, ...own } },
  { $sort: range.sort },
  { $limit: count },
  { $project: shown },
];
