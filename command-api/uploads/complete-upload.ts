import * as E from 'fp-ts/lib/Either.js';
import { flow } from 'fp-ts/lib/function.js';
import { completeUploadError } from '../../catalogue/api-errors/upload-error.ts';
import {
  type CompleteUploadDependencies,
  type CompleteUploadFault,
  completeUpload,
} from '../../catalogue/uploads/complete-upload.ts';
import { completedReply } from '../../catalogue/uploads/show-upload.ts';
import { hasScope } from '../../domain/access/scopes.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import { privateReply } from '../../platform/http-server/private-reply.ts';
import { NO_SCOPE } from '../projects/project-writer.ts';
import { bodyFault } from '../renders/cancel-render.ts';

export const postComplete =
  (completing: CompleteUploadDependencies): AuthenticatedHandler =>
  async (request, access) => {
    if (!hasScope(access, 'projects:write')) return E.left(NO_SCOPE);
    const fault = await bodyFault(request);
    if (fault !== null) return E.left(fault);
    const completed = await completeUpload(completing, access, request.params.id ?? '');
    const error = (refused: CompleteUploadFault) => completeUploadError(refused, 'id');
    return E.bimap(error, flow(completedReply, privateReply))(completed);
  };
