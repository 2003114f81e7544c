import type { IncomingHttpHeaders } from 'node:http';

/** What the APIs look at. All else ends at the gateway, above all what is between it and the client alone. */
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

/** What clients are told by the APIs. */
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
  'etag',
  'last-modified',
  'link',
  'location',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'referrer-policy',
  'retry-after',
  'vary',
  'www-authenticate',
  'x-content-type-options',
  'x-frame-options',
  'x-request-id',
] as const;

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Of the headers of a client's request, those of the one that is made for it: names and values in turn. */
export const forwardedRequestHeaders = (headers: IncomingHttpHeaders): string[] => {
  const allowed: string[] = [];
  for (const name of REQUEST_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string') allowed.push(name, value);
  }
  return allowed;
};

/** Of the headers of an API's answer, those of the one that the client gets. */
export const forwardedResponseHeaders = (headers: ResponseHeaders): Record<string, string> => {
  const allowed: Record<string, string> = {};
  for (const name of RESPONSE_HEADERS) {
    const value = headers[name];
    if (value !== undefined) allowed[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return allowed;
};
