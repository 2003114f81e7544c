import { LRUCache } from 'lru-cache';
import { enabledSince, type WebhookEndpoint } from '../../domain/webhooks/endpoint.ts';
import { messageOf } from '../../platform/logging/message-of.ts';
import type { OwnReason, QueueParts } from './parts.ts';

/** Disables endpoints that answer 410 or fail for too long. */
export type EndpointFaults = {
  /** Whether this process has just disabled it: the read model may be behind. */
  readonly isDisabledHere: (endpoint: WebhookEndpoint) => boolean;
  /** The endpoint answered 410. Resolves once the log has that, or `stop` aborts. */
  readonly gone: (endpoint: WebhookEndpoint) => Promise<void>;
  /** A delivery to it was exhausted. Never rejects. */
  readonly exhausted: (endpoint: WebhookEndpoint) => Promise<void>;
  /** A delivery to it has succeeded. Never rejects. */
  readonly succeeded: (endpoint_id: string) => Promise<void>;
};

/** Exhausted deliveries before an endpoint is disabled. */
const MIN_EXHAUSTED = 20;

/** The read model has the append by then. If the fold ignored it, the endpoint gets deliveries again. */
const STALE_READ_MODEL_MS = 60_000;

/** Between two writes that clear the health of an endpoint that answers. */
const CLEAN_MS = 600_000;
/** The largest difference between the clocks of relays. */
const CLOCKS_DIFFER_MS = 60_000;
/** Between two searches of the store for a success of another relay. */
const ASK_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/** `last_period`: the last disabled period before; `until` is null until the append is acknowledged. */
type RecentlyDisabled = { readonly last_period: number | null; until: number | null };

const lastPeriod = ({ disabled }: WebhookEndpoint): number | null => disabled.at(-1)?.from ?? null;

export const createEndpointFaults = (
  parts: Pick<QueueParts, 'health' | 'disable' | 'clock' | 'warn' | 'settings'>,
  stop: AbortSignal,
): EndpointFaults => {
  const { health, clock, warn } = parts;
  const recently_disabled = new Map<string, RecentlyDisabled>();
  const asked = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  const clean = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  const disable = async (endpoint: WebhookEndpoint, reason: OwnReason): Promise<void> => {
    if (isDisabledHere(endpoint)) return;
    const disabling: RecentlyDisabled = { last_period: lastPeriod(endpoint), until: null };
    recently_disabled.set(endpoint.id, disabling);
    try {
      await parts.disable(endpoint, reason, stop);
    } catch (error) {
      if (!stop.aborted)
        warn({ endpoint_id: endpoint.id, reason: messageOf(error) }, 'an endpoint is not disabled yet');
    }
    disabling.until = clock.now() + STALE_READ_MODEL_MS;
  };

  const isDisabledHere = (endpoint: WebhookEndpoint): boolean => {
    const disabling = recently_disabled.get(endpoint.id);
    if (disabling === undefined) return false;
    const is_past = disabling.until !== null && clock.now() >= disabling.until;
    if (!is_past && lastPeriod(endpoint) === disabling.last_period) return true;
    recently_disabled.delete(endpoint.id);
    return false;
  };

  const count = async (endpoint: WebhookEndpoint): Promise<void> => {
    const now = clock.now();
    clean.delete(endpoint.id);
    const { failing_since, exhausted } = await health.exhausted(endpoint.id, now);
    if (failing_since < enabledSince(endpoint)) {
      // It was enabled since, so counting starts again.
      await health.clear(endpoint.id);
      await health.exhausted(endpoint.id, now);
      return;
    }
    const is_long = now - failing_since >= parts.settings.disable_after_s * 1_000;
    if (exhausted < MIN_EXHAUSTED || !is_long) return;
    if ((asked.get(endpoint.id) ?? 0) > now) return;
    asked.set(endpoint.id, now + ASK_MS);
    // A relay with a later success would have cleared the health.
    const planned_before = failing_since + CLEAN_MS + CLOCKS_DIFFER_MS;
    if (await health.hasSucceededSince(endpoint.id, failing_since, planned_before)) await health.clear(endpoint.id);
    else await disable(endpoint, 'failing');
  };

  return {
    isDisabledHere,
    gone: (endpoint) => disable(endpoint, 'gone'),
    exhausted: async (endpoint) => {
      try {
        await count(endpoint);
      } catch (error) {
        warn({ endpoint_id: endpoint.id, reason: messageOf(error) }, 'the health of an endpoint is not kept');
      }
    },
    succeeded: async (endpoint_id) => {
      const now = clock.now();
      if ((clean.get(endpoint_id) ?? 0) > now) return;
      clean.set(endpoint_id, now + CLEAN_MS);
      try {
        await health.clear(endpoint_id);
      } catch (error) {
        clean.delete(endpoint_id);
        warn({ endpoint_id, reason: messageOf(error) }, 'the health of an endpoint is not kept');
      }
    },
  };
};
