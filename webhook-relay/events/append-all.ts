import type { WebhookEvent } from '../../domain/webhooks/delivery-events.ts';
import type { Warn } from '../../platform/logging/sparing-warnings.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { appendAcknowledged } from '../../platform/records/append-acknowledged.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';

/** They fit into one send, so that none of a later part stands in the log before one of an earlier part. */
const MOST_AT_ONCE = 500;

/** An event, and the partition of `render-status` that it belongs to. */
export type EventToAppend = {
  readonly partition: number;
  readonly event: WebhookEvent;
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * Appends events in their order, again and again until the log has them: finding one twice is harmless. False once
 * `stop` has aborted; some may have been appended even then.
 */
export type AppendAll = (events: readonly EventToAppend[], stop: AbortSignal) => Promise<boolean>;

export const appendAll = (records: RecordLog, warn: Warn, clock: Clock): AppendAll => {
  const onFault = ({ message: reason }: { readonly message: string }): void =>
    warn({ reason }, 'events were not appended; they are tried again');
  return async (events, signal) => {
    const requests = events.map(
      ({ event, ...at }) => ({ topic: 'webhook-events', key: event.render_id, record: event, ...at }) as const,
    );
    try {
      for (let from = 0; from < requests.length; from += MOST_AT_ONCE) {
        await appendAcknowledged(records, requests.slice(from, from + MOST_AT_ONCE), { signal, clock, onFault });
      }
      return !signal.aborted;
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
  };
};
