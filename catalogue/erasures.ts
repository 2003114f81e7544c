import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueView } from '../domain/catalogue/verdict.ts';
import { type Catalogue, changeCatalogue } from './change.ts';
import type { CatalogueFault } from './fault.ts';

/** `texts_in_log`: it was made before its texts were kept outside the log; null where that cannot be told any more. */
export type ErasedProject = { readonly repeated: boolean; readonly texts_in_log: boolean | null };

/** From here on nothing shows the project. Its renders and files are erased by the process `retention`. */
export const eraseProject = async (
  catalogue: Catalogue,
  project_id: string,
): Promise<E.Either<CatalogueFault, ErasedProject>> =>
  E.map(({ repeated, before }: { readonly repeated: boolean; readonly before: CatalogueView }) => {
    const project = before('project', project_id);
    const is_known = project !== null && project.name !== null;
    return { repeated, texts_in_log: is_known ? project.created_with === undefined : null };
  })(await changeCatalogue(catalogue, { type: 'EraseProject', project_id }));
