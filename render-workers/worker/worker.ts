import { ENGINE_VERSION } from '../../domain/composition/engine-version.ts';
import { STOP_REASONS, type StartAttempt, type StopAttempt } from '../../domain/dispatch/commands.ts';
import { traceOf } from '../../platform/event-log/trace.ts';
import { within } from '../../platform/process/within.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { type Probes, watchImpediments } from '../environment/impediments.ts';
import type { Headers } from '../log/record-author.ts';
import { endsOf, followFrom, type ReadRecord } from '../log/topic-follower.ts';
import { type Attempt, type AttemptParts, startAttempt } from './attempt.ts';
import { attemptEvents } from './attempt-events.ts';
import { cancelledWork } from './cancelled-work.ts';
import { failedAttempts } from './failed-attempts.ts';
import { startHeartbeats } from './heartbeats.ts';
import { openHelpDesk } from './help/help-desk.ts';
import { type HelpingParts, startHelping } from './help/helping.ts';

const TOPIC = 'render-commands';
const HEARTBEATS = 'worker-heartbeats';
/** Versions of compositions that this engine reads. */
const READ_BY_ENGINE = Array.from({ length: ENGINE_VERSION }, (_, i) => i + 1);
/** Attempt ids to remember, so that repeated commands are recognised. */
const REMEMBERED = 10_000;
/** Time after the drain deadline to kill the engine and append the outcome. */
const LAST_APPEND_MS = 5_000;

export type WorkerParts = Omit<AttemptParts, 'spent' | 'impediments' | 'helpDesk'> &
  Pick<HelpingParts, 'segments' | 'helped'> & {
    readonly worker_id: string;
    readonly records: RecordLog;
    readonly slots: number;
    /** Detects impediments of this machine. */
    readonly probes: Probes;
    /** How long running attempts may continue after `stop`; 0 hands them back at once. */
    readonly drain_ms: number;
  };

export type Worker = {
  readonly running: () => number;
  /** Drains: accepts no attempts, waits for running ones until the deadline, and returns the rest to the dispatcher. */
  readonly stop: () => Promise<void>;
};

/** Reads the commands addressed to this worker and runs one attempt in each slot. */
export const startWorker = async (parts: WorkerParts): Promise<Worker> => {
  const { worker_id, records, slots, logger, clock } = parts;
  const running = new Map<string, Attempt>();
  const known = new Set<string>();
  const failed = failedAttempts(clock.monotonic);
  const wasted = cancelledWork(failed.add);
  const life = new AbortController();
  let draining = false;
  let beat: () => void = () => undefined;
  const impediments = watchImpediments(parts.probes, () => beat(), logger, clock);
  const helpDesk = openHelpDesk(worker_id, () => beat(), clock);
  const busy = (): number => [...running.values()].filter((attempt) => attempt.takesSlot()).length;
  const helping = startHelping({
    ...parts,
    desk: helpDesk,
    free: () => (draining || impediments.shown().length > 0 ? 0 : slots - busy()),
    beat: () => beat(),
  });

  const remember = (attempt_id: string): void => {
    known.add(attempt_id);
    for (const oldest of known) {
      if (known.size <= REMEMBERED) break;
      known.delete(oldest);
    }
  };

  const start = (command: StartAttempt, headers: Headers): void => {
    const { render_id, attempt_id, n } = command;
    if (known.has(attempt_id)) return;
    if (draining) {
      remember(attempt_id);
      const event = attemptEvents(parts.by, command).lost('drained', null);
      parts
        .append('render-events', render_id, event, { headers, signal: life.signal })
        .catch((error: unknown) => logger.error({ render_id, attempt_id, error }, 'an attempt was not handed back'));
      return;
    }
    if (busy() >= slots) {
      // The dispatcher notices that no heartbeat lists the attempt.
      logger.warn({ render_id, attempt_id }, 'no slot is free for an attempt');
      return;
    }
    remember(attempt_id);
    logger.info({ render_id, attempt_id, n }, 'an attempt starts');
    const attempt = startAttempt(
      command,
      headers,
      { ...parts, impediments, helpDesk, spent: failed.add },
      life.signal,
      () => beat(),
    );
    running.set(attempt_id, attempt);
    helping.adjust();
    void attempt.ended.then(() => {
      running.delete(attempt_id);
      wasted.ended(attempt.cost());
      beat();
    });
    beat();
  };

  const stop = ({ render_id, attempt_id, reason }: StopAttempt): void => {
    // A StartAttempt that arrives after this command is too late.
    remember(attempt_id);
    if (reason === STOP_REASONS.cancelled) wasted.cancelled(attempt_id);
    const attempt = running.get(attempt_id);
    if (attempt === undefined) return;
    logger.info({ render_id, attempt_id, reason }, 'an attempt is stopped');
    attempt.stop();
  };

  const onCommands = (commands: readonly ReadRecord[]): void => {
    for (const { record, source } of commands) {
      if (record.type === 'StartAttempt' && record.worker_id === worker_id) start(record, traceOf(source.headers));
      if (record.type === 'StopAttempt' && record.worker_id === worker_id) stop(record);
    }
  };

  const common = { records, unknown: 'skip' as const, logger, clock };
  const subscriptions = await Promise.all([
    followFrom({
      ...common,
      group: `worker-${worker_id}`,
      topic: TOPIC,
      from: await endsOf(records, TOPIC),
      concerns: ({ key }) => key?.toString() === worker_id,
      on_records: onCommands,
    }),
    followFrom({
      ...common,
      group: `worker-${worker_id}-heartbeats`,
      topic: HEARTBEATS,
      from: await endsOf(records, HEARTBEATS),
      on_records: (read) => helpDesk.read(read.flatMap(({ record }) => (record.type === 'WorkerBeat' ? [record] : []))),
    }),
  ]);
  await impediments.check('disk');
  // Starts last: a dispatcher that sees a heartbeat may send a command, and this worker must be able to read it.
  const heartbeats = startHeartbeats(
    records,
    worker_id,
    parts.by,
    () => ({
      ...{ draining, failed: failed.shown(), engines: READ_BY_ENGINE, impediments: impediments.shown() },
      slots: impediments.shown().length > 0 ? 0 : slots,
      attempts: [...running.values()].map((attempt) => attempt.shown()),
      wanted: helpDesk.wanted(),
      helps: helping.shown(),
    }),
    logger,
    clock,
  );
  beat = heartbeats.now;

  const allEnded = async (limit_ms: number): Promise<boolean> => {
    const ended = Promise.all([...running.values()].map((attempt) => attempt.ended));
    const late = (): boolean => false;
    return await within(
      limit_ms,
      ended.then(() => true),
      late,
      clock,
    );
  };

  return {
    running: () => running.size,
    stop: async () => {
      draining = true;
      impediments.stop();
      const helped = helping.stop();
      beat();
      if (running.size > 0) logger.info({ running: running.size, drain_ms: parts.drain_ms }, 'draining');
      if (!(await allEnded(parts.drain_ms))) {
        for (const attempt of running.values()) attempt.handBack();
        await allEnded(LAST_APPEND_MS);
      }
      life.abort();
      for (const attempt of running.values()) attempt.stop();
      await within(LAST_APPEND_MS, helped, () => undefined, clock);
      await heartbeats.stop();
      for (const subscription of subscriptions) await subscription.stop();
    },
  };
};
