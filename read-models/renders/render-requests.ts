import { LRUCache } from 'lru-cache';
import type { RenderRequested } from '../../domain/render/events.ts';
import type { RenderStatus } from '../../domain/render/render.ts';
import { batchReads } from '../../platform/read-store/batched-read.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { RenderDocument } from './documents.ts';
import type { ServingRenders } from './model.ts';

/** Requests that the fold accepted, as they are in the log. All functions reject on store outage. */
export type RenderRequests = {
  /** Null if the read model does not have the render. Its request is cached while the render is initializing. */
  readonly statusOf: (render_id: string) => Promise<RenderStatus | null>;
  /** Null if the read model does not have the request. A cached request may be erased, but its seal cannot be opened. */
  readonly find: (render_id: string) => Promise<{ readonly event: RenderRequested } | null>;
};

type Found = Pick<RenderDocument, '_id' | 'status' | 'facts'>;

const FOUND = { projection: { status: 1, facts: 1 } } as const;
const MAX_AT_ONCE = 100;
/** In characters of sealed text. */
const MAX_CACHED_CHARACTERS = 8 * 1024 * 1024;
/** The other members of a request, in characters. */
const MEMBERS_CHARACTERS = 1_024;

const requestIn = ({ facts }: Found): RenderRequested | null => {
  for (const stored of facts)
    if (stored.verdict === 'accepted' && stored.fact.type === 'RenderRequested') return stored.fact;
  return null;
};

/**
 * Reads status and request of many renders with one query. The preparer needs both for each render: first the status,
 * then the request.
 */
export const openRenderRequests = (serving: ServingRenders): RenderRequests => {
  const requests = new LRUCache<string, RenderRequested>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: ({ sealed }) => MEMBERS_CHARACTERS + (sealed?.box.length ?? 0),
  });
  const read = batchReads<Found>(async (ids) => {
    const { renders } = await serving();
    const found = await renders.find<Found>({ _id: { $in: [...ids] } }, { ...FOUND, ...queryTimeout() }).toArray();
    return new Map(found.map((one) => [one._id, one]));
  }, MAX_AT_ONCE);

  return {
    statusOf: async (render_id) => {
      const found = await read(render_id);
      const event = found?.status === 'initializing' ? requestIn(found) : null;
      if (event !== null) requests.set(render_id, event);
      return found?.status ?? null;
    },
    find: async (render_id) => {
      const cached = requests.get(render_id);
      if (cached !== undefined) return { event: cached };
      const found = await read(render_id);
      const event = found === undefined ? null : requestIn(found);
      return event === null ? null : { event };
    },
  };
};
