import type { Header } from '../openapi.ts';
import { HEADERS } from '../public/headers.ts';

export const MANAGEMENT_HEADERS = {
  'X-Request-Id': HEADERS['X-Request-Id'],
  'Cache-Control': { ...HEADERS['Cache-Control'], description: 'Always `no-store`.' },
  'RateLimit-Limit': {
    ...HEADERS['RateLimit-Limit'],
    description: 'The number of requests that the session may make at once.',
  },
  'RateLimit-Remaining': {
    ...HEADERS['RateLimit-Remaining'],
    description: 'The number of requests that remain to the session now.',
  },
  'RateLimit-Reset': HEADERS['RateLimit-Reset'],
  'Retry-After': HEADERS['Retry-After'],
  'WWW-Authenticate': { ...HEADERS['WWW-Authenticate'], schema: { type: 'string', const: 'Cookie' } },
  Allow: HEADERS.Allow,
  Location: {
    description: 'An address of the provider, or a path of this service.',
    required: true,
    schema: { type: 'string', minLength: 1 },
  },
  'Set-Cookie': {
    description: 'The cookie of the session, or of the sign-in in progress.',
    required: true,
    schema: { type: 'string', minLength: 1 },
  },
} as const satisfies Readonly<Record<string, Header>>;

export type ManagementHeaderName = keyof typeof MANAGEMENT_HEADERS;
