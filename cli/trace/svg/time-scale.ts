/** A time span that is drawn to scale, or a break: a span without events that is drawn with a fixed width. */
export type ScaleSegment = { readonly from: number; readonly to: number; readonly x0: number; readonly x1: number };

export type TimeScale = {
  readonly x: (at: number) => number;
  readonly stretches: readonly ScaleSegment[];
  readonly breaks: readonly ScaleSegment[];
};

export const BREAK_WIDTH = 64;
const MAX_BREAKS = 8;
/** The minimum width of a stretch, even if all its instants are equal. */
const MIN_STRETCH = 14;
/** A gap becomes a break if it is at least this many times as long as all remaining gaps together. */
const FACTOR = 20;
const MIN_BREAK_MS = 10_000;

type Gap = { readonly from: number; readonly to: number };

/** Selects the longest gaps, each far longer than all remaining gaps together. */
const breaksAmong = (gaps: readonly Gap[]): readonly Gap[] => {
  const longest = gaps.toSorted((a, b) => b.to - b.from - (a.to - a.from));
  const sumFrom = (n: number): number => longest.slice(n).reduce((sum, { from, to }) => sum + to - from, 0);
  for (let n = Math.min(MAX_BREAKS, longest.length); n > 0; n -= 1) {
    const shortest = longest[n - 1];
    const ms = shortest === undefined ? 0 : shortest.to - shortest.from;
    const others = sumFrom(n);
    if (ms >= MIN_BREAK_MS && others > 0 && ms > FACTOR * others)
      return longest.slice(0, n).toSorted((a, b) => a.from - b.from);
  }
  return [];
};

/**
 * Maps times to `width` units, to scale except for breaks.
 *
 * @param instants at least one, ms since the epoch
 */
export const timeScale = (instants: readonly number[], width: number): TimeScale => {
  const times = [...new Set(instants)].toSorted((a, b) => a - b);
  const [first = 0] = times;
  const last = times.at(-1) ?? first;
  const gaps = times.slice(1).map((to, i) => ({ from: times[i] ?? to, to }));
  const left_out = breaksAmong(gaps);
  const parts = [...left_out, { from: last, to: last }].map(({ from }, i) => ({
    from: left_out[i - 1]?.to ?? first,
    to: from,
  }));
  const drawn_ms = parts.reduce((sum, { from, to }) => sum + to - from, 0);
  const free = Math.max(0, width - left_out.length * BREAK_WIDTH - parts.length * MIN_STRETCH);
  const stretches: ScaleSegment[] = [];
  const breaks: ScaleSegment[] = [];
  let x = 0;
  for (const [i, { from, to }] of parts.entries()) {
    const x1 = x + MIN_STRETCH + (drawn_ms === 0 ? free / parts.length : ((to - from) / drawn_ms) * free);
    stretches.push({ from, to, x0: x, x1 });
    const gap = left_out[i];
    if (gap !== undefined) breaks.push({ ...gap, x0: x1, x1: x1 + BREAK_WIDTH });
    x = x1 + BREAK_WIDTH;
  }
  const pieces = [...stretches, ...breaks];
  return {
    x: (at) => {
      const piece = pieces.find(({ from, to }) => from <= at && at <= to);
      if (piece === undefined) return at < first ? 0 : width;
      const { from, to, x0, x1 } = piece;
      return to === from ? (x0 + x1) / 2 : x0 + ((at - from) / (to - from)) * (x1 - x0);
    },
    stretches,
    breaks,
  };
};

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000].map((n) => n * DAY),
];

export type Tick = { readonly at: number; readonly x: number; readonly label: string };

const clockText = (at: number, step: number): string => {
  const text = new Date(at).toISOString();
  if (step >= DAY) return text.slice(0, 10);
  if (step >= MINUTE) return text.slice(11, 16);
  return step >= SECOND ? text.slice(11, 19) : text.slice(11, 23);
};

const datedText = (at: number, step: number): string =>
  `${new Date(at).toISOString().slice(0, 10)} ${clockText(at, Math.min(step, SECOND))}`;

/** Each tick has `room` units. The first tick of a stretch has twice as many, because its label includes the date. */
export const ticksOf = ({ stretches }: TimeScale, room: number): readonly Tick[] => {
  let free_from = Number.NEGATIVE_INFINITY;
  return stretches.flatMap(({ from, to, x0, x1 }): readonly Tick[] => {
    const per_ms = to === from ? 0 : (x1 - x0) / (to - from);
    const step = STEPS.find((one) => one * per_ms >= room) ?? DAY;
    const ticks: Tick[] = [];
    const put = (at: number): void => {
      const x = x0 + (at - from) * per_ms;
      if (x < free_from) return;
      const is_new_day = step < DAY && at % DAY < step;
      const label = ticks.length === 0 ? datedText(at, step) : clockText(at, is_new_day ? DAY : step);
      free_from = x + (ticks.length === 0 ? 2 : 1) * room;
      ticks.push({ at, x, label });
    };
    put(from);
    for (let at = Math.ceil(from / step) * step; per_ms > 0 && at <= to; at += step) put(at);
    return ticks;
  });
};
