import { rm } from 'node:fs/promises';
import { BlobFault } from '../../platform/blob-store/blob-store.ts';
import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { segmentPath } from '../../schemas/blobs/paths.ts';
import type { SegmentCache } from './segment-cache.ts';

/** Encoding a part takes about as long: waiting longer saves nothing. */
const LIMITS_MS = { ask: 5_000, fetch: 15_000, store: 60_000 };
/** Pause after a store that did not answer. */
const AWAY_MS = 60_000;

export type BlobCacheOptions = {
  readonly limits_ms?: Readonly<typeof LIMITS_MS>;
  readonly away_ms?: number;
};

/** Parts by account in the blob store, one blob each. */
export type BlobCaches = (account_id: string) => SegmentCache;

/**
 * If the store does not answer in time, the cache counts as empty for a minute, so that renders of this process lose
 * seconds at most.
 */
export const openBlobCaches = (blobs: EvictableBlobs, logger: Logger, options: BlobCacheOptions = {}): BlobCaches => {
  const { limits_ms = LIMITS_MS, away_ms = AWAY_MS } = options;
  let away_until = 0;

  const tried = async <A>(
    limit_ms: number,
    otherwise: A,
    work: (signal: AbortSignal) => Promise<A>,
    onFault: (fault: unknown) => Promise<void> = async () => undefined,
    stop?: AbortSignal,
  ): Promise<A> => {
    const stopped = (): boolean => stop?.aborted ?? false;
    if (performance.now() < away_until || stopped()) return otherwise;
    const limit = AbortSignal.timeout(limit_ms);
    try {
      return await work(stop === undefined ? limit : AbortSignal.any([limit, stop]));
    } catch (fault) {
      // Aborted by the caller: that says nothing about the store.
      if (stopped()) return otherwise;
      if (fault instanceof BlobFault && fault.tag === 'not_found') return otherwise;
      if (fault instanceof BlobFault && fault.tag === 'unavailable') {
        away_until = performance.now() + away_ms;
        logger.warn({ error: fault, away_ms }, 'the segment cache did not answer and is skipped for a while');
      } else logger.warn({ error: fault }, 'a cached part could not be used');
      await onFault(fault);
      return otherwise;
    }
  };

  return (account_id) => {
    const pathOf = (key: string): string => segmentPath(account_id, key);
    return {
      has: (key) => tried(limits_ms.ask, false, (signal) => blobs.exists(pathOf(key), signal)),
      fetch: (key, file, stop) =>
        tried(
          limits_ms.fetch,
          false,
          async (signal) => {
            await blobs.fetch(pathOf(key), file, signal);
            return true;
          },
          async (fault) => {
            await rm(file, { force: true });
            if (!(fault instanceof BlobFault && fault.tag === 'corrupt')) return;
            // Otherwise the corrupt blob would keep its path until it expires.
            await tried(limits_ms.ask, undefined, (signal) => blobs.remove(pathOf(key), signal));
          },
          stop,
        ),
      store: (key, file) =>
        tried(limits_ms.store, undefined, async (signal) => {
          await blobs.putOnce(pathOf(key), file, signal);
        }),
    };
  };
};
