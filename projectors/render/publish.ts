import type { AppendFault } from '../../platform/event-log/event-log.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { appendPrefixTo, type BatchLog } from '../../platform/records/append-first.ts';
import type { ProjectionMetrics } from '../checkpoint/projection-metrics.ts';
import type { RenderMetrics } from './render-metrics.ts';
import type { StatusToPublish } from './status-record.ts';

export type PublishStatus = (
  partition: number,
  status: readonly StatusToPublish[],
  partitionSignal: AbortSignal,
) => Promise<void>;

/**
 * Appends batch by batch to the same partition of the status topic. Each batch waits until the previous one is stored.
 * A failed batch is repeated from its first record. So the `source_offset` of the last record covers all before it (ADR
 * 49). Readers drop repeats by their `source_offset`.
 */
export const createStatusPublisher = (
  records: BatchLog,
  topic: 'render-status',
  { projection: metrics, renders }: { readonly projection: ProjectionMetrics; readonly renders: RenderMetrics },
  logger: Logger,
  clock: Clock,
): PublishStatus => {
  const appendFirst = appendPrefixTo(records, topic);
  return async (partition, status, partitionSignal) => {
    const run = status.map(({ record, headers }) => ({ key: record.render_id, record, headers }));
    for (let begin = 0; begin < run.length; ) {
      const source_offset = status[begin]?.record.source_offset;
      const onFault = (fault: AppendFault): void => {
        metrics.publishFailed(topic);
        logger.warn({ topic, partition, source_offset, fault }, 'a send failed; retrying');
      };
      const { length } = await appendFirst(partition, run.slice(begin), { signal: partitionSignal, clock, onFault });
      metrics.published(topic, length);
      // Counted here and not at the fold, because a rebuild folds published events again without publishing them.
      for (const published of status.slice(begin, begin + length)) renders.accepted(published);
      begin += length;
    }
  };
};
