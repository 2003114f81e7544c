import type { Db, Document } from 'mongodb';
import { EVENT_KINDS, type EventKind } from '../../domain/webhooks/event-kinds.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { listPosition } from '../position.ts';
import type { DeliveryState, WebhookDeliveryDocument } from './documents.ts';
import { deliveryCollectionsIn } from './model.ts';
import { deliveryId } from './plan.ts';

export type DeliveryWithoutBody = Omit<WebhookDeliveryDocument, 'body'>;

export type DeliveryQuery = {
  readonly state: DeliveryState | null;
  readonly since: number | null;
  readonly limit: number;
};

/** A null `event` means all. `before` is a {@link deliveryPosition}; null for the newest deliveries. */
export type EndpointDeliveryQuery = DeliveryQuery & {
  readonly event: EventKind | null;
  readonly before: string | null;
};

/** Later deliveries of an endpoint have greater positions. */
export const deliveryPosition = ({ endpoint_id, by_endpoint }: DeliveryWithoutBody): string =>
  by_endpoint.slice(endpoint_id.length + 1);

/** The team's endpoints, including deleted ones, and the render's transitions so far. */
export type DeliveredRender = {
  readonly render_id: string;
  readonly endpoint_ids: readonly string[];
  readonly last_seq: number;
};

export type DeliveryPages = {
  readonly endpoint_id: string;
  readonly states: readonly DeliveryState[];
  /** Planned at or after `from` and before `to`, ms since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly limit: number;
};

/** Stored deliveries, for operators. All functions reject on store outage (`isStoreUnavailable`). */
export type DeliveryLog = {
  readonly find: (delivery_id: string) => Promise<WebhookDeliveryDocument | null>;
  readonly ofEndpoint: (endpoint_id: string, query: EndpointDeliveryQuery) => Promise<readonly DeliveryWithoutBody[]>;
  readonly ofRender: (render: DeliveredRender, query: DeliveryQuery) => Promise<readonly DeliveryWithoutBody[]>;
  readonly pages: (pages: DeliveryPages) => AsyncIterable<readonly DeliveryWithoutBody[]>;
};

const READ_TIMEOUT_MS = 30_000;

/** The store keeps no delivery longer. */
const KEPT_MS = 45 * 24 * 60 * 60 * 1_000;

/** The log is read one period at a time, each a range on one index, so that no query sorts more than one period. */
const FIRST_PERIOD_MS = 60_000;
const GROWTH = 4;

const IDS_AT_ONCE = 100;

const positionOf = (endpoint_id: string, at: number): string => `${endpoint_id}/${listPosition(at, '')}`;

const TIME_DIGITS = 13;
const timeOfPosition = (position: string): number => Number(position.slice(0, TIME_DIGITS));

/** The ids are derived, because an index on renders would cost more on each write than this query costs. */
const idsOf = ({ render_id, endpoint_ids, last_seq }: DeliveredRender): readonly string[] =>
  endpoint_ids.flatMap((endpoint_id) =>
    Array.from({ length: last_seq }, (_, i) => i + 1).flatMap((seq) =>
      EVENT_KINDS.map((event) => deliveryId(endpoint_id, render_id, seq, event)),
    ),
  );

type Period = { readonly after: Document; readonly before: string; readonly order: 1 | -1; readonly limit: number };

/** @param now ms since the epoch */
export const openDeliveryLog = (db: Db, now: () => number): DeliveryLog => {
  const { deliveries } = deliveryCollectionsIn(db);

  const readPeriod = (period: Period, filter: Document): Promise<DeliveryWithoutBody[]> =>
    deliveries
      .aggregate<DeliveryWithoutBody>(
        [
          { $match: { by_endpoint: { ...period.after, $lt: period.before } } },
          { $match: filter },
          { $sort: { by_endpoint: period.order } },
          { $limit: period.limit },
          { $project: { body: 0 } },
        ],
        queryTimeout(READ_TIMEOUT_MS),
      )
      .toArray();

  const byIds = async (ids: readonly string[]): Promise<readonly DeliveryWithoutBody[]> => {
    const found: DeliveryWithoutBody[] = [];
    for (let i = 0; i < ids.length; i += IDS_AT_ONCE) {
      const _id = { $in: ids.slice(i, i + IDS_AT_ONCE) };
      const options = { projection: { body: 0 }, ...queryTimeout(READ_TIMEOUT_MS) } as const;
      found.push(...(await deliveries.find({ _id }, options).toArray()));
    }
    return found;
  };

  return {
    find: (_id) => deliveries.findOne({ _id }, queryTimeout()),

    ofEndpoint: async (endpoint_id, { state, event, since, before, limit }) => {
      const first = Math.max(0, since ?? now() - KEPT_MS);
      const filter = { ...(state !== null && { state }), ...(event !== null && { event }) };
      const found: DeliveryWithoutBody[] = [];
      // Begins a minute in the future, because the clock of a relay may be ahead of this one.
      let to = before === null ? now() + FIRST_PERIOD_MS : timeOfPosition(before);
      let end = before === null ? positionOf(endpoint_id, to) : `${endpoint_id}/${before}`;
      for (let length_ms = FIRST_PERIOD_MS; found.length < limit && to >= first; length_ms *= GROWTH) {
        const from = Math.max(first, to - length_ms);
        const ends = { after: { $gte: positionOf(endpoint_id, from) }, before: end };
        const period = { ...ends, order: -1, limit: limit - found.length } as const;
        found.push(...(await readPeriod(period, filter)));
        if (from === first) break;
        to = from;
        end = positionOf(endpoint_id, to);
      }
      return found;
    },

    ofRender: async (render, { state, since, limit }) => {
      const all: DeliveryWithoutBody[] = [];
      for (let ids = idsOf(render); ids.length > 0; ) {
        const found = await byIds(ids);
        all.push(...found);
        ids = found.flatMap(({ repeated_by }) => (repeated_by === null ? [] : [repeated_by]));
      }
      return all
        .filter((delivery) => (state === null || delivery.state === state) && delivery.planned_at >= (since ?? 0))
        .toSorted((a, b) => b.planned_at - a.planned_at || b.seq - a.seq)
        .slice(0, limit);
    },

    async *pages({ endpoint_id, states, from: since, to: end, limit }) {
      let length_ms = FIRST_PERIOD_MS;
      for (let from = Math.max(since, end - KEPT_MS); from < end; ) {
        const to = Math.min(end, from + length_ms);
        const before = positionOf(endpoint_id, to);
        let after: Document = { $gte: positionOf(endpoint_id, from) };
        for (;;) {
          const page = await readPeriod({ after, before, order: 1, limit }, { state: { $in: [...states] } });
          if (page.length > 0) yield page;
          const last = page.at(-1);
          length_ms = page.length < limit ? length_ms * GROWTH : FIRST_PERIOD_MS;
          if (last === undefined || page.length < limit) break;
          after = { $gt: last.by_endpoint };
        }
        from = to;
      }
    },
  };
};
