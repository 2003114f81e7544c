import type * as t from 'io-ts';
import { FILE_FORMATS } from '../../../domain/composition/file-forms.ts';
import { LIMITS } from '../../../domain/composition/limits.ts';
import { NAME_PATTERN } from '../../../domain/shape/text-rules.ts';
import { DEFAULT_UPLOAD_LIMITS, MAX_UPLOAD_BYTES } from '../../../domain/uploads/limits.ts';
import type { Upload as StoredUpload } from '../../../domain/uploads/upload.ts';
import { TEAM_ID, UPLOAD_ID } from '../ids.ts';
import {
  boolean,
  conditionalMember,
  definitionsOf,
  integer,
  listOf,
  namedShape,
  number,
  object,
  oneOf,
  optional,
  orNull,
  resource,
  text,
  time,
} from '../shapes.ts';
import { AssetKind } from '../words.ts';
import { jsonResponse, type PublicOperation, parameterRefs } from './operation.ts';
import { BROKEN_OFF, keyedRefusal, NO_EXPECTATION, NO_JSON, NO_UPLOAD, refusal, TOO_LARGE } from './responses.ts';
import { bodySamples, getSamples, postSamples, readCodeSamples } from './samples/code-samples.ts';

const CONTENT_TYPES = [...new Set(FILE_FORMATS.map(({ content_type }) => content_type))];

export const Sha256 = text('SHA-256 of the bytes, in lowercase hex.', { pattern: '^[0-9a-f]{64}$' });

export const ContentType = namedShape(
  'ContentType',
  oneOf(CONTENT_TYPES, 'The type of the file. It decides the kind of the asset.'),
);

export const UploadStatus = namedShape(
  'UploadStatus',
  oneOf(
    ['open', 'fetching', 'inspecting', 'ready', 'refused'],
    '`open`: waits for the bytes and for `complete`. `fetching`: the service fetches the bytes from the URL. `inspecting`: the bytes are being checked. `ready`: a project may use it. `refused`: `faults` says why, and what to do.',
  ),
);

export const ColorRange = namedShape(
  'ColorRange',
  oneOf(['sdr', 'hdr10', 'hlg'], 'The range of brightness of a video.'),
);

export const UPLOAD_FACTS = {
  name: text('The name of the file.', { minLength: 1, maxLength: LIMITS.name, pattern: NAME_PATTERN }),
  content_type: ContentType,
  size_bytes: integer('The exact size of the file, in bytes. A font has at most 64 MiB.', {
    minimum: 1,
    maximum: MAX_UPLOAD_BYTES,
  }),
};

export const UploadRequest = resource('UploadRequest', 'A file to upload. Unknown members are ignored.', {
  ...UPLOAD_FACTS,
  sha256: optional(
    Sha256,
    'SHA-256 of the bytes, in lowercase hex. If a ready upload of the team has these bytes, the answer is that upload. Bytes with another hash are refused.',
  ),
  team_id: optional(TEAM_ID, 'The team that gets the file. You may leave it out if the key reaches only one team.'),
  upload_id: optional(
    UPLOAD_ID,
    'An earlier upload of the same file: the answer has a fresh `upload_url` for it. The other members must be the same as then.',
  ),
});
export type UploadRequest = t.TypeOf<typeof UploadRequest>;

const MEDIA = object('The content of the file. A member is null if it does not apply or is unknown.', {
  width: orNull(integer('', { minimum: 0 }), 'As displayed, in pixels.'),
  height: orNull(integer('', { minimum: 0 }), 'As displayed, in pixels.'),
  duration_s: orNull(number('', { minimum: 0 }), 'In seconds; 0 for a still image.'),
  frame_rate: orNull(number('', { minimum: 0 }), 'Average frames per second of a video.'),
  video_codec: orNull(text(''), "The codec of the picture, by ffmpeg's name."),
  audio_codec: orNull(text(''), "The codec of the sound, by ffmpeg's name."),
  has_audio: boolean('Whether it has sound.'),
  has_alpha: orNull(boolean(''), 'Whether it may be transparent.'),
  color: orNull(ColorRange, 'The range of brightness of a video.'),
  font_family: orNull(text(''), 'The name of the family of a font.'),
});

const BLOCK = object('A block that is stored but not committed.', {
  id: text('Its id, in base64, as the client chose it.'),
  size_bytes: integer('Its size, in bytes.', { minimum: 0 }),
});

export const Upload = resource('Upload', 'A file on its way into a project.', {
  id: UPLOAD_ID,
  team_id: TEAM_ID,
  name: UPLOAD_FACTS.name,
  content_type: orNull(
    ContentType,
    'The type of the file. Null if it is not known, for example before a URL is fetched.',
  ),
  size_bytes: orNull(UPLOAD_FACTS.size_bytes, 'The size of the file, in bytes; null before a URL is fetched.'),
  kind: AssetKind,
  sha256: orNull(Sha256, 'The hash that was found in the inspection, and the stated one before; null without any.'),
  status: UploadStatus,
  faults: listOf(text(''), 'Why the file is refused, with a remedy each; empty otherwise.'),
  media: orNull(MEDIA, 'The content of the file; null until it is ready.'),
  thumbnail_url: orNull(
    text('', { format: 'uri' }),
    'A JPEG of an image or a video, signed, and valid for a limited time; null without one.',
  ),
  upload_url: conditionalMember(
    text(
      'Where the client writes the bytes: with `PUT` in one request (header `x-ms-blob-type: BlockBlob`), or in blocks as Azure Blob Storage takes them. It writes this file only, and cannot read. Valid for an hour; repeat the request with `upload_id` for a fresh one. Only in answers to `POST /v1/uploads` while the upload is open.',
      { format: 'uri' },
    ),
  ),
  upload_url_expires_at: conditionalMember(time('When `upload_url` stops working')),
  blocks: conditionalMember(
    listOf(
      BLOCK,
      'The blocks that are stored but not committed, so that a client can resume. Only while it is open, and absent if there are more than some 5,000.',
    ),
  ),
  created_at: time('When it was created'),
  updated_at: time('When its status last changed'),
  expires_at: time('When it is deleted, unless it is used before. Files in projects stay'),
});
export type Upload = t.TypeOf<typeof Upload>;

export const FETCH_FACTS = {
  url: text('The URL of the file: `https://`, without user name, password or fragment. The service fetches it once.', {
    minLength: 1,
    maxLength: 2_000,
  }),
  kind: AssetKind,
  name: optional(UPLOAD_FACTS.name, 'The name of the file. By default the one in the URL.'),
};

export const UploadFetchRequest = resource('UploadFetchRequest', 'A URL to fetch.', {
  ...FETCH_FACTS,
  team_id: optional(TEAM_ID, 'The team that gets the file. You may leave it out if the key reaches only one team.'),
});

export const UPLOAD_SCHEMAS = definitionsOf([
  UploadRequest,
  UploadFetchRequest,
  Upload,
  ContentType,
  UploadStatus,
  ColorRange,
]);

type ShownUpload = Partial<Pick<Upload, 'upload_url' | 'upload_url_expires_at' | 'blocks'>> & {
  readonly thumbnail_url?: string | null;
};

const STATUS = {
  open: 'open',
  fetching: 'fetching',
  queued: 'inspecting',
  inspected: 'inspecting',
  ready: 'ready',
  refused: 'refused',
} as const satisfies Readonly<Record<StoredUpload['state'], Upload['status']>>;

const isContentType = (type: string): type is t.TypeOf<typeof ContentType> => CONTENT_TYPES.includes(type);

/** Shows no result before the bookkeeping of the inspection is complete. */
export const uploadResource = (upload: StoredUpload, { thumbnail_url = null, ...shown }: ShownUpload): Upload => {
  const { id, team_id, name, content_type, size_bytes, kind, state, created_at, updated_at, expires_at } = upload;
  const result = state === 'ready' ? upload.result : null;
  const is_fetched = upload.fetch === undefined || upload.fetch.path !== null;
  return {
    ...{ id, team_id, name, kind, sha256: result?.sha256 ?? upload.sha256 },
    content_type: isContentType(content_type) ? content_type : null,
    size_bytes: is_fetched ? size_bytes : null,
    ...{ status: STATUS[state], faults: state === 'refused' ? upload.faults : [], media: result?.media ?? null },
    ...{ thumbnail_url, ...shown, created_at, updated_at, expires_at },
  };
};

const CREATED_AT = 1_763_740_800_000;
const DAY_MS = 86_400_000;

const OPEN: Upload = {
  ...{ id: 'upload_5f2d0c8e9b7a46138c1de0f4a2b39675', team_id: 'team_01KAJWY8QD', name: 'mountains.mp4' },
  ...{ content_type: 'video/mp4', size_bytes: 8_388_608, kind: 'video', sha256: null, status: 'open', faults: [] },
  ...{ media: null, thumbnail_url: null, created_at: CREATED_AT, updated_at: CREATED_AT },
  expires_at: CREATED_AT + DAY_MS,
};
export const OFFERED_UPLOAD: Upload = {
  ...OPEN,
  upload_url:
    'https://media.example.com/renders/accounts/acc_01KAJWXQ4N/quarantine/upload_5f2d0c8e9b7a46138c1de0f4a2b39675?sp=cw&sig=Zm9v',
  upload_url_expires_at: CREATED_AT + 3_600_000,
};
export const FETCHING_UPLOAD: Upload = { ...OPEN, status: 'fetching', content_type: null, size_bytes: null };
const RESUMED: Upload = { ...OPEN, blocks: [{ id: 'MDAwMDAw', size_bytes: 4_194_304 }] };
export const INSPECTING_UPLOAD: Upload = { ...OPEN, status: 'inspecting', expires_at: CREATED_AT + 7 * DAY_MS };
export const READY_UPLOAD: Upload = {
  ...{ ...INSPECTING_UPLOAD, status: 'ready', updated_at: CREATED_AT + 4_000 },
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  media: {
    ...{ width: 1920, height: 1080, duration_s: 12.5, frame_rate: 30, video_codec: 'h264', audio_codec: 'aac' },
    ...{ has_audio: true, has_alpha: false, color: 'sdr', font_family: null },
  },
  thumbnail_url: 'https://media.example.com/renders/accounts/acc_01KAJWXQ4N/uploads/thumbnail.jpg?sp=r&sig=Zm9v',
};
const REFUSED: Upload = {
  ...{ ...INSPECTING_UPLOAD, status: 'refused', updated_at: CREATED_AT + 4_000, expires_at: CREATED_AT + DAY_MS },
  faults: ['is cut off: it ends before the time in its header; copy or download it again'],
};

const REQUESTS = {
  file: ['A file', { name: 'mountains.mp4', content_type: 'video/mp4', size_bytes: 8_388_608 }],
} as const;

const GIB = 1024 ** 3;
const tag = 'Uploads';

const NO_SCOPE = keyedRefusal('The key lacks the scope `projects:write`. Nothing was changed.', {
  scope: [
    'No scope',
    'this API key lacks the scope projects:write; create a key with this scope in the dashboard or with renderctl',
    'scope_needed',
  ],
});

const AWAY = refusal(
  'A server that is needed is unavailable. Try again.',
  {
    nothing: ['Nothing was changed', 'a required server is unavailable; nothing was changed, try again', 'unavailable'],
  },
  'Retry-After',
);

export const UPLOADS = {
  'POST /v1/uploads': {
    ...{ id: 'createUpload', tag, summary: 'Create an upload' },
    description: `Answers with \`upload_url\`, where the client writes the bytes. Then complete the upload: the service checks the file. Needs a key with the scope \`projects:write\`. By default, an account has at most ${DEFAULT_UPLOAD_LIMITS.in_progress} uploads in progress (${DEFAULT_UPLOAD_LIMITS.bytes_in_progress / GIB} GiB) and ${DEFAULT_UPLOAD_LIMITS.uploads} in all (${DEFAULT_UPLOAD_LIMITS.bytes / GIB} GiB). \`GET /v1/account\` has its limits.`,
    parameters: parameterRefs('IdempotencyKey'),
    body: { shape: UploadRequest, examples: REQUESTS },
    answers: {
      200: jsonResponse(
        'The upload exists already: the request names its `upload_id` or has its `Idempotency-Key`, or the team has these bytes.',
        Upload,
        { ready: ['The team has these bytes', READY_UPLOAD] },
      ),
      201: jsonResponse('The new upload.', Upload, { example: ['Created', OFFERED_UPLOAD] }),
      400: refusal('The request is not valid. Nothing was changed.', {
        size: [
          'Too large',
          'size_bytes: is required, as a whole number from 1 to 2147483648',
          'invalid_field',
          'size_bytes',
        ],
        team: [
          'team_id',
          'team_id: is required, as this key reaches several teams: team_01KAJWY8QD, team_01KAJX0B7M',
          'invalid_parameter',
          'team_id',
        ],
      }),
      403: NO_SCOPE,
      404: keyedRefusal('The team or the upload does not exist, or the key does not reach it. Nothing was changed.', {
        team: ['No such team', 'there is no such team', 'not_found', 'team_id'],
        upload: ['No such upload', 'there is no such upload', 'not_found', 'upload_id'],
      }),
      413: TOO_LARGE,
      415: NO_JSON,
      417: NO_EXPECTATION,
      422: keyedRefusal('The `upload_id` or the `Idempotency-Key` belongs to another file. Nothing was changed.', {
        conflict: [
          'Another file',
          'the upload was created for another file: create a new one',
          'idempotency_key_reused',
        ],
      }),
      503: AWAY,
    },
    samples: readCodeSamples('create-upload'),
  },
  'POST /v1/uploads/fetch': {
    ...{ id: 'fetchUpload', tag, summary: 'Create an upload from a URL' },
    description:
      'The service fetches the file and checks it. Read the upload until it is `ready` or `refused`. Without an `Idempotency-Key`, each request fetches the file again. An asset of a document can name a URL itself (`url`). Needs a key with the scope `projects:write`.',
    parameters: parameterRefs('IdempotencyKey'),
    body: {
      shape: UploadFetchRequest,
      examples: { picture: ['A picture', { url: 'https://images.example.com/logo.png', kind: 'image' }] },
    },
    answers: {
      200: jsonResponse('The upload exists already: the request has its `Idempotency-Key`.', Upload, {
        ready: ['Ready', READY_UPLOAD],
      }),
      202: jsonResponse('The new upload, which is being fetched.', Upload, { fetching: ['Fetching', FETCHING_UPLOAD] }),
      400: refusal('The request is not valid. Nothing was changed.', {
        url: ['No https', 'url: must begin with https://', 'invalid_field', 'url'],
      }),
      403: NO_SCOPE,
      404: keyedRefusal('The team does not exist, or the key does not reach it. Nothing was changed.', {
        team: ['No such team', 'there is no such team', 'not_found', 'team_id'],
      }),
      413: TOO_LARGE,
      415: NO_JSON,
      417: NO_EXPECTATION,
      422: keyedRefusal('The `Idempotency-Key` belongs to another file. Nothing was changed.', {
        conflict: [
          'Another file',
          'the upload was created for another file: create a new one',
          'idempotency_key_reused',
        ],
      }),
      503: AWAY,
    },
    samples: bodySamples('/v1/uploads/fetch', { url: 'https://images.example.com/logo.png', kind: 'image' }),
  },
  'GET /v1/uploads/{id}': {
    ...{ id: 'getUpload', tag, summary: 'Read an upload' },
    description:
      'The upload as it is now. While it is `fetching` or `inspecting`, read it again after a second. While it is `open`, `blocks` lists what is stored, so that a client can resume.',
    parameters: parameterRefs('UploadId'),
    answers: {
      200: jsonResponse('The upload.', Upload, {
        open: ['Some blocks are stored', RESUMED],
        ready: ['Ready', READY_UPLOAD],
        refused: ['Refused', REFUSED],
      }),
      404: NO_UPLOAD,
    },
    samples: getSamples('/v1/uploads/{UPLOAD_ID}'),
  },
  'POST /v1/uploads/{id}/complete': {
    ...{ id: 'completeUpload', tag, summary: 'Complete an upload' },
    description:
      'Checks the bytes: the service copies them, so that later writes have no effect, computes the hash, and decodes parts of the file in a sandbox. Read the upload until it is `ready` or `refused`. A repeat changes nothing. The body is empty, or an empty JSON object. Needs a key with the scope `projects:write`.',
    parameters: parameterRefs('UploadId'),
    answers: {
      200: jsonResponse('The upload, which is checked.', Upload, { ready: ['Ready', READY_UPLOAD] }),
      202: jsonResponse('The upload, which is being checked.', Upload, {
        inspecting: ['Inspecting', INSPECTING_UPLOAD],
      }),
      400: refusal('The body is not valid. Nothing was changed.', {
        object: ['No object', 'the body must be empty, or a JSON object: {}', 'invalid_request'],
      }),
      403: NO_SCOPE,
      404: NO_UPLOAD,
      409: keyedRefusal('The bytes are missing or have another size. Nothing was changed.', {
        missing: [
          'No bytes',
          'no bytes are stored yet: write them to upload_url, commit the list of blocks, and complete the upload then',
          'upload_incomplete',
        ],
        size: [
          'Another size',
          '5 bytes are stored, and size_bytes is 8388608: write them again, or create an upload of the right size',
          'upload_incomplete',
        ],
      }),
      413: TOO_LARGE,
      415: NO_JSON,
      417: NO_EXPECTATION,
      502: refusal('The connection to the backend was lost: try again.', BROKEN_OFF, 'Retry-After'),
      503: AWAY,
    },
    samples: postSamples('/v1/uploads/{UPLOAD_ID}/complete'),
  },
} satisfies Readonly<Record<string, PublicOperation>>;
