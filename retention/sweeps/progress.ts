import type { RenderBlobKind } from '../../schemas/blobs/paths.ts';

export type BlobKind = RenderBlobKind | 'segments' | 'emails' | 'projects' | 'accounts' | 'uploads';

export type RemovedCounts = { readonly removed: number; readonly removed_bytes: number };

export const NOTHING_REMOVED: RemovedCounts = { removed: 0, removed_bytes: 0 };

export const addRemoved = (one: RemovedCounts, other: RemovedCounts): RemovedCounts => ({
  removed: one.removed + other.removed,
  removed_bytes: one.removed_bytes + other.removed_bytes,
});

export type RemovedByKind = { readonly [K in BlobKind]?: RemovedCounts };

/** Times are ms since the epoch, by the clock of the sweeping process. */
export type SweepProgress = {
  /** The current pass: start of the next page, and removals so far; null between passes. */
  readonly pass: { readonly began_at: number; readonly next: string; readonly removed: RemovedByKind } | null;
  /** Null before the first complete pass. */
  readonly last: { readonly ended_at: number; readonly removed: RemovedByKind } | null;
};

export type SweepPageResult = { readonly next: string | null; readonly removed: RemovedByKind };

const NO_PROGRESS: SweepProgress = { pass: null, last: null };

const sumOf = (one: RemovedByKind, other: RemovedByKind): RemovedByKind => {
  const sum: Partial<Record<string, RemovedCounts>> = { ...one };
  for (const [kind, removed] of Object.entries(other)) sum[kind] = addRemoved(sum[kind] ?? NOTHING_REMOVED, removed);
  return sum;
};

/**
 * Ms until the next pass; 0 within a pass. Clock differences move a pass, but the wait is never longer than `every_ms`.
 */
export const msUntilNextPass = (progress: SweepProgress | undefined, every_ms: number, now: number): number => {
  const { pass, last } = progress ?? NO_PROGRESS;
  if (pass !== null || last === null) return 0;
  return Math.min(every_ms, Math.max(0, last.ended_at + every_ms - now));
};

/** The tolerated difference between the clocks of two processes. */
const AHEAD_MS = 600_000;

/**
 * Whether the next pass is due. If the last pass ended in the future by this clock, its time is wrong, and the pass is
 * due.
 */
export const isPassDue = (progress: SweepProgress | undefined, every_ms: number, now: number): boolean =>
  msUntilNextPass(progress, every_ms, now) === 0 || (progress?.last?.ended_at ?? now) > now + AHEAD_MS;

export const progressAfterPage = (
  before: SweepProgress | undefined,
  page: SweepPageResult,
  began_at: number,
  ended_at: number,
): SweepProgress => {
  const { pass, last } = before ?? NO_PROGRESS;
  const removed = sumOf(pass?.removed ?? {}, page.removed);
  return page.next === null
    ? { pass: null, last: { removed, ended_at } }
    : { pass: { removed, began_at: pass?.began_at ?? began_at, next: page.next }, last };
};

/** Restarts a pass whose position in the list is invalid, for example after a restore of Blob Storage. */
export const restartPass = (before: SweepProgress | undefined): SweepProgress => ({
  ...(before ?? NO_PROGRESS),
  pass: null,
});
