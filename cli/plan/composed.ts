import * as E from 'fp-ts/lib/Either.js';
import { type ComposedProject, composedProject, type Wanted } from '../../catalogue/composed-project.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import type { CliFault } from '../fault.ts';
import { fileAssets } from './kept-assets.ts';
import type { RenderTools } from './render-tools.ts';

/** A composed project. `assets` has file paths by asset id. */
export type Composed = ComposedProject & { readonly assets: ReadonlyMap<string, string> };

export const composed = async (
  { view, blobs, kept_in }: RenderTools,
  wanted: Wanted,
): Promise<E.Either<CliFault | CatalogueFault, Composed>> => {
  const found = await composedProject(view, wanted);
  if (E.isLeft(found)) return found;
  const { project, final } = found.right;
  const assets = await fileAssets(blobs, kept_in, project.id, final.assets);
  return E.isLeft(assets) ? assets : E.right({ ...found.right, assets: assets.right });
};
