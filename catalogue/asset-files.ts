import * as E from 'fp-ts/lib/Either.js';
import type { StoredAsset } from '../domain/composition/assets.ts';
import type { SourceEnds } from '../domain/composition/source-end-rules.ts';
import type { BlobStore } from '../platform/blob-store/blob-store.ts';
import { assetPath } from '../schemas/blobs/paths.ts';
import { catalogueFaultOf } from './blob-faults.ts';
import type { CatalogueFault } from './fault.ts';

export type LocalAsset = {
  readonly path: string;
  readonly stored: StoredAsset;
};

export const sourceEndsOf = (assets: readonly LocalAsset[]): SourceEnds =>
  new Map(assets.flatMap(({ stored: { id, duration_s } }) => (duration_s === undefined ? [] : [[id, duration_s]])));

/** Paths are content-addressed, so existing blobs are not uploaded again. */
export const storeAssets = async (
  blobs: BlobStore,
  project_id: string,
  assets: readonly LocalAsset[],
): Promise<E.Either<CatalogueFault, null>> => {
  try {
    await blobs.ensureContainer();
    for (const { path, stored } of assets) {
      const at = assetPath(project_id, stored.sha256);
      if (await blobs.exists(at)) continue;
      const { sha256 } = await blobs.upload(at, path, { content_type: stored.content_type });
      if (sha256 !== stored.sha256) {
        await blobs.remove(at);
        return E.left({ tag: 'file_changed', path });
      }
    }
    return E.right(null);
  } catch (error) {
    return catalogueFaultOf(error);
  }
};
