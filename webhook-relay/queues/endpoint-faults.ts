import { LRUCache } from 'lru-cache';
import { enabledSince, type WebhookEndpoint } from '../../domain/webhooks/endpoint.ts';
import { messageOf } from '../../platform/logging/message-of.ts';
import type { OwnReason, QueueParts } from './parts.ts';

/** Disables endpoints that are gone, or that fail for too long. */
export type EndpointFaults = {
  /** Whether this process has just disabled it, which the read model may not show yet. */
  readonly isDisabledHere: (endpoint: WebhookEndpoint) => boolean;
  /** It says that it is gone. Resolves once that is in the log, or `stop` aborts. */
  readonly gone: (endpoint: WebhookEndpoint) => Promise<void>;
  /** A delivery to it was exhausted. Never rejects. */
  readonly exhausted: (endpoint: WebhookEndpoint) => Promise<void>;
  /** A delivery to it has succeeded. Never rejects. */
  readonly succeeded: (endpoint_id: string) => Promise<void>;
};

/** So many must have been exhausted, however long it took. */
const MIN_EXHAUSTED = 20;

/** The read model shows by then what was appended; if it was ignored, the endpoint is in force again. */
const STALE_READ_MODEL_MS = 60_000;

/** Between two looks at whether something is known to be wrong with an endpoint that answers. */
const CLEAN_MS = 600_000;
/** Those of several relays, at most. */
const CLOCKS_DIFFER_MS = 60_000;
/** Between two looks at whether an endpoint that fails here has answered another relay: the store has to search. */
const ASK_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/** `last_period`: the one before; `until` is null until the append is known to be done. */
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
      // It was enabled since: counting begins anew.
      await health.clear(endpoint.id);
      await health.exhausted(endpoint.id, now);
      return;
    }
    const is_long = now - failing_since >= parts.settings.disable_after_s * 1_000;
    if (exhausted < MIN_EXHAUSTED || !is_long) return;
    if ((asked.get(endpoint.id) ?? 0) > now) return;
    asked.set(endpoint.id, now + ASK_MS);
    // A relay that had a success any later than this would have cleared what is known.
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
