import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import { eachPage } from './list-pages.ts';
import { NOTHING_REMOVED, plus, type Removed } from './progress.ts';
import { removeBlobs } from './remove-blobs.ts';

/** Removes all blobs below a prefix, as {@link removeBlobs} does. */
export const removePrefix = async (
  blobs: Pick<EvictableBlobs, 'list' | 'remove'>,
  prefix: string,
  signal: AbortSignal,
  onFault: (path: string, fault: unknown) => void,
): Promise<Removed> => {
  let all = NOTHING_REMOVED;
  const pages = (from: string | null, until: AbortSignal) => blobs.list(prefix, from, until);
  await eachPage(pages, signal, async (found) => {
    all = plus(all, await removeBlobs(blobs, found, signal, onFault));
  });
  return all;
};
