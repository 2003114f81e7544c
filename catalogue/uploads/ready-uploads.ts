import pLimit from 'p-limit';
import { UPLOAD_KEPT_MS } from '../../domain/uploads/limits.ts';
import type { Uploads } from '../../read-models/uploads/uploads.ts';
import type { AssetSource } from '../documents/asset-source.ts';
import { type FindUploadDependencies, findUpload } from './find-upload.ts';

/** Ready uploads of the teams, by id. Rejects on outage. */
export type FindReadyUploads = (
  ids: readonly string[],
  team_ids: readonly string[],
) => Promise<ReadonlyMap<string, readonly AssetSource[]>>;

type ReadyUploadsDependencies = FindUploadDependencies & { readonly uploads: Pick<Uploads, 'keep'> };

const READ_AT_ONCE = 8;

/** An upload is kept for its full time again, so that it does not expire while it is copied into a project. */
export const openReadyUploads =
  (parts: ReadyUploadsDependencies, account_id: string): FindReadyUploads =>
  async (ids, team_ids) => {
    const teams = new Set(team_ids);
    const found = await pLimit(READ_AT_ONCE).map([...ids], async (id) => {
      const upload = await findUpload(parts, { account_id, teams }, id);
      if (upload?.state !== 'ready' || upload.result === null) return [];
      if (!(await parts.uploads.keep(id, 'ready', parts.now() + UPLOAD_KEPT_MS.ready))) return [];
      const { kind, content_type, name: file_name, result } = upload;
      const { path: blob, sha256, size_bytes, media, font_covers } = result;
      const asset = {
        id,
        kind,
        sha256,
        size_bytes,
        content_type,
        file_name,
        font_family: media.font_family,
        font_covers,
        ...(media.duration_s === null || (kind !== 'video' && kind !== 'audio')
          ? {}
          : { duration_s: media.duration_s }),
      };
      return [[id, [{ project_id: null, asset, blob }]] as const];
    });
    return new Map(found.flat());
  };
