import { access, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FinalAsset } from '../../domain/composition/final-asset.ts';
import type { AssetCache, AssetPlaces } from './asset-cache.ts';

/** Key of the fonts that a raster program loads at its start. Equal keys mean equal files with equal names. */
export const fontSetKey = (assets: readonly FinalAsset[]): string =>
  JSON.stringify(
    assets.filter(({ kind }) => kind === 'font').map(({ id, sha256, font_family }) => [id, sha256, font_family]),
  );

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/** Named by hash, so that files cannot be confused. */
const fileIn = (folder: string, { sha256 }: FinalAsset): string => join(folder, sha256);

export const missingAssets = async (folder: string, assets: readonly FinalAsset[]): Promise<readonly FinalAsset[]> => {
  const missing: FinalAsset[] = [];
  for (const asset of new Map(assets.map((one) => [one.sha256, one])).values())
    if (!(await isThere(fileIn(folder, asset)))) missing.push(asset);
  return missing;
};

/**
 * Puts the missing assets' files into the folder, which already contains files of the account's earlier renders.
 * @param known_missing result of `missingAssets`, if the caller has it
 * @returns paths by asset id. Rejects as `provide` of the cache does, and then leaves no file under a wrong name
 */
export const provideMissingAssets = async (
  cache: Pick<AssetCache, 'provide'>,
  places: AssetPlaces,
  assets: readonly FinalAsset[],
  folder: string,
  signal: AbortSignal,
  known_missing?: readonly FinalAsset[],
): Promise<ReadonlyMap<string, string>> => {
  const files = new Map(assets.map((asset) => [asset.id, fileIn(folder, asset)]));
  const missing = known_missing ?? (await missingAssets(folder, assets));
  if (missing.length === 0) return files;
  // Use a new folder, because leftovers of another call could have the same names.
  const fresh = await mkdtemp(join(folder, 'fresh-'));
  try {
    const provided = await cache.provide(places, missing, fresh, signal);
    for (const asset of missing) await rename(provided.get(asset.id) ?? '', fileIn(folder, asset));
  } finally {
    await rm(fresh, { recursive: true, force: true, maxRetries: 5 });
  }
  return files;
};
