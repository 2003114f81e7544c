import type { Collection, Db, Document } from 'mongodb';
import { queryTimeout } from '../platform/read-store/query-timeout.ts';
import type { ListOrder } from '../schemas/http/list-request.ts';
import type { Window } from './windows.ts';

/**
 * What only the embedded store (SecantusDB) asks for, each with the form that one would send to MongoDB alone. MongoDB
 * answers both alike, and as fast.
 */

/** Positions begin with a digit of a time, so that `0` is not above the lowest and `9` above the highest. */
const LOWEST = '0';
const HIGHEST = '9';

/**
 * The strings that are this prefix and a position within a window.
 * For MongoDB alone: `{ $regex: /^proj_1:/ }` or `{ $gte: 'proj_1:', $lt: 'proj_1;' }`, which the embedded store answers
 * wrongly; without a prefix `{ $lt: after }`, for which it reads and sorts all that match.
 */
export const positionRange = (prefix: string, order: ListOrder, { after, until }: Window): Document => {
  if (order === 'desc') return { $gte: `${prefix}${until ?? LOWEST}`, $lt: `${prefix}${after ?? HIGHEST}` };
  return {
    ...(after === null ? { $gte: `${prefix}${LOWEST}` } : { $gt: `${prefix}${after}` }),
    ...(until === null ? { $lt: `${prefix}${HIGHEST}` } : { $lte: `${prefix}${until}` }),
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

/** Whether the server is the embedded store. Asked once, and again where that failed. */
const asksWhetherEmbedded = (db: Db): (() => Promise<boolean>) => {
  let answer: Promise<boolean> | null = null;
  return () => {
    answer ??= db
      .admin()
      .command({ buildInfo: 1 }, queryTimeout())
      .then(
        (info) => 'secantusVersion' in info,
        (error: unknown) => {
          answer = null;
          throw error;
        },
      );
    return answer;
  };
};

/**
 * Whether the server reads and sorts all that match before it cuts a page, so that a page of a long list is read in
 * windows. For MongoDB alone: no, as it reads its index in order.
 */
export const sortsAllThatMatch = asksWhetherEmbedded;

/**
 * The exact number of documents of a collection.
 * For MongoDB alone: `countDocuments()`, as its `count` command tells a number that is kept beside the documents, and may
 * be off after a crash. The embedded store counts them for that command as well, in a fifteenth of the time.
 */
export const countsExactly = (db: Db): (<D extends Document>(collection: Collection<D>) => Promise<number>) => {
  const isEmbedded = asksWhetherEmbedded(db);
  return async (collection) =>
    (await isEmbedded()) ? await collection.estimatedDocumentCount() : await collection.countDocuments();
};

const MOST_DELETED_AT_ONCE = 100;

/**
 * Drops a collection that may be large.
 * For MongoDB alone: `drop()`. The embedded store takes 12 s for that where 200 documents have tokens, answers nobody
 * meanwhile, and needs a second for this.
 */
export const dropGently = async (collection: Collection<{ readonly _id: string | number }>): Promise<void> => {
  for (;;) {
    const some = await collection
      .find({}, { projection: { _id: 1 } })
      .limit(MOST_DELETED_AT_ONCE)
      .toArray();
    if (some.length === 0) break;
    await collection.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } });
  }
  await collection.drop();
};
