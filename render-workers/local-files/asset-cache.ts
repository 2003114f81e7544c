import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { FinalComposition } from '../../domain/composition/final-composition.ts';
import { linkOrCopy } from '../../engine/cache/local-cache.ts';
import { BlobFault, type BlobStore } from '../../platform/blob-store/blob-store.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import { rejectOnAbort } from '../../platform/process/abortable.ts';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import { assetPath, mediaPath } from '../../schemas/blobs/paths.ts';
import { createKeptFiles, type KeptFile } from './kept-files.ts';

type Asset = FinalComposition['assets'][number];

export type AssetOwner = { readonly project_id: string; readonly render_id: string };

/** The owner of the files, or the path of each file, by hash. */
export type AssetPlaces = AssetOwner | { readonly paths: ReadonlyMap<string, string> };

/** The path of an asset's blob. */
export const pathOfAsset = (places: AssetPlaces, { id, sha256, of_render }: Asset): string => {
  if (!('paths' in places))
    return of_render ? mediaPath(places.render_id, sha256) : assetPath(places.project_id, sha256);
  const path = places.paths.get(sha256);
  if (path === undefined) throw new Error(`the asset "${id}" has no path`);
  return path;
};

/** Number of blob sizes to remember. Each is looked up once, because the content of a path never changes. */
const MAX_SIZES = 10_000;

/**
 * LRU cache of assets on the local disk, by the hash of their bytes, with a size limit. A file that does not fit is
 * fetched only for its render.
 */
export type AssetCache = {
  /**
   * Puts the assets' files into `folder`. They stay there when the cache evicts them.
   * @returns paths by asset id. Rejects with `BlobFault`, which is `corrupt` if a blob does not match its hash. Rejects
   * with the reason of `signal` as soon as it aborts.
   */
  readonly provide: (
    places: AssetPlaces,
    assets: readonly Asset[],
    folder: string,
    signal: AbortSignal,
  ) => Promise<ReadonlyMap<string, string>>;
  /** Removes unused files that were fetched before this time (same clock as `now`). */
  readonly expire: (before: number) => Promise<void>;
  /** Total size of the files that `provide` would store, in bytes. Rejects as `provide` does. */
  readonly sizeOf: (places: AssetPlaces, assets: readonly Asset[], signal: AbortSignal) => Promise<number>;
};

export const createAssetCache = (
  blobs: BlobStore,
  folder: string,
  limit_bytes: number,
  now: () => number = SYSTEM_CLOCK.monotonic,
): AssetCache => {
  const kept = createKeptFiles(limit_bytes);
  const sizes = new LRUCache<string, number>({ max: MAX_SIZES });

  const sizeAt = async (path: string, signal: AbortSignal): Promise<number> => {
    const known = sizes.get(path);
    if (known !== undefined) return known;
    const size_bytes = await blobs.sizeOf(path, signal);
    sizes.set(path, size_bytes);
    return size_bytes;
  };

  const fetchInto = async (file: string, path: string, asset: Asset, signal: AbortSignal): Promise<void> => {
    const { sha256 } = await blobs.download(path, file, signal);
    if (sha256 === asset.sha256) return;
    await rm(file, { force: true });
    throw new BlobFault('corrupt', path, `the asset "${asset.id}" is not what the project names`);
  };

  /** Adds a user to an entry; the user must release it. Null if there is no room. */
  const entryInUse = async (path: string, asset: Asset, signal: AbortSignal): Promise<KeptFile | null> => {
    const size_bytes = kept.has(path) ? 0 : await sizeAt(path, signal);
    const has_room = kept.has(path) || (await kept.makeRoom(size_bytes));
    // No await from here on, so no other call of this process can run in between.
    const before = kept.use(path);
    if (before !== undefined) {
      before.users += 1;
      return before;
    }
    if (!has_room || !kept.fits(size_bytes)) return null;
    // A unique name, because the file of an evicted entry may not be deleted yet.
    const file = join(folder, mintUlid());
    const stop = new AbortController();
    const entry: KeptFile = { file, size_bytes, at: now(), stop, users: 1, fetched: false, ready: Promise.resolve() };
    kept.add(path, entry);
    const fetch = async (): Promise<void> => {
      try {
        // The fetch has its own signal, because other users may wait for it after this one has left.
        await fetchInto(file, path, asset, stop.signal);
        entry.fetched = true;
      } catch (error) {
        kept.drop(path, entry);
        throw error;
      }
    };
    entry.ready = fetch();
    // Users that wait get the rejection from `ready`. This handler only avoids an unhandled rejection.
    entry.ready.catch(() => undefined);
    return entry;
  };

  const release = (path: string, entry: KeptFile): void => {
    entry.users -= 1;
    if (entry.users > 0 || entry.fetched) return;
    // No user waits for this fetch. A new user must not join a fetch that is aborted, so the entry is hidden first.
    kept.hide(path, entry);
    entry.stop.abort();
  };

  const putInto = async (file: string, path: string, asset: Asset, signal: AbortSignal): Promise<void> => {
    const entry = await entryInUse(path, asset, signal);
    if (entry === null) return await fetchInto(file, path, asset, signal);
    try {
      await rejectOnAbort(signal, entry.ready);
      await linkOrCopy(entry.file, file);
    } finally {
      release(path, entry);
    }
  };

  return {
    provide: async (places, assets, into, signal) => {
      const files = new Map<string, string>();
      for (const [i, asset] of assets.entries()) {
        const file = join(into, `asset-${i}`);
        signal.throwIfAborted();
        await putInto(file, pathOfAsset(places, asset), asset, signal);
        files.set(asset.id, file);
      }
      return files;
    },
    expire: async (before) => {
      await kept.evictUnused(({ at }) => at < before);
    },
    sizeOf: async (places, assets, signal) => {
      const paths = new Set(assets.map((asset) => pathOfAsset(places, asset)));
      let sum = 0;
      for (const path of paths) sum += await sizeAt(path, signal);
      return sum;
    },
  };
};
