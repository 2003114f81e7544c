import type { Help, HelpWanted, SegmentSpan, WorkerBeat } from './heartbeats.ts';
import { WORKER_FRESH_MS } from './liveness.ts';

/*
 * The help board has the requests and offers of help with a video, from heartbeats. All heartbeats are in one
 * partition, so all workers agree which of two workers took a segment first. The board is only a hint: a segment counts
 * when it is in the cache. The video's own worker encodes each segment that no helper delivers.
 */

type TakenSpan = SegmentSpan & { readonly order: number };

/** `order` is the helper's rank of arrival on the board. */
export type Helper = {
  readonly worker_id: string;
  readonly order: number;
  readonly taken: readonly TakenSpan[];
  readonly stored: readonly SegmentSpan[];
};

type Seen = {
  readonly beat: number;
  readonly at: number;
  readonly wanted: readonly HelpWanted[];
  readonly helps: ReadonlyMap<string, Helper>;
};

export type HelpBoard = { readonly workers: Map<string, Seen>; seen: number };

export const createHelpBoard = (): HelpBoard => ({ workers: new Map(), seen: 0 });

/** More than the segments of an hour of video. */
const MAX_SEGMENTS = 20_000;
const MAX_SPANS = 500;

/** Drops spans that no video can have: heartbeats are untrusted input. */
const soundSpans = (spans: readonly SegmentSpan[]): readonly SegmentSpan[] =>
  spans.slice(0, MAX_SPANS).filter(({ from, until }) => from >= 0 && from < until && until <= MAX_SEGMENTS);

const isSame = (a: SegmentSpan, b: SegmentSpan): boolean => a.from === b.from && a.until === b.until;

const overlap = (a: SegmentSpan, b: SegmentSpan): boolean => a.from < b.until && b.from < a.until;

export const containsSegment = (spans: readonly SegmentSpan[], index: number): boolean =>
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

export const applyHeartbeat = (board: HelpBoard, beat: WorkerBeat, now: number): void => {
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

export const helpersOf = (board: HelpBoard, attempt_id: string, now: number): readonly Helper[] =>
  fresh(board, now)
    .flatMap(([, { helps }]) => helps.get(attempt_id) ?? [])
    .sort((a, b) => a.order - b.order);

export const helpRequestFor = (board: HelpBoard, attempt_id: string, now: number): HelpWanted | null => {
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
 * Omits the first segment of each span, because the video's own worker reaches it sooner: a new process must first
 * decode from an earlier keyframe.
 */
const untaken = (wanted: HelpWanted, helpers: readonly Helper[]): readonly SegmentSpan[] => {
  const others = wanted.lacking.map(({ from, until }) => ({ from: from + 1, until }));
  return without(
    others.filter(({ from, until }) => from < until),
    helpers.flatMap(({ taken, stored }) => [...taken, ...stored]),
  );
};

/**
 * The attempt with the most segments per worker; null if no attempt needs help.
 *
 * @param not attempts that the worker cannot help with
 */
export const chooseAttemptToHelp = (
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

/**
 * True if the worker should continue to help. If an attempt has more helpers than segments for them, the earliest
 * helpers stay.
 */
export const isHelperNeeded = (board: HelpBoard, wanted: HelpWanted, worker_id: string, now: number): boolean => {
  const helpers = helpersOf(board, wanted.attempt_id, now);
  const rank = helpers.findIndex((helper) => helper.worker_id === worker_id);
  return rank >= 0 && rank < Math.max(1, countOf(untaken(wanted, helpers)));
};

/** The minimum length of a span: a shorter one is not worth a process. */
const MIN_SPAN_S = 3;
/**
 * The fraction of an equal share that a helper takes. A larger fraction makes the video wait for slow helpers. A
 * smaller one starts more processes, and each decodes from an earlier keyframe.
 */
const OF_SHARE = 0.85;

type Film = {
  readonly frames: readonly number[];
  readonly frames_per_s: number;
};

const framesIn = ({ frames }: Film, { from, until }: SegmentSpan): number =>
  frames.slice(from, until).reduce((sum, count) => sum + count, 0);

const cutOff = (free: readonly SegmentSpan[], film: Film, frames: number): SegmentSpan | null => {
  const longest = free.toSorted((a, b) => framesIn(film, b) - framesIn(film, a))[0];
  if (longest === undefined) return null;
  const { until } = longest;
  const off = (from: number): number => Math.abs(framesIn(film, { from, until }) - frames);
  let from = until - 1;
  while (from > longest.from && off(from - 1) < off(from)) from -= 1;
  return { from, until };
};

/** True if the helper has stored all its spans, so that it waits for a new one. */
const isIdle = ({ taken, stored }: Helper): boolean => without(taken, stored).length === 0;

/**
 * The next span for the worker; null if no segments are left. It is the end of the longest free span, because the
 * video's worker starts at the front. It is smaller than an equal share, so that all workers end at about the same
 * time. Idle helpers that arrived earlier choose first.
 */
export const nextSpanFor = (
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
export const ownsSpan = (
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
