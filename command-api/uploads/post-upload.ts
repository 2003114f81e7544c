import * as E from 'fp-ts/lib/Either.js';
import { flow } from 'fp-ts/lib/function.js';
import { uploadError } from '../../catalogue/api-errors/upload-error.ts';
import { type CreateUploadDependencies, createUpload, renewUpload } from '../../catalogue/uploads/create-upload.ts';
import { offeredReply } from '../../catalogue/uploads/show-upload.ts';
import { hasScope } from '../../domain/access/scopes.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import { teamOfKey } from '../../platform/access/team-of-key.ts';

import { invalidInput } from '../../platform/http-server/api-error.ts';
import { idempotencyKey } from '../../platform/http-server/idempotency-key.ts';
import { privateReply } from '../../platform/http-server/private-reply.ts';
import { UploadRequest } from '../../schemas/http/public/uploads.ts';
import { decodeRequest, NO_SCOPE } from '../projects/project-writer.ts';

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
    return E.bimap(uploadError, flow(offeredReply, privateReply))(offered);
  };
