import type { RenderBlobKind } from '../../schemas/blobs/paths.ts';

/** Kinds of removed data. */
export type BlobKind = RenderBlobKind | 'segments' | 'emails' | 'projects' | 'accounts';

export type Removed = { readonly removed: number; readonly removed_bytes: number };

export const NOTHING_REMOVED: Removed = { removed: 0, removed_bytes: 0 };

export const plus = (one: Removed, other: Removed): Removed => ({
  removed: one.removed + other.removed,
  removed_bytes: one.removed_bytes + other.removed_bytes,
});

export type RemovedByKind = { readonly [K in BlobKind]?: Removed };

/** Progress of one sweep. Times are ms since the epoch, of the clock of the sweeping process. */
export type SweepProgress = {
  /** The current pass: start of the next page, and what it has removed so far; null between passes. */
  readonly pass: { readonly began_at: number; readonly next: string; readonly removed: RemovedByKind } | null;
  /** The last complete pass; null before the first. */
  readonly last: { readonly ended_at: number; readonly removed: RemovedByKind } | null;
};

/** Result of a page; `next` is null at the end. */
export type SweptPage = { readonly next: string | null; readonly removed: RemovedByKind };

const NO_PROGRESS: SweepProgress = { pass: null, last: null };

const sumOf = (one: RemovedByKind, other: RemovedByKind): RemovedByKind => {
  const sum: Partial<Record<string, Removed>> = { ...one };
  for (const [kind, removed] of Object.entries(other)) sum[kind] = plus(sum[kind] ?? NOTHING_REMOVED, removed);
  return sum;
};

/**
 * Wait before the next pass, ms; 0 within one. If clocks differ, a pass starts sooner or later by the difference, but
 * never later than after a pass that has just ended.
 */
export const untilNextPass = (progress: SweepProgress | undefined, every_ms: number, now: number): number => {
  const { pass, last } = progress ?? NO_PROGRESS;
  if (pass !== null || last === null) return 0;
  return Math.min(every_ms, Math.max(0, last.ended_at + every_ms - now));
};

/** Limit for a clock that differs from others. */
const AHEAD_MS = 600_000;

/**
 * Whether a pass continues or begins. If the last pass ended in the future, by the clock of its process, it counts as
 * long ago.
 */
export const isDue = (progress: SweepProgress | undefined, every_ms: number, now: number): boolean =>
  untilNextPass(progress, every_ms, now) === 0 || (progress?.last?.ended_at ?? now) > now + AHEAD_MS;

/**
 * @param began_at when the page began
 */
export const afterPage = (
  before: SweepProgress | undefined,
  page: SweptPage,
  began_at: number,
  ended_at: number,
): SweepProgress => {
  const { pass, last } = before ?? NO_PROGRESS;
  const removed = sumOf(pass?.removed ?? {}, page.removed);
  return page.next === null
    ? { pass: null, last: { removed, ended_at } }
    : { pass: { removed, began_at: pass?.began_at ?? began_at, next: page.next }, last };
};

/** The pass starts again: the position in the list is invalid, as after a restore of Blob. */
export const fromTheBeginning = (before: SweepProgress | undefined): SweepProgress => ({
  ...(before ?? NO_PROGRESS),
  pass: null,
});
