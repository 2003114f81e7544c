import type { WebhookEndpointDisabled } from '../../domain/catalogue/events.ts';
import { subjectOf } from '../../domain/catalogue/subject.ts';
import { type DisabledReason, enabledSince, type WebhookEndpoint } from '../../domain/webhooks/endpoint.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { appendAcknowledged } from '../../platform/records/append-acknowledged.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';

/**
 * Appends the event that disables an endpoint, and retries until it is acknowledged. The fold ignores the event if the
 * endpoint was enabled again. Rejects once `stop` aborts.
 */
export const disableEndpoint =
  (records: Pick<RecordLog, 'append'>, actor: string, warn: Warn, clock: Clock) =>
  async (endpoint: WebhookEndpoint, reason: DisabledReason, stop: AbortSignal): Promise<void> => {
    const record: WebhookEndpointDisabled = {
      type: 'WebhookEndpointDisabled',
      meta: { event_id: mintUlid(), occurred_at: clock.now(), actor, causation_id: null, correlation_id: null },
      rules: 0,
      endpoint_id: endpoint.id,
      reason,
      enabled_since: enabledSince(endpoint),
    };
    await appendAcknowledged(records, [{ topic: 'catalogue-events', key: subjectOf(record), record, partition: 0 }], {
      signal: stop,
      clock,
      onFault: ({ message }) => warn({ endpoint_id: endpoint.id, reason: message }, 'an endpoint is not disabled yet'),
    });
  };
