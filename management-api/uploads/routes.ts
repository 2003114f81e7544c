import * as E from 'fp-ts/lib/Either.js';
import { completeUploadError, noUploadError, uploadError } from '../../catalogue/api-errors/upload-error.ts';
import {
  type CompleteUploadDependencies,
  type CompleteUploadFault,
  completeUpload,
} from '../../catalogue/uploads/complete-upload.ts';
import { type CreateUploadDependencies, createUpload, renewUpload } from '../../catalogue/uploads/create-upload.ts';
import { fetchNewUpload } from '../../catalogue/uploads/fetch-upload.ts';
import { findUpload, type UploadReach } from '../../catalogue/uploads/find-upload.ts';
import {
  completedReply,
  fetchReply,
  offeredReply,
  type ShowUploadDependencies,
  uploadReply,
} from '../../catalogue/uploads/show-upload.ts';
import { invalidInput } from '../../platform/http-server/api-error.ts';
import { idempotencyKey } from '../../platform/http-server/idempotency-key.ts';
import { TeamUploadFetchRequest, TeamUploadRequest } from '../../schemas/http/management/uploads.ts';
import { decodeBody, readJsonObject } from '../access/json-object.ts';
import type { TeamAccess } from '../access/reach.ts';
import type { Route, RouteGuards, TeamHandler } from '../access/route-guards.ts';

export type UploadRouteDependencies = CreateUploadDependencies & CompleteUploadDependencies & ShowUploadDependencies;

const reachOf = ({ team }: TeamAccess): UploadReach => ({ account_id: team.account_id, teams: new Set([team.id]) });

/** A header cannot contain NUL, so keys of different people, or of a person and an API key, never collide. */
const ownKey = ({ user_id }: TeamAccess['person'], { id }: TeamAccess['team'], key: string | null): string | null =>
  key === null ? null : [user_id, id, key].join('\0');

const createTeamUpload =
  (parts: UploadRouteDependencies): TeamHandler =>
  async (request, at) => {
    const { person, team } = at;
    const key = idempotencyKey(request);
    if (E.isLeft(key)) return E.left(invalidInput(key.left));
    const wanted = await decodeBody(request, TeamUploadRequest);
    if (E.isLeft(wanted)) return wanted;
    const { upload_id, name, content_type, size_bytes, sha256 } = wanted.right;
    const facts = { team_id: team.id, name, content_type, size_bytes, sha256 };
    const idempotency_key = ownKey(person, team, key.right);
    const offered =
      upload_id === null
        ? await createUpload(parts, { reach: reachOf(at), facts, idempotency_key })
        : await renewUpload(parts, reachOf(at), upload_id, facts);
    return E.bimap(uploadError, offeredReply)(offered);
  };

const fetchTeamUpload =
  (parts: UploadRouteDependencies): TeamHandler =>
  async (request, at) => {
    const { person, team } = at;
    const key = idempotencyKey(request);
    if (E.isLeft(key)) return E.left(invalidInput(key.left));
    const wanted = await decodeBody(request, TeamUploadFetchRequest);
    if (E.isLeft(wanted)) return wanted;
    const upload = { account_id: team.account_id, team_id: team.id, source: wanted.right };
    return E.bimap(uploadError, fetchReply)(await fetchNewUpload(parts, upload, ownKey(person, team, key.right)));
  };

const getTeamUpload =
  (parts: UploadRouteDependencies): TeamHandler =>
  async ({ params }, at) => {
    const upload = await findUpload(parts, reachOf(at), params.upload_id ?? '');
    return upload === null ? E.left(noUploadError('upload_id')) : await uploadReply(parts, upload);
  };

const completeTeamUpload =
  (parts: UploadRouteDependencies): TeamHandler =>
  async (request, at) => {
    const body = await readJsonObject(request);
    if (E.isLeft(body)) return body;
    const completed = await completeUpload(parts, reachOf(at), request.params.upload_id ?? '');
    return E.bimap((fault: CompleteUploadFault) => completeUploadError(fault, 'upload_id'), completedReply)(completed);
  };

const UPLOADS = '/manage/v1/teams/{team_id}/uploads';

export const uploadRoutes = (guards: RouteGuards, parts: UploadRouteDependencies): readonly Route[] => [
  guards.forTeamMember('POST', UPLOADS, createTeamUpload(parts)),
  guards.forTeamMember('POST', `${UPLOADS}/fetch`, fetchTeamUpload(parts)),
  guards.forTeamMember('GET', `${UPLOADS}/{upload_id}`, getTeamUpload(parts)),
  guards.forTeamMember('POST', `${UPLOADS}/{upload_id}/complete`, completeTeamUpload(parts)),
];
