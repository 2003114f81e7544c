import type { ErrorCode } from '../error-codes.ts';
import { BODY_BYTES } from '../limits.ts';
import { type Examples, headerRef, type Reference, type Response, responseRef, schemaRef } from '../openapi.ts';
import type { HeaderName } from './headers.ts';

export const RATE_HEADERS: readonly HeaderName[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

export const headers = (...names: readonly HeaderName[]): Readonly<Record<string, Reference>> =>
  Object.fromEntries((['X-Request-Id', ...names] as const).map((name) => [name, headerRef(name)]));

/** Examples of an error by name. */
export type Messages = Readonly<
  Record<string, readonly [summary: string, message: string, code: ErrorCode, param?: string | undefined]>
>;

const examplesOf = (messages: Messages): Examples =>
  Object.fromEntries(
    Object.entries(messages).map(([name, [summary, error, code, param]]) => [
      name,
      { summary, value: { error, code, ...(param !== undefined && { param }) } },
    ]),
  );

export const refusal = (description: string, messages: Messages, ...more: readonly HeaderName[]): Response => ({
  description,
  headers: headers(...more),
  content: { 'application/json': { schema: schemaRef('Error'), examples: examplesOf(messages) } },
});

export const keyedRefusal = (description: string, messages: Messages, ...more: readonly HeaderName[]): Response =>
  refusal(description, messages, ...RATE_HEADERS, ...more);

/** @param member the member of the request that has the document */
export const pendingMessages = (member: string): Messages => ({
  pending: [
    'URLs are being fetched',
    `${member}.assets: a URL is still being fetched; send the same request again`,
    'assets_pending',
    `${member}.assets`,
  ],
});

/** @param param the parameter with the ID */
const absent = (kind: string, param: string): Response =>
  keyedRefusal(`The ${kind} does not exist, or the key does not reach it.`, {
    absent: [`No such ${kind}`, `there is no such ${kind}`, 'not_found', param],
  });

export const NO_RENDER = absent('render', 'id');
export const NO_PROJECT = absent('project', 'project_id');
export const NO_TEAM = absent('team', 'team_id');
export const NO_UPLOAD = absent('upload', 'id');

/** Faults that each paged list has. */
export const PAGE_FAULTS: Messages = {
  limit: ['limit', 'limit: must be a whole number, 1 or more', 'invalid_parameter', 'limit'],
  cursor: ['cursor', 'cursor: is not valid for this list; start again from the first page', 'invalid_cursor', 'cursor'],
};
export const KEY_REUSED: Messages = {
  conflict: [
    'Used for another request',
    'Idempotency-Key: was used with another body; use a new key for a new request',
    'idempotency_key_reused',
    'Idempotency-Key',
  ],
};

export const TOO_LARGE = refusal('The body is too large, whatever the key. Nothing was changed.', {
  body: ['Too large', `the body is larger than ${BODY_BYTES / 1024} KiB`, 'body_too_large'],
});
export const NO_JSON = keyedRefusal('The body is not JSON in UTF-8. Nothing was changed.', {
  type: ['Wrong content type', 'Content-Type must be application/json, not text/plain', 'unsupported_media_type'],
});
export const NO_EXPECTATION = refusal('The server cannot meet the header Expect. Nothing was changed.', {
  expect: ['Expect', 'the only supported expectation is 100-continue', 'expectation_failed'],
});
export const BROKEN_OFF = {
  broken: [
    'Connection lost',
    'the service did not answer, so the outcome is unknown: the request may have been carried out',
    'outcome_unknown',
  ],
} as const;

export const RESPONSES = {
  Malformed: refusal('The address, a parameter or the HTTP itself is not valid.', {
    parameter: [
      'A parameter is missing',
      'project_id: is required, as a query parameter',
      'invalid_parameter',
      'project_id',
    ],
    address: [
      'The address is malformed',
      'the address or the Host header is malformed (check its percent-encoding)',
      'malformed_request',
    ],
  }),
  Unauthenticated: refusal(
    'The key is missing, malformed, unknown, revoked or expired.',
    {
      missing: ['No key', 'Authorization: must be given, as "Bearer <API key>"', 'missing_api_key', 'Authorization'],
      rejected: [
        'A key that is not accepted',
        'Authorization: the key is not valid',
        'invalid_api_key',
        'Authorization',
      ],
    },
    'WWW-Authenticate',
  ),
  RequestTimeout: refusal('The request took too long to arrive.', {
    slow: ['Slow client', 'the request took too long to arrive', 'request_timeout'],
  }),
  MethodNotAllowed: refusal(
    'The path does not have the method. HEAD works wherever GET does, and OPTIONS everywhere.',
    {
      method: [
        'A method that the path lacks',
        'PUT is not allowed here; use GET, HEAD, OPTIONS or POST',
        'method_not_allowed',
      ],
    },
    'Allow',
  ),
  NotFound: refusal('The resource does not exist, or the key does not reach it. The answer is the same.', {
    absent: ['Not found', 'there is no such project', 'not_found', 'id'],
  }),
  HeadersTooLarge: refusal('The headers are larger than 16 KiB.', {
    headers: ['Headers too large', 'the headers are larger than 16 KiB', 'headers_too_large'],
  }),
  RateLimited: refusal(
    'Too many requests with the key (then with the RateLimit headers), or from the address of the client without a valid key or over too many connections. For `POST /v1/renders` also: the account has too many waiting renders, or too much work for renders that failed or were cancelled. The text names the limit, `Retry-After` the time to try again.',
    {
      burst: ['Too many requests', 'too many requests with this API key; try again in 1 s', 'rate_limited'],
      waiting: [
        'Too many waiting renders',
        'waiting renders: the account already has 20000 unfinished renders, the maximum; try again when some have ended',
        'too_many_waiting_renders',
      ],
      failed: [
        'Too much failed work',
        'failed work: failed and cancelled renders of this account have used 1800 s of CPU, the limit per hour; find out why they fail, and try again after 2026-11-22T13:00:00Z (in 1260 s)',
        'too_much_failed_work',
      ],
      address: [
        'Too many without a valid key',
        'too many requests from this address without a valid API key; try again in 1 s',
        'rate_limited',
      ],
    },
    'Retry-After',
  ),
  Internal: refusal('A fault of the service.', {
    fault: [
      'Internal error',
      'internal error; report it with the request id 4b0ad7a6-3c5e-4d0a-8b5e-1f9a52a1f6a3',
      'internal_error',
    ],
  }),
  NoAnswer: refusal(
    'The connection to the backend was lost. It is unknown whether a write was executed.',
    { broken: ['Connection lost', 'the service did not respond; try again', 'no_answer'] },
    'Retry-After',
  ),
  Unavailable: refusal(
    'A server that is needed is unavailable, or the resource is too new to be known.',
    {
      away: [
        'A server is unavailable',
        'a required server is unavailable; nothing was changed, try again',
        'unavailable',
      ],
      early: ['Too new', 'this render is not known yet, and may be in a moment: try again', 'not_known_yet'],
    },
    'Retry-After',
  ),
} as const satisfies Readonly<Record<string, Response>>;

export const COMMON_RESPONSES = {
  '400': responseRef('Malformed'),
  '401': responseRef('Unauthenticated'),
  '408': responseRef('RequestTimeout'),
  '429': responseRef('RateLimited'),
  '431': responseRef('HeadersTooLarge'),
  '500': responseRef('Internal'),
  '502': responseRef('NoAnswer'),
  '503': responseRef('Unavailable'),
} as const;
