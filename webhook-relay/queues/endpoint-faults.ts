import { LRUCache } from 'lru-cache';
import { enabledSince, type WebhookEndpoint } from '../../domain/webhooks/endpoint.ts';
import { messageOf } from '../../platform/logging/message-of.ts';
import type { EndpointQueueDependencies, RelayDisableReason } from './parts.ts';

export type EndpointHealthTracker = {
  /** Whether this process has just disabled the endpoint, which the read model may not show yet. */
  readonly isDisabledHere: (endpoint: WebhookEndpoint) => boolean;
  /** Call this if the endpoint answers 410. Resolves once the log has the change, or `stop` aborts. */
  readonly gone: (endpoint: WebhookEndpoint) => Promise<void>;
  readonly exhausted: (endpoint: WebhookEndpoint) => Promise<void>;
  readonly succeeded: (endpoint_id: string) => Promise<void>;
};

const MIN_EXHAUSTED = 20;

/**
 * How long `isDisabledHere` stays true after the append. Then the read model has the event; if the fold ignored it, the
 * endpoint gets deliveries again.
 */
const STALE_READ_MODEL_MS = 60_000;

/** Minimum interval between writes that clear the health of a working endpoint. */
const CLEAN_MS = 600_000;
/** The largest assumed difference between the clocks of two relays. */
const CLOCKS_DIFFER_MS = 60_000;
/** Minimum interval between searches for a success of another relay. */
const ASK_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/**
 * `last_period` is the start of the last disabled period before this one. `until` is null until the append is
 * acknowledged.
 */
type RecentlyDisabled = { readonly last_period: number | null; until: number | null };

const lastPeriod = ({ disabled }: WebhookEndpoint): number | null => disabled.at(-1)?.from ?? null;

export const createEndpointHealthTracker = (
  parts: Pick<EndpointQueueDependencies, 'health' | 'disable' | 'clock' | 'warn' | 'settings'>,
  stop: AbortSignal,
): EndpointHealthTracker => {
  const { health, clock, warn } = parts;
  const recently_disabled = new Map<string, RecentlyDisabled>();
  const checkedAt = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  const clean = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  const disable = async (endpoint: WebhookEndpoint, reason: RelayDisableReason): Promise<void> => {
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
      // The endpoint was enabled after its failures began, so the count starts again.
      await health.clear(endpoint.id);
      await health.exhausted(endpoint.id, now);
      return;
    }
    const is_long = now - failing_since >= parts.settings.disable_after_s * 1_000;
    if (exhausted < MIN_EXHAUSTED || !is_long) return;
    if ((checkedAt.get(endpoint.id) ?? 0) > now) return;
    checkedAt.set(endpoint.id, now + ASK_MS);
    // Looks only at deliveries that were planned before this time. After a later success, the relay that sent it would
    // have cleared the health.
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
        warn({ endpoint_id: endpoint.id, reason: messageOf(error) }, 'the health of an endpoint could not be stored');
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
        warn({ endpoint_id, reason: messageOf(error) }, 'the health of an endpoint could not be stored');
      }
    },
  };
};
