import type { Route, RouteGuards } from '../access/route-guards.ts';
import {
  activateEndpointSecret,
  chooseEndpointEvents,
  deleteTeamEndpoint,
  disableTeamEndpoint,
  enableTeamEndpoint,
  rotateEndpointSecret,
} from './change-endpoint.ts';
import { createTeamEndpoint } from './create-endpoint.ts';
import type { EndpointRouteDependencies } from './parts.ts';
import { getEndpoint, listTeamEndpoints } from './read-endpoints.ts';

const ALL = '/manage/v1/teams/{team_id}/endpoints';
const ONE = `${ALL}/{endpoint_id}` as const;

export const endpointRoutes = (guards: RouteGuards, parts: EndpointRouteDependencies): readonly Route[] => [
  guards.forTeamMember('GET', ALL, listTeamEndpoints(parts)),
  guards.forFreshTeamAdmin('POST', ALL, createTeamEndpoint(parts)),
  guards.forTeamMember('GET', ONE, getEndpoint(parts)),
  guards.forTeamAdmin('POST', `${ONE}/events`, chooseEndpointEvents(parts)),
  guards.forTeamAdmin('POST', `${ONE}/disable`, disableTeamEndpoint(parts)),
  guards.forTeamAdmin('POST', `${ONE}/enable`, enableTeamEndpoint(parts)),
  guards.forFreshTeamAdmin('POST', `${ONE}/rotate-secret`, rotateEndpointSecret(parts)),
  guards.forFreshTeamAdmin('POST', `${ONE}/activate-secret`, activateEndpointSecret(parts)),
  guards.forFreshTeamAdmin('POST', `${ONE}/delete`, deleteTeamEndpoint(parts)),
];
