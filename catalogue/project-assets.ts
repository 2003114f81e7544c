import * as E from 'fp-ts/lib/Either.js';
import type { StoredAsset } from '../domain/composition/assets.ts';
import { filmFaults } from '../domain/composition/film-faults.ts';
import { checkFlat } from '../domain/composition/flat-project.ts';
import { decodeProjectDocument, type ProjectDocument } from '../domain/composition/project-document.ts';
import { trimFaults } from '../domain/composition/source-end-rules.ts';
import type { BlobStore } from '../platform/blob-store/blob-store.ts';
import type { CatalogueReadModel } from '../read-models/catalogue/management.ts';
import type { ProjectView } from './answers.ts';
import { type LocalAsset, sourceEndsOf, storeAssets } from './asset-files.ts';
import type { CatalogueWriter } from './change.ts';
import type { CatalogueFault } from './fault.ts';
import { addVersion, type ProjectWithDocument, showProject } from './projects.ts';

export type ProjectWithAssets = ProjectView & { readonly assets: readonly StoredAsset[] };

export type ProjectWithAddedAssets = ProjectWithAssets & { readonly repeated?: true };

export const requireDocument = ({
  document,
  ...project
}: ProjectWithDocument): E.Either<
  CatalogueFault,
  { readonly project: ProjectView; readonly document: ProjectDocument }
> =>
  document === null
    ? E.left({ tag: 'no_version', project_id: project.id, needed_for: 'assets' })
    : E.right({ project, document });

const isThere = (document: ProjectDocument, { stored }: LocalAsset): boolean =>
  document.assets.some(({ id, kind, sha256 }) => id === stored.id && kind === stored.kind && sha256 === stored.sha256);

const taken = (document: ProjectDocument, added: readonly LocalAsset[]) =>
  added
    .filter(({ stored }) => document.assets.some(({ id }) => id === stored.id))
    .map(({ path, stored }) => ({ path, id: stored.id }));

/** Each added asset replaces the one with its id, or goes to the end. */
const documentWith = (
  document: ProjectDocument,
  added: readonly LocalAsset[],
  project_id: string,
): E.Either<CatalogueFault, ProjectDocument> => {
  const assets = new Map(document.assets.map((asset) => [asset.id, asset]));
  for (const { stored } of added) assets.set(stored.id, stored);
  const decoded = decodeProjectDocument({ ...document, assets: [...assets.values()] });
  const faults = E.isLeft(decoded)
    ? decoded.left
    : [...checkFlat(decoded.right, (flat) => trimFaults(flat, sourceEndsOf(added))), ...filmFaults(decoded.right)];
  return faults.length > 0 || E.isLeft(decoded)
    ? E.left({ tag: 'invalid_project', path: project_id, faults })
    : decoded;
};

/**
 * The maximum number of attempts to add a version. An attempt fails if another version was added after the read of the
 * latest one.
 */
const TRIES = 5;

const isOutdated = (fault: CatalogueFault): boolean =>
  fault.tag === 'illegal' && fault.reason === 'base_version_outdated';

/**
 * Stores the files by their hashes, and adds a version of the project that differs only in its assets. If all assets
 * exist, there is no new version.
 *
 * @param replace whether an asset may replace another one with its id
 */
export const addAssets = async (
  catalogue: CatalogueWriter,
  blobs: BlobStore,
  project_id: string,
  files: readonly LocalAsset[],
  replace: boolean,
): Promise<E.Either<CatalogueFault, ProjectWithAddedAssets>> => {
  const assets = files.map(({ stored }) => stored);
  for (let tries = 1; ; tries += 1) {
    const shown = await showProject(catalogue.read_model, project_id);
    if (E.isLeft(shown)) return shown;
    const found = requireDocument(shown.right);
    if (E.isLeft(found)) return found;
    const { project, document } = found.right;
    const added = files.filter((file) => !isThere(document, file));
    const refused = replace ? [] : taken(document, added);
    if (refused.length > 0) return E.left({ tag: 'assets_taken', files: refused });
    const revised = documentWith(document, added, project_id);
    if (E.isLeft(revised)) return revised;
    // Existing assets are stored again, because a blob may have been lost.
    const stored = await storeAssets(blobs, project_id, files);
    if (E.isLeft(stored)) return stored;
    if (added.length === 0) return E.right({ ...project, assets, repeated: true });
    const version = await addVersion(catalogue, blobs, {
      ...{ project_id, base_version: project.version },
      document: revised.right,
    });
    if (E.isRight(version)) return E.right({ ...version.right, assets });
    if (!isOutdated(version.left) || tries === TRIES) return version;
  }
};

/**
 * In the order of the document.
 *
 * @param version null for the latest
 */
export const listAssets = async (
  read_model: CatalogueReadModel,
  project_id: string,
  version: number | null,
): Promise<E.Either<CatalogueFault, ProjectWithAssets>> => {
  const shown = await showProject(read_model, project_id, version);
  if (E.isLeft(shown)) return shown;
  const { document, ...project } = shown.right;
  return E.right({ ...project, assets: document?.assets ?? [] });
};
