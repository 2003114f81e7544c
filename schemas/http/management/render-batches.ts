import * as E from 'fp-ts/lib/Either.js';
import { ALL_CODES, type InputFault } from '../error-codes.ts';
import { errorCodeShape, errorMembers } from '../error-shape.ts';
import { MAX_IDEMPOTENCY_KEY_LENGTH, MAX_ITEMS } from '../limits.ts';
import { RenderRequest } from '../public/render-request.ts';
import { type QueryParameter, query } from '../query.ts';
import { count, definitionsOf, isObject, listOf, object, orNull, resource, text } from '../shapes.ts';
import { contract, exampleBody, jsonResponse } from './operation.ts';
import { ListedRender, RENDER_EXAMPLE, RENDER_REQUEST_EXAMPLE, RenderInShort } from './renders.ts';

/** Renders that one request creates. A service that runs 8 of them at once answers within seconds. */
export const MAX_BATCH = 50;

const idempotencyKey = (description: string) =>
  text(description, { minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_LENGTH, pattern: '^[\\x21-\\x7e]+$' });

const BatchedRequest = object('A render to create.', {
  idempotency_key: idempotencyKey('As the header `Idempotency-Key` of a request of this render alone.'),
  ...RenderRequest.members,
});

const RenderBatchRequest = resource('RenderBatchRequest', 'Renders to create.', {
  renders: listOf(BatchedRequest, 'The renders. Each one is accepted or refused by itself.', {
    minItems: 1,
    maxItems: MAX_BATCH,
  }),
});

const BATCH_FAULT = { code: 'invalid_field', param: 'renders' } as const;

/** The members of the request, not decoded: a fault of one of them must not refuse the others. */
export const decodeBatch = (body: { readonly [name: string]: unknown }): E.Either<InputFault, readonly unknown[]> => {
  const { renders } = body;
  return Array.isArray(renders) && renders.length >= 1 && renders.length <= MAX_BATCH
    ? E.right(renders)
    : E.left({ ...BATCH_FAULT, message: `renders: is required, as a list of 1 to ${MAX_BATCH} renders` });
};

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The key of a member of a batch, and the body of a request of this render alone. */
export const decodeBatched = (
  batched: unknown,
): E.Either<InputFault, { readonly idempotency_key: string; readonly body: object }> => {
  if (!isObject(batched)) return E.left({ code: 'invalid_request', message: 'each render must be an object' });
  const { idempotency_key, ...body } = batched;
  return typeof idempotency_key === 'string' && KEY.test(idempotency_key)
    ? E.right({ idempotency_key, body })
    : E.left({
        ...{ code: 'invalid_field', param: 'idempotency_key' },
        message: `idempotency_key: is required, as 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} visible ASCII characters without spaces`,
      });
};

const BatchRefusal = resource('RenderBatchRefusal', 'Why a render was not created.', {
  ...errorMembers(errorCodeShape(ALL_CODES)),
  status: count('The status that a request of this render alone would have got.'),
  retry_after_s: orNull(count(''), 'After how many seconds the same request can succeed; null if it cannot.'),
});

const RenderBatch = resource('RenderBatch', 'The renders of a request, in its order.', {
  data: listOf(
    object('A render, or why it was not created.', {
      render: orNull(RenderInShort, 'The render, from this request or an earlier one; null if it was refused.'),
      refusal: orNull(BatchRefusal, 'Why it was refused; null if it was accepted.'),
    }),
    'One for each render of the request.',
  ),
});

const FoundRenders = resource('FoundRenders', 'Renders by their IDs.', {
  data: listOf(ListedRender, 'The renders that exist in the team and are in the read model, in no order.', {
    maxItems: MAX_ITEMS,
  }),
});

const IDS: QueryParameter<readonly string[]> = {
  description: `The IDs of 1 to ${MAX_ITEMS} renders, separated by commas.`,
  ...{ schema: { type: 'string', minLength: 1 }, required: true, example: RENDER_EXAMPLE.id },
  decode: (value) => {
    const ids = [...new Set((value ?? '').split(',').filter((id) => id !== ''))];
    return ids.length >= 1 && ids.length <= MAX_ITEMS
      ? E.right(ids)
      : E.left(`is required, as the IDs of 1 to ${MAX_ITEMS} renders, separated by commas`);
  },
};

export const FindRendersQuery = query({ ids: IDS });

const tag = 'Renders';

/** Before `…/renders/{render_id}`, because paths match in this order. */
export const RENDER_BATCHES = contract({
  'POST /manage/v1/teams/{team_id}/renders/batch': {
    ...{ guard: 'team_member', id: 'requestTeamRenders', tag, summary: 'Request several renders' },
    description: `Like as many \`POST …/renders\`: each render has its own \`idempotency_key\`, price, limits and outcome, and counts as one request for the rate limit. The answer has the status 200, also if every render was refused. Repeat those with \`retry_after_s\`. For members of the team.`,
    body: exampleBody(RenderBatchRequest, {
      renders: [{ idempotency_key: 'sheet-7f3a-1', ...RENDER_REQUEST_EXAMPLE }],
    }),
    answers: {
      200: jsonResponse('The outcome of each render.', RenderBatch, {
        data: [{ render: RENDER_EXAMPLE, refusal: null }],
      }),
    },
  },
  'GET /manage/v1/teams/{team_id}/renders/batch': {
    ...{ guard: 'team_member', id: 'findTeamRenders', tag, summary: 'Read several renders' },
    description: 'Renders by their IDs, as in lists. For members of the team.',
    parameters: FindRendersQuery.parameters,
    answers: {
      200: jsonResponse('The renders.', FoundRenders, {
        data: [{ ...RENDER_EXAMPLE, project_name: null, poster_url: null }],
      }),
    },
  },
});

export const RENDER_BATCH_SCHEMAS = definitionsOf([RenderBatchRequest, RenderBatch, BatchRefusal, FoundRenders]);
