import type { Collection, Db, Document } from 'mongodb';
import { EVENT_KINDS } from '../../domain/webhooks/event-kinds.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from '../../read-models/collections.ts';
import { deliveryId } from '../../read-models/deliveries/delivery-id.ts';
import type { DeliveryState, WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';

/** A delivery without its body. */
export type LoggedDelivery = Omit<WebhookDeliveryDocument, 'body'>;

const READ_TIMEOUT_MS = 30_000;

/** No delivery is kept longer, whatever became of it. */
const KEPT_MS = 45 * 24 * 60 * 60 * 1_000;

/** The log is read in stretches of time, each a range on one index: what is sorted is in one of them. */
const FIRST_STRETCH_MS = 60_000;
const GROWTH = 4;

const deliveries = (db: Db): Collection<WebhookDeliveryDocument> => db.collection(COLLECTIONS.webhook_deliveries);

export const deliveryById = (db: Db, id: string): Promise<WebhookDeliveryDocument | null> =>
  deliveries(db).findOne({ _id: id }, queryTimeout());

/** Below all that were planned at that time (ms): behind the time stands the id. */
const place = (endpoint_id: string, at: number): string => `${endpoint_id}/${String(at).padStart(13, '0')}`;

type Stretch = { readonly after: Document; readonly before: string; readonly order: 1 | -1; readonly limit: number };

/** Two `$match`, as in the lists of the query API: the first is a range on one index. */
const readStretch = (db: Db, { after, before, order, limit }: Stretch, keep: Document): Promise<LoggedDelivery[]> =>
  deliveries(db)
    .aggregate<LoggedDelivery>(
      [
        { $match: { by_endpoint: { ...after, $lt: before } } },
        { $match: keep },
        { $sort: { by_endpoint: order } },
        { $limit: limit },
        { $project: { body: 0 } },
      ],
      queryTimeout(READ_TIMEOUT_MS),
    )
    .toArray();

export type LogQuery = {
  readonly state: DeliveryState | null;
  /** Planned at that time or later, ms since the epoch; null for all that are kept. */
  readonly since: number | null;
  readonly limit: number;
};

const keepOf = (state: DeliveryState | null): Document => (state === null ? {} : { state });

/** The deliveries of an endpoint that were planned last, the last one first. */
export const deliveriesOfEndpoint = async (
  db: Db,
  endpoint_id: string,
  { state, since, limit }: LogQuery,
): Promise<readonly LoggedDelivery[]> => {
  const now = Date.now();
  const first = Math.max(0, since ?? now - KEPT_MS);
  const found: LoggedDelivery[] = [];
  // The clock of a relay may be ahead of this one.
  let to = now + FIRST_STRETCH_MS;
  for (let length_ms = FIRST_STRETCH_MS; found.length < limit && to > first; length_ms *= GROWTH) {
    const from = Math.max(first, to - length_ms);
    const ends = { after: { $gte: place(endpoint_id, from) }, before: place(endpoint_id, to) };
    found.push(...(await readStretch(db, { ...ends, order: -1, limit: limit - found.length }, keepOf(state))));
    to = from;
  }
  return found;
};

/** What a render can have been delivered as: its team's endpoints, deleted ones too, and its transitions so far. */
export type RenderDeliveries = {
  readonly render_id: string;
  readonly endpoint_ids: readonly string[];
  /** Of its last transition. */
  readonly last_seq: number;
};

/** An index on renders would cost every delivery more than this costs who asks: the ids are known. */
const idsOf = ({ render_id, endpoint_ids, last_seq }: RenderDeliveries): readonly string[] =>
  endpoint_ids.flatMap((endpoint_id) =>
    Array.from({ length: last_seq }, (_, i) => i + 1).flatMap((seq) =>
      EVENT_KINDS.map((event) => deliveryId(endpoint_id, render_id, seq, event)),
    ),
  );

const IDS_AT_ONCE = 100;

const byIds = async (db: Db, ids: readonly string[]): Promise<readonly LoggedDelivery[]> => {
  const found: LoggedDelivery[] = [];
  for (let i = 0; i < ids.length; i += IDS_AT_ONCE) {
    const _id = { $in: ids.slice(i, i + IDS_AT_ONCE) };
    const options = { projection: { body: 0 }, ...queryTimeout(READ_TIMEOUT_MS) } as const;
    found.push(...(await deliveries(db).find({ _id }, options).toArray()));
  }
  return found;
};

/** The deliveries of a render to all endpoints, and those that make them again; the last one first. */
export const deliveriesOfRender = async (
  db: Db,
  render: RenderDeliveries,
  { state, since, limit }: LogQuery,
): Promise<readonly LoggedDelivery[]> => {
  const all: LoggedDelivery[] = [];
  for (let ids = idsOf(render); ids.length > 0; ) {
    const found = await byIds(db, ids);
    all.push(...found);
    ids = found.flatMap(({ repeated_by }) => (repeated_by === null ? [] : [repeated_by]));
  }
  return all
    .filter((delivery) => (state === null || delivery.state === state) && delivery.planned_at >= (since ?? 0))
    .toSorted((a, b) => b.planned_at - a.planned_at || b.seq - a.seq)
    .slice(0, limit);
};

/**
 * The deliveries of an endpoint in one of these states, in the order in which they were planned, some at a time.
 *
 * @param planned from `from` on and before `to`, ms since the epoch
 */
export async function* pagesOfEndpoint(
  db: Db,
  endpoint_id: string,
  states: readonly DeliveryState[],
  planned: { readonly from: number; readonly to: number },
  limit: number,
): AsyncGenerator<readonly LoggedDelivery[]> {
  const first = Math.max(planned.from, planned.to - KEPT_MS);
  let length_ms = FIRST_STRETCH_MS;
  for (let from = first; from < planned.to; ) {
    const to = Math.min(planned.to, from + length_ms);
    const before = place(endpoint_id, to);
    let after: Document = { $gte: place(endpoint_id, from) };
    for (;;) {
      const page = await readStretch(db, { after, before, order: 1, limit }, { state: { $in: [...states] } });
      if (page.length > 0) yield page;
      const last = page.at(-1);
      length_ms = page.length < limit ? length_ms * GROWTH : FIRST_STRETCH_MS;
      if (last === undefined || page.length < limit) break;
      after = { $gt: last.by_endpoint };
    }
    from = to;
  }
}
