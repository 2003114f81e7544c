/** How far one sweep is. Times are ms since the epoch, of the clock of whoever swept. */
export type SweepProgress = {
  /** Of the pass that is under way, where the next page begins, and what it has removed so far; null between passes. */
  readonly pass: (Removed & { readonly began_at: number; readonly next: string }) | null;
  /** Of the last pass that has ended; null before the first has. */
  readonly last: (Removed & { readonly ended_at: number }) | null;
};

export type Removed = { readonly removed: number; readonly removed_bytes: number };

/** What was done of a page of the sweep; `next` is null at the end. */
export type SweptPage = Removed & { readonly next: string | null };

const NO_PROGRESS: SweepProgress = { pass: null, last: null };

/**
 * How long to wait before the next page, ms. Where clocks differ, a pass begins that much sooner or later, and never
 * later than it would after the last one had ended just now.
 */
export const untilNextPage = (progress: SweepProgress | undefined, every_ms: number, now: number): number => {
  const { pass, last } = progress ?? NO_PROGRESS;
  if (pass !== null || last === null) return 0;
  return Math.min(every_ms, Math.max(0, last.ended_at + every_ms - now));
};

/** @param began_at when the page was begun */
export const afterPage = (
  before: SweepProgress | undefined,
  page: SweptPage,
  began_at: number,
  ended_at: number,
): SweepProgress => {
  const { pass, last } = before ?? NO_PROGRESS;
  const all: Removed = {
    removed: (pass?.removed ?? 0) + page.removed,
    removed_bytes: (pass?.removed_bytes ?? 0) + page.removed_bytes,
  };
  return page.next === null
    ? { pass: null, last: { ...all, ended_at } }
    : { pass: { ...all, began_at: pass?.began_at ?? began_at, next: page.next }, last };
};
