import type { FrameSpan } from '../../domain/composition/extents.ts';
import { cacheKeyOf } from '../cache/key-of.ts';
import type { Segment } from '../plan/render-plan.ts';

/**
 * Other workers that may encode parts of a long video into its cache. Their reports are hints: a part counts only after
 * it is fetched from the cache and verified. Segments are counted from 0.
 */
export type Helpers = {
  /** Announces the segments that no process has begun. Helpers take them from the end of a span. */
  readonly announceMissing: (parts_sha256: string, missing: readonly FrameSpan[]) => void;
  /** Whether a helper is encoding a segment, or has stored it. */
  readonly isTaken: (segment: number) => boolean;
  readonly isStored: (segment: number) => boolean;
  /** Calls back when `isTaken` or `isStored` may have changed. The returned function unsubscribes. */
  readonly onChange: (changed: () => void) => () => void;
};

export const NO_HELPERS: Helpers = {
  announceMissing: () => undefined,
  isTaken: () => false,
  isStored: () => false,
  onChange: () => () => undefined,
};

/** SHA-256, in hex, of the cache keys of all parts. Equal compositions and builds have equal hashes. */
export const allPartKeysHash = (segments: readonly Segment[]): string => cacheKeyOf(segments.map(({ keys }) => keys));
