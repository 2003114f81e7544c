import type { Header } from '../openapi/form.ts';
import { HEADERS } from '../openapi/headers.ts';

/** Headers of answers, under the name that they have on the wire. */
export const MANAGEMENT_HEADERS = {
  'X-Request-Id': HEADERS['X-Request-Id'],
  'Cache-Control': { ...HEADERS['Cache-Control'], description: 'Nothing is kept: `no-store`.' },
  'RateLimit-Limit': { ...HEADERS['RateLimit-Limit'], description: 'Requests that the session may make at once.' },
  'RateLimit-Remaining': {
    ...HEADERS['RateLimit-Remaining'],
    description: 'Requests that are left to the session at this moment.',
  },
  'RateLimit-Reset': HEADERS['RateLimit-Reset'],
  'Retry-After': HEADERS['Retry-After'],
  'WWW-Authenticate': { ...HEADERS['WWW-Authenticate'], schema: { type: 'string', const: 'Cookie' } },
  Allow: HEADERS.Allow,
  Location: {
    description: 'Where to go: an address of the provider, or a path of this service.',
    required: true,
    schema: { type: 'string', minLength: 1 },
  },
  'Set-Cookie': {
    description: 'The cookie of the session, or of the sign-in that is under way.',
    required: true,
    schema: { type: 'string', minLength: 1 },
  },
} as const satisfies Readonly<Record<string, Header>>;

export type ManagementHeaderName = keyof typeof MANAGEMENT_HEADERS;
