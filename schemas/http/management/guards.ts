import type { MANAGEMENT_ROUTES, ManagementPath, RouteMethod } from '../routes.ts';
import { DELIVERIES } from './deliveries.ts';
import { ENDPOINTS } from './endpoints.ts';
import type { Guard, GuardOf } from './guard.ts';
import { KEYS } from './keys.ts';
import { guardsOf } from './operation.ts';

/** Method and path of a management route. */
export type ManagementRoute = {
  [P in ManagementPath]: `${Extract<keyof (typeof MANAGEMENT_ROUTES)[P], RouteMethod>} ${P}`;
}[ManagementPath];

/**
 * The guard of every management route. Revoking a key, an invitation or a session, and disabling an endpoint, need no recent
 * sign-in: a person who closes something after a leak must not be delayed.
 */
export const GUARDS = {
  ...guardsOf(KEYS),
  ...guardsOf(ENDPOINTS),
  ...guardsOf(DELIVERIES),
  'GET /manage/v1/openapi.json': 'open',
  'GET /manage/v1/sign-in': 'open',
  'GET /manage/v1/sign-in/callback': 'open',
  'POST /manage/v1/sign-out': 'signed_in',
  'GET /manage/v1/session': 'signed_in',
  'GET /manage/v1/sessions': 'signed_in',
  'POST /manage/v1/sessions/{id}/revoke': 'signed_in',
  'POST /manage/v1/invitations/accept': 'signed_in',
  'GET /manage/v1/me': 'signed_in',
  'POST /manage/v1/me/erase': 'fresh_person',
  'GET /manage/v1/teams/{team_id}': 'team_member',
  'POST /manage/v1/teams/{team_id}/rename': 'team_admin',
  'POST /manage/v1/teams/{team_id}/leave': 'fresh_team_member',
  'GET /manage/v1/teams/{team_id}/members': 'team_member',
  'POST /manage/v1/teams/{team_id}/members/add': 'fresh_team_admin',
  'POST /manage/v1/teams/{team_id}/members/{user_id}/role': 'fresh_team_admin',
  'POST /manage/v1/teams/{team_id}/members/{user_id}/remove': 'fresh_team_admin',
  'GET /manage/v1/teams/{team_id}/invitations': 'team_admin',
  'POST /manage/v1/teams/{team_id}/invitations': 'fresh_team_admin',
  'POST /manage/v1/teams/{team_id}/invitations/{invitation_id}/revoke': 'team_admin',
  'GET /manage/v1/accounts/{account_id}': 'account_member',
  'POST /manage/v1/accounts/{account_id}/rename': 'account_owner',
  'POST /manage/v1/accounts/{account_id}/erase': 'fresh_account_owner',
  'GET /manage/v1/accounts/{account_id}/teams': 'account_member',
  'POST /manage/v1/accounts/{account_id}/teams': 'account_owner',
  'GET /manage/v1/accounts/{account_id}/owners': 'account_member',
  'POST /manage/v1/accounts/{account_id}/owners/add': 'fresh_account_owner',
  'POST /manage/v1/accounts/{account_id}/owners/{user_id}/remove': 'fresh_account_owner',
  'GET /manage/v1/accounts/{account_id}/invitations': 'account_owner',
  'POST /manage/v1/accounts/{account_id}/invitations': 'fresh_account_owner',
  'POST /manage/v1/accounts/{account_id}/invitations/{invitation_id}/revoke': 'account_owner',
  'GET /manage/v1/accounts/{account_id}/limits': 'account_member',
  'GET /manage/v1/accounts/{account_id}/downloads': 'account_member',
  'POST /manage/v1/accounts/{account_id}/downloads': 'account_owner',
  'GET /manage/v1/teams/{team_id}/audit': 'team_admin',
  'GET /manage/v1/accounts/{account_id}/audit': 'account_owner',
  'GET /manage/v1/teams/{team_id}/statistics': 'team_member',
  'GET /manage/v1/accounts/{account_id}/statistics': 'account_owner',
  'GET /manage/v1/accounts/{account_id}/usage': 'account_owner',
  'GET /manage/v1/accounts/{account_id}/changes': 'account_member',
  'GET /manage/v1/operators/accounts': 'operator',
  'GET /manage/v1/operators/queues': 'operator',
  'GET /manage/v1/operators/workers': 'operator',
  'GET /manage/v1/operators/read-models': 'operator',
  'GET /manage/v1/operators/stopped-partitions': 'operator',
  'GET /manage/v1/operators/quarantine': 'operator',
  'GET /manage/v1/teams/{team_id}/projects': 'team_member',
  'GET /manage/v1/teams/{team_id}/projects/{project_id}': 'team_member',
  'POST /manage/v1/teams/{team_id}/projects/{project_id}/erase': 'fresh_team_admin',
  'GET /manage/v1/teams/{team_id}/projects/{project_id}/renders': 'team_member',
  'GET /manage/v1/teams/{team_id}/projects/{project_id}/templates': 'team_member',
  'GET /manage/v1/teams/{team_id}/renders': 'team_member',
  'POST /manage/v1/teams/{team_id}/renders': 'team_member',
  'GET /manage/v1/teams/{team_id}/renders/{render_id}': 'team_member',
  'GET /manage/v1/teams/{team_id}/renders/{render_id}/files': 'team_member',
  'GET /manage/v1/teams/{team_id}/renders/{render_id}/events': 'team_member',
  'GET /manage/v1/teams/{team_id}/renders/{render_id}/deliveries': 'team_member',
  'GET /manage/v1/teams/{team_id}/renders/{render_id}/request': 'team_member',
  'POST /manage/v1/teams/{team_id}/renders/{render_id}/cancel': 'team_member',
  'POST /manage/v1/teams/{team_id}/renders/{render_id}/erase': 'fresh_team_admin',
} as const satisfies { readonly [R in ManagementRoute]: GuardOf<R> };

/** The paths that have this guard for this method. */
export type PathGuardedBy<G extends Guard, M extends RouteMethod> = {
  [P in ManagementPath]: `${M} ${P}` extends infer R extends keyof typeof GUARDS
    ? (typeof GUARDS)[R] extends G
      ? P
      : never
    : never;
}[ManagementPath];
