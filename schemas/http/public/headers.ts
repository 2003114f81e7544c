import type { Header } from '../openapi.ts';

const header = (description: string, schema: Header['schema'], required = true): Header => ({
  description,
  required,
  schema,
});

const ignored = (what: string): Header =>
  header(
    `The ${what}, which had no effect. Only present if there are any. A list of structured fields ([RFC 9651](https://www.rfc-editor.org/rfc/rfc9651)): a string for each name, percent-encoded as UTF-8 (\`decodeURIComponent\`, \`urllib.parse.unquote\`) and cut after 64 characters, with a similar known name as \`did-you-mean\`. At most ten names and about 1,000 characters. The last one has the number of the others as \`more\`.`,
    {
      type: 'string',
      maxLength: 1_100,
      pattern: '^"[^"]*"(;did-you-mean="[0-9A-Za-z_-]+")?(, "[^"]*"(;did-you-mean="[0-9A-Za-z_-]+")?)*(;more=[0-9]+)?$',
    },
    false,
  );

export const HEADERS = {
  'X-Request-Id': header('ID of this request. Name it when you ask the operator of the service about an answer.', {
    type: 'string',
    minLength: 1,
  }),
  'Cache-Control': header('Whether the answer may be cached. Answers with signed URLs may not.', { type: 'string' }),
  Location: header('Path of the new resource.', { type: 'string', pattern: '^/v1/(renders/rend_|projects/proj_).' }),
  ETag: header('The number of the version, in quotes. Send it as `If-Match` with a change.', {
    type: 'string',
    pattern: '^"[0-9]+"$',
  }),
  Link: header('The transitions of the render, as `rel="describedby"`.', {
    type: 'string',
    pattern: '^</v1/renders/rend_[^>]+/transitions>; rel="describedby"$',
  }),
  'Ignored-Values': ignored('keys of `values` that the template lacks'),
  'Ignored-Members': ignored('members of the body that the operation lacks'),
  'Ignored-Parameters': ignored('query parameters that the operation lacks'),
  'RateLimit-Limit': header('The number of requests that the key may make at once.', { type: 'integer', minimum: 1 }),
  'RateLimit-Remaining': header('The number of requests that remain to the key now.', { type: 'integer', minimum: 0 }),
  'RateLimit-Reset': header('Seconds until the limit is full again, without further requests.', {
    type: 'integer',
    minimum: 0,
  }),
  'Retry-After': header('Seconds to wait before trying again.', { type: 'integer', minimum: 1 }),
  'WWW-Authenticate': header('How to authenticate.', { type: 'string', const: 'Bearer' }),
  Allow: header('The methods of the path.', { type: 'string', minLength: 1 }),
} as const satisfies Readonly<Record<string, Header>>;

export type HeaderName = keyof typeof HEADERS;
