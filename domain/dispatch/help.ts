import type { Help, HelpWanted, SegmentSpan, WorkerBeat } from './heartbeats.ts';
import { WORKER_FRESH_MS } from './liveness.ts';

/**
 * Who wants help and who gives it, as the heartbeats tell. All of them are in one partition, so that all workers read them
 * in one order: of two that take the same segment, both see the same one first. What is seen here is never more than a
 * hint: parts count when they are in the cache, and a film's worker encodes itself what nobody brings.
 */
type TakenSpan = SegmentSpan & { readonly order: number };

/** What one worker does for a film; `order` counts what was seen on the board. */
export type Helper = {
  readonly worker_id: string;
  readonly order: number;
  readonly taken: readonly TakenSpan[];
  readonly stored: readonly SegmentSpan[];
};

type Seen = {
  readonly beat: number;
  /** Monotonic clock, ms. */
  readonly at: number;
  readonly wanted: readonly HelpWanted[];
  /** By attempt. */
  readonly helps: ReadonlyMap<string, Helper>;
};

export type HelpBoard = { readonly workers: Map<string, Seen>; seen: number };

export const createBoard = (): HelpBoard => ({ workers: new Map(), seen: 0 });

/** More than an hour of film has. */
const MOST_SEGMENTS = 20_000;
/** Of one list in a heartbeat. */
const MOST_SPANS = 500;

/** Without what no film has: a heartbeat may have been written by anything. */
const soundSpans = (spans: readonly SegmentSpan[]): readonly SegmentSpan[] =>
  spans.slice(0, MOST_SPANS).filter(({ from, until }) => from >= 0 && from < until && until <= MOST_SEGMENTS);

const isSame = (a: SegmentSpan, b: SegmentSpan): boolean => a.from === b.from && a.until === b.until;

const overlap = (a: SegmentSpan, b: SegmentSpan): boolean => a.from < b.until && b.from < a.until;

export const isIn = (spans: readonly SegmentSpan[], index: number): boolean =>
  spans.some(({ from, until }) => from <= index && index < until);

const helperOf = (board: HelpBoard, worker_id: string, before: Helper | undefined, help: Help): Helper => {
  const next = (): number => {
    board.seen += 1;
    return board.seen;
  };
  const order = before?.order ?? next();
  const taken = soundSpans(help.taken).map((span) => ({
    ...span,
    order: before?.taken.find((known) => isSame(known, span))?.order ?? next(),
  }));
  return { worker_id, order, taken, stored: soundSpans(help.stored) };
};

/** Takes in a heartbeat, in the order of the log. */
export const readBeat = (board: HelpBoard, beat: WorkerBeat, now: number): void => {
  const { worker_id } = beat;
  const before = board.workers.get(worker_id);
  if (before !== undefined && beat.beat <= before.beat) return;
  for (const [id, { at }] of board.workers) if (now - at > WORKER_FRESH_MS) board.workers.delete(id);
  const helps = beat.helps.map((help): [string, Helper] => [
    help.attempt_id,
    helperOf(board, worker_id, before?.helps.get(help.attempt_id), help),
  ]);
  const wanted = beat.wanted.map((one) => ({ ...one, lacking: [...soundSpans(one.lacking)] }));
  board.workers.set(worker_id, { beat: beat.beat, at: now, wanted, helps: new Map(helps) });
};

const fresh = (board: HelpBoard, now: number): readonly (readonly [string, Seen])[] =>
  [...board.workers].filter(([, { at }]) => now - at <= WORKER_FRESH_MS);

/** Who helps with an attempt, those who came first before the others. */
export const helpersOf = (board: HelpBoard, attempt_id: string, now: number): readonly Helper[] =>
  fresh(board, now)
    .flatMap(([, { helps }]) => helps.get(attempt_id) ?? [])
    .sort((a, b) => a.order - b.order);

/** What its worker says of an attempt; null where that is silent, or wants no help any more. */
export const wantedFor = (board: HelpBoard, attempt_id: string, now: number): HelpWanted | null => {
  for (const [, { wanted }] of fresh(board, now))
    for (const one of wanted) if (one.attempt_id === attempt_id) return one;
  return null;
};

const countOf = (spans: readonly SegmentSpan[]): number =>
  spans.reduce((sum, { from, until }) => sum + until - from, 0);

const without = (spans: readonly SegmentSpan[], gone: readonly SegmentSpan[]): readonly SegmentSpan[] => {
  let left = spans;
  for (const span of gone)
    left = left.flatMap((one) =>
      overlap(one, span)
        ? [
            { from: one.from, until: span.from },
            { from: span.until, until: one.until },
          ].filter(({ from, until }) => from < until)
        : [one],
    );
  return left;
};

/**
 * The segments that an attempt lacks and no worker has taken. The first of each span is left out: the film's own worker
 * reaches it sooner than a new process, which decodes from a key frame before it.
 */
const untaken = (wanted: HelpWanted, helpers: readonly Helper[]): readonly SegmentSpan[] => {
  const others = wanted.lacking.map(({ from, until }) => ({ from: from + 1, until }));
  return without(
    others.filter(({ from, until }) => from < until),
    helpers.flatMap(({ taken, stored }) => [...taken, ...stored]),
  );
};

/**
 * The attempt that a worker with nothing else to do helps with: the one with most segments to each of those at it. Null
 * where none needs it.
 *
 * @param not attempts that it knows it is of no help to
 */
export const attemptToHelp = (
  board: HelpBoard,
  worker_id: string,
  not: (attempt_id: string) => boolean,
  now: number,
): HelpWanted | null => {
  let best: { readonly wanted: HelpWanted; readonly share: number } | null = null;
  for (const [owner, { wanted: all }] of fresh(board, now)) {
    if (owner === worker_id) continue;
    for (const wanted of all) {
      if (not(wanted.attempt_id)) continue;
      const helpers = helpersOf(board, wanted.attempt_id, now);
      const share = countOf(untaken(wanted, helpers)) / (helpers.length + 1);
      if (share >= 1 && share > (best?.share ?? 0)) best = { wanted, share };
    }
  }
  return best?.wanted ?? null;
};

/** Of more helpers than there are segments for them, those who came first stay. */
export const isNeeded = (board: HelpBoard, wanted: HelpWanted, worker_id: string, now: number): boolean => {
  const helpers = helpersOf(board, wanted.attempt_id, now);
  const rank = helpers.findIndex((helper) => helper.worker_id === worker_id);
  return rank >= 0 && rank < Math.max(1, countOf(untaken(wanted, helpers)));
};

/** Less of a film is not worth a process. */
const LEAST_SPAN_S = 3;
/**
 * Of an equal share of what is left: more, and the slower ones are waited for; less, and more processes begin, each of
 * which decodes from a key frame before its span.
 */
const OF_SHARE = 0.85;

type Film = {
  /** Frames of each segment. */
  readonly frames: readonly number[];
  readonly frames_per_s: number;
};

const framesIn = ({ frames }: Film, { from, until }: SegmentSpan): number =>
  frames.slice(from, until).reduce((sum, count) => sum + count, 0);

/** About as many frames as wanted, from the back of the longest span. */
const cutOff = (free: readonly SegmentSpan[], film: Film, frames: number): SegmentSpan | null => {
  const longest = free.toSorted((a, b) => framesIn(film, b) - framesIn(film, a))[0];
  if (longest === undefined) return null;
  const { until } = longest;
  const off = (from: number): number => Math.abs(framesIn(film, { from, until }) - frames);
  let from = until - 1;
  while (from > longest.from && off(from - 1) < off(from)) from -= 1;
  return { from, until };
};

/** Whether it waits for a span to take, too. */
const isIdle = ({ taken, stored }: Helper): boolean => without(taken, stored).length === 0;

/**
 * The segments that a helper takes next: from the back of the longest span that nobody has taken, as its worker comes from
 * the front. Less than an equal share, so that all end at about the same time. Of several that look for one at a time, each
 * leaves to those who came before it what they will take. Null where nothing is left.
 */
export const spanToTake = (
  board: HelpBoard,
  wanted: HelpWanted,
  worker_id: string,
  film: Film,
  now: number,
): SegmentSpan | null => {
  const helpers = helpersOf(board, wanted.attempt_id, now);
  let free = untaken(wanted, helpers);
  const all = free.reduce((sum, span) => sum + framesIn(film, span), 0);
  const target = Math.max(LEAST_SPAN_S * film.frames_per_s, (OF_SHARE * all) / (helpers.length + 1));
  for (const helper of helpers) {
    if (helper.worker_id !== worker_id && !isIdle(helper)) continue;
    const span = cutOff(free, film, target);
    if (span === null || helper.worker_id === worker_id) return span;
    free = without(free, [span]);
  }
  return null;
};

/** Whether a span that a worker took is its own: null until its own heartbeat was read, false where another was first. */
export const isOwn = (
  board: HelpBoard,
  attempt_id: string,
  worker_id: string,
  span: SegmentSpan,
  now: number,
): boolean | null => {
  const own = board.workers
    .get(worker_id)
    ?.helps.get(attempt_id)
    ?.taken.find((taken) => isSame(taken, span));
  if (own === undefined) return null;
  return !helpersOf(board, attempt_id, now).some(
    (helper) =>
      helper.worker_id !== worker_id && helper.taken.some((taken) => overlap(taken, span) && taken.order < own.order),
  );
};
