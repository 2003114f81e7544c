import type { HelpWanted, SegmentSpan, WorkerBeat } from '../../../domain/dispatch/heartbeats.ts';
import {
  applyHeartbeat,
  chooseAttemptToHelp,
  containsSegment,
  createHelpBoard,
  helpersOf,
  helpRequestFor,
  isHelperNeeded,
  nextSpanFor,
  ownsSpan,
} from '../../../domain/dispatch/help.ts';
import type { Helpers } from '../../../engine/render/helpers.ts';
import type { Clock } from '../../../platform/process/clock.ts';

type WantingAttempt = Omit<HelpWanted, 'parts_sha256' | 'lacking'>;

export type HelpCoordinator = {
  readonly read: (beats: readonly WorkerBeat[]) => void;
  readonly wanted: () => readonly HelpWanted[];
  readonly open: (attempt: WantingAttempt) => Helpers & { readonly close: () => void };
  readonly toHelp: (not: (attempt_id: string) => boolean) => HelpWanted | null;
  readonly wantedFor: (attempt_id: string) => HelpWanted | null;
  readonly isNeeded: (wanted: HelpWanted) => boolean;
  readonly spanToTake: (
    wanted: HelpWanted,
    film: { readonly frames: readonly number[]; readonly frames_per_s: number },
  ) => SegmentSpan | null;
  readonly isOwn: (attempt_id: string, span: SegmentSpan) => boolean | null;
  readonly onRead: (read: () => void) => () => void;
};

export const openHelpCoordinator = (
  worker_id: string,
  beat: () => void,
  { monotonic }: Pick<Clock, 'monotonic'>,
): HelpCoordinator => {
  const board = createHelpBoard();
  const listeners = new Set<() => void>();
  const wanting = new Map<string, HelpWanted>();
  /** Parts stored by helpers, by attempt of this worker. They stay available after a helper leaves. */
  const stored = new Map<string, Set<number>>();

  const onRead = (read: () => void): (() => void) => {
    listeners.add(read);
    return () => listeners.delete(read);
  };

  const rememberStored = (): void => {
    for (const [attempt_id, segments] of stored)
      for (const helper of helpersOf(board, attempt_id, monotonic()))
        for (const { from, until } of helper.stored)
          for (let index = from; index < until; index += 1) segments.add(index);
  };

  return {
    read: (beats) => {
      for (const one of beats) applyHeartbeat(board, one, monotonic());
      rememberStored();
      for (const read of listeners) read();
    },
    wanted: () => [...wanting.values()],
    open: (attempt) => {
      const { attempt_id } = attempt;
      const segments = new Set<number>();
      stored.set(attempt_id, segments);
      return {
        announceMissing: (parts_sha256, lacking) => {
          const was_wanted = wanting.has(attempt_id);
          if (lacking.length === 0) wanting.delete(attempt_id);
          else wanting.set(attempt_id, { ...attempt, parts_sha256, lacking: [...lacking] });
          if (was_wanted !== wanting.has(attempt_id)) beat();
        },
        isStored: (index) => segments.has(index),
        isTaken: (index) =>
          segments.has(index) ||
          helpersOf(board, attempt_id, monotonic()).some((helper) => containsSegment(helper.taken, index)),
        onChange: onRead,
        close: () => {
          stored.delete(attempt_id);
          if (wanting.delete(attempt_id)) beat();
        },
      };
    },
    toHelp: (not) => chooseAttemptToHelp(board, worker_id, not, monotonic()),
    wantedFor: (attempt_id) => helpRequestFor(board, attempt_id, monotonic()),
    isNeeded: (wanted) => isHelperNeeded(board, wanted, worker_id, monotonic()),
    spanToTake: (wanted, film) => nextSpanFor(board, wanted, worker_id, film, monotonic()),
    isOwn: (attempt_id, span) => ownsSpan(board, attempt_id, worker_id, span, monotonic()),
    onRead,
  };
};
