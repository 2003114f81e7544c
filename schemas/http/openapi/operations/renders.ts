import {
  example,
  RENDER_COMPLETE,
  RENDER_CREATED,
  RENDER_FAILED,
  RENDER_PAGE,
  TRANSITIONS,
  TRANSITIONS_CANCELLED,
  TRANSITIONS_FAILED,
} from '../examples.ts';
import { type Operation, parameterRef, schemaRef } from '../form.ts';
import { BODY_BYTES } from '../limits.ts';
import { ANYWHERE, answer, keyedRefusal, refusal } from '../responses.ts';
import { getSamples, postSamples, samplesIn } from '../samples/code-samples.ts';

const REQUESTS = {
  plain: {
    summary: 'The project as it stands',
    value: { name: 'Spring sale', project_id: 'proj_01KAJWZK3H' },
  },
  template: {
    summary: 'A template with values',
    value: {
      name: 'Spring sale, Vienna',
      project_id: 'proj_01KAJWZK3H',
      template_id: 'tpl_sale',
      values: { headline: 'Only this week', price: 19.9, show_logo: true },
    },
  },
  draft: {
    summary: 'A small one to look at first',
    value: { name: 'Spring sale, first look', project_id: 'proj_01KAJWZK3H', draft: true },
  },
};

export const createRender: Operation = {
  operationId: 'createRender',
  tags: ['Renders'],
  summary: 'Create a render',
  description:
    'Queues a render of a project, with the values of a template where one is named. The project is taken as it is at this moment, and is never changed. Follow the render by reading it, by its transitions, or by webhooks.',
  parameters: [parameterRef('IdempotencyKey')],
  requestBody: {
    required: true,
    description: `At most ${BODY_BYTES / 1024} KiB of JSON in UTF-8, not compressed.`,
    content: { 'application/json': { schema: schemaRef('RenderRequest'), examples: REQUESTS } },
  },
  responses: {
    '201': answer(
      'The new render. With an `Idempotency-Key` that was used before for the same request: the render of then, as it was created.',
      'Render',
      example('Created', RENDER_CREATED),
      'Location',
      'Link',
      'Ignored-Values',
    ),
    ...ANYWHERE,
    '400': refusal('The request is not valid. Nothing happened.', {
      fields: [
        'Several fields at fault',
        'name: must be 1 to 250 characters; project_id: is required, at least 1 character',
      ],
      name: ['A name of two lines', 'name: must not contain control characters (U+000A at position 7)'],
      value: ['A value that its field does not take', 'values.price: must be a number'],
      json: ['No JSON', 'the body is not JSON: Unexpected end of JSON input'],
      key: [
        'Idempotency-Key',
        'Idempotency-Key: must be sent once, as 1 to 255 visible ASCII characters without spaces',
      ],
    }),
    '402': keyedRefusal('The account has not enough credits left for it. Nothing happened.', {
      credits: ['Not enough credits', 'not enough credits: this render costs 12, and 3 are left'],
    }),
    '404': keyedRefusal(
      'The project or the template does not exist, or is not in reach of the key. Nothing happened.',
      {
        project: ['No such project', 'project_id: there is no such project'],
        template: ['No such template', 'template_id: the project has no such template'],
      },
    ),
    '413': refusal('The body is too large, whatever the key. Nothing happened.', {
      body: ['Too large', `the body is larger than ${BODY_BYTES / 1024} KiB`],
    }),
    '415': keyedRefusal('The body is something else than JSON in UTF-8. Nothing happened.', {
      type: ['Another type', 'Content-Type must be application/json, not text/plain'],
    }),
    '417': refusal('The header Expect asks for something that cannot be met. Nothing happened.', {
      expect: ['Expect', 'the only expectation that can be met is 100-continue'],
    }),
    '422': keyedRefusal(
      'The `Idempotency-Key` was used before, for another request of the account. Nothing happened.',
      {
        conflict: [
          'Used for another request',
          'Idempotency-Key: was sent before with another body; a new request takes a new one',
        ],
        taken: [
          'Used by a team that this API key does not reach',
          'Idempotency-Key: is taken in this account; a new request takes a new one',
        ],
      },
    ),
    '502': refusal(
      'The service behind the gateway broke off, and the render may have been created: try again with the same `Idempotency-Key`.',
      {
        broken: [
          'Broken off',
          'the service did not answer, so the outcome is unknown: the request may have been carried out',
        ],
      },
      'Retry-After',
    ),
    '503': refusal(
      'Something that is needed for this is away. The message says whether nothing happened, or whether the outcome is unknown: then try again with the same `Idempotency-Key`.',
      {
        nothing: ['Nothing happened', 'the event log does not answer; nothing happened, try again'],
        unknown: [
          'Outcome unknown',
          'the outcome is unknown: retry with the same Idempotency-Key, and there will be one render',
        ],
      },
      'Retry-After',
    ),
  },
  'x-codeSamples': samplesIn('create-render'),
};

export const listRenders: Operation = {
  operationId: 'listRenders',
  tags: ['Renders'],
  summary: 'List the renders of a project',
  description: 'Newest first, a page at a time. A render that was just created may take a moment to appear.',
  parameters: [
    parameterRef('OfProject'),
    parameterRef('Limit'),
    parameterRef('Cursor'),
    parameterRef('Search'),
    parameterRef('Status'),
    parameterRef('InOrder'),
  ],
  responses: {
    '200': answer('One page.', 'RenderPage', example('A page with another one behind it', RENDER_PAGE)),
    ...ANYWHERE,
    '400': refusal('A parameter is not valid.', {
      limit: ['limit', 'limit: must be a whole number, 1 or more'],
      cursor: ['cursor', 'cursor: is not valid for this list; start again from the first page'],
      status: ['Several at once', 'project_id: is required, as a query parameter; order: must be asc or desc'],
    }),
    '404': keyedRefusal('There is no such project, or it is not in reach of the key.', {
      absent: ['No such project', 'there is no such project'],
    }),
  },
  'x-codeSamples': getSamples('/v1/renders?project_id={PROJECT_ID}&limit=60'),
};

export const getRender: Operation = {
  operationId: 'getRender',
  tags: ['Renders'],
  summary: 'Read a render',
  description:
    'The render as it is now. Once it is complete, `output` has a signed URL for each variant, fresh at every reading; where the account keeps outputs for a time only, it is left out after that. It takes a couple of minutes as a rule: ask every few seconds, or have a webhook tell you.',
  parameters: [parameterRef('RenderId')],
  responses: {
    '200': answer(
      'The render.',
      'Render',
      {
        complete: { summary: 'Complete', value: RENDER_COMPLETE },
        created: { summary: 'Just created', value: RENDER_CREATED },
      },
      'Link',
    ),
    ...ANYWHERE,
    '404': keyedRefusal('There is no such render, or it is not in reach of the key.', {
      absent: ['No such render', 'there is no such render'],
    }),
  },
  'x-codeSamples': samplesIn('follow-render'),
};

export const cancelRender: Operation = {
  operationId: 'cancelRender',
  tags: ['Renders'],
  summary: 'Cancel a render',
  description:
    'Ends a render that is neither complete nor failed: it is `failed` for good, with the code `cancelled` in its transitions, its work stops, and nothing is charged. Webhooks are told as of every failure. Of a completion at the same moment the first counts: the answer says which. May be repeated, and is answered the same. It takes no body; an empty JSON object is as good. What was done for it until then counts as failed work of the account.',
  parameters: [parameterRef('RenderId')],
  responses: {
    '200': answer('The render, which is cancelled.', 'Render', example('Cancelled', RENDER_FAILED), 'Link'),
    '202': answer(
      'It will be cancelled, unless it is complete first: the request is recorded, but not yet carried out. The render as it was before; read it to see what it comes to.',
      'Render',
      example('Still as it was', RENDER_CREATED),
      'Link',
    ),
    ...ANYWHERE,
    '400': refusal('The body is not valid. Nothing happened.', {
      object: ['No object', 'the body must be empty, or a JSON object: {}'],
      json: ['No JSON', 'the body is not JSON: Unexpected end of JSON input'],
    }),
    '404': keyedRefusal('There is no such render, or it is not in reach of the key.', {
      absent: ['No such render', 'there is no such render'],
    }),
    '409': keyedRefusal('It has ended otherwise, or cannot be cancelled. Nothing happened.', {
      complete: ['Complete', 'render rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C is already complete'],
      failed: ['Failed', 'render rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C has already failed'],
      older: [
        'Requested before an upgrade',
        'render rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C cannot be cancelled: it was requested before the service could do that',
      ],
    }),
    '413': refusal('The body is too large, whatever the key. Nothing happened.', {
      body: ['Too large', `the body is larger than ${BODY_BYTES / 1024} KiB`],
    }),
    '415': keyedRefusal('The body is something else than JSON in UTF-8. Nothing happened.', {
      type: ['Another type', 'Content-Type must be application/json, not text/plain'],
    }),
    '417': refusal('The header Expect asks for something that cannot be met. Nothing happened.', {
      expect: ['Expect', 'the only expectation that can be met is 100-continue'],
    }),
    '502': refusal(
      'The service behind the gateway broke off, and the render may have been cancelled: try again.',
      {
        broken: [
          'Broken off',
          'the service did not answer, so the outcome is unknown: the request may have been carried out',
        ],
      },
      'Retry-After',
    ),
    '503': refusal(
      'Something that is needed for this is away, or the render is too new to be known yet. The message says whether nothing happened, or whether the outcome is unknown: try again in both cases.',
      {
        nothing: ['Nothing happened', 'the event log does not answer; nothing happened, try again'],
        unknown: ['Outcome unknown', 'the outcome is unknown: the render may have been cancelled; try again'],
        early: ['Too new', 'this render is not known yet, and may be in a moment: try again'],
      },
      'Retry-After',
    ),
  },
  'x-codeSamples': postSamples('/v1/renders/{RENDER_ID}/cancel'),
};

export const listTransitions: Operation = {
  operationId: 'listTransitions',
  tags: ['Renders'],
  summary: 'List the transitions of a render',
  description: 'Every change of its status, with the progress while it is processed, and why it failed where it did.',
  parameters: [parameterRef('RenderId')],
  responses: {
    '200': answer('All of them, in the order in which they happened.', 'TransitionList', {
      processing: { summary: 'While it is processed', value: TRANSITIONS },
      failed: { summary: 'Failed', value: TRANSITIONS_FAILED },
      cancelled: { summary: 'Cancelled', value: TRANSITIONS_CANCELLED },
    }),
    ...ANYWHERE,
    '404': keyedRefusal('There is no such render, or it is not in reach of the key.', {
      absent: ['No such render', 'there is no such render'],
    }),
  },
  'x-codeSamples': getSamples('/v1/renders/{RENDER_ID}/transitions'),
};
