import type { Document } from 'mongodb';
import type { ListOrder } from '../../schemas/http/query.ts';
import type { ListPart } from '../list-part.ts';

/**
 * Forms of queries that the embedded store answers correctly. MongoDB answers them as fast as the plain forms, which
 * each comment names.
 */

/** Positions begin with a digit of a time, so no position is below `0` or above `9`. */
const LOWEST = '0';
const HIGHEST = '9';

/**
 * Matches the strings that are this prefix and a position within a part of a list. Plain form: `{ $regex: /^proj_1:/ }`
 * or `{ $gte: 'proj_1:', $lt: 'proj_1;' }`, for which the embedded store finds no documents. Without a prefix: `{ $lt:
 * after }`, for which it reads and sorts all matches.
 */
export const positionRange = (prefix: string, order: ListOrder, { after, until }: ListPart): Document => {
  if (order === 'desc') return { $gte: `${prefix}${until ?? LOWEST}`, $lt: `${prefix}${after ?? HIGHEST}` };
  return {
    ...(after === null ? { $gte: `${prefix}${LOWEST}` } : { $gt: `${prefix}${after}` }),
    ...(until === null ? { $lt: `${prefix}${HIGHEST}` } : { $lte: `${prefix}${until}` }),
  };
};

/**
 * The end of the range of strings that begin with a prefix, followed by a letter or digit. Plain form: the successor of
 * the prefix (`hook_1/` to `hook_10`).
 */
export const prefixRangeEnd = (prefix: string): string => `${prefix}~`;

/**
 * Plain form: `[{ $match: { ...range, ...rest } }]`; MongoDB joins the two stages. The embedded store uses an index
 * only if every condition of the first `$match` is an equality or a range.
 *
 * @param range equalities and one range, on one index
 * @param rest the other conditions
 */
export const matchStages = (range: Document, rest: Document): Document[] => [{ $match: range }, { $match: rest }];

/** Plain form: `{ $sum: '$slices.tokens' }`, for which the embedded store returns 0. */
export const sumIn = (list: string, field: string): Document => ({
  $sum: { $map: { input: list, as: 'one', in: `$$one.${field}` } },
});
