import type { EvictableBlobs, ListedBlob } from '../../platform/blob-store/evictable-blobs.ts';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { AccountRetentions } from '../../read-models/catalogue/account-retentions.ts';
import type { RenderBlobsSnapshot } from '../../read-models/renders/render-blobs.ts';
import { RENDERS_PATH, renderBlobAt } from '../../schemas/blobs/paths.ts';
import { listBelowPrefixes } from '../sweeps/list-below.ts';
import type { BlobKind } from '../sweeps/progress.ts';
import { removeBlobs } from '../sweeps/remove-blobs.ts';
import type { Sweep } from '../sweeps/run-sweeps.ts';
import type { TrustedTime } from '../time/trusted-time.ts';
import type { OutputLimits } from './output-limits.ts';
import { isDeletable, type RenderAges, type RenderBlob } from './render-retention.ts';

export type RenderSweepDependencies = {
  readonly blobs: Pick<EvictableBlobs, 'list' | 'remove'>;
  /**
   * Reads what is known of these renders. Rejects on store outage, and if the store has less than it reported before.
   */
  readonly readRenderBlobs: (render_ids: readonly string[]) => Promise<RenderBlobsSnapshot>;
  readonly retentions: AccountRetentions;
  readonly outputLimits: OutputLimits;
  readonly time: Pick<TrustedTime, 'now'>;
  readonly ages: RenderAges;
  readonly eraseAgain: (
    render: { readonly render_id: string; readonly account_id: string },
    signal: AbortSignal,
  ) => Promise<unknown>;
  readonly warn: Warn;
};

const DAY_MS = 86_400_000;

type Listed = ListedBlob & RenderBlob & { readonly render_id: string };

const listedIn = (found: readonly ListedBlob[]): readonly Listed[] =>
  found.flatMap((blob) => {
    const at = renderBlobAt(blob.path);
    return at === null ? [] : [{ ...blob, ...at }];
  });

/**
 * Deletes blobs of renders after their retention. It needs constant memory: each page takes one list request and one
 * read of its renders.
 */
export const renderSweep = (parts: RenderSweepDependencies, prefixes: readonly string[] = [RENDERS_PATH]): Sweep => {
  const { blobs, readRenderBlobs, retentions, outputLimits, time, ages, eraseAgain, warn } = parts;

  /** Erases the files of erased renders again, because a lost attempt may store a blob after the erasure. */
  const eraseAllAgain = async ({ renders }: RenderBlobsSnapshot, signal: AbortSignal): Promise<void> => {
    for (const [render_id, { account_id, erased_at }] of renders)
      if (erased_at !== null)
        await eraseAgain({ render_id, account_id }, signal).catch((error: unknown) => {
          signal.throwIfAborted();
          warn({ error, render_id }, 'blobs of an erased render cannot be removed');
        });
  };

  const deletableOf = async (listed: readonly Listed[], { foldedUntil, renders }: RenderBlobsSnapshot, now: number) => {
    const nowOf = (render_id: string): number => Math.min(now, foldedUntil(render_id));
    const unknown = listed.filter(
      ({ kind, render_id, stored_at }) =>
        kind !== 'requests' && !renders.has(render_id) && stored_at < nowOf(render_id) - ages.leftovers_ms,
    );
    if (unknown.length > 0)
      warn(
        { blobs: unknown.length, first: unknown[0]?.path },
        'kept blobs of renders that are not in the log: was an older log restored?',
      );
    const set = await retentions([...new Set(Array.from(renders.values(), ({ account_id }) => account_id))]);
    const limits = await outputLimits(set, now);
    return listed.filter((blob) => {
      const render = renders.get(blob.render_id) ?? null;
      const account_id = render?.account_id ?? '';
      const times = { retention: set.get(account_id) ?? null, outputs_until: limits.get(account_id) ?? 0 };
      return isDeletable(blob, render, times, nowOf(blob.render_id), ages);
    });
  };

  return {
    name: 'renders',
    every_ms: DAY_MS,
    page: async (from, signal) => {
      const { found, next } = await listBelowPrefixes(blobs, { root: RENDERS_PATH, prefixes }, from, signal);
      const listed = listedIn(found);
      if (listed.length === 0) return { next, removed: {} };
      const folded = await readRenderBlobs([...new Set(listed.map(({ render_id }) => render_id))]);
      await eraseAllAgain(folded, signal);
      const deletable = Map.groupBy(await deletableOf(listed, folded, await time.now()), ({ kind }) => kind);
      const removed = await Promise.all(
        Array.from(deletable, async ([kind, of_kind]: readonly [BlobKind, readonly ListedBlob[]]) => {
          const all = await removeBlobs(blobs, of_kind, signal, (path, error) =>
            warn({ error, path }, 'a blob of a render cannot be removed'),
          );
          return [kind, all] as const;
        }),
      );
      return { next, removed: Object.fromEntries(removed) };
    },
  };
};
