import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import type { WebhookEndpointDisabled } from '../../domain/catalogue/events.ts';
import { type DisabledReason, enabledSince, type WebhookEndpoint } from '../../domain/webhooks/endpoint.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import type { Warn } from '../../platform/logging/sparing-warnings.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';

const RETRY_MS = 1_000;

/**
 * Says in the log of the catalogue that an endpoint is disabled, again and again until it stands there. Where somebody
 * has enabled the endpoint since it was seen so, that is ignored. Rejects once `stop` aborts.
 *
 * @param actor `relay:…`
 */
export const disableEndpoint =
  (records: RecordLog, actor: string, warn: Warn) =>
  async (endpoint: WebhookEndpoint, reason: DisabledReason, stop: AbortSignal): Promise<void> => {
    const event: WebhookEndpointDisabled = {
      type: 'WebhookEndpointDisabled',
      meta: { event_id: mintUlid(), occurred_at: Date.now(), actor, causation_id: null, correlation_id: null },
      endpoint_id: endpoint.id,
      reason,
      enabled_since: enabledSince(endpoint),
    };
    for (;;) {
      stop.throwIfAborted();
      const appended = await records.append('catalogue-events', 'catalogue', event, { partition: 0 });
      if (E.isRight(appended)) return;
      warn({ endpoint_id: endpoint.id, reason: appended.left.message }, 'an endpoint is not disabled yet');
      await wait(RETRY_MS, undefined, { signal: stop });
    }
  };
