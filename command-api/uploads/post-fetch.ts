import * as E from 'fp-ts/lib/Either.js';
import { flow } from 'fp-ts/lib/function.js';
import { uploadError } from '../../catalogue/api-errors/upload-error.ts';
import type { CreateUploadDependencies } from '../../catalogue/uploads/create-upload.ts';
import { fetchNewUpload } from '../../catalogue/uploads/fetch-upload.ts';
import { fetchReply } from '../../catalogue/uploads/show-upload.ts';
import { hasScope } from '../../domain/access/scopes.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import { teamOfKey } from '../../platform/access/team-of-key.ts';
import { invalidInput } from '../../platform/http-server/api-error.ts';
import { idempotencyKey } from '../../platform/http-server/idempotency-key.ts';
import { privateReply } from '../../platform/http-server/private-reply.ts';
import { UploadFetchRequest } from '../../schemas/http/public/uploads.ts';
import { decodeRequest, NO_SCOPE } from '../projects/project-writer.ts';

export const postFetch =
  (parts: CreateUploadDependencies): AuthenticatedHandler =>
  async (request, access) => {
    if (!hasScope(access, 'projects:write')) return E.left(NO_SCOPE);
    const key = idempotencyKey(request);
    if (E.isLeft(key)) return E.left(invalidInput(key.left));
    const wanted = await decodeRequest(request, UploadFetchRequest);
    if (E.isLeft(wanted)) return wanted;
    const { url, kind, name, team_id } = wanted.right;
    const team = teamOfKey(team_id, access);
    if (E.isLeft(team)) return team;
    const upload = { account_id: access.account_id, team_id: team.right.id, source: { url, kind, name } };
    return E.bimap(uploadError, flow(fetchReply, privateReply))(await fetchNewUpload(parts, upload, key.right));
  };
