import type { IncomingHttpHeaders } from 'node:http';

/** Request headers that the APIs read. Others are dropped, above all hop-by-hop headers. */
const REQUEST_HEADERS = [
  'accept',
  'accept-encoding',
  'authorization',
  'content-encoding',
  'content-type',
  'idempotency-key',
  'if-none-match',
  'origin',
  'traceparent',
  'tracestate',
  'user-agent',
] as const;

/** The management API reads a session instead of a key. No other API gets a session. */
const OF_SESSIONS = [
  ...REQUEST_HEADERS.filter((name) => name !== 'authorization'),
  'cookie',
  'last-event-id',
  'sec-fetch-site',
] as const;

/** Response headers that clients need. */
const RESPONSE_HEADERS = [
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'access-control-max-age',
  'allow',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-security-policy',
  'content-type',
  'cross-origin-resource-policy',
  'etag',
  'ignored-values',
  'last-modified',
  'link',
  'location',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'referrer-policy',
  'retry-after',
  'strict-transport-security',
  'vary',
  'www-authenticate',
  'x-accel-buffering',
  'x-content-type-options',
  'x-frame-options',
  'x-request-id',
] as const;

/** Credentials that a route needs. */
export type Needs = 'key' | 'session' | 'nothing';

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Headers of the request to the API, as alternating names and values. */
export const forwardedRequestHeaders = (headers: IncomingHttpHeaders, needs: Needs): string[] => {
  const allowed: string[] = [];
  for (const name of needs === 'session' ? OF_SESSIONS : REQUEST_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string') allowed.push(name, value);
  }
  return allowed;
};

/** Headers of the answer to the client. */
export const forwardedResponseHeaders = (
  headers: ResponseHeaders,
  needs: Needs,
): Record<string, string | readonly string[]> => {
  const allowed: Record<string, string | readonly string[]> = {};
  for (const name of RESPONSE_HEADERS) {
    const value = headers[name];
    if (value !== undefined) allowed[name] = typeof value === 'string' ? value : value.join(', ');
  }
  const { 'set-cookie': cookies } = headers;
  // Each cookie needs its own header line, because a cookie may contain a comma.
  if (cookies !== undefined && needs === 'session') allowed['set-cookie'] = cookies;
  return allowed;
};
