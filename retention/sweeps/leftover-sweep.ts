import type { EvictableBlobs, ListedBlob } from '../../platform/blob-store/evictable-blobs.ts';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { TrustedTime } from '../time/trusted-time.ts';
import { requestSignal } from './list-pages.ts';
import { addRemoved, type BlobKind, NOTHING_REMOVED } from './progress.ts';
import { removeBlobs } from './remove-blobs.ts';
import type { Sweep, SweepName } from './run-sweeps.ts';

export type LeftoverSweepDependencies = {
  readonly blobs: Pick<EvictableBlobs, 'list' | 'remove'>;
  readonly catalogueEnd: () => Promise<number>;
  /** Minimum age of blobs that no event names, ms. */
  readonly leftovers_ms: number;
  readonly time: Pick<TrustedTime, 'now'>;
  readonly warn: Warn;
};

export type OldBlob<Place> = ListedBlob & { readonly place: Place };

export type LeftoverSweepSpec<Place, Folded extends { readonly next: number }> = {
  readonly name: SweepName;
  readonly kind: BlobKind;
  readonly prefix: string;
  readonly placeOf: (path: string) => Place | null;
  readonly folded: (old: readonly OldBlob<Place>[]) => Promise<Folded>;
  /** @param before ms since the epoch; only blobs that were stored before this time are checked */
  readonly isLeftOver: (blob: OldBlob<Place>, folded: Folded, before: number) => boolean;
  readonly not_removed: string;
};

const DAY_MS = 86_400_000;
const MAX_AT_ONCE = 500;

/**
 * Deletes old blobs that no event names. The event of an old blob, if any, is already in the log. So the catalogue must
 * be folded to the current end of the log.
 */
export const leftoverSweep = <Place, Folded extends { readonly next: number }>(
  { name, kind, prefix, placeOf, folded: askFolded, isLeftOver, not_removed }: LeftoverSweepSpec<Place, Folded>,
  { blobs, catalogueEnd, leftovers_ms, time, warn }: LeftoverSweepDependencies,
): Sweep => ({
  name,
  every_ms: DAY_MS,
  page: async (from, signal) => {
    const { found, next } = await blobs.list(prefix, from, requestSignal(signal));
    const before = (await time.now()) - leftovers_ms;
    const old = found.flatMap((blob) => {
      const place = placeOf(blob.path);
      return place === null || blob.stored_at > before ? [] : [{ ...blob, place }];
    });
    if (old.length === 0) return { next, removed: {} };
    const end = await catalogueEnd();
    let removed = NOTHING_REMOVED;
    for (let begin = 0; begin < old.length; begin += MAX_AT_ONCE) {
      const some = old.slice(begin, begin + MAX_AT_ONCE);
      const folded = await askFolded(some);
      if (folded.next < end) throw new Error(`the catalogue is folded up to ${folded.next} of ${end}`);
      const going = some.filter((blob) => isLeftOver(blob, folded, before));
      removed = addRemoved(
        removed,
        await removeBlobs(blobs, going, signal, (path, error) => warn({ error, path }, not_removed)),
      );
    }
    return { next, removed: removed.removed === 0 ? {} : { [kind]: removed } };
  },
});
