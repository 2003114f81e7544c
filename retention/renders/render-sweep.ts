import type { EvictableBlobs, ListedBlob } from '../../platform/blob-store/evictable-blobs.ts';
import type { Warn } from '../../platform/logging/sparing-warnings.ts';
import type { AccountRetentions } from '../../read-models/catalogue/account-retentions.ts';
import type { FoldedRenders } from '../../read-models/renders/render-blobs.ts';
import { RENDERS_PATH, renderBlobAt } from '../../schemas/blobs/paths.ts';
import { requestSignal } from '../sweeps/list-pages.ts';
import type { BlobKind } from '../sweeps/progress.ts';
import { removeBlobs } from '../sweeps/remove-blobs.ts';
import type { Sweep } from '../sweeps/run-sweeps.ts';
import { mayGo, type RenderAges } from './may-go.ts';

export type RenderSweepParts = {
  readonly blobs: Pick<EvictableBlobs, 'list' | 'remove'>;
  /** Rejects while the store is away, or holds less than was told before. */
  readonly foldedRenders: (render_ids: readonly string[]) => Promise<FoldedRenders>;
  readonly retentions: AccountRetentions;
  readonly ages: RenderAges;
  /** Deletes all that Blob has of a render that was erased. */
  readonly eraseAgain: (
    render: { readonly render_id: string; readonly account_id: string },
    signal: AbortSignal,
  ) => Promise<unknown>;
  readonly warn: Warn;
};

const DAY_MS = 86_400_000;

/** All blobs of renders, a page of them at a time, whatever their number: one list, and the documents of its renders. */
export const renderSweep = ({ blobs, foldedRenders, retentions, ages, eraseAgain, warn }: RenderSweepParts): Sweep => ({
  name: 'renders',
  every_ms: DAY_MS,
  page: async (from, signal) => {
    const { found, next } = await blobs.list(RENDERS_PATH, from, requestSignal(signal));
    const listed = found.flatMap((blob) => {
      const at = renderBlobAt(blob.path);
      return at === null ? [] : [{ ...blob, ...at }];
    });
    if (listed.length === 0) return { next, removed: {} };
    const { foldedUntil, renders } = await foldedRenders([...new Set(listed.map(({ render_id }) => render_id))]);

    const set = await retentions([...new Set(Array.from(renders.values(), ({ account_id }) => account_id))]);

    // An attempt that was lost stored it after the erasure.
    for (const [render_id, { account_id, erased_at }] of renders)
      if (erased_at !== null)
        await eraseAgain({ render_id, account_id }, signal).catch((error: unknown) => {
          signal.throwIfAborted();
          warn({ error, render_id }, 'what is found of an erased render cannot be removed');
        });

    const unknown = listed.filter(
      ({ kind, render_id, stored_at }) =>
        kind !== 'requests' && !renders.has(render_id) && stored_at < foldedUntil(render_id) - ages.leftovers_ms,
    );
    if (unknown.length > 0)
      warn(
        { blobs: unknown.length, first: unknown[0]?.path },
        'blobs are kept whose renders are not in the log: was it restored?',
      );

    const going = Map.groupBy(
      listed.filter((blob) => {
        const render = renders.get(blob.render_id) ?? null;
        const retention = render === null ? null : (set.get(render.account_id) ?? null);
        return mayGo(blob, render, retention, foldedUntil(blob.render_id), ages);
      }),
      ({ kind }) => kind,
    );
    const removed = await Promise.all(
      Array.from(going, async ([kind, of_kind]: readonly [BlobKind, readonly ListedBlob[]]) => {
        const all = await removeBlobs(blobs, of_kind, signal, (path, error) =>
          warn({ error, path }, 'a blob of a render cannot be removed'),
        );
        return [kind, all] as const;
      }),
    );
    return { next, removed: Object.fromEntries(removed) };
  },
});
