import type * as t from 'io-ts';
import { LIMITS } from '../../../domain/composition/limits.ts';
import { PROJECT_ID, RENDER_ID, TEAM_ID, USER_ID } from '../ids.ts';
import {
  type DecodedBy,
  ORDER_PARAMETERS,
  PAGE_PARAMETERS,
  PERIOD_PARAMETERS,
  query,
  SEARCH_PARAMETERS,
  STATUS_PARAMETERS,
  TEMPLATE_PARAMETERS,
  withPeriodCheck,
} from '../query.ts';
import {
  conditionalMember,
  definitionsOf,
  integer,
  number,
  object,
  orNull,
  pageOf,
  resource,
  text,
  textByKey,
  time,
  wholeList,
  withDescription,
  withSchema,
} from '../shapes.ts';
import { RenderStatus, RenderType } from '../words.ts';
import { jsonResponse, type PublicOperation, parameterRefs } from './operation.ts';
import { PROJECT_PARAMETER } from './parameters.ts';
import { DOCUMENT_EXAMPLE } from './project-changes.ts';
import { RenderBody, Values } from './render-body.ts';
import {
  BROKEN_OFF,
  KEY_REUSED,
  keyedRefusal,
  NO_EXPECTATION,
  NO_JSON,
  NO_PROJECT,
  NO_RENDER,
  PAGE_FAULTS,
  pendingMessages,
  refusal,
  TOO_LARGE,
} from './responses.ts';
import { getSamples, postSamples, readCodeSamples } from './samples/code-samples.ts';

const OUTPUT = withSchema(textByKey(''), {
  type: 'object',
  description:
    'Present exactly when the render is complete. It has a signed URL for each variant of the video, valid for a limited time (24 hours unless configured otherwise). `master` is always among them. Read the render again for fresh URLs.',
  required: ['master'],
  properties: { master: { type: 'string', format: 'uri', description: 'The video in full size.' } },
  additionalProperties: { type: 'string', format: 'uri' },
});

export const Failure = resource('Failure', 'Why a render failed.', {
  stage: text('The stage: for example `preparation`, `dispatch` or `rendering`.'),
  code: text('The kind of fault, for programs; `cancelled` if a client ended it. More kinds may follow.'),
  message: text('The fault, for a person. It names a field, never its value.'),
  field: conditionalMember(
    text(
      'The path of the part at fault: `values.logo` for the value of the field `logo`, `values` for all values. Absent if no part is at fault, or it is not known.',
    ),
  ),
});
export type Failure = t.TypeOf<typeof Failure>;

const SHARE_DONE = number('The share of the frames that are done.', { minimum: 0, maximum: 1 });

export const Render = resource('Render', 'A video that is rendered from a project.', {
  id: RENDER_ID,
  name: text('The name from its request.', { minLength: 1, maxLength: LIMITS.name }),
  status: withDescription(RenderStatus, 'Its progress. `complete` and `failed` are final.'),
  type: withDescription(RenderType, 'Where it is rendered.'),
  project: object('The project that is rendered.', { id: PROJECT_ID, team: TEAM_ID }),
  output: conditionalMember(OUTPUT),
  progress: conditionalMember(
    withDescription(
      SHARE_DONE,
      'The share of the frames that are done, some seconds old. Only in the status `processing`. Webhooks report the beginning of that status, and so have 0. The answer to a cancellation lacks it.',
    ),
  ),
  failure: conditionalMember(
    withDescription(
      Failure,
      'Why it failed. Present exactly in the status `failed`; `code` is `cancelled` if a client ended it.',
    ),
  ),
  created_by: orNull(USER_ID, 'The user whose key created it; null if the key belongs to no user.'),
  created_at: time('When it was created'),
  updated_at: orNull(time(''), 'When its status last changed, in milliseconds since the epoch; null until it has.'),
});
export type Render = t.TypeOf<typeof Render>;

const RenderPage = pageOf('RenderPage', Render, 'One page of the renders of a project.');

export const Transition = resource('Transition', 'One change of status.', {
  seq: integer('Counts the transitions of the render; its creation is 1.', { minimum: 1 }),
  status: withDescription(RenderStatus, 'The new status.'),
  at: time('When it was recorded'),
  attempt: orNull(integer('', { minimum: 1 }), 'The attempt that it belongs to, from 1; null without one.'),
  progress: conditionalMember(
    withDescription(
      SHARE_DONE,
      'The share that is done. Only the transition to `processing` has it, and only in that status.',
    ),
  ),
  failure: conditionalMember(withDescription(Failure, 'Why it failed. Only the transition to `failed` has it.')),
});
export type Transition = t.TypeOf<typeof Transition>;

const TransitionList = wholeList('TransitionList', Transition, 'The transitions of a render, in their order.');
export type TransitionList = t.TypeOf<typeof TransitionList>;

export const RENDER_SCHEMAS = definitionsOf([
  ...[RenderBody, Values, Render, Failure, RenderStatus, RenderType, RenderPage, Transition, TransitionList],
]);

export const RenderListQuery = withPeriodCheck(
  query({
    ...PROJECT_PARAMETER,
    ...PAGE_PARAMETERS,
    ...SEARCH_PARAMETERS,
    ...STATUS_PARAMETERS,
    ...TEMPLATE_PARAMETERS,
    ...ORDER_PARAMETERS,
    ...PERIOD_PARAMETERS,
  }),
);

export type RenderListRequest = DecodedBy<typeof RenderListQuery>;

const CREATED_AT = 1_763_740_800_000;

export const CREATED_EXAMPLE: Render = {
  id: 'rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C',
  name: 'Spring sale, Vienna',
  status: 'initializing',
  type: 'cloud',
  project: { id: 'proj_01KAJWZK3H', team: 'team_01KAJWY8QD' },
  created_by: 'user_01KAJWYH5M',
  created_at: CREATED_AT,
  updated_at: null,
};

const signed = (variant: string): string =>
  `https://media.example.com/renders/rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C/${variant}.mp4?se=2025-11-22T16%3A00%3A00Z&sp=r&sig=Zm9v`;

export const COMPLETE_EXAMPLE: Render = {
  ...CREATED_EXAMPLE,
  status: 'complete',
  output: { master: signed('master'), '720p': signed('720p') },
  updated_at: CREATED_AT + 94_000,
};

const UNREADABLE_LOGO: Failure = {
  stage: 'preparation',
  code: 'unreadable_media',
  message: 'values.logo: the file at the URL is a web page (HTML) and not a picture',
  field: 'values.logo',
};

const CANCELLED: Failure = { stage: 'rendering', code: 'cancelled', message: 'the render was cancelled' };

export const FAILED_EXAMPLE: Render = {
  ...CREATED_EXAMPLE,
  status: 'failed',
  failure: UNREADABLE_LOGO,
  updated_at: CREATED_AT + 2_100,
};

const CANCELLED_EXAMPLE: Render = { ...FAILED_EXAMPLE, failure: CANCELLED };

const PROCESSING_EXAMPLE: Render = {
  ...CREATED_EXAMPLE,
  status: 'processing',
  progress: 0.42,
  updated_at: CREATED_AT + 1_400,
};

const CREATED: Transition = { seq: 1, status: 'initializing', at: CREATED_AT, attempt: null };
const QUEUED: readonly Transition[] = [
  CREATED,
  { seq: 2, status: 'ready', at: CREATED_AT + 800, attempt: null },
  { seq: 3, status: 'queued', at: CREATED_AT + 900, attempt: 1 },
];
const PROCESSING: Transition = { seq: 4, status: 'processing', at: CREATED_AT + 1_400, attempt: 1 };

const TRANSITIONS = { data: [...QUEUED, { ...PROCESSING, progress: 0.42 }] };

const TRANSITIONS_FAILED: TransitionList = {
  data: [
    CREATED,
    {
      ...{ seq: 2, status: 'failed', at: CREATED_AT + 2_100, attempt: null },
      failure: UNREADABLE_LOGO,
    },
  ],
};

const TRANSITIONS_CANCELLED: TransitionList = {
  data: [
    ...QUEUED,
    PROCESSING,
    {
      ...{ seq: 5, status: 'failed', at: CREATED_AT + 9_700, attempt: null },
      failure: CANCELLED,
    },
  ],
};

const PAGE_EXAMPLE = {
  data: [COMPLETE_EXAMPLE, FAILED_EXAMPLE],
  has_more: true,
  next_cursor: 'AQAxNzYzNzQwODAwMDAwcmVuZF8wMUtBSlgzWjVROFc5VjJUN1I0TjZNMUIwQ9qT1mXbq7w4c1kZ5xkq3A',
};

const REQUESTS = {
  plain: ['The project as it is', { name: 'Spring sale', project_id: 'proj_01KAJWZK3H' }],
  template: [
    'A template with values',
    {
      name: 'Spring sale, Vienna',
      project_id: 'proj_01KAJWZK3H',
      template_id: 'tpl_sale',
      values: { headline: 'Only this week', price: 19.9, show_logo: true },
    },
  ],
  document: ['A document instead of a project', { name: 'Spring sale', project: DOCUMENT_EXAMPLE }],
  draft: ['A draft', { name: 'Spring sale, first look', project_id: 'proj_01KAJWZK3H', draft: true }],
} as const;

const tag = 'Renders';

export const RENDERS = {
  'POST /v1/renders': {
    ...{ id: 'createRender', tag, summary: 'Create a render' },
    description:
      'Queues a render of a project, with the values of a template if the request names one. Instead of `project_id`, the request can have a document (`project`): the service creates a hidden project for it, or finds the one of an earlier request with the same document. That needs a key with the scope `projects:write`. The project is rendered as it is now, and is never changed. Follow the render by reading it, by its transitions, or by webhooks.',
    parameters: parameterRefs('IdempotencyKey'),
    body: { shape: RenderBody, examples: REQUESTS },
    answers: {
      201: jsonResponse(
        'The new render. With an `Idempotency-Key` of an earlier request with the same body: the render of that request, as it was created.',
        Render,
        { example: ['Created', CREATED_EXAMPLE] },
        'Location',
        'Link',
        'Ignored-Values',
        'Ignored-Members',
      ),
      400: refusal('The request is not valid. Nothing was changed.', {
        fields: [
          'Several fields at fault',
          'name: must be 1 to 250 characters; project_id: is required, at least 1 character',
          'invalid_field',
          'name',
        ],
        name: [
          'A name of two lines',
          'name: must not contain control characters (U+000A at position 7)',
          'invalid_field',
          'name',
        ],
        value: [
          'A value that its field does not take',
          'values.price: must be a number',
          'invalid_field',
          'values.price',
        ],
        json: ['No JSON', 'the body is not JSON: Unexpected end of JSON input', 'invalid_json'],
        key: [
          'Idempotency-Key',
          'Idempotency-Key: must be sent once, as 1 to 255 visible ASCII characters without spaces',
          'invalid_header',
          'Idempotency-Key',
        ],
      }),
      403: keyedRefusal(
        'The request has a document, and the key lacks the scope `projects:write`. Nothing was changed.',
        {
          scope: [
            'No scope',
            'this API key lacks the scope projects:write; create a key with this scope in the dashboard or with renderctl',
            'scope_needed',
          ],
        },
      ),
      409: keyedRefusal(
        'The account cannot have another project of a document, or URLs of the document are still being fetched. Nothing was changed.',
        {
          ...pendingMessages('project'),
          full: [
            'Too many documents',
            'the account has reached its limit of documents in requests of renders: use a project and a template with values, erase such projects, or ask an operator for a higher limit',
            'limit_reached',
          ],
        },
        'Retry-After',
      ),
      402: keyedRefusal('The account does not have enough credits. Nothing was changed.', {
        credits: [
          'Not enough credits',
          'not enough credits: this render costs 12, and 3 are left',
          'not_enough_credits',
        ],
      }),
      404: keyedRefusal(
        'The project or the template does not exist, or the key does not reach it. Nothing was changed.',
        {
          project: ['No such project', 'project_id: there is no such project', 'not_found', 'project_id'],
          template: ['No such template', 'template_id: the project has no such template', 'not_found', 'template_id'],
        },
      ),
      413: TOO_LARGE,
      415: NO_JSON,
      417: NO_EXPECTATION,
      422: keyedRefusal(
        'The `Idempotency-Key` was used before, for another request of the account. Nothing was changed.',
        {
          ...KEY_REUSED,
          taken: [
            'Used by a team that this API key does not reach',
            'Idempotency-Key: is taken in this account; use a new key for a new request',
            'idempotency_key_taken',
            'Idempotency-Key',
          ],
        },
      ),
      502: refusal(
        'The connection to the backend was lost, and the render may have been created: try again with the same `Idempotency-Key`.',
        BROKEN_OFF,
        'Retry-After',
      ),
      503: refusal(
        'A server that is needed is unavailable. The message says whether nothing was changed or the outcome is unknown: then try again with the same `Idempotency-Key`.',
        {
          nothing: [
            'Nothing was changed',
            'the event log does not answer; nothing was changed, try again',
            'unavailable',
          ],
          unknown: [
            'Outcome unknown',
            'the outcome is unknown: retry with the same Idempotency-Key, which creates only one render',
            'outcome_unknown',
          ],
        },
        'Retry-After',
      ),
    },
    samples: readCodeSamples('create-render'),
  },
  'GET /v1/renders': {
    ...{ id: 'listRenders', tag, summary: 'List the renders of a project' },
    description: 'Newest first, in pages. A new render may take a moment to appear.',
    parameters: RenderListQuery.references,
    answers: {
      200: jsonResponse('One page.', RenderPage, { example: ['A page that is not the last', PAGE_EXAMPLE] }),
      400: refusal('A parameter is not valid.', {
        ...PAGE_FAULTS,
        status: [
          'Several at once',
          'project_id: is required, as a query parameter; order: must be asc or desc',
          'invalid_parameter',
          'project_id',
        ],
      }),
      404: NO_PROJECT,
    },
    samples: getSamples('/v1/renders?project_id={PROJECT_ID}&limit=60'),
  },
  'GET /v1/renders/{id}': {
    ...{ id: 'getRender', tag, summary: 'Read a render' },
    description:
      'The render as it is now, with its `progress` while it is processed and its `failure` if it failed. Once it is complete, `output` has a fresh signed URL for each variant. If the account keeps outputs for a limited time, `output` is left out after it. A render usually takes a couple of minutes: poll every few seconds, or use a webhook.',
    parameters: parameterRefs('RenderId'),
    answers: {
      200: jsonResponse(
        'The render.',
        Render,
        {
          complete: ['Complete', COMPLETE_EXAMPLE],
          created: ['Just created', CREATED_EXAMPLE],
          processing: ['While it is processed', PROCESSING_EXAMPLE],
          failed: ['Failed', FAILED_EXAMPLE],
        },
        'Link',
      ),
      404: NO_RENDER,
    },
    samples: readCodeSamples('follow-render'),
  },
  'POST /v1/renders/{id}/cancel': {
    ...{ id: 'cancelRender', tag, summary: 'Cancel a render' },
    description:
      'Ends a render that is neither complete nor failed. It becomes `failed`, with the code `cancelled` in its `failure`; its work stops, and nothing is charged. Webhooks report it like every failure. If it completes at the same moment, the first event counts, and the answer says which. A repeat gets the same answer. The body is empty, or an empty JSON object. The work until then counts as failed work of the account.',
    parameters: parameterRefs('RenderId'),
    answers: {
      200: jsonResponse(
        'The cancelled render.',
        Render,
        { example: ['Cancelled', CANCELLED_EXAMPLE] },
        'Link',
        'Ignored-Members',
      ),
      202: jsonResponse(
        'The request is recorded. The render will be cancelled unless it completes first: read it again. The body has its state before the cancellation.',
        Render,
        { example: ['Not cancelled yet', CREATED_EXAMPLE] },
        'Link',
        'Ignored-Members',
      ),
      400: refusal('The body is not valid. Nothing was changed.', {
        object: ['No object', 'the body must be empty, or a JSON object: {}', 'invalid_request'],
        json: ['No JSON', 'the body is not JSON: Unexpected end of JSON input', 'invalid_json'],
      }),
      404: NO_RENDER,
      409: keyedRefusal('It has already ended, or cannot be cancelled. Nothing was changed.', {
        complete: ['Complete', 'render rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C is already complete', 'render_ended'],
        failed: ['Failed', 'render rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C has already failed', 'render_ended'],
        older: [
          'Requested before an upgrade',
          'render rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C cannot be cancelled: it was requested before the service supported cancellation',
          'render_not_cancellable',
        ],
      }),
      413: TOO_LARGE,
      415: NO_JSON,
      417: NO_EXPECTATION,
      502: refusal(
        'The connection to the backend was lost, and the render may have been cancelled: try again.',
        BROKEN_OFF,
        'Retry-After',
      ),
      503: refusal(
        'A server that is needed is unavailable, or the render is too new to be known. The message says whether nothing was changed or the outcome is unknown. Try again in both cases.',
        {
          nothing: [
            'Nothing was changed',
            'the event log does not answer; nothing was changed, try again',
            'unavailable',
          ],
          unknown: [
            'Outcome unknown',
            'the outcome is unknown: the render may have been cancelled; try again',
            'outcome_unknown',
          ],
          early: ['Too new', 'this render is not known yet: try again in a moment', 'not_known_yet'],
        },
        'Retry-After',
      ),
    },
    samples: postSamples('/v1/renders/{RENDER_ID}/cancel'),
  },
  'GET /v1/renders/{id}/transitions': {
    ...{ id: 'listTransitions', tag, summary: 'List the transitions of a render' },
    description: 'Every change of its status, with the progress while it is processed, and the reason of a failure.',
    parameters: parameterRefs('RenderId'),
    answers: {
      200: jsonResponse('All of them, in the order in which they happened.', TransitionList, {
        processing: ['While it is processed', TRANSITIONS],
        failed: ['Failed', TRANSITIONS_FAILED],
        cancelled: ['Cancelled', TRANSITIONS_CANCELLED],
      }),
      404: NO_RENDER,
    },
    samples: getSamples('/v1/renders/{RENDER_ID}/transitions'),
  },
} satisfies Readonly<Record<string, PublicOperation>>;
