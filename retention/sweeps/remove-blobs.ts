import pLimit from 'p-limit';
import type { EvictableBlobs, ListedBlob } from '../../platform/blob-store/evictable-blobs.ts';
import { requestSignal } from './list-pages.ts';
import type { RemovedCounts } from './progress.ts';

const REMOVED_AT_ONCE = 8;
/** After this many failures in a row, the page is retried later, because they mean an outage. */
const MAX_FAULTS_IN_A_ROW = 20;

/**
 * Removes blobs. Blobs that fail remain for the next pass. Rejects when `signal` aborts, and with the last of 20 faults
 * in a row.
 */
export const removeBlobs = async (
  blobs: Pick<EvictableBlobs, 'remove'>,
  found: readonly ListedBlob[],
  signal: AbortSignal,
  onFault: (path: string, fault: unknown) => void,
): Promise<RemovedCounts> => {
  let [removed, removed_bytes, in_a_row] = [0, 0, 0];
  let last_fault: unknown;
  await pLimit(REMOVED_AT_ONCE).map(found, async ({ path, size_bytes }) => {
    if (signal.aborted || in_a_row >= MAX_FAULTS_IN_A_ROW) return;
    try {
      await blobs.remove(path, requestSignal(signal));
      removed += 1;
      removed_bytes += size_bytes;
      in_a_row = 0;
    } catch (fault) {
      if (signal.aborted) return;
      last_fault = fault;
      in_a_row += 1;
      onFault(path, fault);
    }
  });
  signal.throwIfAborted();
  if (in_a_row >= MAX_FAULTS_IN_A_ROW) throw last_fault;
  return { removed, removed_bytes };
};
