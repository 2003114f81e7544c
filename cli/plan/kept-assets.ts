import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import { catalogueFaultOf } from '../../catalogue/blob-faults.ts';
import type { FinalAsset } from '../../domain/composition/final-asset.ts';
import { BlobFault, type BlobStore } from '../../platform/blob-store/blob-store.ts';
import { messageOf } from '../../platform/logging/message-of.ts';
import { assetPath } from '../../schemas/blobs/paths.ts';
import type { CliFault } from '../fault.ts';

/**
 * The size limit of the cache, which makes later frames of the same project fast. The least recently used files are
 * evicted first.
 */
const LIMIT_BYTES = 4 * 1024 * 1024 * 1024;
const AT_ONCE = 4;

/** `RENDERCTL_CACHE_DIR`, or a folder in the user's cache. */
export const assetCacheFolder = (env: NodeJS.ProcessEnv): string =>
  env.RENDERCTL_CACHE_DIR ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'renderctl');

type Kept = { readonly file: string; readonly size_bytes: number; readonly used_at: number };

const keptFiles = async (folder: string): Promise<readonly Kept[]> => {
  const names = await readdir(folder);
  const found = await Promise.all(
    names.map(async (name): Promise<readonly Kept[]> => {
      const file = join(folder, name);
      const stats = await stat(file).catch(() => null);
      return stats === null ? [] : [{ file, size_bytes: stats.size, used_at: stats.mtimeMs }];
    }),
  );
  return found.flat().toSorted((a, b) => b.used_at - a.used_at);
};

/** Evicts the least recently used files above the limit, except those in use. */
const letGo = async (folder: string, used: ReadonlySet<string>, limit_bytes: number): Promise<void> => {
  let total = 0;
  for (const { file, size_bytes } of await keptFiles(folder)) {
    total += size_bytes;
    if (total > limit_bytes && !used.has(file)) await rm(file, { force: true });
  }
};

/** Whether the cache has the file. Sets the file's times to now, because eviction uses them. */
const isKept = async (file: string): Promise<boolean> => {
  const now = new Date();
  return await utimes(file, now, now).then(
    () => true,
    () => false,
  );
};

const fetchInto = async (file: string, blobs: BlobStore, path: string, { id, sha256 }: FinalAsset): Promise<void> => {
  const fresh = `${file}.${process.pid}.part`;
  try {
    const fetched = await blobs.download(path, fresh);
    if (fetched.sha256 !== sha256)
      throw new BlobFault('corrupt', path, `the content of the asset "${id}" does not match the project`);
    await rename(fresh, file);
  } finally {
    await rm(fresh, { force: true });
  }
};

const fetchAll = async (
  open: () => Promise<E.Either<CliFault, BlobStore>>,
  project_id: string,
  missing: readonly { readonly file: string; readonly asset: FinalAsset }[],
): Promise<E.Either<CliFault, null>> => {
  if (missing.length === 0) return E.right(null);
  const blobs = await open();
  if (E.isLeft(blobs)) return blobs;
  const limit = pLimit(AT_ONCE);
  const path = ({ sha256 }: FinalAsset) => assetPath(project_id, sha256);
  await Promise.all(missing.map(({ file, asset }) => limit(() => fetchInto(file, blobs.right, path(asset), asset))));
  return E.right(null);
};

/**
 * Downloads missing assets and checks them against their hashes. Returns file paths by asset id.
 *
 * @param cache_folder created on demand, readable only by this user
 */
export const provideAssetFiles = async (
  blobs: () => Promise<E.Either<CliFault, BlobStore>>,
  cache_folder: string,
  project_id: string,
  assets: readonly FinalAsset[],
  limit_bytes: number = LIMIT_BYTES,
): Promise<E.Either<CliFault, ReadonlyMap<string, string>>> => {
  const folder = resolve(cache_folder, 'assets');
  const file = ({ sha256 }: FinalAsset): string => join(folder, sha256);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const once = new Map(assets.map((asset) => [asset.sha256, asset]));
    const missing: { readonly file: string; readonly asset: FinalAsset }[] = [];
    for (const asset of once.values()) if (!(await isKept(file(asset)))) missing.push({ file: file(asset), asset });
    const fetched = await fetchAll(blobs, project_id, missing);
    if (E.isLeft(fetched)) return fetched;
    if (missing.length > 0) await letGo(folder, new Set(assets.map(file)), limit_bytes);
    return E.right(new Map(assets.map((asset) => [asset.id, file(asset)])));
  } catch (error) {
    if (error instanceof BlobFault) return catalogueFaultOf(error);
    const message = messageOf(error);
    return E.left({ tag: 'unwritable_file', path: folder, message });
  }
};
