import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { appendAcknowledged } from '../../platform/records/append-acknowledged.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { ProjectionMetrics } from '../checkpoint/projection-metrics.ts';
import type { RenderMetrics } from './render-metrics.ts';
import type { StatusToPublish } from './status-record.ts';

export type Publish = (partition: number, status: readonly StatusToPublish[], held: AbortSignal) => Promise<void>;

/**
 * Appends to the same partition of the status topic, one after the other: a record is sent only once the one
 * before it is known to be there, because the last one's `source_offset` stands for all before it. A send whose
 * outcome is unknown is repeated too; readers drop the repeat by its `source_offset`.
 */
export const createPublish =
  (
    records: RecordLog,
    topic: 'render-status',
    { projection: metrics, renders }: { readonly projection: ProjectionMetrics; readonly renders: RenderMetrics },
    logger: Logger,
    clock: Clock,
  ): Publish =>
  async (partition, status, held) => {
    for (const published of status) {
      const { record, headers } = published;
      const { render_id: key, source_offset } = record;
      const onFault = (fault: unknown): void => {
        metrics.publishFailed(topic);
        logger.warn({ topic, partition, source_offset, fault }, 'a send failed; it is tried again');
      };
      const request = { topic, key, record, partition, headers };
      await appendAcknowledged(records, [request], { signal: held, clock, onFault });
      metrics.published(topic, 1);
      // Here alone: what is folded again in a rebuild was published before, and is not published again.
      renders.accepted(published);
    }
  };
