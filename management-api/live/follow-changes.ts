import { ulid } from 'ulid';
import { isWebhookEvent } from '../../domain/webhooks/delivery-events.ts';
import type { RecordBatch } from '../../platform/event-log/event-log.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retry } from '../../platform/process/retry.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { CatalogueChanges } from './catalogue-changes.ts';
import type { DeliveryChanges } from './delivery-changes.ts';
import type { Listeners } from './listeners.ts';

const STATUS = 'render-status';
const HEARTBEATS = 'worker-heartbeats';
const CATALOGUE = 'catalogue-events';
const WEBHOOKS = 'webhook-events';
/**
 * At its start, the process reads this many records before the end of each partition. So listeners of a process that
 * has just stopped can resume here.
 */
const RECORDS_BEFORE = 64;
const PARTITIONS_AT_ONCE = 4;
const PAUSE_MS = 1_000;

export type FollowChangesDependencies = {
  readonly listeners: Pick<Listeners, 'recent' | 'passed' | 'unreadable' | 'beat' | 'resetAll'>;
  readonly catalogue: Pick<CatalogueChanges, 'appended'>;
  readonly deliveries: Pick<DeliveryChanges, 'appended'>;
  readonly logger: Logger;
  readonly clock: Clock;
};

/**
 * Reads the changes and the heartbeats for the listeners, without a shared consumer group. Resolves when reading has
 * begun. Rejects if the log is closed before.
 */
export const followChanges = async (
  { log, decode }: Pick<RecordLog, 'log' | 'decode'>,
  { listeners, catalogue, deliveries, logger, clock }: FollowChangesDependencies,
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

  /** The next offset of each partition of the topics without resumable positions. */
  const reached = new Map<string, number>();
  const keyOf = (topic: string, partition: number): string => `${topic}/${partition}`;

  const position = async (topic: string, partition: number): Promise<number> => {
    const { start, end } = await boundsOf(topic, partition);
    if (topic !== STATUS) {
      const next = reached.get(keyOf(topic, partition));
      return next !== undefined && next >= start && next <= end ? next : end;
    }
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

  const takeWebhooks = async ({ records }: RecordBatch): Promise<void> => {
    for (const { value } of records) {
      const decoded = await decode(value);
      if (decoded.tag === 'record' && isWebhookEvent(decoded.record)) deliveries.appended(decoded.record);
    }
  };

  const take = async (batch: RecordBatch): Promise<void> => {
    if (batch.topic === STATUS) return await takeStatus(batch);
    if (batch.topic === HEARTBEATS) await takeHeartbeats(batch);
    else if (batch.topic === WEBHOOKS) await takeWebhooks(batch);
    else for (const { offset } of batch.records) catalogue.appended(offset);
    const last = batch.records.at(-1);
    if (last !== undefined) reached.set(keyOf(batch.topic, batch.partition), last.offset + 1);
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
      topics: [STATUS, HEARTBEATS, CATALOGUE, WEBHOOKS],
      concurrency: PARTITIONS_AT_ONCE,
      position,
      on_batch: take,
    });
  } catch (error) {
    closing.abort();
    throw error;
  }
};
