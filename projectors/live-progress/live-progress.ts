import * as E from 'fp-ts/lib/Either.js';
import type { FailedAttempt, WorkerBeat } from '../../domain/dispatch/heartbeats.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import { rejectOnAbort } from '../../platform/process/abortable.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { PartitionTask } from '../../platform/processor/partition-task.ts';
import { type Processor, startProcessor } from '../../platform/processor/processor.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { LiveProgressDocument } from '../../read-models/renders/documents.ts';
import type { LiveProgress } from '../../read-models/renders/live-progress.ts';
import { partitionBounds } from '../checkpoint/checkpoint-fault.ts';

export type TimestampedWorkerBeat = { readonly beat: WorkerBeat /** Append time, ms. */; readonly at: number };

export const progressOf = (beats: readonly TimestampedWorkerBeat[]): readonly LiveProgressDocument[] => {
  const newest = new Map<string, LiveProgressDocument>();
  for (const { beat, at } of beats) {
    for (const { render_id: _id, attempt_id, frames_done, frames_total, stage } of beat.attempts) {
      newest.set(_id, { _id, attempt_id, frames_done, frames_total, stage, at: new Date(at) });
    }
  }
  return [...newest.values()];
};

const TOPIC = 'worker-heartbeats';

/**
 * Saves progress from heartbeats. A failed save is not repeated, because the next heartbeat follows within two seconds.
 *
 * @param countFailed counts each failed attempt once, although several heartbeats report it
 */
export const followProgress = async (
  records: RecordLog,
  progress: Pick<LiveProgress, 'save'>,
  countFailed: (attempts: readonly FailedAttempt[]) => Promise<void>,
  logger: Logger,
  clock: Clock,
): Promise<Pick<Processor<unknown>, 'stop'>> => {
  const warn = throttledWarn(logger);
  return await startProcessor<WorkerBeat, PartitionTask<WorkerBeat>>({
    ...{ records, logger, clock, group: 'live-progress', topic: TOPIC },
    accept: (record) => (record.type === 'WorkerBeat' ? E.right(record) : E.left('no heartbeat of a worker')),
    unknown: 'skip',
    open: async ({ partition, signal }) => ({
      // Older heartbeats do not describe the present.
      start: (await partitionBounds(records.log, TOPIC, partition)).end,
      process: async (entries) => {
        const beats = entries.flatMap((entry) =>
          entry.tag === 'event' ? [{ beat: entry.event, at: entry.record.append_time_ms }] : [],
        );
        const counting = countFailed(beats.flatMap(({ beat }) => beat.failed));
        await rejectOnAbort(signal, counting).catch((error: unknown) =>
          warn({ error }, 'cannot write the cost of failed attempts'),
        );
        const shown = progressOf(beats);
        if (shown.length === 0) return;
        await rejectOnAbort(signal, progress.save(shown)).catch((error: unknown) =>
          warn({ error }, 'cannot write progress'),
        );
      },
    }),
  });
};
