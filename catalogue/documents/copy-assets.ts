import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import { assetPath } from '../../schemas/blobs/paths.ts';
import { catalogueFaultOf } from '../blob-faults.ts';
import type { CatalogueFault } from '../fault.ts';
import { type AssetSource, pathOfSource } from './asset-source.ts';

const COPIED_AT_ONCE = 8;

/** The sources whose files this project does not have yet, each file once. */
export const foreignSources = (project_id: string, sources: readonly AssetSource[]): readonly AssetSource[] => {
  const others = sources.filter((source) => source.project_id !== project_id);
  return [...new Map(others.map((source) => [source.asset.sha256, source])).values()];
};

/** Copies the files of other projects and of uploads into this one. A repeat copies only those that are missing. */
export const copyAssets = async (
  blobs: Pick<BlobStore, 'exists' | 'copy'>,
  project_id: string,
  sources: readonly AssetSource[],
): Promise<E.Either<CatalogueFault, null>> => {
  try {
    await pLimit(COPIED_AT_ONCE).map([...foreignSources(project_id, sources)], async (source) => {
      const to = assetPath(project_id, source.asset.sha256);
      if (!(await blobs.exists(to))) await blobs.copy(pathOfSource(source), to);
    });
    return E.right(null);
  } catch (error) {
    return catalogueFaultOf(error);
  }
};
