import { access, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FinalAsset } from '../../domain/composition/final-asset.ts';
import type { AssetCache, AssetOwner } from './asset-cache.ts';

/** What a raster program reads at its start: the same text, the same font files by the same names. */
export const fontsOf = (assets: readonly FinalAsset[]): string =>
  JSON.stringify(
    assets.filter(({ kind }) => kind === 'font').map(({ id, sha256, font_family }) => [id, sha256, font_family]),
  );

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/** The hash is the name, so no file can be taken for another one. */
const fileIn = (folder: string, { sha256 }: FinalAsset): string => join(folder, sha256);

/** Those of the assets, each file once, that are not in the folder of a raster program yet. */
export const missingIn = async (folder: string, assets: readonly FinalAsset[]): Promise<readonly FinalAsset[]> => {
  const missing: FinalAsset[] = [];
  for (const asset of new Map(assets.map((one) => [one.sha256, one])).values())
    if (!(await isThere(fileIn(folder, asset)))) missing.push(asset);
  return missing;
};

/**
 * Puts what is missing into the folder of a raster program, where the files of its account's renders before are.
 *
 * @param known_missing as of `missingIn`, where that was asked already
 * @returns paths by asset id. Rejects as `provide` of the cache does; nothing is then under a name that it should not have
 */
export const provideOnce = async (
  cache: Pick<AssetCache, 'provide'>,
  owner: AssetOwner,
  assets: readonly FinalAsset[],
  folder: string,
  signal: AbortSignal,
  known_missing?: readonly FinalAsset[],
): Promise<ReadonlyMap<string, string>> => {
  const files = new Map(assets.map((asset) => [asset.id, fileIn(folder, asset)]));
  const missing = known_missing ?? (await missingIn(folder, assets));
  if (missing.length === 0) return files;
  // Empty: what another call has left behind would be under the names of these.
  const fresh = await mkdtemp(join(folder, 'fresh-'));
  try {
    const provided = await cache.provide(owner, missing, fresh, signal);
    for (const asset of missing) await rename(provided.get(asset.id) ?? '', fileIn(folder, asset));
  } finally {
    await rm(fresh, { recursive: true, force: true, maxRetries: 5 });
  }
  return files;
};
