import { type Examples, headerRef, type Reference, type Response, responseRef, schemaRef } from './form.ts';
import type { HeaderName } from './headers.ts';

/** On every answer to a request whose key was accepted. */
const RATE_HEADERS: readonly HeaderName[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

export const headers = (...names: readonly HeaderName[]): Readonly<Record<string, Reference>> =>
  Object.fromEntries((['X-Request-Id', ...names] as const).map((name) => [name, headerRef(name)]));

/** A JSON answer to a request whose key was accepted. @param schema name of a schema of the document */
export const answer = (
  description: string,
  schema: string,
  examples: Examples,
  ...more: readonly HeaderName[]
): Response => ({
  description,
  headers: headers('Cache-Control', ...RATE_HEADERS, ...more),
  content: { 'application/json': { schema: schemaRef(schema), examples } },
});

type Messages = Readonly<Record<string, readonly [summary: string, message: string]>>;

const examplesOf = (messages: Messages): Examples =>
  Object.fromEntries(Object.entries(messages).map(([name, [summary, error]]) => [name, { summary, value: { error } }]));

/** An error, whoever asks. @param messages examples of what it may say */
export const refusal = (description: string, messages: Messages, ...more: readonly HeaderName[]): Response => ({
  description,
  headers: headers(...more),
  content: { 'application/json': { schema: schemaRef('Error'), examples: examplesOf(messages) } },
});

/** An error that only a request whose key was accepted can get. @param messages examples of what it may say */
export const keyedRefusal = (description: string, messages: Messages): Response =>
  refusal(description, messages, ...RATE_HEADERS);

/** Errors that several operations share, under the name that references use. */
export const RESPONSES = {
  Malformed: refusal('The address, a parameter or the HTTP itself is not valid.', {
    parameter: ['A parameter is missing', 'project_id: is required, as a query parameter'],
    address: ['The address is malformed', 'the address or the Host header is malformed (check its percent-encoding)'],
  }),
  Unauthenticated: refusal(
    'The key is missing, malformed, unknown, revoked or expired.',
    {
      missing: ['No key', 'Authorization: must be given, as "Bearer <API key>"'],
      rejected: ['A key that is not accepted', 'Authorization: the key is not valid'],
    },
    'WWW-Authenticate',
  ),
  RequestTimeout: refusal('The request took too long to arrive.', {
    slow: ['Slow', 'the request took too long to arrive'],
  }),
  MethodNotAllowed: refusal(
    'The path has no such method: HEAD goes wherever GET does, and OPTIONS everywhere.',
    { method: ['A method that the path lacks', 'PUT is not allowed here; use GET, HEAD, OPTIONS or POST'] },
    'Allow',
  ),
  NotFound: refusal('There is none, or it is not in reach of the key: the two are not told apart.', {
    absent: ['Not there', 'there is no such project'],
  }),
  HeadersTooLarge: refusal('The headers are larger than 16 KiB.', {
    headers: ['Headers too large', 'the headers are larger than 16 KiB'],
  }),
  RateLimited: refusal(
    'The key has made too many requests in too short a time (then the RateLimit headers go with it); or the address of the client: without a valid key, or over too many connections; or, to `POST /v1/renders`, the account has too many renders that wait, or has had too much work done for renders that failed or were cancelled. The text says which of them, `Retry-After` when to ask again.',
    {
      burst: ['Too many', 'too many requests with this API key; the next one may come in 1 s'],
      waiting: [
        'Too many wait',
        'waiting renders: 20000 renders of this account are neither complete nor failed, and no more may be; ask again when some have ended',
      ],
      failed: [
        'Too much failed',
        'failed work: the renders of this account that failed or were cancelled have cost 1800 s of CPU, as much as they may in an hour; look at why they fail, and ask again after 2026-11-22T13:00:00Z (in 1260 s)',
      ],
      address: [
        'Too many without a valid key',
        'too many requests of this address had no valid API key; try again in 1 s',
      ],
    },
    'Retry-After',
  ),
  Internal: refusal('A fault of the service.', {
    fault: ['A fault', 'internal error; ask about it with the request id 4b0ad7a6-3c5e-4d0a-8b5e-1f9a52a1f6a3'],
  }),
  NoAnswer: refusal(
    'The service behind the gateway broke off. Whether a writing request was carried out is unknown.',
    { broken: ['Broken off', 'the service did not answer; try again'] },
    'Retry-After',
  ),
  Unavailable: refusal(
    'Something that is needed for this is away, or what is asked for is too new to be known yet.',
    {
      away: ['A server is away', 'a server that is needed for this does not answer; nothing happened, try again'],
      early: ['Too new', 'this render is not known yet, and may be in a moment: try again'],
    },
    'Retry-After',
  ),
} as const satisfies Readonly<Record<string, Response>>;

/** What may be answered to any request. */
export const ANYWHERE = {
  '400': responseRef('Malformed'),
  '401': responseRef('Unauthenticated'),
  '408': responseRef('RequestTimeout'),
  '429': responseRef('RateLimited'),
  '431': responseRef('HeadersTooLarge'),
  '500': responseRef('Internal'),
  '502': responseRef('NoAnswer'),
  '503': responseRef('Unavailable'),
} as const;
