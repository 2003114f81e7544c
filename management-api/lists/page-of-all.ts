import * as E from 'fp-ts/lib/Either.js';
import { type ApiError, invalidInput } from '../../platform/http-server/api-error.ts';
import type { Reply } from '../../platform/http-server/replies.ts';
import { type List, type PageReader, pageBody } from '../../read-models/page.ts';
import { PageQuery, withNewestFirstOrder } from '../../schemas/http/query.ts';

export type SortableList<A> = Pick<List<A>, 'endpoint' | 'scope' | 'status'> & {
  readonly all: () => Promise<readonly A[]>;
  /** The unique position of an element. The list is sorted by it, in descending order. */
  readonly positionOf: (element: A) => string;
};

export const sortedPage = async <A, R>(
  readPage: PageReader,
  query: URLSearchParams,
  { all, positionOf, ...which }: SortableList<A>,
  shown: (element: A) => R,
): Promise<E.Either<ApiError, Reply>> => {
  const request = PageQuery.decode(query);
  if (E.isLeft(request)) return E.left(invalidInput(request.left));
  const list: List<A> = {
    ...which,
    areSearchable: async () => true,
    read: async (from, count) =>
      (await all())
        .map((element) => ({ element, tier: 0, position: positionOf(element) }))
        .filter(({ position }) => from === null || position < from.position)
        .toSorted((a, b) => (a.position < b.position ? 1 : -1))
        .slice(0, count),
  };
  const page = await readPage(list, withNewestFirstOrder(request.right));
  if (E.isLeft(page)) return page;
  return E.right({ status: 200, body: pageBody(page.right.elements.map(shown), page.right) });
};
