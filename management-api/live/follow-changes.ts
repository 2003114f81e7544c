import { ulid } from 'ulid';
import type { RecordBatch } from '../../platform/event-log/event-log.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retry } from '../../platform/process/retry.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { Listeners } from './listeners.ts';

const STATUS = 'render-status';
const HEARTBEATS = 'worker-heartbeats';
/**
 * At its start, the process reads this many records before the end of each partition. So listeners of a process that
 * has just stopped can resume here.
 */
const RECORDS_BEFORE = 64;
const PARTITIONS_AT_ONCE = 4;
const PAUSE_MS = 1_000;

type Told = Pick<Listeners, 'recent' | 'passed' | 'unreadable' | 'beat' | 'resetAll'>;

/**
 * Reads the changes and the heartbeats for the listeners, as the only member of a new consumer group. Resolves when
 * reading has begun. Rejects if the log is closed before.
 */
export const followChanges = async (
  { log, decode }: Pick<RecordLog, 'log' | 'decode'>,
  listeners: Told,
  logger: Logger,
  clock: Clock,
): Promise<void> => {
  const warn = throttledWarn(logger);
  const closing = new AbortController();
  const boundsOf = (topic: string, partition: number) =>
    retry(
      async () => {
        const bound = (await log.reachableBounds(topic)).find((one) => one.partition === partition);
        if (bound === undefined) throw new Error(`partition ${partition} of ${topic} has no leader`);
        return bound;
      },
      {
        ...{ clock, signal: closing.signal, policy: () => PAUSE_MS },
        onFailure: (error) => warn({ error, topic, partition }, 'waiting for a partition'),
      },
    );

  const position = async (topic: string, partition: number): Promise<number> => {
    const { start, end } = await boundsOf(topic, partition);
    if (topic !== STATUS) return end;
    const next = listeners.recent.nextOf(partition);
    if (next === undefined) {
      const from = Math.max(start, end - RECORDS_BEFORE);
      listeners.recent.begin(partition, from, end);
      return from;
    }
    if (next >= start && next <= end) return next;
    // The position is outside the partition: the log was replaced or has lost records.
    listeners.recent.begin(partition, end, end);
    listeners.resetAll();
    return end;
  };

  const takeStatus = async ({ partition, records }: RecordBatch): Promise<void> => {
    for (const { offset, value } of records) {
      const decoded = await decode(value);
      if (decoded.tag === 'record' && decoded.record.type === 'RenderFactAccepted') {
        const { id: render_id, project_id, team_id, account_id } = decoded.record.render;
        listeners.passed(partition, offset, { partition, offset, render_id, project_id, team_id, account_id });
      } else if (decoded.tag === 'unknown') listeners.unreadable(partition, offset);
      // Poison is never a change.
      else listeners.passed(partition, offset, null);
    }
  };

  const takeHeartbeats = async ({ records }: RecordBatch): Promise<void> => {
    for (const { value } of records) {
      const decoded = await decode(value);
      if (decoded.tag === 'record' && decoded.record.type === 'WorkerBeat') listeners.beat(decoded.record);
    }
  };

  listeners.recent.hasPartitions(
    await retry(() => log.partitions(STATUS), {
      ...{ clock, policy: () => PAUSE_MS },
      onFailure: (error) => warn({ error }, 'waiting for the log'),
    }),
  );
  try {
    await log.follow({
      group: `management-changes-${ulid()}`,
      topics: [STATUS, HEARTBEATS],
      concurrency: PARTITIONS_AT_ONCE,
      position,
      on_batch: (batch) => (batch.topic === STATUS ? takeStatus(batch) : takeHeartbeats(batch)),
    });
  } catch (error) {
    closing.abort();
    throw error;
  }
};
