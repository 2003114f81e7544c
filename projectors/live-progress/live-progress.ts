import type { FailedAttempt } from '../../domain/dispatch/heartbeats.ts';
import type { EventLog, RecordBatch, Subscription } from '../../platform/event-log/event-log.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { sparingWarnings } from '../../platform/logging/sparing-warnings.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { LiveProgress } from '../../read-models/renders/live-progress.ts';
import { partitionBounds } from '../checkpoint/checkpoint-fault.ts';
import { type DatedHeartbeat, progressOf } from './heartbeats.ts';

const TOPIC = 'worker-heartbeats';

/**
 * Keeps the progress of running attempts in an expiring collection. It may be lost at any time: a heartbeat that could
 * not be written is followed by another two seconds later, and without running attempts nothing is written.
 *
 * @param countFailed adds what failed attempts have cost; those are shown by several heartbeats, and are counted once
 */
export const followProgress = async (
  log: EventLog,
  records: RecordLog,
  progress: Pick<LiveProgress, 'save'>,
  countFailed: (attempts: readonly FailedAttempt[]) => Promise<void>,
  logger: Logger,
): Promise<Subscription> => {
  const warn = sparingWarnings(logger);
  const beatsOf = async (batch: RecordBatch): Promise<readonly DatedHeartbeat[]> => {
    const beats: DatedHeartbeat[] = [];
    for (const { value, append_time_ms } of batch.records) {
      const decoded = await records.decode(value);
      if (decoded.tag !== 'record' || decoded.record.type !== 'WorkerBeat') continue;
      beats.push({ beat: decoded.record, at: append_time_ms });
    }
    return beats;
  };

  return await log.subscribe({
    group: 'live-progress',
    topics: [TOPIC],
    position: async (topic, partition) => (await partitionBounds(log, topic, partition)).end,
    on_batch: async (batch) => {
      const beats = await beatsOf(batch);
      await countFailed(beats.flatMap(({ beat }) => beat.failed)).catch((error: unknown) =>
        warn({ error }, 'what failed attempts have cost could not be written'),
      );
      const shown = progressOf(beats);
      if (shown.length === 0) return;
      await progress.save(shown).catch((error: unknown) => warn({ error }, 'progress could not be written'));
    },
  });
};
