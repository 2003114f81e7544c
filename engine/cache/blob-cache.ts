import { rm } from 'node:fs/promises';
import { BlobFault } from '../../platform/blob-store/blob-store.ts';
import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { segmentPath } from '../../schemas/blobs/paths.ts';
import type { SegmentCache } from './segment-cache.ts';

/** Time limits of requests to the blob store. Encoding a part takes about as long, so a longer wait saves nothing. */
const LIMITS_MS = { ask: 5_000, fetch: 15_000, store: 60_000 };
const PAUSE_MS = 60_000;

export type BlobCacheOptions = {
  readonly limits_ms?: Readonly<typeof LIMITS_MS>;
  readonly pause_ms?: number;
};

/** Encoded parts of an account's videos in the blob store, one blob for each part. */
export type BlobCaches = (account_id: string) => SegmentCache;

/** If the store does not answer in time, the cache counts as empty for a minute, so renders lose only seconds. */
export const openBlobCaches = (blobs: EvictableBlobs, logger: Logger, options: BlobCacheOptions = {}): BlobCaches => {
  const { limits_ms = LIMITS_MS, pause_ms = PAUSE_MS } = options;
  let paused_until = 0;

  const unlessPaused = async <A>(
    limit_ms: number,
    otherwise: A,
    work: (signal: AbortSignal) => Promise<A>,
    onFault: (fault: unknown) => Promise<void> = async () => undefined,
    stop?: AbortSignal,
  ): Promise<A> => {
    const stopped = (): boolean => stop?.aborted ?? false;
    if (performance.now() < paused_until || stopped()) return otherwise;
    const limit = AbortSignal.timeout(limit_ms);
    try {
      return await work(stop === undefined ? limit : AbortSignal.any([limit, stop]));
    } catch (fault) {
      // The caller aborted the request, so the failure says nothing about the store.
      if (stopped()) return otherwise;
      if (fault instanceof BlobFault && fault.tag === 'not_found') return otherwise;
      if (fault instanceof BlobFault && fault.tag === 'unavailable') {
        paused_until = performance.now() + pause_ms;
        logger.warn({ error: fault, away_ms: pause_ms }, 'the segment cache did not answer and is skipped for a while');
      } else logger.warn({ error: fault }, 'a cached part could not be used');
      await onFault(fault);
      return otherwise;
    }
  };

  return (account_id) => {
    const pathOf = (key: string): string => segmentPath(account_id, key);
    return {
      has: (key) => unlessPaused(limits_ms.ask, false, (signal) => blobs.exists(pathOf(key), signal)),
      fetch: (key, file, stop) =>
        unlessPaused(
          limits_ms.fetch,
          false,
          async (signal) => {
            await blobs.fetch(pathOf(key), file, signal);
            return true;
          },
          async (fault) => {
            await rm(file, { force: true });
            if (!(fault instanceof BlobFault && fault.tag === 'corrupt')) return;
            // Removes the corrupt blob, because the path could not get a new one until it expires.
            await unlessPaused(limits_ms.ask, undefined, (signal) => blobs.remove(pathOf(key), signal));
          },
          stop,
        ),
      store: (key, file) =>
        unlessPaused(limits_ms.store, undefined, async (signal) => {
          await blobs.putOnce(pathOf(key), file, signal);
        }),
    };
  };
};
