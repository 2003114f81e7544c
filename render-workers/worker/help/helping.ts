import { rm } from 'node:fs/promises';
import * as E from 'fp-ts/lib/Either.js';
import { LRUCache } from 'lru-cache';
import { consecutiveSpans } from '../../../domain/composition/spans-of.ts';
import type { Help, HelpWanted } from '../../../domain/dispatch/heartbeats.ts';
import { encodeForHelpedRender, type HelpInProgress, type HelpRunnerDependencies } from './encode-for.ts';

/** Pause before an attempt that had no parts left is asked again. */
const PAUSE_MS = 5_000;
/** Minimum time between two searches, however many heartbeats arrive. */
const ADJUST_EVERY_MS = 250;
/**
 * Pauses after a fault: before this worker helps any render, and before it helps the same render again. The cause may
 * be this machine, its store or the render.
 */
const FAULT_PAUSE_MS = 30_000;
const FAULTY_FILM_PAUSE_MS = 120_000;
/** Interval of the check whether the render's worker has fallen silent. */
const LOOK_EVERY_MS = 1_000;
const REMEMBERED = 1_000;

/** Encodes parts for other workers, in slots that no attempt needs. */
export type HelpRunner = {
  readonly shown: () => readonly Help[];
  /** Stops the newest help that exceeds the free slots, and starts help if a slot is free. */
  readonly adjust: () => void;
  /** Resolves when no help is running. */
  readonly stop: () => Promise<void>;
};

export const startHelpRunner = (parts: HelpRunnerDependencies): HelpRunner => {
  const { desk, free, beat, clock } = parts;
  const running = new Map<string, HelpInProgress & { readonly ended: Promise<void> }>();
  /** Earliest time of the next try, by attempt. */
  const not_before = new LRUCache<string, number>({ max: REMEMBERED });
  let paused_until = 0;
  let stopped = false;

  const run = async (wanted: HelpWanted, of: HelpInProgress): Promise<void> => {
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
      const ended = await encodeForHelpedRender(parts, wanted, of, own);
      if (E.isRight(ended)) pause_ms = ended.right === 'other_parts' ? Number.POSITIVE_INFINITY : PAUSE_MS;
      if (E.isLeft(ended) && ended.left.tag !== 'cancelled') throw new Error(JSON.stringify(ended.left));
    } catch (error) {
      if (!life.signal.aborted) {
        // Only logged, because the render's own worker encodes the missing parts and reports faults of the render.
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
    const of: HelpInProgress = { life: new AbortController(), taken: [], stored: new Set() };
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
        stored: consecutiveSpans([...stored].sort((a, b) => a - b)),
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
