import * as E from 'fp-ts/lib/Either.js';
import type { FinalVariant } from '../../domain/composition/final-composition.ts';
import { spansOf } from '../../domain/composition/spans-of.ts';
import type { Run, Segment } from '../plan/render-plan.ts';
import { runsOf } from '../plan/runs.ts';
import type { EngineFault } from '../process/engine-fault.ts';
import { type ProcessLimits, remainingLimits } from '../process/run-process.ts';
import { hasAllParts, type PartFiles, partKeys } from './cached-parts.ts';
import { encodeRun } from './encode-run.ts';
import { encodeVideo } from './encode-video.ts';
import { framesIn } from './frame-count.ts';
import { type Helpers, partsHash } from './helpers.ts';
import type { Claimant } from './part-claims.ts';

type VideoEncoding = Omit<Parameters<typeof encodeVideo>[0], 'runs' | 'number' | 'encode'>;

export type MissingParts = VideoEncoding & {
  readonly segments: readonly Segment[];
  /** What is there by key; `on_part` adds to it. */
  readonly parts: PartFiles;
  readonly helpers: Helpers;
  /** Among the renders of its account in this process. */
  readonly claimant: Claimant;
  /** Fetches parts of segments from the cache; those that are found are in `parts` then. */
  readonly fetchParts: (segments: readonly Segment[], limits: ProcessLimits) => Promise<E.Either<EngineFault, void>>;
};

/** Less of a film is made before others have fetched what it shows. */
const LEAST_WANTED_S = 10;

/** The back halves of the largest claims: one claim for each core. */
const shareOf = (
  lacking: readonly Segment[],
  claimOf: (segment: Segment) => object | null,
  cores: number,
): readonly Segment[] =>
  [...Map.groupBy(lacking, claimOf).values()]
    .toSorted((one, other) => other.length - one.length)
    .slice(0, cores)
    .flatMap((claimed) => claimed.slice(-Math.ceil(claimed.length / 2)))
    .toSorted((one, other) => one.index - other.index);

/**
 * Encodes all parts that are missing, but those that others bring meanwhile: a run ends where the next of its segments is
 * another one's. Those at which others still are when nothing else is left are encoded here too, the back half of them
 * first, so that nobody waits for anybody; whoever is first counts. Right: the encoding time in milliseconds.
 */
export const encodeMissing = async (
  { segments, parts, helpers, claimant, fetchParts, ...encoding }: MissingParts,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, number>> => {
  const { scene, cores, on_part } = encoding;
  const left = remainingLimits(limits);
  const isThere = hasAllParts(parts);
  /** Said to be stored, and not found. */
  const unfound = new Set<number>();
  const lackedKeys = (segment: Segment): readonly string[] => partKeys(segment).filter((key) => !parts.has(key));
  const lacksOnly = (segment: Segment, those: (key: string) => boolean): boolean => {
    const keys = lackedKeys(segment);
    return keys.length > 0 && keys.every(those);
  };
  const isStored = (segment: Segment): boolean =>
    !unfound.has(segment.index) && (helpers.isStored(segment.index) || lacksOnly(segment, claimant.isStored));
  const isClaimed = (segment: Segment): boolean =>
    lacksOnly(segment, (key) => claimant.isStored(key) || claimant.claimOfAnother(key) !== null);
  const isAnothers = (segment: Segment): boolean =>
    !unfound.has(segment.index) && (helpers.isTaken(segment.index) || isClaimed(segment));
  const claimOf = (segment: Segment): object | null => {
    const [key] = lackedKeys(segment);
    return key === undefined ? null : claimant.claimOfAnother(key);
  };
  /** Segments that runs are at. */
  const begun = new Set<number>();
  const hash = partsHash(segments);
  let is_wanted = false;
  /** Nothing is left but what others are at. */
  let is_last = false;
  let number = 0;
  let encoder_ms = 0;

  const want = (): void => {
    const known = new Set(parts.keys());
    const isKnown = hasAllParts(known);
    // Where nothing else is left, those that are at what is encoded here too go on.
    if (!is_last)
      for (const segment of segments) if (begun.has(segment.index)) for (const key of partKeys(segment)) known.add(key);
    const lacking: Segment[] = [];
    for (const segment of segments) {
      // A helper keeps the segment that it is encoding, even if another render claims it.
      const is_anothers = isStored(segment) || (isClaimed(segment) && !helpers.isTaken(segment.index));
      if (isKnown(segment) || is_anothers) continue;
      lacking.push(segment);
      // A part that occurs again is encoded once.
      for (const key of partKeys(segment)) known.add(key);
    }
    is_wanted ||= framesIn(lacking) * scene.fps.den >= LEAST_WANTED_S * scene.fps.num;
    if (is_wanted) helpers.want(hash, spansOf(lacking.map(({ index }) => index)));
  };

  /** Ends where what comes next is another one's, and at once where all of it is stored. */
  const encode: typeof encodeRun = async (run: Run, folder, own, its) => {
    const stop = new AbortController();
    const closed = new Map<number, number>();
    let at = 0;
    const look = (has_closed: boolean): void => {
      const rest = run.segments.slice(at);
      const [next] = rest;
      if (next === undefined) return;
      // The run claimed its segments as it began: another render has taken over those that it claims now.
      const is_due = is_last ? isStored(next) || isClaimed(next) : isAnothers(next);
      if (rest.every(isStored) || (has_closed && is_due)) stop.abort();
    };
    const enter = (): void => {
      const next = run.segments[at];
      if (next !== undefined) begun.add(next.index);
    };
    const part = (segment: Segment, output: FinalVariant, file: string): void => {
      own.on_part(segment, output, file);
      const outputs = (closed.get(segment.index) ?? 0) + 1;
      closed.set(segment.index, outputs);
      if (outputs < run.outputs.length) return;
      begun.delete(segment.index);
      at += 1;
      look(true);
      if (!stop.signal.aborted) enter();
      want();
    };
    const [first] = run.segments;
    if (!is_last && first !== undefined && isAnothers(first)) return E.right(undefined);
    enter();
    want();
    const endings = [helpers.onChange, claimant.onStored].map((listen) => listen(() => look(false)));
    try {
      const signal = AbortSignal.any([its.signal, stop.signal]);
      const done = await encodeRun(run, folder, { ...own, on_part: part }, { ...its, signal });
      return stop.signal.aborted && !its.signal.aborted ? E.right(undefined) : done;
    } finally {
      for (const end of endings) end();
      for (const { index } of run.segments.slice(at)) begun.delete(index);
    }
  };

  let there = -1;
  for (;;) {
    // Also where nothing below would look: others may be said to be at everything.
    if (limits.signal.aborted) return E.left({ tag: 'cancelled' });
    const lacking = segments.filter((segment) => !isThere(segment));
    if (lacking.length === 0) break;
    const stored = lacking.filter(isStored);
    if (stored.length > 0) {
      const fetched = await fetchParts(stored, left());
      if (E.isLeft(fetched)) return fetched;
      for (const segment of stored) if (!isThere(segment)) unfound.add(segment.index);
      continue;
    }
    const free = lacking.filter((segment) => !isAnothers(segment));
    is_last = free.length === 0 || parts.size === there;
    there = parts.size;
    const own = is_last ? shareOf(lacking, claimOf, cores) : free;
    const runs = runsOf(scene, own, new Set(parts.keys()), cores);
    for (const run of runs) claimant.claim(run.segments.flatMap(lackedKeys));
    const done = await encodeVideo({ ...encoding, runs, number, encode, on_part }, left());
    if (E.isLeft(done)) return done;
    encoder_ms += done.right.encoder_ms;
    number = done.right.next;
  }
  helpers.want(hash, []);
  return E.right(encoder_ms);
};
