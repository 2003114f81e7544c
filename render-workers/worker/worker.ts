import { DRAWING_VERSION } from '../../domain/composition/engine-version.ts';
import { traceHeaders } from '../../platform/event-log/trace.ts';
import { withTimeout } from '../../platform/process/within.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { type ImpedimentProbes, watchImpediments } from '../environment/impediments.ts';
import { type DecodedRecord, endOffsets, followTopicFrom } from '../log/topic-follower.ts';
import type { AttemptDependencies } from './attempt-parts.ts';
import { startHeartbeats } from './heartbeats.ts';
import type { HelpRunnerDependencies } from './help/encode-for.ts';
import { type HelpCoordinator, openHelpCoordinator } from './help/help-desk.ts';
import { startHelpRunner } from './help/helping.ts';
import { runningAttempts } from './running-attempts.ts';

const TOPIC = 'render-commands';
const HEARTBEATS = 'worker-heartbeats';
/** Versions of compositions that this engine reads. */
const READ_BY_ENGINE = Array.from({ length: DRAWING_VERSION }, (_, i) => i + 1);
/** Time after the drain deadline to kill the engine and append the outcome. */
const LAST_APPEND_MS = 5_000;

export type WorkerDependencies = Omit<AttemptDependencies, 'spent' | 'impediments' | 'helpDesk'> &
  Pick<HelpRunnerDependencies, 'segments' | 'helped'> & {
    readonly worker_id: string;
    readonly records: RecordLog;
    readonly slots: number;
    readonly probes: ImpedimentProbes;
    /** How long running attempts may continue after `stop`; 0 hands them back at once. */
    readonly drain_ms: number;
  };

export type Worker = {
  readonly running: () => number;
  /** Drains: accepts no attempts, waits for running ones until the deadline, and returns the rest to the dispatcher. */
  readonly stop: () => Promise<void>;
};

/** Follows the commands for this worker, and the heartbeats of all workers. */
const followCommands = async (
  { worker_id, records, logger, clock }: WorkerDependencies,
  onCommands: (commands: readonly DecodedRecord[]) => void,
  helpDesk: HelpCoordinator,
) => {
  const common = { records, unknown: 'skip' as const, logger, clock };
  return await Promise.all([
    followTopicFrom({
      ...common,
      group: `worker-${worker_id}`,
      topic: TOPIC,
      from: await endOffsets(records, TOPIC),
      concerns: ({ key }) => key?.toString() === worker_id,
      on_records: onCommands,
    }),
    followTopicFrom({
      ...common,
      group: `worker-${worker_id}-heartbeats`,
      topic: HEARTBEATS,
      from: await endOffsets(records, HEARTBEATS),
      on_records: (read) => helpDesk.read(read.flatMap(({ record }) => (record.type === 'WorkerBeat' ? [record] : []))),
    }),
  ]);
};

/** Reads the commands addressed to this worker and runs one attempt in each slot. */
export const startWorker = async (parts: WorkerDependencies): Promise<Worker> => {
  const { worker_id, records, slots, logger, clock } = parts;
  let draining = false;
  let beat: () => void = () => undefined;
  const impediments = watchImpediments(parts.probes, () => beat(), logger, clock);
  const helpDesk = openHelpCoordinator(worker_id, () => beat(), clock);
  const attempts = runningAttempts(
    { ...parts, impediments, helpDesk },
    { isDraining: () => draining, onStart: () => helping.adjust(), beat: () => beat() },
  );
  const helping = startHelpRunner({
    ...parts,
    desk: helpDesk,
    free: () => (draining || impediments.shown().length > 0 ? 0 : slots - attempts.busy()),
    beat: () => beat(),
  });

  const onCommands = (commands: readonly DecodedRecord[]): void => {
    for (const { record, source } of commands) {
      if (record.type === 'StartAttempt' && record.worker_id === worker_id)
        attempts.start(record, traceHeaders(source.headers));
      if (record.type === 'StopAttempt' && record.worker_id === worker_id) attempts.stop(record);
    }
  };

  const subscriptions = await followCommands(parts, onCommands, helpDesk);
  await impediments.check('disk');
  // Starts last: a dispatcher that sees a heartbeat may send a command, and this worker must be able to read it.
  const heartbeats = startHeartbeats(
    records,
    worker_id,
    parts.by,
    () => ({
      ...{ draining, failed: attempts.failed(), engines: READ_BY_ENGINE, impediments: impediments.shown() },
      slots: impediments.shown().length > 0 ? 0 : slots,
      attempts: attempts.shown(),
      wanted: helpDesk.wanted(),
      helps: helping.shown(),
    }),
    logger,
    clock,
  );
  beat = heartbeats.now;

  return {
    running: attempts.count,
    stop: async () => {
      draining = true;
      impediments.stop();
      const helped = helping.stop();
      beat();
      if (attempts.count() > 0) logger.info({ running: attempts.count(), drain_ms: parts.drain_ms }, 'draining');
      if (!(await attempts.allEnded(parts.drain_ms))) {
        attempts.handBack();
        await attempts.allEnded(LAST_APPEND_MS);
      }
      attempts.abort();
      await withTimeout(LAST_APPEND_MS, helped, () => undefined, clock);
      await heartbeats.stop();
      for (const subscription of subscriptions) await subscription.stop();
    },
  };
};
