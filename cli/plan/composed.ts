import * as E from 'fp-ts/lib/Either.js';
import { type ComposedProject, type CompositionRequest, composeProject } from '../../catalogue/composed-project.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import type { CliFault } from '../fault.ts';
import { provideAssetFiles } from './kept-assets.ts';
import type { RenderTools } from './render-tools.ts';

/** A composed project. `assets` has file paths by asset id. */
export type ComposedWithFiles = ComposedProject & { readonly assets: ReadonlyMap<string, string> };

export const composeWithFiles = async (
  { view, blobs, cache_folder }: RenderTools,
  wanted: CompositionRequest,
): Promise<E.Either<CliFault | CatalogueFault, ComposedWithFiles>> => {
  const found = await composeProject(view, wanted);
  if (E.isLeft(found)) return found;
  const { project, final } = found.right;
  const assets = await provideAssetFiles(blobs, cache_folder, project.id, final.assets);
  return E.isLeft(assets) ? assets : E.right({ ...found.right, assets: assets.right });
};
