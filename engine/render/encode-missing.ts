import * as E from 'fp-ts/lib/Either.js';
import type { FinalVariant } from '../../domain/composition/final-composition.ts';
import { consecutiveSpans } from '../../domain/composition/spans-of.ts';
import type { Run, Segment } from '../plan/render-plan.ts';
import { planRuns } from '../plan/runs.ts';
import type { EngineFault } from '../process/engine-fault.ts';
import { type ProcessLimits, remainingLimits } from '../process/run-process.ts';
import { hasAllParts, type PartFiles, partKeys } from './cached-parts.ts';
import { encodeRun } from './encode-run.ts';
import { encodeVideo } from './encode-video.ts';
import { totalFrames } from './frame-count.ts';
import { allPartKeysHash, type Helpers } from './helpers.ts';
import type { Claimant } from './part-claims.ts';
import { openPartStates, type PartStates } from './part-states.ts';

type VideoEncoding = Omit<Parameters<typeof encodeVideo>[0], 'runs' | 'number' | 'encode'>;

export type EncodeMissingOptions = VideoEncoding & {
  readonly segments: readonly Segment[];
  /** The files of the parts that are present, by cache key. `on_part` adds to them. */
  readonly parts: PartFiles;
  readonly helpers: Helpers;
  /** Claims parts for this render, among the renders of its account in this process. */
  readonly claimant: Claimant;
  /** Fetches parts of segments from the cache, and adds those that it finds to `parts`. */
  readonly fetchParts: (segments: readonly Segment[], limits: ProcessLimits) => Promise<E.Either<EngineFault, void>>;
};

/** A render that lacks fewer seconds requests no help: it would end before a helper has fetched its assets. */
const MIN_HELPED_S = 10;

/**
 * The segments of other renders' claims that this render encodes too: the second half of each of the largest claims,
 * one claim for each core.
 */
const shareOf = (
  missing: readonly Segment[],
  claimOf: (segment: Segment) => object | null,
  cores: number,
): readonly Segment[] =>
  [...Map.groupBy(missing, claimOf).values()]
    .toSorted((one, other) => other.length - one.length)
    .slice(0, cores)
    .flatMap((claimed) => claimed.slice(-Math.ceil(claimed.length / 2)))
    .toSorted((one, other) => one.index - other.index);

type Progress = {
  readonly encoding: Set<number>;
  /** True once all missing parts are claimed by others. */
  is_last: boolean;
};

/** Tells helpers which segments no process encodes, whenever `update` is called. */
const openHelpRequests = (
  { segments, parts, helpers, scene }: Pick<EncodeMissingOptions, 'segments' | 'parts' | 'helpers' | 'scene'>,
  states: PartStates,
  progress: Progress,
) => {
  const hash = allPartKeysHash(segments);
  let is_needed = false;
  const update = (): void => {
    const known = new Set(parts.keys());
    const isKnown = hasAllParts(known);
    // Once only parts claimed by others remain, helpers may also take segments that this render is encoding.
    if (!progress.is_last)
      for (const segment of segments)
        if (progress.encoding.has(segment.index)) for (const key of partKeys(segment)) known.add(key);
    const missing: Segment[] = [];
    for (const segment of segments) {
      // A helper keeps the segment that it is encoding, even if another render claims it.
      const is_others = states.isStored(segment) || (states.isClaimed(segment) && !helpers.isTaken(segment.index));
      if (isKnown(segment) || is_others) continue;
      missing.push(segment);
      for (const key of partKeys(segment)) known.add(key);
    }
    is_needed ||= totalFrames(missing) * scene.fps.den >= MIN_HELPED_S * scene.fps.num;
    if (is_needed) helpers.announceMissing(hash, consecutiveSpans(missing.map(({ index }) => index)));
  };
  return { update, end: (): void => helpers.announceMissing(hash, []) };
};

/** Ends the run before a segment that another process encodes, and at once if all its remaining segments are stored. */
const encodeUntilTaken =
  (
    { helpers, claimant }: Pick<EncodeMissingOptions, 'helpers' | 'claimant'>,
    { isStored, isClaimed, isTaken }: PartStates,
    progress: Progress,
    requestHelp: () => void,
  ): typeof encodeRun =>
  async (run: Run, folder, run_parts, limits) => {
    const stop = new AbortController();
    const closed = new Map<number, number>();
    let position = 0;
    const stopIfTaken = (has_closed: boolean): void => {
      const rest = run.segments.slice(position);
      const [next] = rest;
      if (next === undefined) return;
      // The run claimed its segments when it began, so a claim of another render is newer.
      const is_due = progress.is_last ? isStored(next) || isClaimed(next) : isTaken(next);
      if (rest.every(isStored) || (has_closed && is_due)) stop.abort();
    };
    const beginSegment = (): void => {
      const next = run.segments[position];
      if (next !== undefined) progress.encoding.add(next.index);
    };
    const on_part = (segment: Segment, output: FinalVariant, file: string): void => {
      run_parts.on_part(segment, output, file);
      const outputs = (closed.get(segment.index) ?? 0) + 1;
      closed.set(segment.index, outputs);
      if (outputs < run.outputs.length) return;
      progress.encoding.delete(segment.index);
      position += 1;
      stopIfTaken(true);
      if (!stop.signal.aborted) beginSegment();
      requestHelp();
    };
    const [first] = run.segments;
    if (!progress.is_last && first !== undefined && isTaken(first)) return E.right(undefined);
    beginSegment();
    requestHelp();
    const unsubscribe = [helpers.onChange, claimant.onStored].map((listen) => listen(() => stopIfTaken(false)));
    try {
      const signal = AbortSignal.any([limits.signal, stop.signal]);
      const done = await encodeRun(run, folder, { ...run_parts, on_part }, { ...limits, signal });
      return stop.signal.aborted && !limits.signal.aborted ? E.right(undefined) : done;
    } finally {
      for (const end of unsubscribe) end();
      for (const { index } of run.segments.slice(position)) progress.encoding.delete(index);
    }
  };

/**
 * Encodes the missing parts that no other process delivers meanwhile. When only parts claimed by other renders remain,
 * encodes the second half of each claim here too, so that no render waits. The first stored copy wins. Right: the
 * encoding time in milliseconds.
 */
export const encodeMissing = async (
  { segments, parts, helpers, claimant, fetchParts, ...encoding }: EncodeMissingOptions,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, number>> => {
  const { scene, cores } = encoding;
  const limitsNow = remainingLimits(limits);
  const states = openPartStates(parts, helpers, claimant);
  const { isPresent, isStored, isTaken } = states;
  const progress: Progress = { encoding: new Set(), is_last: false };
  const requests = openHelpRequests({ segments, parts, helpers, scene }, states, progress);
  const encode = encodeUntilTaken({ helpers, claimant }, states, progress, requests.update);
  let number = 0;
  let encoder_ms = 0;
  let last_size = -1;
  for (;;) {
    // The signal is checked here too: if others report every segment as taken, no step below checks it.
    if (limits.signal.aborted) return E.left({ tag: 'cancelled' });
    const missing = segments.filter((segment) => !isPresent(segment));
    if (missing.length === 0) break;
    const stored = missing.filter(isStored);
    if (stored.length > 0) {
      const fetched = await fetchParts(stored, limitsNow());
      if (E.isLeft(fetched)) return fetched;
      for (const segment of stored) if (!isPresent(segment)) states.notFound(segment);
      continue;
    }
    const free = missing.filter((segment) => !isTaken(segment));
    progress.is_last = free.length === 0 || parts.size === last_size;
    last_size = parts.size;
    const own = progress.is_last ? shareOf(missing, states.claimOf, cores) : free;
    const runs = planRuns(scene, own, new Set(parts.keys()), cores);
    for (const run of runs) claimant.claim(run.segments.flatMap(states.missingKeys));
    const done = await encodeVideo({ ...encoding, runs, number, encode }, limitsNow());
    if (E.isLeft(done)) return done;
    encoder_ms += done.right.encoder_ms;
    number = done.right.next;
  }
  requests.end();
  return E.right(encoder_ms);
};
