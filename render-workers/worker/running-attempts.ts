import { STOP_REASONS, type StartAttempt, type StopAttempt } from '../../domain/dispatch/commands.ts';
import type { FailedAttempt, RunningAttempt } from '../../domain/dispatch/heartbeats.ts';
import { withTimeout } from '../../platform/process/within.ts';
import type { Headers } from '../log/record-author.ts';
import { type Attempt, startAttempt } from './attempt.ts';
import { attemptEvents } from './attempt-events.ts';
import type { AttemptDependencies } from './attempt-parts.ts';
import { createCancelledWorkCounter } from './cancelled-work.ts';
import { failedAttempts } from './failed-attempts.ts';

/** Attempt ids to remember, so that repeated commands are recognised. */
const REMEMBERED = 10_000;

export type RunningAttemptsDependencies = Omit<AttemptDependencies, 'spent'> & { readonly slots: number };

type Hooks = {
  readonly isDraining: () => boolean;
  /** Called when an attempt takes a slot. */
  readonly onStart: () => void;
  readonly beat: () => void;
};

export type RunningAttempts = {
  readonly count: () => number;
  readonly busy: () => number;
  readonly shown: () => readonly RunningAttempt[];
  readonly failed: () => readonly FailedAttempt[];
  readonly start: (command: StartAttempt, headers: Headers) => void;
  readonly stop: (command: StopAttempt) => void;
  /** Returns the running attempts to the dispatcher. */
  readonly handBack: () => void;
  /** False if some attempts have not ended within the limit. */
  readonly allEnded: (limit_ms: number) => Promise<boolean>;
  /** Stops the work and the appends of every attempt. */
  readonly abort: () => void;
};

const rememberedIds = () => {
  const known = new Set<string>();
  return {
    has: (attempt_id: string): boolean => known.has(attempt_id),
    add: (attempt_id: string): void => {
      known.add(attempt_id);
      for (const oldest of known) {
        if (known.size <= REMEMBERED) break;
        known.delete(oldest);
      }
    },
  };
};

/**
 * Answers a command that arrives while the worker stops, so that the dispatcher assigns the render to another worker.
 */
const handBackUnstarted = (
  { by, append, logger }: Pick<AttemptDependencies, 'by' | 'append' | 'logger'>,
  command: StartAttempt,
  headers: Headers,
  signal: AbortSignal,
): void => {
  const { render_id, attempt_id } = command;
  const event = attemptEvents(by, command).lost('drained', null);
  append('render-events', render_id, event, { headers, signal }).catch((error: unknown) =>
    logger.error({ render_id, attempt_id, error }, 'an attempt was not handed back'),
  );
};

/** The attempts of this worker, one in each slot. */
export const runningAttempts = (parts: RunningAttemptsDependencies, hooks: Hooks): RunningAttempts => {
  const { slots, logger, clock } = parts;
  const running = new Map<string, Attempt>();
  const known = rememberedIds();
  const failed = failedAttempts(clock.monotonic);
  const wasted = createCancelledWorkCounter(failed.add);
  const life = new AbortController();
  const busy = (): number => [...running.values()].filter((attempt) => attempt.takesSlot()).length;

  return {
    count: () => running.size,
    busy,
    shown: () => [...running.values()].map((attempt) => attempt.shown()),
    failed: failed.shown,
    start: (command, headers) => {
      const { render_id, attempt_id, n } = command;
      if (known.has(attempt_id)) return;
      if (hooks.isDraining()) {
        known.add(attempt_id);
        handBackUnstarted(parts, command, headers, life.signal);
        return;
      }
      if (busy() >= slots) {
        // Appends nothing: the dispatcher notices that no heartbeat lists the attempt.
        logger.warn({ render_id, attempt_id }, 'no slot is free for an attempt');
        return;
      }
      known.add(attempt_id);
      logger.info({ render_id, attempt_id, n }, 'an attempt starts');
      const attempt = startAttempt(command, headers, { ...parts, spent: failed.add }, life.signal, () => hooks.beat());
      running.set(attempt_id, attempt);
      hooks.onStart();
      void attempt.ended.then(() => {
        running.delete(attempt_id);
        wasted.ended(attempt.cost());
        hooks.beat();
      });
      hooks.beat();
    },
    stop: ({ render_id, attempt_id, reason }) => {
      // Marks the attempt as known, so that a StartAttempt that arrives after this command is ignored.
      known.add(attempt_id);
      if (reason === STOP_REASONS.cancelled) wasted.cancelled(attempt_id);
      const attempt = running.get(attempt_id);
      if (attempt === undefined) return;
      logger.info({ render_id, attempt_id, reason }, 'an attempt is stopped');
      attempt.stop();
    },
    handBack: () => {
      for (const attempt of running.values()) attempt.handBack();
    },
    allEnded: async (limit_ms) => {
      const ended = Promise.all(Array.from(running.values(), (attempt) => attempt.ended)).then(() => true);
      return await withTimeout(limit_ms, ended, () => false, clock);
    },
    abort: () => {
      life.abort();
      for (const attempt of running.values()) attempt.stop();
    },
  };
};
