import { createHmac } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import {
  decodeCursor,
  encodeCursor,
  type ListIdentity,
  type ListPosition,
  type Mac,
} from '../../schemas/http/cursor.ts';

/** An element of a list, with its position in it. */
export type Placed<A> = { readonly position: string; readonly element: A };

/** Reads up to `count` elements of one tier that follow the position, all of them from the beginning where it is null. */
export type Tier<A> = (after: string | null, count: number) => Promise<readonly Placed<A>[]>;

/** A list by date has one tier, a search several, the best first; no element is in two. */
export type List<A> = { readonly identity: ListIdentity; readonly tiers: readonly Tier<A>[] };

export type Page<A> = { readonly elements: readonly A[]; readonly next_cursor: string | null };

/** @param limit elements of a page */
export type PageReader = <A>(
  list: List<A>,
  request: { readonly cursor: string | null; readonly limit: number },
) => Promise<E.Either<ApiError, Page<A>>>;

const FOREIGN_CURSOR: ApiError = {
  tag: 'invalid',
  message: 'cursor: is not valid for this list; start again from the first page',
};

const readTiers = async <A>({ tiers }: List<A>, from: ListPosition | null, count: number) => {
  const found: (Placed<A> & { readonly tier: number })[] = [];
  for (let tier = from?.tier ?? 0; found.length < count; tier += 1) {
    const read = tiers[tier];
    if (read === undefined) break;
    const after = tier === from?.tier ? from.position : null;
    for (const placed of await read(after, count - found.length)) found.push({ ...placed, tier });
  }
  return found;
};

/**
 * Reads pages by key: what follows a place, and one element more, which tells whether there is another page. So a page
 * costs the same wherever it is, and what is made meanwhile moves nothing from one page to another.
 *
 * @param secret signs the cursors
 */
export const openPageReader = (secret: string): PageReader => {
  const mac: Mac = (bytes) => createHmac('sha256', secret).update(bytes).digest();
  return async (list, { cursor, limit }) => {
    const from = cursor === null ? null : decodeCursor(mac, list.identity, cursor);
    if (cursor !== null && from === null) return E.left(FOREIGN_CURSOR);
    const found = await readTiers(list, from, limit + 1);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return E.right({
      elements: page.map(({ element }) => element),
      next_cursor: last === undefined ? null : encodeCursor(mac, list.identity, last),
    });
  };
};

/** The envelope of a paged list. */
export const pageBody = <R>(data: readonly R[], { next_cursor }: Page<unknown>) => ({
  data,
  has_more: next_cursor !== null,
  next_cursor,
});
