import * as E from 'fp-ts/lib/Either.js';
import { canonicalJson } from '../../domain/composition/canonical-json.ts';
import { resolveAssets } from '../../domain/composition/project-document.ts';
import { BlobFault, type BlobStore } from '../../platform/blob-store/blob-store.ts';
import { assetPath } from '../../schemas/blobs/paths.ts';
import type { CliFault } from '../fault.ts';
import type { ProjectAnswer } from './answers.ts';
import { catalogueView } from './catalogue-view.ts';
import type { Catalogue } from './change.ts';
import type { LocalAsset, LocalProject } from './project-files.ts';
import { addVersion, createProject, type NewProject, showProject } from './projects.ts';

/** Into a new project of a team, or as a new version of one that is there. */
export type ImportTarget =
  | ({ readonly tag: 'new' } & Omit<NewProject, 'name'>)
  | {
      readonly tag: 'version_of';
      readonly project_id: string;
      /** Null: the latest. */
      readonly base_version: number | null;
    };

/** `added`: false when the latest version held exactly this already. */
export type Imported = ProjectAnswer & { readonly added: boolean };

/** Content-addressed, so what is there already is not sent again. */
const storeAssets = async (
  blobs: BlobStore,
  project_id: string,
  assets: readonly LocalAsset[],
): Promise<E.Either<CliFault, null>> => {
  try {
    await blobs.ensureContainer();
    for (const { path, stored } of assets) {
      const at = assetPath(project_id, stored.sha256);
      if (await blobs.exists(at)) continue;
      const { sha256 } = await blobs.upload(at, path, { content_type: stored.content_type });
      if (sha256 !== stored.sha256) {
        await blobs.remove(at);
        return E.left({ tag: 'unreadable_file', path, message: 'it changed while it was read; import again' });
      }
    }
    return E.right(null);
  } catch (error) {
    if (error instanceof BlobFault) return E.left({ tag: 'blob_failed', message: error.message });
    throw error;
  }
};

const projectFor = async (catalogue: Catalogue, target: ImportTarget, name: string) =>
  target.tag === 'new'
    ? createProject(catalogue, { ...target, name })
    : showProject(await catalogueView(catalogue.db), target.project_id);

/**
 * Imports a project: its files to the blob store, then the document as a version on top of the one it was made from.
 *
 * @returns the project as the read model then shows it
 */
export const importProject = async (
  catalogue: Catalogue,
  blobs: BlobStore,
  local: LocalProject,
  target: ImportTarget,
): Promise<E.Either<CliFault, Imported>> => {
  const document = resolveAssets(local.file, new Map(local.assets.map(({ stored }) => [stored.id, stored])));
  if (E.isLeft(document)) return E.left({ tag: 'invalid_project', path: local.path, faults: document.left });
  const project = await projectFor(catalogue, target, local.file.name);
  if (E.isLeft(project)) return project;
  const { document: latest, ...answer } = { document: null, ...project.right };
  if (latest !== null && canonicalJson(latest) === canonicalJson(document.right))
    return E.right({ ...answer, added: false });
  const stored = await storeAssets(blobs, answer.id, local.assets);
  if (E.isLeft(stored)) return stored;
  const base_version = (target.tag === 'version_of' ? target.base_version : null) ?? answer.version;
  const added = await addVersion(catalogue, { project_id: answer.id, base_version, document: document.right });
  return E.isLeft(added) ? added : E.right({ ...added.right, added: true });
};
