import * as E from 'fp-ts/lib/Either.js';
import { type CompleteUploadDependencies, completeUpload } from '../../catalogue/uploads/complete-upload.ts';
import { hasScope } from '../../domain/access/scopes.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import { uploadResource } from '../../schemas/http/public/uploads.ts';
import { NO_SCOPE } from '../projects/project-writer.ts';
import { bodyFault } from '../renders/cancel-render.ts';

const NO_UPLOAD: ApiError = { tag: 'not_found', param: 'id', message: 'there is no such upload' };

export const postComplete =
  (completing: CompleteUploadDependencies): AuthenticatedHandler =>
  async (request, access) => {
    if (!hasScope(access, 'projects:write')) return E.left(NO_SCOPE);
    const fault = await bodyFault(request);
    if (fault !== null) return E.left(fault);
    const completed = await completeUpload(completing, access, request.params.id ?? '');
    if (E.isLeft(completed))
      return E.left(
        completed.left.tag === 'missing'
          ? NO_UPLOAD
          : { tag: 'conflict', code: 'upload_incomplete', message: completed.left.message },
      );
    const body = uploadResource(completed.right, {});
    const status = body.status === 'inspecting' ? 202 : 200;
    return E.right({ status, body, headers: { 'Cache-Control': 'private, no-store' } });
  };
