import { rm } from 'node:fs/promises';
import * as E from 'fp-ts/lib/Either.js';
import { LRUCache } from 'lru-cache';
import { spansOf } from '../../../domain/composition/spans-of.ts';
import type { Help, HelpWanted, SegmentSpan } from '../../../domain/dispatch/heartbeats.ts';
import { type HelpResult, helpComposition } from '../../../engine/help-composition.ts';
import type { Segment } from '../../../engine/plan/render-plan.ts';
import type { EngineFault } from '../../../engine/process/engine-fault.ts';
import { mintUlid } from '../../../platform/identity/mint-ulid.ts';
import { usedPartsPath } from '../../../schemas/blobs/paths.ts';
import { requireFreeSpace } from '../../environment/infrastructure-fault.ts';
import type { AttemptParts } from '../attempt.ts';
import { budgetMs } from '../budget.ts';
import { finalCompositionOf } from '../final-composition.ts';
import { notedCache } from '../segments/noted-cache.ts';
import type { SegmentCaches } from '../segments/segment-caches.ts';
import type { HelpDesk } from './help-desk.ts';

/** Time limit for reading this worker's own claim back from the log. A claim counts only after that. */
const READ_BACK_MS = 5_000;
/** Pause before an attempt that had no parts left is asked again. */
const PAUSE_MS = 5_000;
/** Minimum time between two searches, however many heartbeats arrive. */
const ADJUST_EVERY_MS = 250;
/** Pauses after a fault. The cause may be this machine or its store, or the render, which its own worker reports. */
const FAULT_PAUSE_MS = 30_000;
const FAULTY_FILM_PAUSE_MS = 120_000;
/** Interval of the check whether the render's worker has fallen silent. */
const LOOK_EVERY_MS = 1_000;
const REMEMBERED = 1_000;

type OfAttempts =
  | ('assets' | 'blobs' | 'folder' | 'ffmpeg_path' | 'ffprobe_path')
  | ('sandbox' | 'least_free_bytes' | 'cores' | 'logger' | 'clock');

export type HelpingParts = Pick<AttemptParts, OfAttempts> & {
  readonly desk: HelpDesk;
  readonly segments: Pick<SegmentCaches, 'shared'>;
  /** Slots that are free for help; 0 while this worker takes no new work. */
  readonly free: () => number;
  /** Sends a heartbeat at once. */
  readonly beat: () => void;
  /** Called with the number of segments that were encoded for other workers. */
  readonly helped: (segments: number) => void;
};

/** Encodes parts for other workers, in slots that no attempt needs. */
export type Helping = {
  /** The help that this worker's heartbeats report. */
  readonly shown: () => readonly Help[];
  /** Stops the newest help that exceeds the free slots, and starts help if a slot is free. */
  readonly adjust: () => void;
  /** Resolves when no help is in progress. */
  readonly stop: () => Promise<void>;
};

type Running = {
  readonly life: AbortController;
  readonly taken: SegmentSpan[];
  readonly stored: Set<number>;
  readonly ended: Promise<void>;
};

export const startHelping = (parts: HelpingParts): Helping => {
  const { desk, free, beat, clock } = parts;
  const running = new Map<string, Running>();
  /** Earliest time of the next try, by attempt. */
  const not_before = new LRUCache<string, number>({ max: REMEMBERED });
  let paused_until = 0;
  let stopped = false;

  /** Waits for heartbeats until there is an answer; null after the time limit. */
  const readBack = async <A>(answer: () => A | null, signal: AbortSignal): Promise<A | null> => {
    const { promise, resolve } = Promise.withResolvers<A | null>();
    const look = (): void => {
      const found = answer();
      if (found !== null) resolve(found);
    };
    const none = (): void => resolve(null);
    const endReading = desk.onRead(look);
    const endWaiting = clock.after(READ_BACK_MS, none);
    signal.addEventListener('abort', none, { once: true });
    if (signal.aborted) none();
    look();
    try {
      return await promise;
    } finally {
      endReading();
      endWaiting();
      signal.removeEventListener('abort', none);
    }
  };

  const takeNext = async (
    attempt_id: string,
    { taken, life: { signal } }: Pick<Running, 'taken' | 'life'>,
    frames: readonly number[],
    frames_per_s: number,
  ): Promise<SegmentSpan | null> => {
    while (!signal.aborted) {
      const wanted = desk.wantedFor(attempt_id);
      const span = wanted === null ? null : desk.spanToTake(wanted, { frames, frames_per_s });
      if (span === null) return null;
      taken.push(span);
      beat();
      const is_own = await readBack(() => desk.isOwn(attempt_id, span), signal);
      if (is_own === true) {
        parts.logger.info({ attempt_id, ...span }, 'segments of the film of another worker are encoded here');
        return span;
      }
      taken.splice(taken.indexOf(span), 1);
      beat();
      if (is_own === null) return null;
    }
    return null;
  };

  const help = async (
    wanted: HelpWanted,
    of: Omit<Running, 'ended'>,
    own: string,
  ): Promise<E.Either<EngineFault, HelpResult>> => {
    const { render_id, attempt_id, account_id, project_id } = wanted;
    const { signal } = of.life;
    const needed = await readBack(
      () => (desk.wantedFor(attempt_id) === null ? false : desk.isNeeded(wanted) || null),
      signal,
    );
    if (needed !== true) return E.right('nothing_left');
    // Evicts nothing: help must not remove files that attempts use on this disk.
    await requireFreeSpace(own, async () => undefined, parts.least_free_bytes);
    const final = finalCompositionOf(await parts.blobs.getPayload(wanted.composition, signal));
    const assets = await parts.assets.provide({ project_id, render_id }, final.assets, own, signal);
    // A new path each time, so that earlier notes remain.
    const used = usedPartsPath(render_id, `help-${mintUlid()}`);
    return await helpComposition({
      ...{ final, assets, work_dir: own, ffmpeg_path: parts.ffmpeg_path, ffprobe_path: parts.ffprobe_path },
      ...{ sandbox: parts.sandbox, cores: parts.cores, owner: account_id, signal, budget_ms: budgetMs(final) },
      cache: notedCache(parts.segments.shared(account_id), (keys) =>
        parts.blobs.writeText(used, JSON.stringify(keys), signal),
      ),
      parts_sha256: wanted.parts_sha256,
      take: (segments: readonly Segment[], fps) =>
        takeNext(
          attempt_id,
          of,
          segments.map(({ from, until }) => until - from),
          fps.num / fps.den,
        ),
      stored: (segment) => {
        if (of.stored.has(segment)) return;
        of.stored.add(segment);
        parts.helped(1);
        beat();
      },
    });
  };

  const run = async (wanted: HelpWanted, of: Omit<Running, 'ended'>): Promise<void> => {
    const { render_id, attempt_id } = wanted;
    const logger = parts.logger.child({ render_id, attempt_id });
    const { life } = of;
    const look = (): void => {
      if ((desk.wantedFor(attempt_id)?.lacking ?? []).length === 0) life.abort();
    };
    const endReading = desk.onRead(look);
    const endLooking = clock.every(LOOK_EVERY_MS, look);
    let own: string | null = null;
    let pause_ms = 0;
    try {
      own = await parts.folder.render('help');
      const ended = await help(wanted, of, own);
      if (E.isRight(ended)) pause_ms = ended.right === 'other_parts' ? Number.POSITIVE_INFINITY : PAUSE_MS;
      if (E.isLeft(ended) && ended.left.tag !== 'cancelled') throw new Error(JSON.stringify(ended.left));
    } catch (error) {
      if (!life.signal.aborted) {
        // The render's own worker encodes the missing parts and reports faults of the render.
        logger.warn({ error }, 'parts for another worker could not be encoded');
        pause_ms = FAULTY_FILM_PAUSE_MS;
        paused_until = clock.monotonic() + FAULT_PAUSE_MS;
      }
    }
    endReading();
    endLooking();
    if (own !== null) await rm(own, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
    logger.info({ segments: of.stored.size }, 'helped another worker');
    not_before.set(attempt_id, clock.monotonic() + pause_ms);
  };

  const begin = (wanted: HelpWanted): void => {
    const { attempt_id } = wanted;
    const of = { life: new AbortController(), taken: [], stored: new Set<number>() };
    const ended = run(wanted, of).finally(() => {
      running.delete(attempt_id);
      beat();
      adjust();
    });
    running.set(attempt_id, { ...of, ended });
    beat();
  };

  const isOut = (attempt_id: string): boolean =>
    running.has(attempt_id) || (not_before.get(attempt_id) ?? 0) > clock.monotonic();

  const adjust = (): void => {
    const room = stopped ? 0 : Math.max(0, free());
    const more = [...running.values()].filter(({ life }) => !life.signal.aborted);
    for (const { life } of more.slice(room)) life.abort();
    if (running.size >= room || clock.monotonic() < paused_until) return;
    const wanted = desk.toHelp(isOut);
    if (wanted !== null) begin(wanted);
  };
  let adjusted_at = Number.NEGATIVE_INFINITY;
  const endReading = desk.onRead(() => {
    if (clock.monotonic() - adjusted_at < ADJUST_EVERY_MS) return;
    adjusted_at = clock.monotonic();
    adjust();
  });

  return {
    shown: () =>
      Array.from(running, ([attempt_id, { taken, stored }]) => ({
        attempt_id,
        taken: [...taken],
        stored: spansOf([...stored].sort((a, b) => a - b)),
      })),
    adjust,
    stop: async () => {
      stopped = true;
      endReading();
      for (const { life } of running.values()) life.abort();
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
};
