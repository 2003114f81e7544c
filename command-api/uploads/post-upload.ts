import * as E from 'fp-ts/lib/Either.js';
import {
  type CreateUploadDependencies,
  createUpload,
  type OfferedUpload,
  renewUpload,
  type UploadFault,
} from '../../catalogue/uploads/create-upload.ts';
import { hasScope } from '../../domain/access/scopes.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import { teamOfKey } from '../../platform/access/team-of-key.ts';

import { type ApiError, invalidInput } from '../../platform/http-server/api-error.ts';
import { idempotencyKey } from '../../platform/http-server/idempotency-key.ts';
import type { Reply } from '../../platform/http-server/replies.ts';
import { UploadRequest, uploadResource } from '../../schemas/http/public/uploads.ts';
import { decodeRequest, NO_SCOPE } from '../projects/project-writer.ts';

const errorOf = (fault: UploadFault): ApiError => {
  switch (fault.tag) {
    case 'invalid':
      return {
        ...{ tag: 'invalid', code: 'invalid_field', param: fault.param },
        message: `${fault.param}: ${fault.message}`,
      };
    case 'missing':
      return { tag: 'not_found', param: 'upload_id', message: 'there is no such upload' };
    case 'other_facts':
      return {
        ...{ tag: 'conflict_of_idempotency', code: 'idempotency_key_reused' },
        message: 'the upload was created for another file: create a new one',
      };
    case 'too_many':
      return {
        tag: 'rate_limited',
        code: 'too_many_uploads',
        message: fault.message,
        retry_after_s: fault.retry_after_s,
      };
  }
};

const answerOf = ({ upload, write, is_new }: OfferedUpload): Reply => ({
  status: is_new ? 201 : 200,
  body: uploadResource(
    upload,
    write === null ? {} : { upload_url: write.url, upload_url_expires_at: write.expires_at },
  ),
  headers: { 'Cache-Control': 'private, no-store' },
});

export const postUpload =
  (creating: CreateUploadDependencies): AuthenticatedHandler =>
  async (request, access) => {
    if (!hasScope(access, 'projects:write')) return E.left(NO_SCOPE);
    const key = idempotencyKey(request);
    if (E.isLeft(key)) return E.left(invalidInput(key.left));
    const wanted = await decodeRequest(request, UploadRequest);
    if (E.isLeft(wanted)) return wanted;
    const { upload_id, team_id, name, content_type, size_bytes, sha256 } = wanted.right;
    const team = teamOfKey(team_id, access);
    if (E.isLeft(team)) return team;
    const facts = { team_id: team.right.id, name, content_type, size_bytes, sha256 };
    const offered =
      upload_id === null
        ? await createUpload(creating, { reach: access, facts, idempotency_key: key.right })
        : await renewUpload(creating, access, upload_id, facts);
    return E.bimap(errorOf, answerOf)(offered);
  };
