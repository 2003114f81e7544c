import type { Db } from 'mongodb';
import { isFinal, type Render } from '../../domain/render/render.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { readServingPointer } from '../generations.ts';
import type { RenderDocument } from './documents.ts';
import { type FoldedUntil, foldedUntil } from './folded-until.ts';
import { renderModel } from './model.ts';

/** The blobs that a render refers to in its accepted events. */
export type RenderBlobs = {
  readonly account_id: string;
  /** When it completed or failed, ms by the brokers' clock; null before. From then on it gets no new references. */
  readonly ended_at: number | null;
  /** The path of its request; null if it has none. */
  readonly request: string | null;
  /** Paths of its outputs and its poster. */
  readonly outputs: ReadonlySet<string>;
  /** The path of its final composition; null without one. */
  readonly composition: string | null;
  /** When it was erased, ms by the brokers' clock; null if it was not. */
  readonly erased_at: number | null;
};

/** The read model at one moment. */
export type RenderBlobsSnapshot = {
  readonly foldedUntil: FoldedUntil;
  /** Existing renders. */
  readonly renders: ReadonlyMap<string, RenderBlobs>;
};

/** Limits one answer of the store: a document has its attempts and outputs, and some kB. */
const MAX_AT_ONCE = 500;

export const blobsOf = (render: Render): RenderBlobs => {
  const { account_id, status, created_at, updated_at, request, prepared, outputs, poster } = render;
  return {
    account_id,
    ended_at: isFinal(status) ? (updated_at ?? created_at) : null,
    request: request?.path ?? null,
    outputs: new Set([poster, ...outputs].flatMap((one) => one?.path ?? [])),
    composition: prepared?.composition.path ?? null,
    // Older documents lack it.
    erased_at: render.erased_at ?? null,
  };
};

/** Rejects while the store does not answer. */
export const openRenderBlobs =
  (db: Db) =>
  async (render_ids: readonly string[]): Promise<RenderBlobsSnapshot> => {
    const pointer = await readServingPointer(db, 'renders');
    if (pointer === null) return { foldedUntil: foldedUntil([], 0), renders: new Map() };
    const { renders, caught_up } = renderModel(db, pointer.generation);
    // One generation for both, and the times first: everything before them is then in the documents.
    const marks = await caught_up.find({}, queryTimeout()).toArray();
    const found = new Map<string, RenderBlobs>();
    for (let from = 0; from < render_ids.length; from += MAX_AT_ONCE) {
      const documents = await renders
        .find<Pick<RenderDocument, '_id' | 'render'>>(
          { _id: { $in: render_ids.slice(from, from + MAX_AT_ONCE) } },
          { projection: { render: 1 }, ...queryTimeout() },
        )
        .toArray();
      for (const { _id, render } of documents) if (render !== null) found.set(_id, blobsOf(render));
    }
    return { foldedUntil: foldedUntil(marks, pointer.partitions), renders: found };
  };
