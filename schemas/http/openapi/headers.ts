import type { Header } from './form.ts';

const header = (description: string, schema: Header['schema'], required = true): Header => ({
  description,
  required,
  schema,
});

/** Headers of answers, under the name that they have on the wire. */
export const HEADERS = {
  'X-Request-Id': header('Id of this request: tell it to whoever runs the service when you ask about an answer.', {
    type: 'string',
    minLength: 1,
  }),
  'Cache-Control': header('Whether the answer may be kept. Answers that hold signed URLs may not.', { type: 'string' }),
  Location: header('Path of the new render.', { type: 'string', pattern: '^/v1/renders/rend_' }),
  Link: header('The transitions of the render, as `rel="describedby"`.', {
    type: 'string',
    pattern: '^</v1/renders/rend_[^>]+/transitions>; rel="describedby"$',
  }),
  'Ignored-Values': header(
    'The keys of `values` that the template lacks, so that they had no effect; there only where there are any. A list of structured fields ([RFC 9651](https://www.rfc-editor.org/rfc/rfc9651)): a string for each key, percent-encoded as UTF-8 (`decodeURIComponent`, `urllib.parse.unquote`) and cut after 64 characters, with the field that may be meant as `did-you-mean`. At most ten keys and about 1,000 characters; how many are left out stands on the last one as `more`.',
    {
      type: 'string',
      maxLength: 1_100,
      pattern: '^"[^"]*"(;did-you-mean="[0-9A-Za-z_-]+")?(, "[^"]*"(;did-you-mean="[0-9A-Za-z_-]+")?)*(;more=[0-9]+)?$',
    },
    false,
  ),
  'RateLimit-Limit': header('Requests that the key may make at once.', { type: 'integer', minimum: 1 }),
  'RateLimit-Remaining': header('Requests that are left to the key at this moment.', { type: 'integer', minimum: 0 }),
  'RateLimit-Reset': header('Seconds until all of them are there again, if none is made.', {
    type: 'integer',
    minimum: 0,
  }),
  'Retry-After': header('Seconds to wait before trying again.', { type: 'integer', minimum: 1 }),
  'WWW-Authenticate': header('How to authenticate.', { type: 'string', const: 'Bearer' }),
  Allow: header('The methods that the path has.', { type: 'string', minLength: 1 }),
} as const satisfies Readonly<Record<string, Header>>;

export type HeaderName = keyof typeof HEADERS;
