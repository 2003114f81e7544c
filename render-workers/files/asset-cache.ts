import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FinalComposition } from '../../domain/composition/final-composition.ts';
import { BlobFault, type BlobStore } from '../../platform/blob-store/blob-store.ts';
import { assetPath, mediaPath } from '../../schemas/blobs/paths.ts';
import { sameBytes } from '../engine/cache/local-cache.ts';

type Asset = FinalComposition['assets'][number];

/** Whose assets they are: the project's, or what was fetched for the render alone. */
export type AssetOwner = { readonly project_id: string; readonly render_id: string };

const pathOf = ({ project_id, render_id }: AssetOwner, { sha256, of_render }: Asset): string =>
  of_render ? mediaPath(render_id, sha256) : assetPath(project_id, sha256);

type Kept = { readonly file: string; size_bytes: number; users: number; ready: Promise<void> };

/** Local copies of assets, by the hash of their bytes; the one used longest ago goes first when there are too many. */
export type AssetCache = {
  /**
   * Puts the assets' files into `folder`. They stay there whatever the cache drops.
   *
   * @returns paths by asset id
   * Rejects with `BlobFault`; `corrupt` where a blob's bytes are not those that the project names.
   */
  readonly provide: (
    owner: AssetOwner,
    assets: readonly Asset[],
    folder: string,
  ) => Promise<ReadonlyMap<string, string>>;
};

export const createAssetCache = (blobs: BlobStore, folder: string, limit_bytes: number): AssetCache => {
  // By path, so that nobody is given a file of a project that is not theirs; in the order of use.
  const kept = new Map<string, Kept>();

  const dropOldest = async (): Promise<void> => {
    let total = [...kept.values()].reduce((sum, { size_bytes }) => sum + size_bytes, 0);
    for (const [path, { size_bytes, users, file }] of kept) {
      if (total <= limit_bytes) return;
      if (users > 0) continue;
      kept.delete(path);
      total -= size_bytes;
      await rm(file, { force: true });
    }
  };

  const download = async (entry: Kept, path: string, asset: Asset): Promise<void> => {
    const { sha256, size_bytes } = await blobs.download(path, entry.file);
    entry.size_bytes = size_bytes;
    if (sha256 === asset.sha256) return;
    await rm(entry.file, { force: true });
    throw new BlobFault('corrupt', path, `the asset "${asset.id}" is not what the project names`);
  };

  const entryOf = (owner: AssetOwner, asset: Asset): Kept => {
    const path = pathOf(owner, asset);
    const before = kept.get(path);
    if (before !== undefined) {
      kept.delete(path);
      kept.set(path, before);
      return before;
    }
    const file = join(folder, `${createHash('sha256').update(path).digest('hex')}`);
    const entry: Kept = { file, size_bytes: 0, users: 0, ready: Promise.resolve() };
    kept.set(path, entry);
    entry.ready = download(entry, path, asset);
    // What could not be fetched is fetched again by the next who asks.
    entry.ready.catch(() => kept.delete(path));
    return entry;
  };

  const putInto = async (entry: Kept, file: string): Promise<void> => {
    entry.users += 1;
    try {
      await entry.ready;
      await sameBytes(entry.file, file);
    } finally {
      entry.users -= 1;
    }
  };

  return {
    provide: async (owner, assets, into) => {
      const files = new Map<string, string>();
      for (const [i, asset] of assets.entries()) {
        const file = join(into, `asset-${i}`);
        await putInto(entryOf(owner, asset), file);
        files.set(asset.id, file);
      }
      await dropOldest();
      return files;
    },
  };
};
