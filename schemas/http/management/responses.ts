import type { ErrorCode } from '../error-codes.ts';
import { headerRef, type Reference, type Response, responseRef, schemaRef } from '../openapi.ts';
import type { ManagementHeaderName } from './headers.ts';

export const RATE_HEADERS: readonly ManagementHeaderName[] = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
];

export const headers = (...names: readonly ManagementHeaderName[]): Readonly<Record<string, Reference>> =>
  Object.fromEntries((['X-Request-Id', 'Cache-Control', ...names] as const).map((name) => [name, headerRef(name)]));

export const STREAM: Response = {
  description: 'Server-Sent Events, until one side ends the stream.',
  headers: headers(...RATE_HEADERS),
  content: {
    'text/event-stream': {
      schema: { type: 'string' },
      examples: {
        changed: {
          summary: 'A render has changed',
          value:
            'event: changed\ndata: {"type":"render","id":"rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C","project_id":"proj_01KAJWZK3H","team_id":"team_01KAJWY8QD"}\nid: AQcJ0mR3o5yXH0f8b2sK4w\n\n',
        },
      },
    },
  },
};

export const redirectResponse = (description: string): Response => ({
  description,
  headers: headers('Location', 'Set-Cookie'),
});

/** An error of a route that browsers open as a page, so that they get HTML. */
export const pageRefusal = (description: string, code: ErrorCode, message: string): Response => {
  const { content, ...rest } = refusal(description, code, message);
  return { ...rest, content: { ...content, 'text/html': { schema: { type: 'string' } } } };
};

type Bodies = Readonly<Record<string, readonly [summary: string, body: Readonly<Record<string, string>>]>>;

const coded = (description: string, bodies: Bodies, ...more: readonly ManagementHeaderName[]): Response => ({
  description,
  headers: headers(...more),
  content: {
    'application/json': {
      schema: schemaRef('Error'),
      examples: Object.fromEntries(
        Object.entries(bodies).map(([name, [summary, value]]) => [name, { summary, value }]),
      ),
    },
  },
});

export const refusal = (
  description: string,
  code: ErrorCode,
  message: string,
  ...more: readonly ManagementHeaderName[]
): Response => coded(description, { example: ['An example', { error: message, code }] }, ...more);

export const MANAGEMENT_RESPONSES = {
  Malformed: refusal(
    'The address, a parameter, the body or the HTTP itself is not valid.',
    'malformed_request',
    'the address or the Host header is malformed (check its percent-encoding)',
  ),
  SignedOut: coded(
    'The request has no session, or the session has ended. Open `sign_in` as a page.',
    {
      signed_out: [
        'No session',
        {
          error: 'you are not signed in, or your session has ended',
          code: 'signed_out',
          sign_in: '/manage/v1/sign-in',
        },
      ],
    },
    'WWW-Authenticate',
  ),
  Forbidden: coded(
    'The person lacks the role, or the request does not come from a page of the service, or `code` requires a recent sign-in: then open `sign_in`.',
    {
      origin: [
        'A page of another site',
        {
          ...{ code: 'wrong_origin', param: 'Origin' },
          error: 'Origin must be https://video.example.com: it is another origin',
        },
      ],
      stale: [
        'The sign-in is too old',
        {
          error: 'this requires a sign-in within the last 15 minutes',
          code: 'fresh_sign_in_needed',
          sign_in: '/manage/v1/sign-in?fresh=true',
        },
      ],
    },
  ),
  NotFound: refusal(
    'It does not exist, or the person has no access to it; the response is the same. Or sign-in is not configured.',
    'not_found',
    'there is no such session',
  ),
  Conflict: refusal(
    'The current state does not allow it. The message names the reason.',
    'conflict',
    'this is the last admin of the team: make another member an admin first',
  ),
  CreatedOtherwise: refusal(
    'The `Idempotency-Key` was sent before with another body.',
    'idempotency_key_reused',
    'Idempotency-Key: was used with another body; use a new key for a new request',
  ),
  NotEnoughCredits: refusal(
    'The account does not have enough credits. Nothing was changed.',
    'not_enough_credits',
    'not enough credits: this render costs 12, and 3 are left',
  ),
  RequestTimeout: refusal(
    'The request took too long to arrive.',
    'request_timeout',
    'the request took too long to arrive',
  ),
  MethodNotAllowed: refusal(
    'The path has no such method.',
    'method_not_allowed',
    'PUT is not allowed here; use GET, HEAD or OPTIONS',
    'Allow',
  ),
  TooLarge: refusal('The body is larger than 256 KiB.', 'body_too_large', 'the body is larger than 256 KiB'),
  UnsupportedType: refusal(
    'The body is not JSON by its Content-Type.',
    'unsupported_media_type',
    'Content-Type must be application/json, not text/plain',
  ),
  RateLimited: refusal(
    'Too many requests of the session, or of the address without one.',
    'rate_limited',
    'too many requests in this session; try again in 1 s',
    'Retry-After',
  ),
  HeadersTooLarge: refusal(
    'The headers are larger than 16 KiB.',
    'headers_too_large',
    'the headers are larger than 16 KiB',
  ),
  Internal: refusal(
    'A fault of the service.',
    'internal_error',
    'internal error; report it with the request id 4b0ad7a6-3c5e-4d0a-8b5e-1f9a52a1f6a3',
  ),
  NoAnswer: refusal(
    'The connection to the backend was lost. It is unknown whether a write was executed.',
    'no_answer',
    'the service did not respond; try again',
    'Retry-After',
  ),
  Unavailable: refusal(
    'A server that is needed is unavailable.',
    'unavailable',
    'a required server is unavailable; nothing was changed, try again',
    'Retry-After',
  ),
} as const satisfies Readonly<Record<string, Response>>;

export const WRITE_RESPONSES = {
  '413': responseRef('TooLarge'),
  '415': responseRef('UnsupportedType'),
} as const;

export const CHANGE_RESPONSES = { ...WRITE_RESPONSES, '409': responseRef('Conflict') } as const;

export const CREATION_RESPONSES = { ...CHANGE_RESPONSES, '422': responseRef('CreatedOtherwise') } as const;

export const RENDER_REQUEST_RESPONSES = {
  ...WRITE_RESPONSES,
  '402': responseRef('NotEnoughCredits'),
  '422': responseRef('CreatedOtherwise'),
} as const;

export const COMMON_RESPONSES = {
  '400': responseRef('Malformed'),
  '401': responseRef('SignedOut'),
  '403': responseRef('Forbidden'),
  '404': responseRef('NotFound'),
  '408': responseRef('RequestTimeout'),
  '429': responseRef('RateLimited'),
  '431': responseRef('HeadersTooLarge'),
  '500': responseRef('Internal'),
  '502': responseRef('NoAnswer'),
  '503': responseRef('Unavailable'),
} as const;
