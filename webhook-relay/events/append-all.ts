import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import type { WebhookEvent } from '../../domain/webhooks/delivery-events.ts';
import type { Warn } from '../../platform/logging/sparing-warnings.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';

const TOPIC = 'webhook-events';
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
/** They fit into one send, so that none of a later part stands in the log before one of an earlier part. */
const MOST_AT_ONCE = 500;

/** A fact, and the partition of `render-status` that it belongs to. */
export type EventToAppend = {
  readonly partition: number;
  readonly event: WebhookEvent;
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * Appends facts in their order, again and again until the log has them: finding one twice is harmless. False once
 * `stop` has aborted; some may have been appended even then.
 */
export type AppendAll = (events: readonly EventToAppend[], stop: AbortSignal) => Promise<boolean>;

const inParts = (events: readonly EventToAppend[]): readonly (readonly EventToAppend[])[] =>
  Array.from({ length: Math.ceil(events.length / MOST_AT_ONCE) }, (_, index) =>
    events.slice(index * MOST_AT_ONCE, (index + 1) * MOST_AT_ONCE),
  );

export const appendAll = (records: RecordLog, warn: Warn): AppendAll => {
  /** Those that are not known to be in the log. */
  const attempt = async (events: readonly EventToAppend[]): Promise<readonly EventToAppend[]> => {
    const appended = await Promise.all(
      events.map(({ partition, event, headers }) =>
        records.append(TOPIC, event.render_id, event, { partition, headers }),
      ),
    );
    const fault = appended.find(E.isLeft);
    if (fault !== undefined) warn({ reason: fault.left.message }, 'facts were not appended; they are tried again');
    return events.filter((_, index) => appended[index]?._tag !== 'Right');
  };

  const untilAppended = async (events: readonly EventToAppend[], stop: AbortSignal): Promise<boolean> => {
    let missing = events;
    for (let pause_ms = FIRST_PAUSE_MS; !stop.aborted; pause_ms = Math.min(2 * pause_ms, LONGEST_PAUSE_MS)) {
      missing = await attempt(missing);
      if (missing.length === 0) return true;
      await wait(pause_ms, undefined, { signal: stop }).catch(() => undefined);
    }
    return false;
  };

  return async (events, stop) => {
    for (const part of inParts(events)) if (!(await untilAppended(part, stop))) return false;
    return true;
  };
};
