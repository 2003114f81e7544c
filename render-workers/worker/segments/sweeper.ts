import type { EvictableBlobs } from '../../../platform/blob-store/evictable-blobs.ts';
import type { Logger } from '../../../platform/logging/logger.ts';
import type { Clock } from '../../../platform/process/clock.ts';
import { type SegmentBounds, sweepSegments } from './sweep.ts';

const EVERY_MS = 3_600_000;

export type Sweeper = { readonly stop: () => Promise<void> };

/**
 * Sweeps every hour, starting at a random time within the first, so that workers that start together do not sweep
 * together.
 */
export const startSweeper = (blobs: EvictableBlobs, bounds: SegmentBounds, logger: Logger, clock: Clock): Sweeper => {
  const life = new AbortController();
  const { signal } = life;

  const sweep = async (): Promise<void> => {
    const swept = await sweepSegments(blobs, bounds, clock.now(), signal, (account_id, error) =>
      logger.warn({ account_id, error }, 'the parts of one account could not all be swept'),
    );
    if (swept.removed > 0) logger.info(swept, 'parts of renders that were kept long enough are removed');
  };
  const run = async (): Promise<void> => {
    for (let pause_ms = Math.random() * EVERY_MS; !signal.aborted; pause_ms = EVERY_MS) {
      await clock.sleep(pause_ms, signal).catch(() => undefined);
      if (signal.aborted) return;
      // The next sweep finds the rest.
      await sweep().catch((error: unknown) => {
        if (!signal.aborted) logger.warn({ error }, 'the parts of renders could not all be swept');
      });
    }
  };
  const ended = run();
  return {
    stop: async () => {
      life.abort();
      await ended;
    },
  };
};
