import type { StoredAsset } from '../../domain/composition/assets.ts';
import { assetPath } from '../../schemas/blobs/paths.ts';

/**
 * A file that a project has, as its document describes it. Or a file of an upload: then `blob` is its path, and the
 * project is null.
 */
export type AssetSource =
  | { readonly project_id: string; readonly asset: StoredAsset }
  | { readonly project_id: null; readonly asset: StoredAsset; readonly blob: string };

/** The path of its bytes. */
export const pathOfSource = (source: AssetSource): string =>
  source.project_id === null ? source.blob : assetPath(source.project_id, source.asset.sha256);
