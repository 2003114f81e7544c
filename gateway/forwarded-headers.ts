import type { IncomingHttpHeaders } from 'node:http';

/** The request headers that the APIs read. Others are dropped, hop-by-hop headers above all. */
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

/** The management API reads a session instead of a key. No other API is given anybody's session. */
const OF_SESSIONS = [
  ...REQUEST_HEADERS.filter((name) => name !== 'authorization'),
  'cookie',
  'last-event-id',
  'sec-fetch-site',
] as const;

/** The response headers that clients need. */
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

/** What a route asks of whoever calls it. */
export type Needs = 'key' | 'session' | 'nothing';

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The headers of the request that is made to the API: names and values in turn. */
export const forwardedRequestHeaders = (headers: IncomingHttpHeaders, needs: Needs): string[] => {
  const allowed: string[] = [];
  for (const name of needs === 'session' ? OF_SESSIONS : REQUEST_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string') allowed.push(name, value);
  }
  return allowed;
};

/** The headers of the answer that the client gets. */
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
  // Each is a line of its own: a comma may stand in a cookie.
  if (cookies !== undefined && needs === 'session') allowed['set-cookie'] = cookies;
  return allowed;
};
