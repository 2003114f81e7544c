import type { Help, HelpWanted, SegmentSpan, WorkerBeat } from './heartbeats.ts';
import { WORKER_FRESH_MS } from './liveness.ts';

/**
 * Requests and offers of help, as heartbeats show them. All heartbeats are in one partition, so that all workers read
 * them in the same order. If two workers take the same segment, both see the same one first. The board is only a hint:
 * a segment counts when it is in the cache. The film's own worker encodes each segment that no helper delivers.
 */
type TakenSpan = SegmentSpan & { readonly order: number };

/** One worker's help for a film; `order` is its rank of arrival on the board. */
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
  /** By attempt id. */
  readonly helps: ReadonlyMap<string, Helper>;
};

export type HelpBoard = { readonly workers: Map<string, Seen>; seen: number };

export const createBoard = (): HelpBoard => ({ workers: new Map(), seen: 0 });

/** Above the segments of an hour of film. */
const MAX_SEGMENTS = 20_000;
/** Spans in one list of a heartbeat. */
const MAX_SPANS = 500;

/** Drops spans that no film can have: heartbeats are untrusted input. */
const soundSpans = (spans: readonly SegmentSpan[]): readonly SegmentSpan[] =>
  spans.slice(0, MAX_SPANS).filter(({ from, until }) => from >= 0 && from < until && until <= MAX_SEGMENTS);

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

/** Reads a heartbeat, in the order of the log. */
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

/** The helpers of an attempt, in order of arrival. */
export const helpersOf = (board: HelpBoard, attempt_id: string, now: number): readonly Helper[] =>
  fresh(board, now)
    .flatMap(([, { helps }]) => helps.get(attempt_id) ?? [])
    .sort((a, b) => a.order - b.order);

/** The request for help with an attempt; null if its worker is silent or no longer wants help. */
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
 * The segments of an attempt that no worker has taken. The first one of each span is left out, because the film's own
 * worker reaches it sooner. A new process must first decode from an earlier keyframe.
 */
const untaken = (wanted: HelpWanted, helpers: readonly Helper[]): readonly SegmentSpan[] => {
  const others = wanted.lacking.map(({ from, until }) => ({ from: from + 1, until }));
  return without(
    others.filter(({ from, until }) => from < until),
    helpers.flatMap(({ taken, stored }) => [...taken, ...stored]),
  );
};

/**
 * The attempt that an idle worker helps with: the one with the most segments per worker. Null if no attempt needs help.
 *
 * @param not attempts that the worker cannot help with
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

/** If an attempt has more helpers than segments for them, the earliest helpers stay. */
export const isNeeded = (board: HelpBoard, wanted: HelpWanted, worker_id: string, now: number): boolean => {
  const helpers = helpersOf(board, wanted.attempt_id, now);
  const rank = helpers.findIndex((helper) => helper.worker_id === worker_id);
  return rank >= 0 && rank < Math.max(1, countOf(untaken(wanted, helpers)));
};

/** A shorter span is not worth a process. */
const MIN_SPAN_S = 3;
/**
 * The fraction of an equal share that a helper takes. With a larger one, the film waits for slow helpers. With a
 * smaller one, more processes start, and each decodes from an earlier keyframe.
 */
const OF_SHARE = 0.85;

type Film = {
  /** The number of frames in each segment. */
  readonly frames: readonly number[];
  readonly frames_per_s: number;
};

const framesIn = ({ frames }: Film, { from, until }: SegmentSpan): number =>
  frames.slice(from, until).reduce((sum, count) => sum + count, 0);

/** A span of about this many frames, from the end of the longest span. */
const cutOff = (free: readonly SegmentSpan[], film: Film, frames: number): SegmentSpan | null => {
  const longest = free.toSorted((a, b) => framesIn(film, b) - framesIn(film, a))[0];
  if (longest === undefined) return null;
  const { until } = longest;
  const off = (from: number): number => Math.abs(framesIn(film, { from, until }) - frames);
  let from = until - 1;
  while (from > longest.from && off(from - 1) < off(from)) from -= 1;
  return { from, until };
};

/** True if a helper has stored all its spans, so that it also waits for a span. */
const isIdle = ({ taken, stored }: Helper): boolean => without(taken, stored).length === 0;

/**
 * The segments that a helper takes next: from the end of the longest free span, because the film's worker comes from
 * the front. The span is less than an equal share, so that all end at about the same time. Idle helpers that came
 * earlier keep the spans that they will take. Null if no segment is left.
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
  const target = Math.max(MIN_SPAN_S * film.frames_per_s, (OF_SHARE * all) / (helpers.length + 1));
  for (const helper of helpers) {
    if (helper.worker_id !== worker_id && !isIdle(helper)) continue;
    const span = cutOff(free, film, target);
    if (span === null || helper.worker_id === worker_id) return span;
    free = without(free, [span]);
  }
  return null;
};

/**
 * True if the worker owns a span that it took. Null until its own heartbeat was read; false if another worker was
 * first.
 */
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
