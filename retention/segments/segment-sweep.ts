import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import type { Values } from '../../platform/configuration/configuration.ts';
import type { RETENTION } from '../../platform/configuration/parts.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Sweep } from '../sweeps/run-sweeps.ts';
import type { TrustedTime } from '../time/trusted-time.ts';
import { sweepSegments } from './sweep-segments.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Deletes old encoded parts. One page handles all accounts: after a takeover, the new process starts again, with less
 * to remove.
 */
export const segmentSweep = (
  blobs: EvictableBlobs,
  { segment_days, segment_bytes_per_account }: Values<typeof RETENTION>,
  logger: Logger,
  time: Pick<TrustedTime, 'nowOfBlobs'>,
): Sweep => ({
  name: 'segments',
  every_ms: HOUR_MS,
  page: async (_from, signal) => {
    const bounds = { age_ms: segment_days * DAY_MS, bytes_per_account: segment_bytes_per_account };
    const { removed, removed_bytes } = await sweepSegments(
      blobs,
      bounds,
      await time.nowOfBlobs(),
      signal,
      (account_id, error) => logger.warn({ account_id, error }, 'some parts of an account could not be swept'),
    );
    return { removed: { segments: { removed, removed_bytes } }, next: null };
  },
});
