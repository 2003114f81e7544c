import { DOCUMENT_ERROR_MEMBERS } from '../document-faults.ts';
import { PUBLIC_CODES } from '../error-codes.ts';
import { errorCodeShape, errorMembers } from '../error-shape.ts';
import { definitionsOf, resource } from '../shapes.ts';
import { Order, Role } from '../words.ts';
import { ABOUT } from './about.ts';
import { ACCOUNT_SCHEMAS } from './account.ts';
import { PUBLIC } from './contract.ts';
import { HEADERS } from './headers.ts';
import { pathsOf } from './operation.ts';
import { PARAMETERS } from './parameters.ts';
import { PROJECT_CHANGE_SCHEMAS } from './project-changes.ts';
import { PROJECT_CHECK_SCHEMAS } from './project-check.ts';
import { PROJECT_SCHEMAS } from './projects.ts';
import { RENDER_SCHEMAS } from './renders.ts';
import { RESPONSES } from './responses.ts';
import { STARTER_SCHEMAS } from './starters.ts';
import { STILL_SCHEMAS } from './stills.ts';
import { TEAM_SCHEMAS } from './teams.ts';
import { TEMPLATE_SCHEMAS } from './templates.ts';
import { UPLOAD_SCHEMAS } from './uploads.ts';
import { USER_SCHEMAS } from './users.ts';
import { DELIVERY_SCHEMAS, WEBHOOKS } from './webhooks.ts';

const ErrorCode = errorCodeShape(PUBLIC_CODES);

const PublicError = resource('Error', 'The body of every error.', {
  ...errorMembers(ErrorCode),
  ...DOCUMENT_ERROR_MEMBERS,
});

/** The OpenAPI 3.1 document. Tests compare it with codecs, resources, routes and answers. */
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
    { name: 'Renders', description: 'Videos that are rendered from a project.' },
    { name: 'Templates', description: 'The inputs that a project offers.' },
    { name: 'Projects', description: 'The sources of videos.' },
    { name: 'Teams', description: 'The owners of projects.' },
    { name: 'Users', description: 'The people in teams.' },
    { name: 'Account', description: 'The credits, the prices and the limits.' },
    { name: 'Uploads', description: 'Files on their way into projects.' },
  ],
  paths: pathsOf(PUBLIC),
  webhooks: WEBHOOKS,
  components: {
    securitySchemes: {
      ApiKey: { type: 'http', scheme: 'bearer', description: 'An API key (`vr_…`) as the bearer token.' },
    },
    schemas: {
      ...{
        ...RENDER_SCHEMAS,
        ...TEMPLATE_SCHEMAS,
        ...PROJECT_SCHEMAS,
        ...PROJECT_CHANGE_SCHEMAS,
        ...PROJECT_CHECK_SCHEMAS,
        ...STARTER_SCHEMAS,
        ...TEAM_SCHEMAS,
        ...USER_SCHEMAS,
        ...ACCOUNT_SCHEMAS,
      },
      ...{ ...STILL_SCHEMAS, ...UPLOAD_SCHEMAS },
      ...{ ...definitionsOf([Role, Order]), ...DELIVERY_SCHEMAS, ...definitionsOf([ErrorCode, PublicError]) },
    },
    parameters: PARAMETERS,
    headers: HEADERS,
    responses: RESPONSES,
  },
} as const;
