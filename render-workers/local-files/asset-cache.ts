import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { FinalComposition } from '../../domain/composition/final-composition.ts';
import { sameBytes } from '../../engine/cache/local-cache.ts';
import { BlobFault, type BlobStore } from '../../platform/blob-store/blob-store.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import { abortable } from '../../platform/process/abortable.ts';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import { assetPath, mediaPath } from '../../schemas/blobs/paths.ts';

type Asset = FinalComposition['assets'][number];

/** Who owns the assets: the project, or the render that they were fetched for. */
export type AssetOwner = { readonly project_id: string; readonly render_id: string };

const pathOf = ({ project_id, render_id }: AssetOwner, { sha256, of_render }: Asset): string =>
  of_render ? mediaPath(render_id, sha256) : assetPath(project_id, sha256);

type Kept = {
  readonly file: string;
  readonly size_bytes: number;
  /** When it was fetched, ms of a monotonic clock. */
  readonly at: number;
  /** Aborts the fetch. */
  readonly stop: AbortController;
  users: number;
  fetched: boolean;
  /** Rejects where the file could not be fetched. */
  ready: Promise<void>;
};

/** Sizes are looked up once: a path's content never changes. */
const MAX_SIZES = 10_000;

/**
 * Local copies of assets, by the hash of their bytes, within a limit: the least recently used is evicted. A file that
 * finds no room is fetched for its render alone.
 */
export type AssetCache = {
  /**
   * Puts the assets' files into `folder`. They stay there when the cache evicts them.
   *
   * @returns paths by asset id. Rejects with `BlobFault`, `corrupt` where a blob's bytes do not match the project's hash;
   * and with the reason of `signal` as soon as that aborts.
   */
  readonly provide: (
    owner: AssetOwner,
    assets: readonly Asset[],
    folder: string,
    signal: AbortSignal,
  ) => Promise<ReadonlyMap<string, string>>;
  /** Removes what was fetched before this time (of the same clock as `now`), unless it is in use. */
  readonly expire: (before: number) => Promise<void>;
  /** The size of what `provide` would put there, in bytes. Rejects likewise. */
  readonly sizeOf: (owner: AssetOwner, assets: readonly Asset[], signal: AbortSignal) => Promise<number>;
};

export const createAssetCache = (
  blobs: BlobStore,
  folder: string,
  limit_bytes: number,
  now: () => number = SYSTEM_CLOCK.monotonic,
): AssetCache => {
  // By path, so that no account gets a file of another one's project; in order of use.
  const kept = new Map<string, Kept>();
  const sizes = new LRUCache<string, number>({ max: MAX_SIZES });
  let total_bytes = 0;

  const sizeAt = async (path: string, signal: AbortSignal): Promise<number> => {
    const known = sizes.get(path);
    if (known !== undefined) return known;
    const size_bytes = await blobs.sizeOf(path, signal);
    sizes.set(path, size_bytes);
    return size_bytes;
  };

  const hide = (path: string, entry: Kept): void => {
    if (kept.get(path) === entry) kept.delete(path);
  };

  // Removed from the cache first, so that it is not used meanwhile; its room counts as free once the file is deleted.
  const evict = async (path: string, entry: Kept): Promise<void> => {
    kept.delete(path);
    await rm(entry.file, { force: true });
    total_bytes -= entry.size_bytes;
  };

  /** Evicts unused files until so much more fits. False where no more can be evicted. */
  const makeRoom = async (size_bytes: number): Promise<boolean> => {
    if (size_bytes > limit_bytes) return false;
    for (const [path, entry] of kept) {
      if (total_bytes + size_bytes <= limit_bytes) break;
      if (entry.users > 0) continue;
      await evict(path, entry);
    }
    return total_bytes + size_bytes <= limit_bytes;
  };

  const fetchInto = async (file: string, path: string, asset: Asset, signal: AbortSignal): Promise<void> => {
    const { sha256 } = await blobs.download(path, file, signal);
    if (sha256 === asset.sha256) return;
    await rm(file, { force: true });
    throw new BlobFault('corrupt', path, `the asset "${asset.id}" is not what the project names`);
  };

  /** One more user of an entry, who has to release it; null where there is no room. */
  const entryInUse = async (path: string, asset: Asset, signal: AbortSignal): Promise<Kept | null> => {
    const size_bytes = kept.has(path) ? 0 : await sizeAt(path, signal);
    const has_room = kept.has(path) || (await makeRoom(size_bytes));
    // Synchronous from here, so nothing else of this process comes between.
    const before = kept.get(path);
    if (before !== undefined) {
      kept.delete(path);
      kept.set(path, before);
      before.users += 1;
      return before;
    }
    if (!has_room || total_bytes + size_bytes > limit_bytes) return null;
    // A unique name: the file of an evicted entry may not be deleted yet.
    const file = join(folder, mintUlid());
    const stop = new AbortController();
    const entry: Kept = { file, size_bytes, at: now(), stop, users: 1, fetched: false, ready: Promise.resolve() };
    kept.set(path, entry);
    total_bytes += size_bytes;
    const fetch = async (): Promise<void> => {
      try {
        // By a signal of its own: others may wait for it when this user has gone.
        await fetchInto(file, path, asset, stop.signal);
        entry.fetched = true;
      } catch (error) {
        // The next user fetches again.
        hide(path, entry);
        total_bytes -= size_bytes;
        throw error;
      }
    };
    entry.ready = fetch();
    // Those who wait hear of it.
    entry.ready.catch(() => undefined);
    return entry;
  };

  const release = (path: string, entry: Kept): void => {
    entry.users -= 1;
    if (entry.users > 0 || entry.fetched) return;
    // Nobody waits for it any more. Hidden at once, so that whoever comes now does not join a fetch that is ending.
    hide(path, entry);
    entry.stop.abort();
  };

  const putInto = async (file: string, path: string, asset: Asset, signal: AbortSignal): Promise<void> => {
    const entry = await entryInUse(path, asset, signal);
    if (entry === null) return await fetchInto(file, path, asset, signal);
    try {
      await abortable(signal, entry.ready);
      await sameBytes(entry.file, file);
    } finally {
      release(path, entry);
    }
  };

  return {
    provide: async (owner, assets, into, signal) => {
      const files = new Map<string, string>();
      for (const [i, asset] of assets.entries()) {
        const file = join(into, `asset-${i}`);
        signal.throwIfAborted();
        await putInto(file, pathOf(owner, asset), asset, signal);
        files.set(asset.id, file);
      }
      return files;
    },
    expire: async (before) => {
      for (const [path, entry] of kept) if (entry.users === 0 && entry.at < before) await evict(path, entry);
    },
    sizeOf: async (owner, assets, signal) => {
      const paths = new Set(assets.map((asset) => pathOf(owner, asset)));
      let sum = 0;
      for (const path of paths) sum += await sizeAt(path, signal);
      return sum;
    },
  };
};
