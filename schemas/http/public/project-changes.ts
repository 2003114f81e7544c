import type * as t from 'io-ts';
import type { ProjectVersion as VersionEntity } from '../../../domain/catalogue/entities.ts';
import type { StoredAsset } from '../../../domain/composition/assets.ts';
import { LIMITS } from '../../../domain/composition/limits.ts';
import type { ProjectDocument } from '../../../domain/composition/project-shape.ts';
import { actorKind } from '../../../domain/event/meta.ts';
import { PROJECT_ID } from '../ids.ts';
import { BODY_BYTES } from '../limits.ts';
import { type Response, schemaRef } from '../openapi.ts';
import { PAGE_PARAMETERS, query } from '../query.ts';
import {
  anyObject,
  conditionalMember,
  count,
  definitionsOf,
  integer,
  namedShape,
  optional,
  orNull,
  pageOf,
  resource,
  text,
  time,
  wholeList,
  withDescription,
} from '../shapes.ts';
import { AssetKind } from '../words.ts';
import { jsonResponse, type PublicOperation, parameterRefs } from './operation.ts';
import { PROJECT_EXAMPLE, Project } from './projects.ts';
import {
  headers,
  KEY_REUSED,
  keyedRefusal,
  type Messages,
  NO_PROJECT,
  PAGE_FAULTS,
  pendingMessages,
  refusal,
} from './responses.ts';
import { bodySamples, getSamples, postSamples } from './samples/code-samples.ts';

export const Document = namedShape(
  'ProjectDocument',
  anyObject(
    'A project as in `project.json`: compositions with layers, assets and templates. An asset names its file by `upload`, the ID of a ready upload, by the `sha256` of an asset that a project of your teams has, or by `url`, an `https://` URL that the service fetches. Other members that describe the file are ignored.',
  ),
);

const NEW_NAME = text('One line with a visible character and without control characters.', {
  ...{ minLength: 1, maxLength: LIMITS.name, max_units: 2 * LIMITS.name },
});

const MAX_ID_UNITS = 128;

const TEAM = optional(
  text('', { minLength: 1, max_units: MAX_ID_UNITS }),
  'The team that gets the project. You may leave it out if the key reaches only one team.',
);

const MAX_STARTER_ID = 64;

/** A request has one of them, see `newProjectSource`. */
export const PROJECT_SOURCE = {
  document: conditionalMember(Document),
  starter: optional(
    text('', { minLength: 1, max_units: MAX_STARTER_ID }),
    'The ID of a starter, in the place of a document. The project gets its document and its files.',
  ),
};

export const ProjectRequest = resource(
  'ProjectRequest',
  'A project to create, from a `document` or from a `starter`.',
  {
    name: optional(NEW_NAME, 'Its name, instead of the one in the document.'),
    team_id: TEAM,
    ...PROJECT_SOURCE,
  },
);

export const VersionRequest = resource('VersionRequest', 'A version to add.', { document: Document });

export const RenameRequest = resource('ProjectRenameRequest', 'Another name for a project.', { name: NEW_NAME });

export const CopyRequest = resource('ProjectCopyRequest', 'How to copy a project.', {
  name: optional(NEW_NAME, 'The name of the copy. By default that of the project.'),
  team_id: optional(text('', { minLength: 1, max_units: MAX_ID_UNITS }), 'The team that gets it. By default the same.'),
  version: optional(integer('', { minimum: 1 }), 'The version to copy. By default the newest.'),
});

const VERSION = {
  project_id: PROJECT_ID,
  version: integer('Its number, from 1.', { minimum: 1 }),
  added_by: orNull(
    text('', { pattern: '^(user|key)_.' }),
    'Who added it: a user or an API key; null for an operator, or if it is not recorded.',
  ),
  created_at: time('When it was added'),
};

export const ProjectVersion = resource('ProjectVersion', 'A version of a project, without its document.', VERSION);
export type ProjectVersion = t.TypeOf<typeof ProjectVersion>;

export const ProjectVersionPage = pageOf(
  'ProjectVersionPage',
  ProjectVersion,
  'One page of the versions of a project.',
);

export const VersionWithDocument = resource('VersionWithDocument', 'A version of a project with its document.', {
  ...VERSION,
  document: Document,
});

export const Asset = resource('ProjectAsset', 'A file of a project.', {
  id: text('Its ID in the document.'),
  kind: withDescription(AssetKind, 'Its kind.'),
  sha256: text('The SHA-256 of its bytes, in hex. A document of a project of your teams can name the file by it.', {
    pattern: '^[0-9a-f]{64}$',
  }),
  size_bytes: count('Its size.'),
  content_type: text('Its media type.'),
  file_name: text('The name of the file.'),
  font_family: orNull(text(''), 'The family of a font; null for other files.'),
});
type Asset = t.TypeOf<typeof Asset>;

export const AssetList = wholeList(
  'ProjectAssetList',
  Asset,
  'The assets of the newest version, in the order of the document.',
);

export const assetResource = (asset: StoredAsset): Asset => {
  const { id, kind, sha256, size_bytes, content_type, file_name, font_family } = asset;
  return { id, kind, sha256, size_bytes, content_type, file_name, font_family };
};

/** The document as a client can send it again. */
export const documentResource = ({ assets, ...document }: ProjectDocument) => ({
  ...document,
  assets: assets.map(assetResource),
});

const ErasedProject = resource('ErasedProject', 'A project that is erased.', { id: PROJECT_ID });

export const PROJECT_CHANGE_SCHEMAS = definitionsOf([
  ...[Document, ProjectRequest, VersionRequest, RenameRequest, CopyRequest],
  ...[ProjectVersion, ProjectVersionPage, VersionWithDocument, ErasedProject, AssetKind, Asset, AssetList],
]);

export const VersionListQuery = query(PAGE_PARAMETERS);

const NUMBER = /^[1-9]\d{0,8}$/;

/** The number of a version in a path; null if it is no number. */
export const versionNumberOf = (text: string | undefined): number | null =>
  NUMBER.test(text ?? '') ? Number(text) : null;

/** The id of the user or the key; null for an operator. */
export const authorOf = (actor: string | null | undefined): string | null => {
  const kind = actorKind(actor ?? '');
  return kind === 'user' || kind === 'key' ? (actor ?? '').slice(kind.length + 1) : null;
};

export const versionResource = ({
  project_id,
  version,
  added_by,
  created_at,
}: Pick<VersionEntity, 'project_id' | 'version' | 'added_by' | 'created_at'>): ProjectVersion => ({
  ...{ project_id, version, added_by: authorOf(added_by), created_at },
});

export const projectPath = (id: string): string => `/v1/projects/${id}`;
export const versionPath = (id: string, version: number): string => `${projectPath(id)}/versions/${version}`;
export const versionTag = (version: number): string => `"${version}"`;

export const DOCUMENT_EXAMPLE = {
  name: 'Spring sale',
  main_composition_id: 'comp_main',
  compositions: [
    {
      ...{ id: 'comp_main', width: 640, height: 360, fps: 30, duration: 2 },
      layers: [
        { id: 'title', type: 'text', text: 'Only this week', x: 40, y: 130, width: 560, height: 100, font_size: 64 },
      ],
    },
  ],
};

export const VERSION_EXAMPLE: ProjectVersion = {
  ...{ project_id: 'proj_01KAJWZK3H', version: 4, added_by: 'user_01KAJWYH5M', created_at: 1_763_741_000_000 },
};

const tag = 'Projects';

const NO_SCOPE = keyedRefusal('The key lacks the scope `projects:write`, or its user the role. Nothing was changed.', {
  scope: [
    'No scope',
    'this API key lacks the scope projects:write; create a key with this scope in the dashboard or with renderctl',
    'scope_needed',
  ],
});

const INVALID = refusal('The request is not valid. Nothing was changed. `faults` has each fault of the document.', {
  document: [
    'A document with faults',
    'document.compositions[0].layers[0].asset: names no asset of the project; and 2 more faults',
    'invalid_document',
    'document.compositions[0].layers[0].asset',
  ],
  file: [
    'A local file',
    'document.assets[0].file: names a file of your computer, which the service cannot read: give its https:// URL as url, upload it and give the id as upload, or give the sha256 of an asset that a project of your teams has',
    'invalid_document',
    'document.assets[0].file',
  ],
});

const FULL_MESSAGES: Messages = {
  projects: [
    'Too many projects',
    'the account has reached its limit of projects: erase one, or ask an operator for a higher limit',
    'limit_reached',
  ],
  versions: [
    'Too many versions',
    'the project has 10000 versions, the maximum; copy it, and change the copy',
    'limit_reached',
  ],
};

const NOT_ALLOWED = 'The state of the project or the account does not allow it. Nothing was changed.';

const FULL = keyedRefusal(NOT_ALLOWED, FULL_MESSAGES);

const FULL_OR_PENDING = keyedRefusal(
  `${NOT_ALLOWED} Or URLs of the document are still being fetched.`,
  { ...FULL_MESSAGES, ...pendingMessages('document') },
  'Retry-After',
);

const USED = keyedRefusal(
  'The `Idempotency-Key` was used before, for another request of the account. Nothing was changed.',
  KEY_REUSED,
);

export const OUTDATED_CONTENT: NonNullable<Response['content']> = {
  'application/json': {
    schema: schemaRef('Error'),
    examples: {
      outdated: {
        summary: 'Another person changed it',
        value: {
          error:
            'If-Match: the newest version is 5, which user_01KAJWYH5M added at 2025-11-21T16:03:20Z; read it, and apply your change to it',
          ...{ code: 'outdated_version', param: 'If-Match' },
          ...{ version: 5, changed_by: 'user_01KAJWYH5M', changed_at: 1_763_741_000_000 },
        },
      },
    },
  },
};

const OUTDATED: Response = {
  description: 'The project has a newer version than the one in `If-Match`. Nothing was changed.',
  headers: headers('RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'),
  content: OUTDATED_CONTENT,
};

const UNCONDITIONAL = keyedRefusal('The header `If-Match` is missing. Nothing was changed.', {
  missing: [
    'No If-Match',
    'If-Match: is required: the number of the version that the document was made from, in quotes, or * for any version',
    'precondition_required',
    'If-Match',
  ],
});

export const OF_BODY = {
  413: refusal('The body is too large, whatever the key. Nothing was changed.', {
    body: ['Too large', `the body is larger than ${BODY_BYTES / 1024} KiB`, 'body_too_large'],
  }),
  415: keyedRefusal('The body is not JSON in UTF-8. Nothing was changed.', {
    type: ['Wrong content type', 'Content-Type must be application/json, not text/plain', 'unsupported_media_type'],
  }),
  417: refusal('The server cannot meet the header Expect. Nothing was changed.', {
    expect: ['Expect', 'the only supported expectation is 100-continue', 'expectation_failed'],
  }),
};

const CHANGES = { 400: INVALID, 403: NO_SCOPE, 404: NO_PROJECT, 409: FULL, ...OF_BODY };

const FOR_SCOPE = 'For keys with the scope `projects:write`.';

const ID = '{PROJECT_ID}';

export const PROJECT_CHANGES = {
  'POST /v1/projects': {
    ...{ id: 'createProject', tag, summary: 'Create a project' },
    description: `Creates a project with its first version. ${FOR_SCOPE}`,
    parameters: parameterRefs('CreationKey'),
    body: {
      shape: ProjectRequest,
      examples: {
        text: ['A text of two seconds', { document: DOCUMENT_EXAMPLE }],
        starter: ['From a starter', { starter: 'quote-card', name: 'Quotes' }],
      },
    },
    answers: {
      201: jsonResponse(
        'The new project. With an `Idempotency-Key` of an earlier request with the same body: the project of that request.',
        Project,
        { example: ['Created', PROJECT_EXAMPLE] },
        ...(['Location', 'ETag', 'Ignored-Members'] as const),
      ),
      ...CHANGES,
      409: FULL_OR_PENDING,
      422: USED,
    },
    samples: bodySamples('/v1/projects', { document: DOCUMENT_EXAMPLE }),
  },
  'GET /v1/projects/{id}/versions': {
    ...{ id: 'listVersions', tag, summary: 'List the versions of a project', description: 'Newest first, in pages.' },
    parameters: [...parameterRefs('ProjectId'), ...VersionListQuery.references],
    answers: {
      200: jsonResponse('One page.', ProjectVersionPage, {
        example: ['The last page', { data: [VERSION_EXAMPLE], has_more: false, next_cursor: null }],
      }),
      400: refusal('A parameter is not valid.', PAGE_FAULTS),
      404: NO_PROJECT,
    },
    samples: getSamples(`/v1/projects/${ID}/versions`),
  },
  'POST /v1/projects/{id}/versions': {
    ...{ id: 'addVersion', tag, summary: 'Add a version to a project' },
    description: `Replaces the document of the project. Earlier versions stay, and renders that were requested before keep theirs. If the document is already that of the newest version, or of the version after the one in \`If-Match\`, nothing changes and the answer is 200: so you can repeat a request whose answer was lost. ${FOR_SCOPE}`,
    parameters: parameterRefs('ProjectId', 'IfMatch'),
    body: { shape: VersionRequest, examples: { text: ['Another document', { document: DOCUMENT_EXAMPLE }] } },
    answers: {
      201: jsonResponse(
        'The new version.',
        ProjectVersion,
        { example: ['Added', VERSION_EXAMPLE] },
        ...(['Location', 'ETag', 'Ignored-Members'] as const),
      ),
      200: jsonResponse(
        'The version that already has the document.',
        ProjectVersion,
        { example: ['No change', VERSION_EXAMPLE] },
        ...(['Location', 'ETag', 'Ignored-Members'] as const),
      ),
      ...CHANGES,
      409: FULL_OR_PENDING,
      412: OUTDATED,
      428: UNCONDITIONAL,
    },
    samples: bodySamples(`/v1/projects/${ID}/versions`, { document: DOCUMENT_EXAMPLE }, { 'If-Match': '*' }),
  },
  'GET /v1/projects/{id}/versions/{version}': {
    ...{ id: 'getVersion', tag, summary: 'Read a version of a project' },
    description: 'The version with its document, as it can be sent again. A version never changes.',
    parameters: parameterRefs('ProjectId', 'VersionNumber'),
    answers: {
      200: jsonResponse(
        'The version.',
        VersionWithDocument,
        { example: ['A version', { ...VERSION_EXAMPLE, document: DOCUMENT_EXAMPLE }] },
        'ETag',
      ),
      404: NO_PROJECT,
    },
    samples: getSamples(`/v1/projects/${ID}/versions/1`),
  },
  'GET /v1/projects/{id}/assets': {
    ...{ id: 'listAssets', tag, summary: 'List the assets of a project' },
    description: 'The files of its newest version.',
    parameters: parameterRefs('ProjectId'),
    answers: {
      200: jsonResponse('All of them.', AssetList, {
        example: [
          'A logo',
          {
            data: [
              {
                ...{ id: 'logo', kind: 'image', sha256: 'c0'.repeat(32), size_bytes: 20_480 },
                ...{ content_type: 'image/png', file_name: 'logo.png', font_family: null },
              },
            ],
          },
        ],
      }),
      404: NO_PROJECT,
    },
    samples: getSamples(`/v1/projects/${ID}/assets`),
  },
  'POST /v1/projects/{id}/rename': {
    ...{ id: 'renameProject', tag, summary: 'Rename a project' },
    description: `Adds a version with another name. A repeat changes nothing. ${FOR_SCOPE}`,
    parameters: parameterRefs('ProjectId'),
    body: { shape: RenameRequest, examples: { name: ['Another name', { name: 'Winter sale' }] } },
    answers: {
      200: jsonResponse('The project.', Project, { example: ['Renamed', PROJECT_EXAMPLE] }, 'ETag', 'Ignored-Members'),
      ...CHANGES,
    },
    samples: bodySamples(`/v1/projects/${ID}/rename`, { name: 'Winter sale' }),
  },
  'POST /v1/projects/{id}/copy': {
    ...{ id: 'copyProject', tag, summary: 'Copy a project' },
    description: `Creates a project from a version of this one, with its assets. ${FOR_SCOPE}`,
    parameters: parameterRefs('ProjectId', 'CreationKey'),
    body: { shape: CopyRequest, examples: { name: ['A copy with another name', { name: 'Winter sale' }] } },
    answers: {
      201: jsonResponse(
        'The copy. With an `Idempotency-Key` of an earlier request with the same body: the copy of that request.',
        Project,
        { example: ['Copied', PROJECT_EXAMPLE] },
        ...(['Location', 'ETag', 'Ignored-Members'] as const),
      ),
      ...CHANGES,
      422: USED,
    },
    samples: bodySamples(`/v1/projects/${ID}/copy`, { name: 'Winter sale' }),
  },
  'POST /v1/projects/{id}/erase': {
    ...{ id: 'eraseProject', tag, summary: 'Erase a project and all of its renders' },
    description: `You cannot undo this. The project gets 404 from then on, is in no list, and takes no renders. Its renders, files and documents are deleted within moments; renders in progress when they end. A repeat gets the same answer. The body is empty, or an empty JSON object. A personal key needs a user who is an admin of the team or an owner of the account. ${FOR_SCOPE}`,
    parameters: parameterRefs('ProjectId'),
    answers: {
      200: jsonResponse('The project is erased, by this request or an earlier one.', ErasedProject, {
        example: ['Erased', { id: PROJECT_EXAMPLE.id }],
      }),
      ...CHANGES,
    },
    samples: postSamples(`/v1/projects/${ID}/erase`),
  },
} satisfies Readonly<Record<string, PublicOperation>>;
