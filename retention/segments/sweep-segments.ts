import pLimit from 'p-limit';
import type { EvictableBlobs, ListedBlob } from '../../platform/blob-store/evictable-blobs.ts';
import { ACCOUNTS_PATH, segmentsPath } from '../../schemas/blobs/paths.ts';
import { forEachPage, requestSignal } from '../sweeps/list-pages.ts';
import { addRemoved, NOTHING_REMOVED, type RemovedCounts } from '../sweeps/progress.ts';

export type SegmentBounds = {
  readonly age_ms: number;
  readonly bytes_per_account: number;
};

export type SegmentSweepResult = RemovedCounts & { readonly kept_bytes: number };

const NOTHING: SegmentSweepResult = { ...NOTHING_REMOVED, kept_bytes: 0 };
const REMOVED_AT_ONCE = 8;

/**
 * The time (ms) up to which stored parts must be deleted to keep the limit; null if all may stay.
 *
 * @param bytes_at the sizes of the parts, by time of storage
 */
export const deletionCutoff = (bytes_at: ReadonlyMap<number, number>, bytes: number): number | null => {
  let total = [...bytes_at.values()].reduce((sum, size) => sum + size, 0);
  if (total <= bytes) return null;
  for (const [at, size] of [...bytes_at].sort(([a], [b]) => a - b)) {
    total -= size;
    if (total <= bytes) return at;
  }
  return null;
};

const sweepAccount = async (
  blobs: EvictableBlobs,
  folder: string,
  { age_ms, bytes_per_account }: SegmentBounds,
  now: number,
  signal: AbortSignal,
): Promise<SegmentSweepResult> => {
  const turn = pLimit(REMOVED_AT_ONCE);
  const bytes_at = new Map<number, number>();
  let [removed, removed_bytes] = [0, 0];

  const remove = async (found: readonly ListedBlob[]): Promise<void> => {
    await turn.map(found, async ({ path, size_bytes }) => {
      await blobs.remove(path, requestSignal(signal));
      removed += 1;
      removed_bytes += size_bytes;
    });
  };
  const pages = (from: string | null, until: AbortSignal) => blobs.list(folder, from, until);

  await forEachPage(pages, signal, async (found) => {
    const tooOld = found.filter(({ stored_at }) => stored_at < now - age_ms);
    for (const { stored_at, size_bytes } of found) {
      if (stored_at >= now - age_ms) bytes_at.set(stored_at, (bytes_at.get(stored_at) ?? 0) + size_bytes);
    }
    await remove(tooOld);
  });
  const last = deletionCutoff(bytes_at, bytes_per_account);
  // Lists the parts a second time instead of remembering all, because an account may have very many.
  if (last !== null) {
    await forEachPage(pages, signal, (found) => remove(found.filter(({ stored_at }) => stored_at <= last)));
  }
  const kept_bytes = [...bytes_at].reduce((sum, [at, size]) => (last === null || at > last ? sum + size : sum), 0);
  return { removed, removed_bytes, kept_bytes };
};

/**
 * Deletes the parts of all accounts beyond the bounds. Concurrent sweeps are safe: a render that needs a deleted part
 * encodes its frames again. Rejects with `BlobFault` if accounts cannot be listed, and when `signal` aborts.
 *
 * @param onFault called per account
 */
export const sweepSegments = async (
  blobs: EvictableBlobs,
  bounds: SegmentBounds,
  now: number,
  signal: AbortSignal,
  onFault: (account_id: string, fault: unknown) => void = () => undefined,
): Promise<SegmentSweepResult> => {
  let all = NOTHING;
  await forEachPage(
    (from, until) => blobs.folders(ACCOUNTS_PATH, from, until),
    signal,
    async (accounts) => {
      for (const account of accounts) {
        const account_id = account.slice(ACCOUNTS_PATH.length, -1);
        const one = await sweepAccount(blobs, segmentsPath(account_id), bounds, now, signal).catch((fault: unknown) => {
          signal.throwIfAborted();
          onFault(account_id, fault);
          return NOTHING;
        });
        all = { ...addRemoved(all, one), kept_bytes: all.kept_bytes + one.kept_bytes };
      }
    },
  );
  return all;
};
