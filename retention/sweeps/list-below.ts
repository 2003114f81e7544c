import * as t from 'io-ts';
import type { EvictableBlobs, ListedBlob, ListPage } from '../../platform/blob-store/evictable-blobs.ts';
import { decodeJsonText } from '../../schemas/blobs/decoded-text.ts';
import { requestSignal } from './list-pages.ts';

/** The index of a prefix, and a position in the list of that prefix; null at the beginning of the list. */
const Position = t.tuple([t.number, t.union([t.string, t.null])]);

/** Up to this number, all blobs are listed in one request, which takes about as long as listing none. */
const MAX_BLOBS_LISTED_AT_ONCE = 1_000;

export type BlobPrefixes = { readonly root: string; readonly prefixes: readonly string[] };

/** Lists everything below the root with one request; null if one request is not enough. */
const listAtOnce = async (
  blobs: Pick<EvictableBlobs, 'list'>,
  { root, prefixes }: BlobPrefixes,
  signal: AbortSignal,
): Promise<ListPage<ListedBlob> | null> => {
  signal.throwIfAborted();
  const { found, next } = await blobs.list(root, null, requestSignal(signal), MAX_BLOBS_LISTED_AT_ONCE);
  if (next !== null) return null;
  return { found: found.filter(({ path }) => prefixes.some((prefix) => path.startsWith(prefix))), next };
};

/**
 * A page of the blobs below the prefixes. One request lists a small store; a larger one is listed prefix by prefix.
 *
 * @param from null at the beginning
 */
export const listBelowPrefixes = async (
  blobs: Pick<EvictableBlobs, 'list'>,
  below: BlobPrefixes,
  from: string | null,
  signal: AbortSignal,
): Promise<ListPage<ListedBlob>> => {
  const { prefixes } = below;
  const whole = from === null && prefixes.length > 1 ? await listAtOnce(blobs, below, signal) : null;
  if (whole !== null) return whole;
  let [at, token] = (from === null ? null : decodeJsonText(Position, from)) ?? [0, null];
  for (; at < prefixes.length; at += 1, token = null) {
    signal.throwIfAborted();
    const { found, next } = await blobs.list(prefixes[at] ?? '', token, requestSignal(signal));
    const is_last = next === null && at === prefixes.length - 1;
    const position: t.TypeOf<typeof Position> = next === null ? [at + 1, null] : [at, next];
    if (found.length > 0 || next !== null) return { found, next: is_last ? null : JSON.stringify(position) };
  }
  return { found: [], next: null };
};
