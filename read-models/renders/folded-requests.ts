import type { Db } from 'mongodb';
import type { LogPosition } from '../../domain/credits/holds.ts';
import type { RenderRequested } from '../../domain/render/events.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { nameOf, type RenderDocument } from './documents.ts';
import { type RenderCollections, servingRenders } from './model.ts';
import { pendingIdsAmong, readNamed } from './pending-names.ts';

/** The request that the fold accepted: the first of a render in the log. It never changes. */
export type FoldedRequest = {
  readonly _id: string;
  readonly event: RenderRequested;
  readonly is_erased: boolean;
  /** True if the name is pending. */
  readonly is_pending?: true;
  readonly appended_at: number;
  readonly place: LogPosition;
};

/** All functions reject on store outage. */
export type FoldedRequests = {
  /** Null if the read model does not have the request. */
  readonly find: (render_id: string) => Promise<FoldedRequest | null>;
  readonly findAll: (render_ids: readonly string[]) => Promise<readonly FoldedRequest[]>;
  /** The positions of many requests, without their contents. */
  readonly places: (render_ids: readonly string[]) => Promise<ReadonlyMap<string, LogPosition>>;
  /** Like `find`, but `behind` if the render's partition is not folded up to `end`. */
  readonly findOnceFolded: (
    render_id: string,
    partition: number,
    end: number,
  ) => Promise<FoldedRequest | null | 'behind'>;
};

const LOOKED_AT = { projection: { partition: 1, facts: 1, render: 1, name: 1 } } as const;
const PLACE = { projection: { partition: 1, 'facts.verdict': 1, 'facts.offset': 1 } } as const;
type LookedAt = Pick<RenderDocument, '_id' | 'partition' | 'facts' | 'render' | 'name'>;

const requestIn = ({ _id, partition, facts, ...document }: LookedAt): FoldedRequest | null => {
  const name = nameOf(document);
  for (const stored of facts) {
    if (stored.verdict !== 'accepted' || stored.fact.type !== 'RenderRequested') continue;
    const { fact, appended_at, offset } = stored;
    const event = { ...fact, name: name ?? '' };
    return { _id, event, is_erased: name === null, appended_at, place: { partition, offset } };
  }
  return null;
};

export const openFoldedRequests = (db: Db): FoldedRequests => {
  const serving = servingRenders(db);
  const requestsIn = async (
    { pending }: RenderCollections,
    ids: readonly string[],
    read: (ids: readonly string[]) => Promise<readonly LookedAt[]>,
  ): Promise<readonly FoldedRequest[]> => {
    const named = await readNamed(ids, read, (some) => pendingIdsAmong(pending, some));
    return named.found.flatMap((document) => {
      const request = requestIn(document);
      if (request === null) return [];
      return [named.pending.has(document._id) ? { ...request, is_erased: false, is_pending: true as const } : request];
    });
  };
  const findIn = async (model: RenderCollections, _id: string): Promise<FoldedRequest | null> => {
    const read = async (): Promise<readonly LookedAt[]> => {
      const found = await model.renders.findOne<LookedAt>({ _id }, { ...LOOKED_AT, ...queryTimeout() });
      return found === null ? [] : [found];
    };
    return (await requestsIn(model, [_id], read))[0] ?? null;
  };
  return {
    find: async (render_id) => findIn(await serving(), render_id),

    findAll: async (ids) => {
      const model = await serving();
      return await requestsIn(model, ids, (some) =>
        model.renders.find<LookedAt>({ _id: { $in: [...some] } }, { ...LOOKED_AT, ...queryTimeout() }).toArray(),
      );
    },

    places: async (ids) => {
      const { renders } = await serving();
      const found = await renders
        .find<Pick<LookedAt, '_id' | 'partition' | 'facts'>>(
          { _id: { $in: [...ids] } },
          { ...PLACE, ...queryTimeout() },
        )
        .toArray();
      return new Map(
        found.flatMap(({ _id, partition, facts }) => {
          // The fold accepts no other event before the request.
          const first = facts.find(({ verdict }) => verdict === 'accepted');
          return first === undefined ? [] : [[_id, { partition, offset: first.offset }] as const];
        }),
      );
    },

    findOnceFolded: async (render_id, partition, end) => {
      // One generation for both reads, because another may have folded less.
      const model = await serving();
      const checkpoint = await model.checkpoints.findOne({ _id: partition }, queryTimeout());
      return (checkpoint?.next ?? 0) >= end ? findIn(model, render_id) : 'behind';
    },
  };
};
