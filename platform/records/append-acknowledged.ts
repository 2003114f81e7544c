import * as E from 'fp-ts/lib/Either.js';
import type { AnyRecord } from '../../schemas/any-record.ts';
import type { Appended, AppendFault } from '../event-log/event-log.ts';
import type { Topic } from '../event-log/topics.ts';
import type { Clock } from '../process/clock.ts';
import { retry } from '../process/retry.ts';
import type { RecordLog } from './record-log.ts';

export type RecordToAppend = {
  readonly topic: Topic;
  readonly key: string;
  readonly record: AnyRecord;
  readonly partition?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

export type AcknowledgedOptions = {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly onFault: (fault: AppendFault) => void;
};

class NotAcknowledged extends Error {
  override readonly name = 'NotAcknowledged';
}

/** Rejects when `signal` aborts; the record may have been appended even then. */
export const retryUntilAcknowledged = async (
  append: () => Promise<AppendFault | null>,
  { signal, clock, onFault }: AcknowledgedOptions,
): Promise<void> => {
  const appendOnce = async (): Promise<void> => {
    signal.throwIfAborted();
    const fault = await append();
    if (fault === null) return;
    onFault(fault);
    throw new NotAcknowledged(fault.message);
  };
  await retry(appendOnce, { signal, clock, isTransient: (error) => error instanceof NotAcknowledged });
};

/**
 * Retries records that the log has not acknowledged, without a limit, so a reader must tolerate duplicates. Rejects
 * when `signal` aborts; some records may have been appended even then.
 */
export const appendAcknowledged = async (
  records: Pick<RecordLog, 'append'>,
  all: readonly RecordToAppend[],
  options: AcknowledgedOptions,
): Promise<readonly Appended[]> => {
  const acknowledged: Appended[] = [];
  let missing = all.map((request, index) => ({ request, index }));
  const appendMissing = async (): Promise<AppendFault | null> => {
    const outcomes = await Promise.all(
      missing.map(async (one) => {
        const { topic, key, record, ...options } = one.request;
        return { one, appended: await records.append(topic, key, record, options) };
      }),
    );
    const faults: AppendFault[] = [];
    missing = outcomes.flatMap(({ one, appended }) => {
      if (E.isLeft(appended)) {
        faults.push(appended.left);
        return [one];
      }
      acknowledged[one.index] = appended.right;
      return [];
    });
    return faults[0] ?? null;
  };
  await retryUntilAcknowledged(appendMissing, options);
  return acknowledged;
};
