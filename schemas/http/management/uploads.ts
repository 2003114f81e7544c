import { UPLOAD_ID } from '../ids.ts';
import {
  ColorRange,
  ContentType,
  FETCH_FACTS,
  FETCHING_UPLOAD,
  INSPECTING_UPLOAD,
  OFFERED_UPLOAD,
  READY_UPLOAD,
  Sha256,
  UPLOAD_FACTS,
  Upload,
  UploadStatus,
} from '../public/uploads.ts';
import { definitionsOf, optional, resource } from '../shapes.ts';
import { contract, exampleBody, IDEMPOTENCY_KEY, jsonResponse } from './operation.ts';
import { CREATION_RESPONSES } from './responses.ts';

export const TeamUploadRequest = resource('TeamUploadRequest', 'A file to upload.', {
  ...UPLOAD_FACTS,
  sha256: optional(
    Sha256,
    'SHA-256 of the bytes, in lowercase hex. If a ready upload of the team has these bytes, the answer is that upload. Bytes with another hash are refused.',
  ),
  upload_id: optional(
    UPLOAD_ID,
    'An earlier upload of the same file: the answer has a fresh `upload_url` for it. The other members must be the same as then.',
  ),
});

export const TeamUploadFetchRequest = resource('TeamUploadFetchRequest', 'A URL to fetch.', FETCH_FACTS);

export const UPLOAD_SCHEMAS = definitionsOf([
  TeamUploadRequest,
  TeamUploadFetchRequest,
  Upload,
  ContentType,
  UploadStatus,
  ColorRange,
]);

const FOR_MEMBERS = 'For members of the team.';
const tag = 'Renders';

export const UPLOADS = contract({
  'POST /manage/v1/teams/{team_id}/uploads': {
    ...{ guard: 'team_member', id: 'createTeamUpload', tag, summary: 'Create an upload' },
    description: `Answers with \`upload_url\`, where the page writes the bytes. Then complete the upload. ${FOR_MEMBERS}`,
    parameters: [IDEMPOTENCY_KEY],
    body: exampleBody(TeamUploadRequest, { name: 'mountains.mp4', content_type: 'video/mp4', size_bytes: 8_388_608 }),
    answers: {
      200: jsonResponse('The upload exists already, or the team has these bytes.', Upload, READY_UPLOAD),
      201: jsonResponse('The new upload.', Upload, OFFERED_UPLOAD),
    },
    refusals: CREATION_RESPONSES,
  },
  'POST /manage/v1/teams/{team_id}/uploads/fetch': {
    ...{ guard: 'team_member', id: 'fetchTeamUpload', tag, summary: 'Create an upload from a URL' },
    description: `The service fetches the file and checks it. ${FOR_MEMBERS}`,
    parameters: [IDEMPOTENCY_KEY],
    body: exampleBody(TeamUploadFetchRequest, { url: 'https://images.example.com/logo.png', kind: 'image' }),
    answers: {
      200: jsonResponse('The upload exists already.', Upload, READY_UPLOAD),
      202: jsonResponse('The new upload, which is being fetched.', Upload, FETCHING_UPLOAD),
    },
    refusals: CREATION_RESPONSES,
  },
  'GET /manage/v1/teams/{team_id}/uploads/{upload_id}': {
    ...{ guard: 'team_member', id: 'getTeamUpload', tag, summary: 'Read an upload' },
    description: `The upload as it is now. While it is \`open\`, \`blocks\` lists what is stored, so that a page can resume. ${FOR_MEMBERS}`,
    answers: { 200: jsonResponse('The upload.', Upload, READY_UPLOAD) },
  },
  'POST /manage/v1/teams/{team_id}/uploads/{upload_id}/complete': {
    ...{ guard: 'team_member', id: 'completeTeamUpload', tag, summary: 'Complete an upload' },
    description: `Checks the bytes. Read the upload until it is \`ready\` or \`refused\`. A repeat changes nothing. ${FOR_MEMBERS}`,
    answers: {
      200: jsonResponse('The upload, which is checked.', Upload, READY_UPLOAD),
      202: jsonResponse('The upload, which is being checked.', Upload, INSPECTING_UPLOAD),
    },
  },
});
