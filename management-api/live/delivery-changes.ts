import { LRUCache } from 'lru-cache';
import type { WebhookEvent } from '../../domain/webhooks/delivery-events.ts';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { pollStore } from '../../platform/read-store/poll-store.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import type { DeliveryLog } from '../../read-models/deliveries/delivery-log.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { Listeners } from './listeners.ts';

export type DeliveryChangesDependencies = {
  readonly listeners: Pick<Listeners, 'count' | 'hears' | 'announce'>;
  readonly deliveries: Pick<DeliveryLog, 'find'>;
  readonly read_model: Pick<CatalogueReadModel, 'find'>;
  readonly clock: Clock;
  readonly warn: Warn;
  readonly stopping: AbortSignal;
};

export type DeliveryChanges = {
  /** Call this for each event of `webhook-events`. Never waits. */
  readonly appended: (event: WebhookEvent) => void;
  /** Resolves when all changes so far are announced. */
  readonly idle: () => Promise<void>;
};

type Place = { readonly team_id: string; readonly account_id: string };

const POLL_MS = 25;
const WAIT_MS = 5_000;
/** The minimum interval between two announcements of an endpoint. */
const EVERY_MS = 200;
const MAX_ENDPOINTS = 10_000;
/** Busy endpoints: only the newest deliveries are waited for. The next announcement covers the others. */
const MAX_WAITED_FOR = 20;

/** Whether the store has the effect of the event: the relay appends each event before it stores the effect. */
export const isEventStored = (event: WebhookEvent, delivery: WebhookDeliveryDocument | null): boolean => {
  if (event.type === 'DeliveryRequested') return true;
  if (delivery === null) return false;
  switch (event.type) {
    case 'DeliveryPlanned':
      return true;
    case 'DeliveryAttempted':
      return delivery.attempts.length >= event.n;
    case 'DeliverySkipped':
    case 'DeliverySucceeded':
    case 'DeliveryExhausted':
      return delivery.state !== 'pending';
  }
};

/**
 * Announces that the deliveries of an endpoint changed, after the store has the change, so that a page that reads at
 * once sees it.
 */
export const openDeliveryChanges = (parts: DeliveryChangesDependencies): DeliveryChanges => {
  const { listeners, deliveries, read_model, clock, warn, stopping } = parts;
  /** The latest event of each changed delivery, by endpoint. */
  const changed = new Map<string, Map<string, WebhookEvent>>();
  const running = new Map<string, Promise<void>>();
  const places = new LRUCache<string, Place>({ max: MAX_ENDPOINTS });

  const placeOf = async (endpoint_id: string): Promise<Place | null> => {
    const known = places.get(endpoint_id);
    if (known !== undefined) return known;
    const endpoint = await read_model.find('webhook_endpoint', endpoint_id);
    const team = endpoint === null ? null : await read_model.find('team', endpoint.team_id);
    if (team === null) return null;
    const place = { team_id: team.id, account_id: team.account_id };
    places.set(endpoint_id, place);
    return place;
  };

  const untilStored = async (events: readonly WebhookEvent[]): Promise<void> => {
    const look = async () => {
      const found = await Promise.all(
        events.map(async (event) => isEventStored(event, await deliveries.find(event.delivery_id))),
      );
      return found.every(Boolean) ? true : null;
    };
    await pollStore(look, { wait_ms: WAIT_MS, every_ms: POLL_MS, clock, signal: stopping });
  };

  const run = async (endpoint_id: string): Promise<void> => {
    for (let events = changed.get(endpoint_id); events !== undefined; events = changed.get(endpoint_id)) {
      changed.delete(endpoint_id);
      try {
        const place = await placeOf(endpoint_id);
        if (place === null || !listeners.hears(place.account_id)) continue;
        await untilStored([...events.values()]);
        listeners.announce({ type: 'endpoint', id: endpoint_id, ...place });
        await clock.sleep(EVERY_MS, stopping).catch(() => undefined);
      } catch (error) {
        warn({ error, endpoint_id }, 'a change of deliveries cannot be announced');
      }
    }
    running.delete(endpoint_id);
  };

  return {
    appended: (event) => {
      // A request changes nothing until the relay has planned its delivery.
      if (listeners.count === 0 || event.type === 'DeliveryRequested') return;
      const { endpoint_id, delivery_id } = event;
      const events = changed.get(endpoint_id) ?? new Map<string, WebhookEvent>();
      events.delete(delivery_id);
      events.set(delivery_id, event);
      const [oldest] = events.keys();
      if (events.size > MAX_WAITED_FOR && oldest !== undefined) events.delete(oldest);
      changed.set(endpoint_id, events);
      if (!running.has(endpoint_id)) running.set(endpoint_id, run(endpoint_id));
    },
    idle: async () => {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
};
