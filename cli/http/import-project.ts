import * as E from 'fp-ts/lib/Either.js';
import type { LocalAsset } from '../../catalogue/asset-files.ts';
import type { Fault } from '../../domain/composition/fault.ts';
import type { ProjectOnDisk } from '../catalogue/project-files.ts';
import type { CommandContext } from '../commands/command.ts';
import type { CliFault } from '../fault.ts';
import type { ApiClient, ApiResult } from './api-client.ts';
import {
  addRemoteVersion,
  assetsOfProject,
  createRemoteProject,
  type RemoteProject,
  remoteProjectById,
} from './projects.ts';
import type { FileToUpload, UploadAnswer } from './upload-file.ts';
import { uploadFiles, uploadKeyOf } from './upload-files.ts';

type Progress = Pick<CommandContext, 'stderr' | 'stop'>;

export const fileToUpload = ({ path, stored }: LocalAsset): FileToUpload => {
  const { file_name: name, content_type, size_bytes, sha256 } = stored;
  return { path, name, content_type, size_bytes, sha256 };
};

const idWithFile = (asset: LocalAsset): string => `"${asset.stored.id}" (${asset.stored.file_name})`;

/** A document that the service can store, and the uploads of its files by asset id. */
export type SentDocument = { readonly document: object; readonly uploads: ReadonlyMap<string, UploadAnswer> };

/**
 * Uploads the files of a project, except those that the project already has, and names them in the document.
 *
 * @param known_sha256 the hashes of the files that the project has
 */
export const sendFiles = async (
  progress: Progress,
  client: ApiClient,
  { path, source, file, assets }: ProjectOnDisk,
  team_id: string | null,
  known_sha256: ReadonlySet<string>,
): ApiResult<SentDocument> => {
  const missing = assets.filter(({ stored }) => !known_sha256.has(stored.sha256));
  const sent = await uploadFiles(progress, client, missing.map(fileToUpload), team_id);
  if (E.isLeft(sent)) return sent;
  const uploads = new Map<string, UploadAnswer>();
  const by_id = new Map(assets.map((asset) => [asset.stored.id, asset]));
  const faults: Fault[] = [];
  const entries = file.assets.map((entry, index) => {
    const asset = by_id.get(entry.id);
    if (asset === undefined) return entry;
    const { id, kind, sha256, file_name } = asset.stored;
    const upload = sent.right.get(uploadKeyOf(asset.stored));
    if (upload === undefined) return { id, kind, sha256, file_name };
    uploads.set(id, upload);
    for (const fault of upload.faults)
      faults.push({ path: `assets[${index}].file`, message: `${idWithFile(asset)} ${fault}` });
    return { id, kind, upload: upload.id, file_name };
  });
  if (faults.length > 0) return E.left({ tag: 'invalid_project', path, faults });
  return E.right({ document: { ...source, assets: entries }, uploads });
};

/** Faults of the document, with the path of its file. */
const ofFile = (path: string, fault: CliFault): CliFault =>
  fault.tag === 'http' && fault.faults !== undefined && fault.faults.length > 0
    ? { tag: 'invalid_project', path, faults: fault.faults }
    : fault;

export type RemoteImportTarget =
  | { readonly tag: 'new'; readonly team_id: string | null }
  | { readonly tag: 'version_of'; readonly project_id: string; readonly base_version: number | null };

export type RemoteImport = RemoteProject & { readonly added: boolean };

const addedVersion = async (
  progress: Progress,
  client: ApiClient,
  local: ProjectOnDisk,
  project_id: string,
  base_version: number | null,
): ApiResult<RemoteImport> => {
  const project = await remoteProjectById(client, project_id);
  if (E.isLeft(project)) return project;
  const { team_id, version } = project.right;
  const known = version === 0 ? E.right([]) : await assetsOfProject(client, project_id);
  if (E.isLeft(known)) return known;
  const hashes = new Set(known.right.map(({ sha256 }) => sha256));
  const sent = await sendFiles(progress, client, local, team_id, hashes);
  if (E.isLeft(sent)) return sent;
  return addRemoteVersion(client, project_id, base_version ?? version ?? 0, sent.right.document);
};

/** Uploads the files of a project, then adds its document as a new project or a new version. */
export const importRemotely = async (
  progress: Progress,
  client: ApiClient,
  local: ProjectOnDisk,
  target: RemoteImportTarget,
): ApiResult<RemoteImport> => {
  const toFault = E.mapLeft((fault: CliFault) => ofFile(local.path, fault));
  if (target.tag === 'version_of')
    return toFault(await addedVersion(progress, client, local, target.project_id, target.base_version));
  const sent = await sendFiles(progress, client, local, target.team_id, new Set());
  if (E.isLeft(sent)) return sent;
  const created = await createRemoteProject(client, sent.right.document, target.team_id);
  return toFault(E.map((project: RemoteProject) => ({ ...project, added: true }))(created));
};
