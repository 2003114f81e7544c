import { MANAGEMENT_RESPONSES } from './answers.ts';
import { DELIVERIES } from './deliveries.ts';
import { ENDPOINTS } from './endpoints.ts';
import type { ManagementPaths } from './form.ts';
import { MANAGEMENT_HEADERS } from './headers.ts';
import { KEYS } from './keys.ts';
import { pathsOf } from './operation.ts';
import { acceptInvitation } from './operations/invitations.ts';
import { ME_PATHS } from './operations/me.ts';
import { OPERATOR_PATHS } from './operations/operators.ts';
import { RENDER_PATHS } from './operations/renders.ts';
import { REPORT_PATHS } from './operations/reports.ts';
import { getSession, listSessions, revokeSession, signOut } from './operations/session.ts';
import { finishSignIn, signIn } from './operations/sign-in.ts';
import { TEAM_PATHS } from './operations/teams.ts';
import { MANAGEMENT_SCHEMAS } from './schemas/all.ts';

const ABOUT = `What people see and manage, for the pages of the service itself: it is called with the cookie of a session, and
API keys open nothing here. Manners are those of \`/v1\`: \`{"error": "…"}\` whatever goes wrong, \`X-Request-Id\` on every
answer, times in milliseconds since the epoch, unknown members ignored.

What belongs to a team or an account is below its path. Whoever has no part in it is answered 404, as for what does not exist;
who has one that is too small 403. Lists are pages, the newest first, with \`limit\` and \`cursor\` as in \`/v1\`.

Writes are \`POST\`s in JSON, with \`Content-Type: application/json\`, from a page of this very origin (\`Origin\`).
`;

const PATHS: ManagementPaths = {
  '/manage/v1/sign-in': { get: signIn },
  '/manage/v1/sign-in/callback': { get: finishSignIn },
  '/manage/v1/sign-out': { post: signOut },
  '/manage/v1/session': { get: getSession },
  '/manage/v1/sessions': { get: listSessions },
  '/manage/v1/sessions/{id}/revoke': { post: revokeSession },
  '/manage/v1/invitations/accept': { post: acceptInvitation },
  ...ME_PATHS,
  ...TEAM_PATHS,
  ...RENDER_PATHS,
  ...REPORT_PATHS,
  ...OPERATOR_PATHS,
  ...pathsOf(KEYS),
  ...pathsOf(ENDPOINTS),
  ...pathsOf(DELIVERIES),
};

/** The management interface as OpenAPI 3.1. Tests hold it against routes and answers. */
export const MANAGEMENT_OPENAPI = {
  openapi: '3.1.1',
  info: {
    title: 'Video rendering service: management',
    version: '1.0.0',
    description: ABOUT,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/', description: 'This service' }],
  security: [{ Session: [] }],
  tags: [
    { name: 'Sessions', description: 'Who is signed in, and where.' },
    { name: 'Invitations', description: 'What makes users of people.' },
    { name: 'People', description: 'Who somebody is, and what they may do.' },
    { name: 'Teams', description: 'Who is in a team, and as what.' },
    { name: 'Accounts', description: 'Owners, teams and limits.' },
    { name: 'Operators', description: 'What operators of the installation see.' },
    { name: 'Renders', description: 'Projects, and what was made of them.' },
    { name: 'Webhooks', description: 'Where renders are told of, and what became of it.' },
    { name: 'API keys', description: 'What programs call `/v1` with.' },
  ],
  paths: PATHS,
  components: {
    securitySchemes: {
      Session: {
        type: 'apiKey',
        in: 'cookie',
        name: '__Host-video_session',
        description: 'Set by signing in. On plain http, of the own machine, it is called `video_session`.',
      },
    },
    schemas: MANAGEMENT_SCHEMAS,
    headers: MANAGEMENT_HEADERS,
    responses: MANAGEMENT_RESPONSES,
  },
} as const;
