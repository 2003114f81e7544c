import * as E from 'fp-ts/lib/Either.js';
import type { LocalAsset } from '../../catalogue/asset-files.ts';
import type { CommandContext } from '../commands/command.ts';
import type { ApiClient, ApiResult } from './api-client.ts';
import { fileToUpload } from './import-project.ts';
import type { AssetAnswer } from './project-answers.ts';
import { addRemoteVersion, type RemoteProject, showRemoteProject } from './projects.ts';
import { uploadFiles, uploadKeyOf } from './upload-files.ts';

export type RemoteAssets = RemoteProject & { readonly version: number; readonly assets: readonly AssetAnswer[] };

/** @param version null for the newest */
export const remoteAssets = async (
  client: ApiClient,
  project_id: string,
  version: number | null,
): ApiResult<RemoteAssets> => {
  const shown = await showRemoteProject(client, project_id, version);
  if (E.isLeft(shown)) return shown;
  const { document, ...project } = shown.right;
  return E.right({ ...project, assets: document?.assets ?? [] });
};

const takenFaults = (files: readonly LocalAsset[], known: ReadonlyMap<string, string>): readonly string[] =>
  files
    .filter(({ stored: { id, sha256 } }) => known.has(id) && known.get(id) !== sha256)
    .map(
      ({ path, stored: { id } }) =>
        `${path}: the project already has a different asset "${id}"; use --replace, or another --id`,
    );

/** Uploads files and adds them to the assets of a project, as a new version. */
export const addRemoteAssets = async (
  progress: Pick<CommandContext, 'stderr' | 'stop'>,
  client: ApiClient,
  project_id: string,
  files: readonly LocalAsset[],
  replace: boolean,
): ApiResult<RemoteAssets & { readonly repeated?: true }> => {
  const shown = await showRemoteProject(client, project_id, null);
  if (E.isLeft(shown)) return shown;
  const { document, version, team_id } = shown.right;
  if (document === null)
    return E.left({ tag: 'refused', reason: 'no_version', message: `project ${project_id} has no versions` });
  const known = new Map(document.assets.map(({ id, sha256 }) => [id, sha256]));
  const taken = replace ? [] : takenFaults(files, known);
  if (taken.length > 0) return E.left({ tag: 'invalid_files', faults: taken });
  const missing = files.filter(({ stored: { id, sha256 } }) => known.get(id) !== sha256);
  const sent = await uploadFiles(progress, client, missing.map(fileToUpload), team_id);
  if (E.isLeft(sent)) return sent;
  const faults: string[] = [];
  const entries = missing.flatMap(({ path, stored }) => {
    const { id, kind, file_name } = stored;
    const upload = sent.right.get(uploadKeyOf(stored));
    for (const fault of upload?.faults ?? []) faults.push(`${path}: ${fault}`);
    return upload === undefined ? [] : [{ id, kind, upload: upload.id, file_name }];
  });
  if (faults.length > 0) return E.left({ tag: 'invalid_files', faults });
  const replaced = new Map(entries.map((entry) => [entry.id, entry]));
  const assets = [
    ...document.assets.map((asset) => replaced.get(asset.id) ?? asset),
    ...entries.filter(({ id }) => !known.has(id)),
  ];
  const added = await addRemoteVersion(client, project_id, version, { ...document, assets });
  if (E.isLeft(added)) return added;
  const listed = await remoteAssets(client, project_id, added.right.version);
  return E.map((answer: RemoteAssets) => ({ ...answer, ...(added.right.added ? {} : { repeated: true as const }) }))(
    listed,
  );
};
