import type { Appended } from '../../platform/event-log/event-log.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { appendAcknowledged } from '../../platform/records/append-acknowledged.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { AnyRecord } from '../../schemas/any-record.ts';
import type { Headers } from './record-author.ts';

export type RetryingAppend = (
  topic: Topic,
  key: string,
  record: AnyRecord,
  options: {
    readonly headers: Headers;
    readonly signal: AbortSignal;
    readonly partition?: number;
  },
) => Promise<Appended | null>;

/**
 * Retries the append until the log confirms it. Duplicates are harmless, because the fold ignores them. Null after
 * `signal` aborts; the record may be appended even then.
 */
export const appendUntilKnown =
  (records: RecordLog, logger: Logger, clock: Clock): RetryingAppend =>
  async (topic, key, record, { signal, ...at }) => {
    const onFault = (fault: unknown): void =>
      logger.warn({ topic, key, record: record.type, fault }, 'not appended; trying again');
    try {
      const [appended] = await appendAcknowledged(records, [{ topic, key, record, ...at }], {
        signal,
        clock,
        onFault,
      });
      return appended ?? null;
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  };
