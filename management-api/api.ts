import * as E from 'fp-ts/lib/Either.js';
import type { Server } from 'restify';
import { addRoute } from '../platform/http-server/route.ts';
import type { Logger } from '../platform/logging/logger.ts';
import { isDashboard, routesOf } from '../schemas/http/routes.ts';
import type { RouteDependencies } from './access/commands.ts';
import { openRouteGuards, type Route, type RouteGuardDependencies } from './access/route-guards.ts';
import { accountRoutes } from './accounts/routes.ts';
import { type AuditRouteDependencies, auditRoutes } from './audit/routes.ts';
import type { Dashboard } from './dashboard/read-dashboard.ts';
import { addDashboardRoutes } from './dashboard/routes.ts';
import { deliveryRoutes } from './deliveries/routes.ts';
import { addDocumentationRoutes } from './documentation/routes.ts';
import type { EndpointRouteDependencies } from './endpoints/parts.ts';
import { endpointRoutes } from './endpoints/routes.ts';
import { type AcceptInvitationDependencies, invitationRoutes } from './invitations/accept-invitation.ts';
import { keyRoutes } from './keys/routes.ts';
import { type LiveRouteDependencies, liveRoutes } from './live/routes.ts';
import { meRoutes } from './me/routes.ts';
import { type OperatorReads, operatorRoutes } from './operators/routes.ts';
import type { ProfilesOf } from './people/profiles.ts';
import { type ProjectRouteDependencies, projectRoutes } from './projects/routes.ts';
import type { BatchDependencies } from './renders/batch.ts';
import type { RenderDetailDependencies } from './renders/details.ts';
import type { TeamRenderErasureDependencies } from './renders/erase.ts';
import type { RenderRouteDependencies } from './renders/reads.ts';
import { renderRoutes } from './renders/routes.ts';
import type { SessionRouteDependencies } from './sessions/parts.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { addDeviceRoutes, type DeviceRouteDependencies } from './sign-in/device-routes.ts';
import { addSignInRoutes, type SignInRouteDependencies } from './sign-in/routes.ts';
import { type StatisticsRouteDependencies, statisticsRoutes } from './statistics/routes.ts';
import { type StillRouteDependencies, stillRoutes } from './stills/routes.ts';
import { teamRoutes } from './teams/routes.ts';
import { type UploadRouteDependencies, uploadRoutes } from './uploads/routes.ts';
import { usageRoutes } from './usage/routes.ts';

export type ManagementDependencies = {
  readonly guards: RouteGuardDependencies;
  readonly signing: SignInRouteDependencies & DeviceRouteDependencies;
  readonly sessions: SessionRouteDependencies;
  readonly accepting: AcceptInvitationDependencies;
  readonly commands: RouteDependencies;
  readonly profilesOf: ProfilesOf;
  readonly endpoints: EndpointRouteDependencies;
  readonly renders: RenderRouteDependencies &
    BatchDependencies &
    RenderDetailDependencies &
    TeamRenderErasureDependencies;
  readonly uploads: UploadRouteDependencies;
  readonly projects: ProjectRouteDependencies & StillRouteDependencies;
  readonly installation: OperatorReads;
  readonly audits: AuditRouteDependencies;
  readonly statistics: StatisticsRouteDependencies;
  readonly live: LiveRouteDependencies;
};

export const addManagementRoutes = (
  server: Server,
  logger: Logger,
  management: ManagementDependencies,
  dashboard: Dashboard | null,
): void => {
  const guards = openRouteGuards(management.guards);
  const { profilesOf } = management;
  const routes: readonly Route[] = [
    ...sessionRoutes(guards, management.sessions),
    ...invitationRoutes(guards, management.accepting, { ...management.accepting, profilesOf }),
    ...meRoutes(guards, { ...management.sessions, ...management.commands, profilesOf }),
    ...teamRoutes(guards, management.commands),
    ...accountRoutes(guards, { ...management.commands, profilesOf }),
    ...auditRoutes(guards, management.audits),
    ...statisticsRoutes(guards, management.statistics),
    ...usageRoutes(guards, management.commands),
    ...operatorRoutes(guards, management.commands, management.installation),
    ...projectRoutes(guards, management.projects),
    ...uploadRoutes(guards, management.uploads),
    ...stillRoutes(guards, management.projects),
    ...renderRoutes(guards, management.renders),
    ...liveRoutes(guards, management.live),
    ...keyRoutes(guards, management.commands),
    ...endpointRoutes(guards, management.endpoints),
    ...deliveryRoutes(guards, management.endpoints),
  ];
  for (const { method, path, handler } of routes) addRoute(server, logger, method, path, handler);
  addSignInRoutes(server, logger, management.signing);
  addDeviceRoutes(server, logger, management.signing);
  addDashboardRoutes(server, dashboard);
  addDocumentationRoutes(server);
};

const DOCUMENT = '/manage/v1/openapi.json';

/** Without a provider no session can exist. */
export const addRoutesWithoutSignIn = (server: Server, logger: Logger): void => {
  const message = 'sign-in is not configured: OIDC_ISSUER_URL is not set';
  for (const { method, path } of routesOf('management-api'))
    if (path !== DOCUMENT && !isDashboard(path))
      addRoute(server, logger, method, path, async () => E.left({ tag: 'not_found', code: 'unknown_path', message }));
  addDashboardRoutes(server, null, message);
  addDocumentationRoutes(server);
};
