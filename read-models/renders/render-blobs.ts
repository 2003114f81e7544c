import type { Db } from 'mongodb';
import { isFinal, type Render } from '../../domain/render/render.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { readServingPointer } from '../generations.ts';
import type { RenderDocument } from './documents.ts';
import { type FoldedUntil, foldedUntil } from './folded-until.ts';
import { renderModel } from './model.ts';

/** What a render refers to in Blob, as its accepted events say. */
export type RenderBlobs = {
  readonly account_id: string;
  /** When it completed or failed, ms by the brokers' clock; null before. From then on it comes to refer to nothing more. */
  readonly ended_at: number | null;
  /** The path of its request; null where it has none. */
  readonly request: string | null;
  /** Paths of its outputs and its poster. */
  readonly outputs: ReadonlySet<string>;
  /** The path of its final composition; null where there is none. */
  readonly composition: string | null;
  /** When it was erased, ms by the brokers' clock; null where it was not. */
  readonly erased_at: number | null;
};

/** A read model at one moment. */
export type FoldedRenders = {
  readonly foldedUntil: FoldedUntil;
  /** Of those that there are. */
  readonly renders: ReadonlyMap<string, RenderBlobs>;
};

/** Bounds one answer of the store: a document has its attempts and outputs, and is a few kB long. */
const MOST_AT_ONCE = 500;

export const blobsOf = (render: Render): RenderBlobs => {
  const { account_id, status, created_at, updated_at, request, prepared, outputs, poster } = render;
  return {
    account_id,
    ended_at: isFinal(status) ? (updated_at ?? created_at) : null,
    request: request?.path ?? null,
    outputs: new Set([poster, ...outputs].flatMap((one) => one?.path ?? [])),
    composition: prepared?.composition.path ?? null,
    // Documents of before lack it.
    erased_at: render.erased_at ?? null,
  };
};

/** Rejects while the store does not answer. */
export const openRenderBlobs =
  (db: Db) =>
  async (render_ids: readonly string[]): Promise<FoldedRenders> => {
    const pointer = await readServingPointer(db, 'renders');
    if (pointer === null) return { foldedUntil: foldedUntil([], 0), renders: new Map() };
    const { renders, caught_up } = renderModel(db, pointer.generation);
    // One generation for both, and the times first: what they speak of is in the documents then.
    const marks = await caught_up.find({}, queryTimeout()).toArray();
    const found = new Map<string, RenderBlobs>();
    for (let from = 0; from < render_ids.length; from += MOST_AT_ONCE) {
      const documents = await renders
        .find<Pick<RenderDocument, '_id' | 'render'>>(
          { _id: { $in: render_ids.slice(from, from + MOST_AT_ONCE) } },
          { projection: { render: 1 }, ...queryTimeout() },
        )
        .toArray();
      for (const { _id, render } of documents) if (render !== null) found.set(_id, blobsOf(render));
    }
    return { foldedUntil: foldedUntil(marks, pointer.partitions), renders: found };
  };
