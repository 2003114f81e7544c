import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import type { Appended } from '../../platform/event-log/event-log.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { AnyRecord } from '../../schemas/records.ts';
import type { Headers } from './record-author.ts';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

export type Append = (
  topic: Topic,
  key: string,
  record: AnyRecord,
  options: { readonly headers: Headers; readonly signal: AbortSignal },
) => Promise<Appended | null>;

/**
 * Appends the record until the log acknowledges it, without a limit: a duplicate is harmless, since the fold ignores it.
 * Null once `signal` has aborted; the record may have been appended even then.
 */
export const appendUntilKnown =
  (records: RecordLog, logger: Logger): Append =>
  async (topic, key, record, { headers, signal }) => {
    for (let pause_ms = FIRST_PAUSE_MS; ; pause_ms = Math.min(2 * pause_ms, LONGEST_PAUSE_MS)) {
      if (signal.aborted) return null;
      const appended = await records.append(topic, key, record, { headers });
      if (E.isRight(appended)) return appended.right;
      logger.warn({ topic, key, record: record.type, fault: appended.left }, 'not appended; trying again');
      await wait(pause_ms, undefined, { signal }).catch(() => undefined);
    }
  };
