import type { ListOrder } from '../../schemas/http/query.ts';
import type { ListPart } from '../list-part.ts';
import { levelAbove, SKIP_STEP, type SkipLevel } from './skip-list.ts';

/** Returns up to `MAX_POSITIONS` positions of a level within a window, in the order of the list. */
export type ReadLevel = (level: SkipLevel, window: ListPart) => Promise<readonly string[]>;

export const MAX_POSITIONS = 1_000;

const WINDOW_GROWTH = 4;

/**
 * `positions` has the read positions of a level and of higher levels, without those that a window has passed. The read
 * stopped at `until`.
 */
type Level = { readonly positions: readonly string[]; readonly until: string | null; readonly ended: boolean };

const readOn = async (read: ReadLevel, level: SkipLevel, window: ListPart): Promise<Level> => {
  const positions = await read(level, window);
  const whole = positions.length < MAX_POSITIONS;
  const until = whole ? window.until : (positions.at(-1) ?? null);
  return { positions, until, ended: until === null };
};

/**
 * Consecutive windows without a gap or an overlap. The first one usually contains the next `count` elements, and rarely
 * a few times as many. If documents lack their levels, windows are wider: at worst the first one is the rest of the
 * list.
 */
export const readWindows = async function* (
  order: ListOrder,
  after: string | null,
  count: number,
  read: ReadLevel,
): AsyncGenerator<ListPart, void, void> {
  const inOrder = (positions: readonly string[]) =>
    order === 'asc' ? positions.toSorted() : positions.toSorted().toReversed();
  const isWithin = (position: string, until: string | null) =>
    until === null || (order === 'asc' ? position <= until : position >= until);

  const unread: Level = { positions: [], until: after, ended: false };
  const levels: Record<SkipLevel, Level> = { 1: unread, 2: unread, 3: unread };

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
  for (let steps = Math.ceil(count / SKIP_STEP) + 1; ; steps = Math.min(WINDOW_GROWTH * steps, MAX_POSITIONS)) {
    await want(1, steps);
    const { positions } = levels[1];
    const until = positions[steps - 1] ?? null;
    yield { after: from, until };
    if (until === null) return;
    levels[1] = { ...levels[1], positions: positions.slice(steps) };
    from = until;
  }
};
