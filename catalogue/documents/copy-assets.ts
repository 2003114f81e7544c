import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import { assetPath } from '../../schemas/blobs/paths.ts';
import { catalogueFaultOf } from '../blob-faults.ts';
import type { CatalogueFault } from '../fault.ts';
import { type AssetSource, pathOfSource } from './asset-source.ts';

const COPIED_AT_ONCE = 8;

/** Copies the files of other projects and of uploads into this one. A repeat copies only those that are missing. */
export const copyAssets = async (
  blobs: Pick<BlobStore, 'exists' | 'copy'>,
  project_id: string,
  sources: readonly AssetSource[],
): Promise<E.Either<CatalogueFault, null>> => {
  const others = sources.filter((source) => source.project_id !== project_id);
  const by_hash = [...new Map(others.map((source) => [source.asset.sha256, source])).values()];
  try {
    await pLimit(COPIED_AT_ONCE).map(by_hash, async (source) => {
      const to = assetPath(project_id, source.asset.sha256);
      if (!(await blobs.exists(to))) await blobs.copy(pathOfSource(source), to);
    });
    return E.right(null);
  } catch (error) {
    return catalogueFaultOf(error);
  }
};
