import type { Db } from 'mongodb';
import type { Render } from '../../domain/render/render.ts';
import { mintedAt } from '../../domain/render/render-id.ts';
import type { StoredFact } from '../../domain/render/stored-fact.ts';
import type { Access } from '../../platform/access/access.ts';
import { openArrivals } from '../../platform/read-store/arrivals.ts';
import { inTime } from '../../platform/read-store/in-time.ts';
import { renderCollections } from '../../read-models/collections.ts';
import type { RenderDocument } from '../../read-models/renders/documents.ts';
import { followCaughtUp } from './caught-up.ts';
import { openWaits } from './waits.ts';

/** Between the minting of an id and its append, and between the clocks of two machines, lies less than this. */
const MARGIN_MS = 5_000;
const LONGEST_WAIT_MS = 2_000;
/** An id of a later time than this was not minted by us. */
const MOST_AHEAD_MS = 60_000;
/** Ids with this time are derived from an Idempotency-Key, and answered for only once they are folded. */
const NO_TIME = 0;

/** What is read of a document, of which more is long: what a search finds it by. */
const LOOKED_AT = { projection: { render: 1, facts: 1 } } as const;
type LookedAt = Pick<RenderDocument, '_id' | 'render' | 'facts'>;

export type FoundRender =
  | { readonly tag: 'found'; readonly render: Render; readonly facts: readonly StoredFact[] }
  | { readonly tag: 'not_found' }
  /** It may have been accepted a moment ago: ask again. */
  | { readonly tag: 'not_yet' };

export type RenderFinder = (id: string, access: Access) => Promise<FoundRender>;

/**
 * Reads a client's own writes: a render that POST answered for is never "not found", though the read model is a little
 * behind the log. What the key does not reach is treated as what does not exist, the waiting included.
 */
export const openRenderFinder = (db: Db, generation: () => Promise<number>): RenderFinder => {
  const caughtUp = followCaughtUp(db, generation);
  const collection = async () => db.collection<RenderDocument>(renderCollections(await generation()).renders);
  const arrivals = openArrivals(async (ids) =>
    (await collection()).find<LookedAt>({ _id: { $in: [...ids] } }, { ...LOOKED_AT, ...inTime() }).toArray(),
  );
  const waits = openWaits();

  return async (id, access) => {
    const minted = mintedAt(id);
    if (minted === null || minted > Date.now() + MOST_AHEAD_MS) return { tag: 'not_found' };

    const visible = ({ render }: LookedAt): boolean => render !== null && access.teams.has(render.team_id);
    const found = (document: LookedAt | null): FoundRender =>
      document !== null && document.render !== null && visible(document)
        ? { tag: 'found', render: document.render, facts: document.facts }
        : { tag: 'not_found' };

    // Asked for before the document: what was folded by then cannot be missed after.
    const folded_until = await caughtUp();
    const now = found(await (await collection()).findOne<LookedAt>({ _id: id }, { ...LOOKED_AT, ...inTime() }));
    if (now.tag === 'found' || minted === NO_TIME || minted < folded_until - MARGIN_MS) return now;

    const arrived = await waits(access.account_id, () => arrivals.wait(id, visible, LONGEST_WAIT_MS));
    const arrival = found(arrived);
    return arrival.tag === 'found' ? arrival : { tag: 'not_yet' };
  };
};
