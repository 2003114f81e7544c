import type { Collection } from 'mongodb';
import type { FailedAttempt } from '../../domain/dispatch/beats.ts';
import type { EventLog, RecordBatch, Subscription } from '../../platform/event-log/event-log.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { sparingWarnings } from '../../platform/logging/sparing-warnings.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { LiveProgressDocument } from '../../read-models/renders/documents.ts';
import { partitionBounds } from '../checkpoint/holding.ts';
import { type DatedBeat, progressOf } from './beats.ts';

const TOPIC = 'worker-heartbeats';

/**
 * Keeps the progress of running attempts in an expiring collection. It may be lost at any time: a beat that could
 * not be written is followed by another two seconds later, and without running attempts nothing is written.
 *
 * @param countFailed adds what failed attempts have cost; those are shown by several beats, and are counted once
 */
export const followProgress = async (
  log: EventLog,
  records: RecordLog,
  collection: Collection<LiveProgressDocument>,
  countFailed: (attempts: readonly FailedAttempt[]) => Promise<void>,
  logger: Logger,
): Promise<Subscription> => {
  const warn = sparingWarnings(logger);
  const beatsOf = async (batch: RecordBatch): Promise<readonly DatedBeat[]> => {
    const beats: DatedBeat[] = [];
    for (const { value, append_time_ms } of batch.records) {
      const decoded = await records.decode(value);
      if (decoded.tag !== 'record' || decoded.record.type !== 'WorkerBeat') continue;
      beats.push({ beat: decoded.record, at: append_time_ms });
    }
    return beats;
  };

  const write = async (progress: readonly LiveProgressDocument[]): Promise<void> => {
    await collection.bulkWrite(
      progress.map(({ _id, ...replacement }) => ({ replaceOne: { filter: { _id }, replacement, upsert: true } })),
      { ordered: false, writeConcern: { w: 1 } },
    );
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
      const progress = progressOf(beats);
      if (progress.length === 0) return;
      await write(progress).catch((error: unknown) => warn({ error }, 'progress could not be written'));
    },
  });
};
