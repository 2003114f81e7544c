import { DOCUMENT_ERROR_MEMBERS } from '../document-faults.ts';
import { ALL_CODES, codeTable } from '../error-codes.ts';
import { errorCodeShape, errorMembers } from '../error-shape.ts';
import { conditionalMember, definitionsOf, resource, text } from '../shapes.ts';
import { Role } from '../words.ts';
import { CHECK_BATCH_SCHEMAS } from './check-batches.ts';
import { MANAGEMENT } from './contract.ts';
import { DELIVERY_SCHEMAS } from './deliveries.ts';
import { DEVICE_SIGN_IN_SCHEMAS } from './device-sign-ins.ts';
import { ENDPOINT_SCHEMAS } from './endpoints.ts';
import { MANAGEMENT_HEADERS } from './headers.ts';
import { KEY_SCHEMAS } from './keys.ts';
import { pathsOf } from './operation.ts';
import { OPERATOR_SCHEMAS } from './operators.ts';
import { PEOPLE_SCHEMAS } from './people.ts';
import { PROJECT_SCHEMAS } from './projects.ts';
import { RENDER_BATCH_SCHEMAS } from './render-batches.ts';
import { RENDER_SCHEMAS } from './renders.ts';
import { REPORT_SCHEMAS } from './reports.ts';
import { MANAGEMENT_RESPONSES } from './responses.ts';
import { SESSION_SCHEMAS } from './sessions.ts';
import { TEAM_SCHEMAS } from './teams.ts';
import { UPLOAD_SCHEMAS } from './uploads.ts';

const ErrorCode = errorCodeShape(ALL_CODES);

const ManagementError = resource('Error', 'The body of every error.', {
  ...errorMembers(ErrorCode),
  ...DOCUMENT_ERROR_MEMBERS,
  sign_in: conditionalMember(
    text('The address to sign in. Open it as a page, with `return_to`.', { pattern: '^/manage/v1/sign-in' }),
  ),
});

const ABOUT = `The API of the dashboard and of \`renderctl\`. Requests need a session: its cookie, or the token of a program as a bearer. API keys do
not work here. The conventions are those of
\`/v1\`: errors are \`{"error": "…", "code": "…"}\`, some with \`param\`; every answer has \`X-Request-Id\`, times are milliseconds since the epoch, and unknown members
are ignored.

The resources of a team or an account are below its path. A person without a role in it gets 404, as for what does not exist. A
person whose role is too small gets 403. Lists are pages, the newest first, with \`limit\` and \`cursor\` as in \`/v1\`.

Writes are \`POST\`s in JSON, with \`Content-Type: application/json\`. With a cookie, they come from a page of the same origin
(\`Origin\`). With a bearer token, a request has neither cookie nor \`Origin\`.

The \`code\` of an error is one of these. More may follow.

${codeTable(ALL_CODES)}
`;

/** The OpenAPI document of the management API. Tests compare it with the routes and the answers. */
export const MANAGEMENT_OPENAPI = {
  openapi: '3.1.1',
  info: {
    title: 'Video rendering service: management',
    version: '1.0.0',
    description: ABOUT,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/', description: 'This service' }],
  security: [{ Session: [] }, { Program: [] }],
  tags: [
    { name: 'Sessions', description: 'Sign-in, and the sessions of a person.' },
    { name: 'Invitations', description: 'An accepted invitation makes a person a user.' },
    { name: 'People', description: 'The person who is signed in, and their rights.' },
    { name: 'Teams', description: 'Teams, their members and invitations.' },
    { name: 'Accounts', description: 'Owners, teams and limits.' },
    { name: 'Operators', description: 'The state of the installation.' },
    { name: 'Renders', description: 'Projects and their renders.' },
    { name: 'Webhooks', description: 'Webhook endpoints and their deliveries.' },
    { name: 'API keys', description: 'The keys with which programs call `/v1`.' },
  ],
  paths: pathsOf(MANAGEMENT),
  components: {
    securitySchemes: {
      Session: {
        type: 'apiKey',
        in: 'cookie',
        name: '__Host-video_session',
        description: 'Set by signing in. On plain http, on your own machine, its name is `video_session`.',
      },
      Program: {
        ...{ type: 'http', scheme: 'bearer' },
        description: 'The token of a program, from `POST /manage/v1/device-sign-ins/poll`.',
      },
    },
    schemas: {
      ...{
        ...SESSION_SCHEMAS,
        ...DEVICE_SIGN_IN_SCHEMAS,
        ...definitionsOf([Role, ErrorCode, ManagementError]),
        ...PEOPLE_SCHEMAS,
        ...KEY_SCHEMAS,
      },
      ...{ ...TEAM_SCHEMAS, ...PROJECT_SCHEMAS, ...RENDER_SCHEMAS, ...REPORT_SCHEMAS, ...OPERATOR_SCHEMAS },
      ...{
        ...ENDPOINT_SCHEMAS,
        ...DELIVERY_SCHEMAS,
        ...UPLOAD_SCHEMAS,
        ...RENDER_BATCH_SCHEMAS,
        ...CHECK_BATCH_SCHEMAS,
      },
    },
    headers: MANAGEMENT_HEADERS,
    responses: MANAGEMENT_RESPONSES,
  },
} as const;
