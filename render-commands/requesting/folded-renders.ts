import type { LogPosition } from '../../domain/credits/holds.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import { partitionOfKey } from '../../platform/event-log/partition-of-key.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { withTimeout } from '../../platform/process/within.ts';
import { openDocumentWaits } from '../../platform/read-store/document-waits.ts';
import { coalesceReads } from '../../platform/read-store/shared-read.ts';
import type { FoldedRequest, FoldedRequests } from '../../read-models/renders/folded-requests.ts';

export type FoldedRenders = {
  readonly find: (render_id: string) => Promise<FoldedRequest | null>;
  readonly places: (render_ids: readonly string[]) => Promise<ReadonlyMap<string, LogPosition>>;
  readonly waitFor: (render_id: string, timeout_ms: number) => Promise<FoldedRequest | null>;
  /** Like `find`, but only after all records that were appended before this call are folded. `behind` on timeout. */
  readonly findInAll: (render_id: string, timeout_ms: number) => Promise<FoldedRequest | null | 'behind'>;
};

const TOPIC = 'render-events';
const LOOK_EVERY_MS = 50;

export const openFoldedRenders = (requests: FoldedRequests, log: EventLog, clock: Clock): FoldedRenders => {
  // Concurrent reads are shared, because many requests may wait with the same key.
  const find = coalesceReads(requests.find);
  const arrivals = openDocumentWaits(requests.findAll, clock);
  const ends = coalesceReads(async (topic) => ({
    partitions: await log.partitions(topic),
    of: new Map((await log.reachableBounds(topic)).map(({ partition, end }) => [partition, end])),
  }));

  const arrived = async (render_id: string, timeout_ms: number): Promise<FoldedRequest | null> => {
    const until = clock.monotonic() + timeout_ms;
    for (let left_ms = timeout_ms; left_ms > 0; left_ms = until - clock.monotonic()) {
      try {
        return await arrivals.wait(render_id, () => true, left_ms);
      } catch {
        await clock.sleep(LOOK_EVERY_MS);
      }
    }
    return null;
  };

  const findInAll = async (render_id: string, timeout_ms: number): Promise<FoldedRequest | null | 'behind'> => {
    const until = clock.monotonic() + timeout_ms;
    const { partitions, of } = await ends(TOPIC);
    const partition = partitionOfKey(render_id, partitions);
    const end = of.get(partition);
    if (end === undefined) throw new Error(`partition ${partition} of ${TOPIC} has no leader`);
    while (clock.monotonic() < until) {
      const found = await requests.findOnceFolded(render_id, partition, end);
      if (found !== 'behind') return found;
      await clock.sleep(LOOK_EVERY_MS);
    }
    return 'behind';
  };

  return {
    find,
    places: requests.places,
    // A second timeout: if a store keeps connections open without answering, a query exceeds its own timeout.
    waitFor: (render_id, timeout_ms) => withTimeout(timeout_ms, arrived(render_id, timeout_ms), () => null, clock),
    findInAll: (render_id, timeout_ms) =>
      withTimeout(
        timeout_ms,
        findInAll(render_id, timeout_ms).catch(() => 'behind' as const),
        () => 'behind' as const,
        clock,
      ),
  };
};
