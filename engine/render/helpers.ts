import type { Span } from '../../domain/composition/extents.ts';
import { keyOf } from '../cache/key-of.ts';
import type { Segment } from '../plan/render-plan.ts';

/**
 * Others that may encode parts of a film into its cache. What they say is a hint: a part counts once it was fetched from the
 * cache and checked, and what nobody brings is encoded here. Segments are counted from 0.
 */
export type Helpers = {
  /** Says which segments nobody has begun; others take them from the back of a span. None are wanted any more if empty. */
  readonly want: (parts_sha256: string, lacking: readonly Span[]) => void;
  /** Whether another one is at a segment, or has stored it. */
  readonly isTaken: (segment: number) => boolean;
  readonly isStored: (segment: number) => boolean;
  /** Calls back when either may have changed, until what it returns is called. */
  readonly onChange: (changed: () => void) => () => void;
};

export const NO_HELPERS: Helpers = {
  want: () => undefined,
  isTaken: () => false,
  isStored: () => false,
  onChange: () => () => undefined,
};

/** SHA-256, in hex, of the cache keys of all parts: those of equal films by equal builds. */
export const partsHash = (segments: readonly Segment[]): string => keyOf(segments.map(({ keys }) => keys));
