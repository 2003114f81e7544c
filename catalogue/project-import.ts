import * as E from 'fp-ts/lib/Either.js';
import { canonicalJson } from '../domain/composition/canonical-json.ts';
import type { Fault } from '../domain/composition/fault.ts';
import { type ProjectDocument, type ProjectFile, resolveAssets } from '../domain/composition/project-document.ts';
import type { BlobStore } from '../platform/blob-store/blob-store.ts';
import { assetPath } from '../schemas/blobs/paths.ts';
import type { ProjectView } from './answers.ts';
import { type LocalAsset, storeAssets } from './asset-files.ts';
import { catalogueFaultOf } from './blob-faults.ts';
import { type CatalogueWriter, viewAtLogEnd } from './change.ts';
import type { CatalogueFault } from './fault.ts';
import { addVersion, createProject, type NewProject, type ProjectWithDocument, showProject } from './projects.ts';

export type LocalProject = {
  readonly path: string;
  readonly file: ProjectFile;
  readonly assets: readonly LocalAsset[];
  /** Faults of the media files. They prevent an import, except if the latest version already has the same content. */
  readonly media_faults: readonly Fault[];
};

export type ImportTarget =
  | ({ readonly tag: 'new' } & Omit<NewProject, 'name'>)
  | {
      readonly tag: 'version_of';
      readonly project_id: string;
      readonly base_version: number | null;
    };

/** `added` is false if the latest version already had exactly this content. */
export type ImportResult = ProjectView & { readonly added: boolean };

/** An asset without a local file must already be stored in this project. */
const missingAssets = async (
  blobs: BlobStore,
  project_id: string | null,
  { path, file }: LocalProject,
): Promise<E.Either<CatalogueFault, null>> => {
  const faults: Fault[] = [];
  try {
    for (const [index, asset] of file.assets.entries()) {
      if ('file' in asset) continue;
      if (project_id !== null && (await blobs.exists(assetPath(project_id, asset.sha256)))) continue;
      const message = 'is not stored in this project; use its file instead: "file": "assets/…"';
      faults.push({ path: `assets[${index}].sha256`, message });
    }
  } catch (error) {
    return catalogueFaultOf(error);
  }
  return faults.length === 0 ? E.right(null) : E.left({ tag: 'invalid_project', path, faults });
};

const projectFor = async (
  catalogue: CatalogueWriter,
  blobs: BlobStore,
  target: ImportTarget,
  name: string,
): Promise<E.Either<CatalogueFault, ProjectWithDocument>> => {
  if (target.tag === 'version_of') return showProject(catalogue.read_model, target.project_id);
  const { tag: _tag, ...wanted } = target;
  const id = target.id ?? null;
  if (id !== null) {
    const view = await viewAtLogEnd(catalogue, [{ kind: 'project', id }]);
    if (E.isLeft(view)) return view;
    // An interrupted import may have created the project. A later version may have renamed it.
    if (view.right('project', id)?.team_id === target.team_id) return showProject(catalogue.read_model, id);
  }
  const created = await createProject(catalogue, blobs, { ...wanted, name });
  return E.isLeft(created) ? created : showProject(catalogue.read_model, created.right.id);
};

const intoProject = async (
  catalogue: CatalogueWriter,
  blobs: BlobStore,
  local: LocalProject,
  { id, version }: ProjectView,
  added: { readonly base_version: number | null; readonly document: ProjectDocument },
): Promise<E.Either<CatalogueFault, ProjectView>> => {
  const stored = await storeAssets(blobs, id, local.assets);
  if (E.isLeft(stored)) return stored;
  const { document, base_version } = added;
  return addVersion(catalogue, blobs, { project_id: id, base_version: base_version ?? version, document });
};

/** Former releases stored no lengths. The hash says that a file is the same. */
const contentOf = ({ assets, ...others }: ProjectDocument): string =>
  canonicalJson({ ...others, assets: assets.map(({ duration_s: _, ...asset }) => asset) });

const holds = ({ document: latest }: ProjectWithDocument, document: ProjectDocument): boolean =>
  latest !== null && contentOf(latest) === contentOf(document);

/** Uploads the files of a project, then adds its document as a version on top of the base version. */
export const importProject = async (
  catalogue: CatalogueWriter,
  blobs: BlobStore,
  local: LocalProject,
  target: ImportTarget,
): Promise<E.Either<CatalogueFault, ImportResult>> => {
  const document = resolveAssets(local.file, new Map(local.assets.map(({ stored }) => [stored.id, stored])));
  if (E.isLeft(document)) return E.left({ tag: 'invalid_project', path: local.path, faults: document.left });
  const known = target.tag === 'version_of' ? await projectFor(catalogue, blobs, target, local.file.name) : null;
  if (known !== null && E.isLeft(known)) return known;
  const is_there = known !== null && holds(known.right, document.right);
  if (!is_there && local.media_faults.length > 0)
    return E.left({ tag: 'invalid_project', path: local.path, faults: local.media_faults });
  const missing = await missingAssets(
    blobs,
    target.tag === 'version_of' ? target.project_id : (target.id ?? null),
    local,
  );
  if (E.isLeft(missing)) return missing;
  const project = known ?? (await projectFor(catalogue, blobs, target, local.file.name));
  if (E.isLeft(project)) return project;
  const { document: latest, ...answer } = project.right;
  if (holds(project.right, document.right)) return E.right({ ...answer, added: false });
  const { id, version } = answer;
  if (target.tag === 'new' && latest !== null) return E.left({ tag: 'already_imported', project_id: id, version });
  const base_version = target.tag === 'version_of' ? target.base_version : null;
  const added = await intoProject(catalogue, blobs, local, answer, { base_version, document: document.right });
  if (E.isRight(added)) return E.right({ ...added.right, added: true });
  return target.tag === 'new' ? E.left({ tag: 'import_incomplete', project_id: id, cause: added.left }) : added;
};
