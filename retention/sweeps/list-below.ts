import * as t from 'io-ts';
import type { EvictableBlobs, ListedBlob, ListPage } from '../../platform/blob-store/evictable-blobs.ts';
import { decodedText } from '../../schemas/blobs/decoded-text.ts';
import { requestSignal } from './list-pages.ts';

/** Which of the prefixes, and where in its list; null at its beginning. */
const Position = t.tuple([t.number, t.union([t.string, t.null])]);

/**
 * A page of the blobs below several prefixes, one prefix after the other. Prefixes without blobs are passed over.
 *
 * @param from `next` of the page before; null at the beginning
 */
export const listBelow = async (
  blobs: Pick<EvictableBlobs, 'list'>,
  prefixes: readonly string[],
  from: string | null,
  signal: AbortSignal,
): Promise<ListPage<ListedBlob>> => {
  let [at, token] = (from === null ? null : decodedText(Position, from)) ?? [0, null];
  for (; at < prefixes.length; at += 1, token = null) {
    signal.throwIfAborted();
    const { found, next } = await blobs.list(prefixes[at] ?? '', token, requestSignal(signal));
    const is_last = next === null && at === prefixes.length - 1;
    const position: t.TypeOf<typeof Position> = next === null ? [at + 1, null] : [at, next];
    if (found.length > 0 || next !== null) return { found, next: is_last ? null : JSON.stringify(position) };
  }
  return { found: [], next: null };
};
