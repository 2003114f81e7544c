import * as E from 'fp-ts/lib/Either.js';
import { type Project, type ProjectVersion, projectVersionId } from '../../domain/catalogue/entities.ts';
import { INLINE_PREFIX } from '../../domain/catalogue/inline-projects.ts';
import { canonicalJson } from '../../domain/composition/canonical-json.ts';
import type { ProjectDocument } from '../../domain/composition/project-document.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import { documentName, type StoredFile } from '../../read-models/stored-files/stored-files.ts';
import type { ProjectView } from '../answers.ts';
import { storeAssets } from '../asset-files.ts';
import { type CatalogueWriter, changeCatalogue, viewAtLogEnd } from '../change.ts';
import type { CatalogueFault } from '../fault.ts';
import { newId } from '../identity.ts';
import { addVersion, createProject, projectById, renameProject, showProject } from '../projects.ts';
import type { Starter } from '../starters/starters.ts';
import type { UploadFault } from '../uploads/create-upload.ts';
import type { FetchUrls } from '../uploads/document-urls.ts';
import type { AssetSource } from './asset-source.ts';
import { copyAssets, foreignSources } from './copy-assets.ts';
import { type FindAssetsDependencies, openFindAssets } from './find-assets.ts';
import type { AccountFiles } from './hold-files.ts';
import { type ResolvedDocument, resolveDocument } from './resolve-document.ts';
import type { ProjectWriteFault } from './write-fault.ts';

export type ProjectWriter = {
  readonly catalogue: CatalogueWriter;
  readonly blobs: BlobStore;
  readonly findVersionWithAsset: FindAssetsDependencies['findVersionWithAsset'];
  readonly findUploads: FindAssetsDependencies['findUploads'];
  readonly fetchUrls: FetchUrls;
  readonly account_files: AccountFiles;
  /** The teams that the caller reaches. Projects of other teams are answered as missing. */
  readonly team_ids: readonly string[];
  /** The user of the caller; null for a key without one. */
  readonly user_id: string | null;
};

/** `added` is false if the version existed before, so that the request changed nothing. */
export type WrittenVersion = { readonly project_id: string; readonly version: ProjectVersion; readonly added: boolean };

type Result<A> = Promise<E.Either<ProjectWriteFault, A>>;

/** The maximum number of versions of a project. */
export const MAX_VERSIONS = 10_000;

/** Attempts to add a version on top of the newest one, if others add versions at the same time. */
const MAX_TRIES = 5;

const missing = (id: string): E.Either<CatalogueFault, never> => E.left({ tag: 'missing', kind: 'project', id });

const isOutdated = (fault: CatalogueFault): boolean =>
  fault.tag === 'illegal' && fault.reason === 'base_version_outdated';

const isErasedMeanwhile = (fault: CatalogueFault): boolean =>
  fault.tag === 'illegal' && fault.reason === 'project_erased';

/** The project at the end of the log, also an erased one; null if it does not exist. */
const projectAtEnd = async (
  { catalogue }: ProjectWriter,
  id: string,
): Promise<E.Either<CatalogueFault, Project | null>> =>
  E.map((view: (kind: 'project', id: string) => Project | null) => view('project', id))(
    await viewAtLogEnd(catalogue, [{ kind: 'project', id }]),
  );

const reachedProject = async (writer: ProjectWriter, id: string): Result<Project> => {
  const found = await projectAtEnd(writer, id);
  if (E.isLeft(found)) return found;
  const project = found.right;
  const is_reached = project !== null && project.erased === undefined && writer.team_ids.includes(project.team_id);
  return is_reached ? E.right(project) : missing(id);
};

const versionOf = ({ catalogue }: ProjectWriter, project_id: string, version: number): Promise<ProjectVersion | null> =>
  catalogue.read_model.find('project_version', projectVersionId(project_id, version));

const findAssetsFor = (writer: ProjectWriter, own: Project | null) =>
  openFindAssets(
    { read_model: writer.catalogue.read_model, ...writer },
    writer.team_ids,
    own === null ? null : { project_id: own.id, version: own.version },
  );

/** @param team_id the team that gets the files of URLs */
export const resolveFor = (
  writer: ProjectWriter,
  own: Project | null,
  team_id: string,
  document: unknown,
  name: string | null = null,
): Result<ResolvedDocument> =>
  resolveDocument(document, name, findAssetsFor(writer, own), (sources) => writer.fetchUrls(team_id, sources));

/** The documents of hidden projects do not count, because the account may have only so many of these projects. */
const documentFiles = (project_id: string, version: number, text: string): readonly StoredFile[] =>
  project_id.startsWith(INLINE_PREFIX)
    ? []
    : [{ project_id, name: documentName(version), size_bytes: Buffer.byteLength(text) }];

const hold = async ({ account_files }: ProjectWriter, files: readonly StoredFile[]): Result<readonly StoredFile[]> =>
  E.mapLeft((fault: UploadFault): ProjectWriteFault => ({ tag: 'fetch_refused', fault }))(
    await account_files.hold(files),
  );

/** Counts the files that the project gets, and the document of the version. */
const holdFiles = async (
  writer: ProjectWriter,
  project_id: string,
  version: number,
  { document, sources, files = [] }: ResolvedDocument,
): Result<readonly StoredFile[]> => {
  const assets = [
    ...foreignSources(project_id, sources).map(({ asset }) => asset),
    ...files.map(({ stored }) => stored),
  ];
  const by_hash = new Map(
    assets.map(({ sha256, size_bytes }): [string, StoredFile] => [sha256, { project_id, name: sha256, size_bytes }]),
  );
  return await hold(writer, [...by_hash.values(), ...documentFiles(project_id, version, canonicalJson(document))]);
};

/** Stores the files and the document on top of a version. A project that is erased meanwhile is answered as missing. */
const addDocument = async (
  { catalogue, blobs }: ProjectWriter,
  { id: project_id, version: base_version }: Pick<Project, 'id' | 'version'>,
  { document, sources, files = [] }: ResolvedDocument,
): Promise<E.Either<CatalogueFault, ProjectView>> => {
  const copied = await copyAssets(blobs, project_id, sources);
  if (E.isLeft(copied)) return copied;
  const stored = files.length === 0 ? E.right(null) : await storeAssets(blobs, project_id, files);
  if (E.isLeft(stored)) return stored;
  const added = await addVersion(catalogue, blobs, { project_id, base_version, document });
  return E.isLeft(added) && isErasedMeanwhile(added.left) ? missing(project_id) : added;
};

export type NewProjectOverHttp = {
  /** Derived from the Idempotency-Key; null without one. */
  readonly id: string | null;
  readonly team_id: string;
};

const holds = ({ document }: ProjectVersion, wanted: ProjectDocument): boolean => document === canonicalJson(wanted);

/** Answers a repeated creation. Null if the first one did not add its version. */
const answerRepeat = async (
  writer: ProjectWriter,
  project: Project,
  { team_id }: NewProjectOverHttp,
  document: ProjectDocument,
): Promise<E.Either<ProjectWriteFault, ProjectView> | null> => {
  if (!writer.team_ids.includes(project.team_id)) return E.left({ tag: 'key_taken' });
  if (project.erased !== undefined) return E.left({ tag: 'key_of_erased' });
  if (project.team_id !== team_id) return E.left({ tag: 'key_reused' });
  const first = project.version === 0 ? null : await versionOf(writer, project.id, 1);
  if (first === null) return (project.name ?? document.name) === document.name ? null : E.left({ tag: 'key_reused' });
  return holds(first, document)
    ? await projectById(writer.catalogue.read_model, project.id)
    : E.left({ tag: 'key_reused' });
};

/**
 * Counts the files and creates the project, unless it is known. Null if the project exists now, also if another request
 * created it.
 */
const prepareProject = async (
  writer: ProjectWriter,
  project: { readonly id: string; readonly team_id: string },
  known: Project | null,
  resolved: ResolvedDocument,
): Promise<ProjectWriteFault | null> => {
  const { catalogue, blobs, user_id, account_files } = writer;
  const held = await holdFiles(writer, project.id, 1, resolved);
  if (E.isLeft(held)) return held.left;
  if (known !== null) return null;
  const { name } = resolved.document;
  const created = await createProject(catalogue, blobs, { ...project, name, created_by: user_id });
  if (E.isRight(created)) return null;
  const fault = created.left;
  if (fault.tag === 'illegal' && fault.reason === 'already_exists') return null;
  await account_files.release(held.right);
  return fault;
};

const createResolved = async (
  writer: ProjectWriter,
  wanted: NewProjectOverHttp,
  known: Project | null,
  resolved: ResolvedDocument,
): Result<ProjectView> => {
  const { document } = resolved;
  const before = known === null ? null : await answerRepeat(writer, known, wanted, document);
  if (before !== null) return before;
  const id = wanted.id ?? newId('proj');
  const fault = await prepareProject(writer, { id, team_id: wanted.team_id }, known, resolved);
  if (fault !== null) return E.left(fault);
  const added = await addDocument(writer, { id, version: 0 }, resolved);
  if (E.isRight(added)) return added;
  if (!isOutdated(added.left)) return added;
  // Another request with the same Idempotency-Key came first.
  const now = await projectAtEnd(writer, id);
  if (E.isLeft(now)) return now;
  return (now.right === null ? null : await answerRepeat(writer, now.right, wanted, document)) ?? added;
};

const knownProject = async (writer: ProjectWriter, id: string | null): Result<Project | null> =>
  id === null ? E.right(null) : await projectAtEnd(writer, id);

/** Creates a project with a first version. With an id, a repeat returns the project of the first request. */
export const createProjectOverHttp = async (
  writer: ProjectWriter,
  wanted: NewProjectOverHttp,
  document: unknown,
  name: string | null,
): Result<ProjectView> => {
  const known = await knownProject(writer, wanted.id);
  if (E.isLeft(known)) return known;
  const own = known.right !== null && writer.team_ids.includes(known.right.team_id) ? known.right : null;
  const resolved = await resolveFor(writer, own, wanted.team_id, document, name);
  return E.isLeft(resolved) ? resolved : await createResolved(writer, wanted, known.right, resolved.right);
};

/** The starter's files are stored in the project, as those of each project are, so an erasure deletes them too. */
export const createProjectFromStarter = async (
  writer: ProjectWriter,
  wanted: NewProjectOverHttp,
  { document, files }: Pick<Starter, 'document' | 'files'>,
  name: string | null,
): Result<ProjectView> => {
  const known = await knownProject(writer, wanted.id);
  if (E.isLeft(known)) return known;
  const named = name === null ? document : { ...document, name };
  return await createResolved(writer, wanted, known.right, { document: named, sources: [], files });
};

/**
 * Creates the project of a document in a request of a render, or finds it: its id follows from the document.
 *
 * @returns `erased` if the project with this id is erased, so that the caller needs another id
 */
export const createInlineProject = async (
  writer: ProjectWriter,
  { id, team_id }: { readonly id: string; readonly team_id: string },
  resolved: ResolvedDocument,
): Result<'there' | 'erased'> => {
  const known = await projectAtEnd(writer, id);
  if (E.isLeft(known)) return known;
  if (known.right?.erased !== undefined) return E.right('erased');
  if (known.right !== null && known.right.version > 0) return E.right('there');
  const fault = await prepareProject(writer, { id, team_id }, known.right, resolved);
  if (fault !== null) return E.left(fault);
  const added = await addDocument(writer, { id, version: 0 }, resolved);
  // Another request with the same document may come first.
  return E.isRight(added) || isOutdated(added.left) ? E.right('there') : added;
};

export type CopyOfProject = {
  readonly id: string | null;
  /** Null for the team of the project. */
  readonly team_id: string | null;
  readonly project_id: string;
  /** Null for the newest one. */
  readonly version: number | null;
  /** Null keeps the name. */
  readonly name: string | null;
};

/** Creates a project from a version of another one, with its assets. */
export const copyProject = async (
  writer: ProjectWriter,
  { id, team_id, project_id, version, name }: CopyOfProject,
): Result<ProjectView> => {
  const source = await reachedProject(writer, project_id);
  if (E.isLeft(source)) return source;
  const shown = await showProject(writer.catalogue.read_model, project_id, version);
  if (E.isLeft(shown)) return shown;
  const { document } = shown.right;
  if (document === null) return E.left({ tag: 'no_version', project_id, needed_for: 'assets' });
  const known = await knownProject(writer, id);
  if (E.isLeft(known)) return known;
  const wanted = { id, team_id: team_id ?? source.right.team_id };
  const sources = document.assets.map((asset): AssetSource => ({ project_id, asset }));
  const renamed = name === null ? document : { ...document, name };
  return await createResolved(writer, wanted, known.right, { document: renamed, sources });
};

const outdated = ({ id: project_id, version }: Project, newest: ProjectVersion | null): ProjectWriteFault => ({
  ...{ tag: 'outdated', project_id, version },
  added_by: newest?.added_by ?? null,
  added_at: newest?.created_at ?? null,
});

/** The version that already has the document: the newest one, or the one after `base`, whose answer may have been lost. */
const versionWith = async (
  writer: ProjectWriter,
  { id, version }: Project,
  base: number | null,
  document: ProjectDocument,
): Promise<ProjectVersion | null> => {
  for (const candidate of new Set([version, ...(base === null || base >= version ? [] : [base + 1])])) {
    const found = candidate === 0 ? null : await versionOf(writer, id, candidate);
    if (found !== null && holds(found, document)) return found;
  }
  return null;
};

/**
 * Adds a version to a project.
 *
 * @param base the version that the document was made from; null for whichever is the newest
 */
export const addVersionOverHttp = async (
  writer: ProjectWriter,
  project_id: string,
  base: number | null,
  document: unknown,
): Result<WrittenVersion> => {
  for (let tries = 1; ; tries += 1) {
    const found = await reachedProject(writer, project_id);
    if (E.isLeft(found)) return found;
    const project = found.right;
    const resolved = await resolveFor(writer, project, project.team_id, document);
    if (E.isLeft(resolved)) return resolved;
    const before = await versionWith(writer, project, base, resolved.right.document);
    if (before !== null) return E.right({ project_id, version: before, added: false });
    if (base !== null && base !== project.version)
      return E.left(outdated(project, await versionOf(writer, project_id, project.version)));
    if (project.version >= MAX_VERSIONS) return E.left({ tag: 'too_many_versions', most: MAX_VERSIONS });
    const held = await holdFiles(writer, project_id, project.version + 1, resolved.right);
    if (E.isLeft(held)) return held;
    const added = await addDocument(writer, project, resolved.right);
    if (E.isRight(added)) {
      const version = await versionOf(writer, project_id, project.version + 1);
      return version === null ? missing(project_id) : E.right({ project_id, version, added: true });
    }
    if (!isOutdated(added.left) || tries === MAX_TRIES) return added;
  }
};

/** Erases a project that the caller reaches. A repeat succeeds, too. */
export const eraseReachedProject = async (
  writer: ProjectWriter,
  project_id: string,
): Result<{ readonly id: string }> => {
  const found = await projectAtEnd(writer, project_id);
  if (E.isLeft(found)) return found;
  if (found.right === null || !writer.team_ids.includes(found.right.team_id)) return missing(project_id);
  const erased = await changeCatalogue(writer.catalogue, { type: 'EraseProject', project_id });
  return E.map(() => ({ id: project_id }))(erased);
};

/** Counts the document of the version that a new name adds. */
const holdRenamed = async (writer: ProjectWriter, project: Project, name: string): Result<readonly StoredFile[]> => {
  const newest = project.name === name ? null : await versionOf(writer, project.id, project.version);
  const text = newest?.document ?? null;
  return text === null ? E.right([]) : await hold(writer, documentFiles(project.id, project.version + 1, text));
};

/** Renames a project, as a new version. */
export const renameProjectOverHttp = async (
  writer: ProjectWriter,
  project_id: string,
  name: string,
): Result<ProjectView> => {
  for (let tries = 1; ; tries += 1) {
    const found = await reachedProject(writer, project_id);
    if (E.isLeft(found)) return found;
    if (found.right.version >= MAX_VERSIONS) return E.left({ tag: 'too_many_versions', most: MAX_VERSIONS });
    const held = await holdRenamed(writer, found.right, name);
    if (E.isLeft(held)) return held;
    const renamed = await renameProject(writer.catalogue, writer.blobs, project_id, name);
    if (E.isRight(renamed)) return renamed;
    if (isErasedMeanwhile(renamed.left)) return missing(project_id);
    if (!isOutdated(renamed.left) || tries === MAX_TRIES) return renamed;
  }
};
