import type { IncomingHttpHeaders } from 'node:http';
import { bearerSessionToken } from '../schemas/http/bearer-session.ts';

/** The headers that are forwarded to the APIs. All others are dropped, above all hop-by-hop headers. */
const REQUEST_HEADERS = [
  'accept',
  'accept-encoding',
  'authorization',
  'content-encoding',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'origin',
  'traceparent',
  'tracestate',
  'user-agent',
] as const;

/** The headers for the management API. It gets sessions, but no API keys; the other APIs get no cookies. */
const OF_SESSIONS = [
  ...REQUEST_HEADERS.filter((name) => name !== 'authorization'),
  'cookie',
  'last-event-id',
  'sec-fetch-site',
] as const;

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
  'ignored-members',
  'ignored-parameters',
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

export type RequiredCredentials = 'key' | 'session' | 'nothing';

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

export const forwardedRequestHeaders = (headers: IncomingHttpHeaders, needs: RequiredCredentials): string[] => {
  const allowed: string[] = [];
  for (const name of needs === 'session' ? OF_SESSIONS : REQUEST_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string') allowed.push(name, value);
  }
  const { authorization } = headers;
  if (needs === 'session' && authorization !== undefined && bearerSessionToken(authorization) !== null)
    allowed.push('authorization', authorization);
  return allowed;
};

export const forwardedResponseHeaders = (
  headers: ResponseHeaders,
  needs: RequiredCredentials,
): Record<string, string | readonly string[]> => {
  const allowed: Record<string, string | readonly string[]> = {};
  for (const name of RESPONSE_HEADERS) {
    const value = headers[name];
    if (value !== undefined) allowed[name] = typeof value === 'string' ? value : value.join(', ');
  }
  const { 'set-cookie': cookies } = headers;
  // One header line per cookie, because a cookie may contain a comma.
  if (cookies !== undefined && needs === 'session') allowed['set-cookie'] = cookies;
  return allowed;
};
