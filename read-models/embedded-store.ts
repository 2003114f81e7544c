import type { Document } from 'mongodb';
import type { ListOrder } from '../schemas/http/list-request.ts';

/**
 * What only the embedded store (SecantusDB) asks for, each with the form that one would send to MongoDB alone. MongoDB
 * answers both alike, and as fast.
 */

/** Positions begin with a digit of a time, so that `0` is not above the lowest and `9` above the highest. */
const LOWEST = '0';
const HIGHEST = '9';

/**
 * The strings that are this prefix and a position, from one end or from behind a position.
 * For MongoDB alone: `{ $regex: /^proj_1:/ }` or `{ $gte: 'proj_1:', $lt: 'proj_1;' }`, which the embedded store answers
 * wrongly; without a prefix `{ $lt: after }`, for which it reads and sorts all that match.
 *
 * @param after the position that the range begins behind; null for the whole
 */
export const positionRange = (prefix: string, order: ListOrder, after: string | null): Document => {
  const below = order === 'desc' && after !== null ? after : HIGHEST;
  return {
    ...(order === 'asc' && after !== null ? { $gt: `${prefix}${after}` } : { $gte: `${prefix}${LOWEST}` }),
    $lt: `${prefix}${below}`,
  };
};

/**
 * The end of a range of all that begins with a prefix and goes on with a letter or a digit.
 * For MongoDB alone: the successor of the prefix (`hook_1/` to `hook_10`), as above.
 */
export const beyond = (prefix: string): string => `${prefix}~`;

/**
 * The beginning of a pipeline that reads one range of one index.
 * For MongoDB alone: `[{ $match: { ...range, ...rest } }]`, which is what it makes of the two. The embedded store uses an
 * index only where every condition of the first `$match` is an equality or a range.
 *
 * @param range equalities and one range, on one index
 * @param rest what else must be true
 */
export const matching = (range: Document, rest: Document): Document[] => [{ $match: range }, { $match: rest }];

/**
 * The sum of a field over the documents in a list of one document.
 * For MongoDB alone: `{ $sum: '$slices.tokens' }`, for which the embedded store says 0.
 */
export const sumIn = (list: string, field: string): Document => ({
  $sum: { $map: { input: list, as: 'one', in: `$$one.${field}` } },
});
