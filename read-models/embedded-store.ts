import type { Document } from 'mongodb';
import type { ListOrder } from '../schemas/http/list-request.ts';

/**
 * Queries whose form is what it is for the embedded store (SecantusDB) alone, each with the plain form that MongoDB
 * would be sent. MongoDB answers both alike and as fast.
 */

/** Positions begin with a digit of a time, so that `0` is not above the lowest and `9` above the highest. */
const LOWEST = '0';
const HIGHEST = '9';

/**
 * The strings that are this prefix and a position, from one end or from a position on. Plain: the regular expression
 * `^prefix`, or a range to the successor of the prefix, both of which it answers wrongly; and no second bound where
 * the position is a field of its own, without which it reads all that match before it sorts them.
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
 * Behind everything that begins with this prefix and goes on with a letter or a digit. Plain: the successor of the
 * prefix, or the regular expression, as above.
 */
export const beyond = (prefix: string): string => `${prefix}~`;

/**
 * Plain: one `$match` of both. It uses an index only where every condition of the first `$match` is an equality or a
 * range; MongoDB makes one of the two, and reads the index in order.
 *
 * @param range equalities and one range, on one index
 * @param rest what else must be true
 */
export const matching = (range: Document, rest: Document): Document[] => [{ $match: range }, { $match: rest }];
