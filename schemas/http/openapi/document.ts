import { ABOUT } from './about.ts';
import { HEADERS } from './headers.ts';
import { PATHS } from './operations/paths.ts';
import { PARAMETERS } from './parameters.ts';
import { RESPONSES } from './responses.ts';
import { SCHEMAS } from './schemas/all.ts';
import { WEBHOOKS } from './webhooks.ts';

/** The interface as OpenAPI 3.1. Tests hold it against codecs, resources, routes and every answer of the service. */
export const OPENAPI = {
  openapi: '3.1.1',
  info: {
    title: 'Video rendering service',
    version: '1.0.0',
    description: ABOUT,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/', description: 'This service' }],
  security: [{ ApiKey: [] }],
  tags: [
    { name: 'Renders', description: 'Videos that are made, or to be made, from a project.' },
    { name: 'Templates', description: 'The inputs that a project offers.' },
    { name: 'Projects', description: 'What videos are rendered from.' },
    { name: 'Teams', description: 'Who owns projects.' },
    { name: 'Users', description: 'The people in teams.' },
  ],
  paths: PATHS,
  webhooks: WEBHOOKS,
  components: {
    securitySchemes: {
      ApiKey: { type: 'http', scheme: 'bearer', description: 'An API key (`vr_…`) as the bearer token.' },
    },
    schemas: SCHEMAS,
    parameters: PARAMETERS,
    headers: HEADERS,
    responses: RESPONSES,
  },
} as const;
