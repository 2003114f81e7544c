import type { ListPage } from '../../platform/blob-store/evictable-blobs.ts';

const REQUEST_MS = 30_000;

export const requestSignal = (signal: AbortSignal): AbortSignal =>
  AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]);

export const forEachPage = async <A>(
  page: (from: string | null, signal: AbortSignal) => Promise<ListPage<A>>,
  signal: AbortSignal,
  visit: (found: readonly A[]) => Promise<void>,
): Promise<void> => {
  let from: string | null = null;
  do {
    signal.throwIfAborted();
    const { found, next } = await page(from, requestSignal(signal));
    await visit(found);
    from = next;
  } while (from !== null);
};
