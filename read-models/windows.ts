import type { ListOrder } from '../schemas/http/list-request.ts';
import { levelAbove, SKIP_STEP, type SkipLevel } from './skip-list.ts';

/** A part of a list: what is behind `after`, up to `until` and with it. Null for the list's beginning, and its end. */
export type Window = { readonly after: string | null; readonly until: string | null };

/** The whole rest of a list. */
export const restBehind = (after: string | null): Window => ({ after, until: null });

/** The positions of up to `MOST_POSITIONS` elements of a level within a window, in the order of the list. */
export type ReadPositions = (level: SkipLevel, window: Window) => Promise<readonly string[]>;

/** Of one query. */
export const MOST_POSITIONS = 1_000;

/** How much wider a window is than the one that brought too little. */
const WIDER = 4;

/**
 * What was read of a level, and of those above it: its positions less those that windows have passed, and up to where
 * it was read.
 */
type Level = { readonly positions: readonly string[]; readonly until: string | null; readonly ended: boolean };

const readOn = async (read: ReadPositions, level: SkipLevel, window: Window): Promise<Level> => {
  const positions = await read(level, window);
  const whole = positions.length < MOST_POSITIONS;
  const until = whole ? window.until : (positions.at(-1) ?? null);
  return { positions, until, ended: until === null };
};

/**
 * A list in windows, one behind the other, which leave nothing out and hold nothing twice. The first holds the next
 * `count` elements most of the time, and seldom more than a few times as many; each is some four times as wide as the
 * one before. Where levels are missing windows are wider: at worst the first is the rest of the list.
 */
export const windowsOf = async function* (
  order: ListOrder,
  after: string | null,
  count: number,
  read: ReadPositions,
): AsyncGenerator<Window, void, void> {
  const inOrder = (positions: readonly string[]) =>
    order === 'asc' ? positions.toSorted() : positions.toSorted().toReversed();
  const isWithin = (position: string, until: string | null) =>
    until === null || (order === 'asc' ? position <= until : position >= until);

  const unread: Level = { positions: [], until: after, ended: false };
  const levels: Record<SkipLevel, Level> = { 1: unread, 2: unread, 3: unread };

  /** Reads on until a level has this many positions, or is read to the end of the list. */
  const want = async (level: SkipLevel, places: number): Promise<void> => {
    while (levels[level].positions.length < places && !levels[level].ended) {
      const above = levelAbove(level);
      const blocks = Math.ceil((places - levels[level].positions.length) / SKIP_STEP);
      if (above !== null) await want(above, blocks);
      const ends = above === null ? [] : levels[above].positions;
      const window = { after: levels[level].until, until: ends[blocks - 1] ?? ends.at(-1) ?? null };
      const found = await readOn(read, level, window);
      const passed = ends.filter((position) => isWithin(position, found.until));
      if (above !== null) levels[above] = { ...levels[above], positions: ends.slice(passed.length) };
      const positions = [...levels[level].positions, ...inOrder([...found.positions, ...passed])];
      levels[level] = { ...found, positions };
    }
  };

  let from = after;
  for (let steps = Math.ceil(count / SKIP_STEP) + 1; ; steps = Math.min(WIDER * steps, MOST_POSITIONS)) {
    await want(1, steps);
    const { positions } = levels[1];
    const until = positions[steps - 1] ?? null;
    yield { after: from, until };
    if (until === null) return;
    levels[1] = { ...levels[1], positions: positions.slice(steps) };
    from = until;
  }
};
