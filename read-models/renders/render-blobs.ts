import type { Db } from 'mongodb';
import { SEALED_REQUEST } from '../../domain/render/events.ts';
import { isFinal, type Render } from '../../domain/render/render.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { readServingPointer } from '../generations.ts';
import type { RenderDocument } from './documents.ts';
import { type FoldedUntil, foldedUntil } from './folded-until.ts';
import { renderCollectionsIn } from './model.ts';

export type RenderBlobs = {
  readonly account_id: string;
  /** When the render completed or failed, ms by the brokers' clock; null before. After that, it gets no new blobs. */
  readonly ended_at: number | null;
  /** Null if the request has no payload, also if its text is sealed. */
  readonly request: string | null;
  readonly outputs: ReadonlySet<string>;
  readonly composition: string | null;
  readonly erased_at: number | null;
};

export type RenderBlobsSnapshot = {
  readonly foldedUntil: FoldedUntil;
  readonly renders: ReadonlyMap<string, RenderBlobs>;
};

/** Limits the size of an answer: a document with attempts and outputs has some kB. */
const MAX_AT_ONCE = 500;

export const renderBlobsOf = (render: Render): RenderBlobs => {
  const { account_id, status, created_at, updated_at, request, prepared, outputs, poster } = render;
  return {
    account_id,
    ended_at: isFinal(status) ? (updated_at ?? created_at) : null,
    request: request === null || request.path === SEALED_REQUEST.path ? null : request.path,
    outputs: new Set([poster, ...outputs].flatMap((one) => one?.path ?? [])),
    composition: prepared?.composition.path ?? null,
    // Older documents lack `erased_at`.
    erased_at: render.erased_at ?? null,
  };
};

/** Rejects on store outage. */
export const openRenderBlobs =
  (db: Db) =>
  async (render_ids: readonly string[]): Promise<RenderBlobsSnapshot> => {
    const pointer = await readServingPointer(db, 'renders');
    if (pointer === null) return { foldedUntil: foldedUntil([], 0), renders: new Map() };
    const { renders, caught_up } = renderCollectionsIn(db, pointer.generation);
    // One generation for both reads, and the watermarks first: the documents then have everything before the
    // watermarks.
    const marks = await caught_up.find({}, queryTimeout()).toArray();
    const found = new Map<string, RenderBlobs>();
    for (let from = 0; from < render_ids.length; from += MAX_AT_ONCE) {
      const documents = await renders
        .find<Pick<RenderDocument, '_id' | 'render'>>(
          { _id: { $in: render_ids.slice(from, from + MAX_AT_ONCE) } },
          { projection: { render: 1 }, ...queryTimeout() },
        )
        .toArray();
      for (const { _id, render } of documents) if (render !== null) found.set(_id, renderBlobsOf(render));
    }
    return { foldedUntil: foldedUntil(marks, pointer.partitions), renders: found };
  };
