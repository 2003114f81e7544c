import * as E from 'fp-ts/lib/Either.js';
import type { Logger } from '../../platform/logging/logger.ts';
import { backOff } from '../../platform/process/back-off.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { ProjectionMetrics } from '../checkpoint/projection-metrics.ts';
import type { StatusToPublish } from './status-record.ts';

export type Publish = (partition: number, status: readonly StatusToPublish[], held: AbortSignal) => Promise<void>;

/**
 * Appends to the same partition of the status topic, one after the other: a record is sent only once the one
 * before it is known to be there, because the last one's `source_offset` stands for all before it. A send whose
 * outcome is unknown is repeated too; readers drop the repeat by its `source_offset`.
 */
export const createPublish =
  (records: RecordLog, topic: 'render-status', metrics: ProjectionMetrics, logger: Logger, clock: Clock): Publish =>
  async (partition, status, held) => {
    for (const { record, headers } of status) {
      for (let failures = 0; ; failures++) {
        held.throwIfAborted();
        const appended = await records.append(topic, record.render_id, record, { partition, headers });
        if (E.isRight(appended)) break;
        metrics.publishFailed(topic);
        const { source_offset } = record;
        logger.warn({ topic, partition, source_offset, fault: appended.left }, 'a send failed; it is tried again');
        await backOff(failures, held, clock);
      }
      metrics.published(topic, 1);
    }
  };
