import type { RecordBatch } from '../event-log/event-log.ts';
import type { TopicPartition } from './topic-partition.ts';

/**
 * `generation` is the one in which the work began. If a newer generation has begun since, the event is ignored, except
 * a failure of a partition that this process kept.
 */
type Work = { readonly key: string; readonly generation: number };

export type ConsumerEvent =
  | { readonly tag: 'assigned'; readonly member_id: string; readonly partitions: readonly TopicPartition[] }
  | { readonly tag: 'rebalancing' | 'heartbeat_answered' | 'crashed' | 'left' }
  | { readonly tag: 'revoked'; readonly key: string }
  | (Work & { readonly tag: 'positioned'; readonly offset: number })
  /** `reason`: why the partition stops; null if the search was given up. */
  | (Work & { readonly tag: 'not_positioned'; readonly reason: string | null })
  /** `is_outside`: the log has no such offset, and `batch` is empty. */
  | { readonly tag: 'fetched'; readonly batch: RecordBatch; readonly is_outside?: boolean }
  | (Work & { readonly tag: 'slow' })
  | (Work & { readonly tag: 'processed'; readonly wanted: number; readonly next: number })
  /** `found`: the first fetched offset; null if the log lacks `wanted`. `start`: the offset to continue at. */
  | (Work & {
      readonly tag: 'realigned';
      readonly wanted: number;
      readonly found: number | null;
      readonly start: number;
    })
  | (Work & { readonly tag: 'failed'; readonly reason: string })
  | { readonly tag: 'committed'; readonly offsets: ReadonlyMap<string, number> }
  | { readonly tag: 'pause' | 'resume'; readonly key: string }
  | { readonly tag: 'seek' | 'restart'; readonly key: string; readonly offset: number }
  | { readonly tag: 'stop'; readonly key: string; readonly reason: string };

export type ConsumerAction =
  /** Aborts the searches of earlier generations. */
  | { readonly tag: 'replace_generation' }
  | { readonly tag: 'announce'; readonly gained: readonly TopicPartition[]; readonly lost: number }
  | { readonly tag: 'pause' | 'resume'; readonly key: string }
  | { readonly tag: 'seek'; readonly key: string; readonly offset: number }
  | { readonly tag: 'commit_soon' }
  /** Calls the subscriber, as `find_position` and `process` do. An event reports the end of each call. */
  | { readonly tag: 'revoke'; readonly key: string }
  | (Work & { readonly tag: 'find_position' })
  | (Work & { readonly tag: 'process'; readonly batch: RecordBatch })
  | (Work & { readonly tag: 'realign'; readonly wanted: number; readonly found: number | null })
  /** This action and the following ones only report to operators. */
  | { readonly tag: 'await_position' | 'end_await' | 'clear_stop'; readonly key: string }
  | { readonly tag: 'report_stop'; readonly key: string; readonly reason: string; readonly offset: number | null }
  | { readonly tag: 'report_restart'; readonly key: string; readonly offset: number }
  | { readonly tag: 'report_realign'; readonly key: string; readonly wanted: number; readonly found: number | null };
