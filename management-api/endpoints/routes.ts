import type { Doors, Route } from '../access/doors.ts';
import {
  activateEndpointSecret,
  chooseEndpointEvents,
  deleteTeamEndpoint,
  disableTeamEndpoint,
  enableTeamEndpoint,
  rotateEndpointSecret,
} from './change-endpoint.ts';
import { createTeamEndpoint } from './create-endpoint.ts';
import type { EndpointParts } from './parts.ts';
import { getEndpoint, listTeamEndpoints } from './read-endpoints.ts';

const ALL = '/manage/v1/teams/{team_id}/endpoints';
const ONE = `${ALL}/{endpoint_id}` as const;

export const endpointRoutes = (doors: Doors, parts: EndpointParts): readonly Route[] => [
  doors.forTeamMember('GET', ALL, listTeamEndpoints(parts)),
  doors.forFreshTeamAdmin('POST', ALL, createTeamEndpoint(parts)),
  doors.forTeamMember('GET', ONE, getEndpoint(parts)),
  doors.forTeamAdmin('POST', `${ONE}/events`, chooseEndpointEvents(parts)),
  doors.forTeamAdmin('POST', `${ONE}/disable`, disableTeamEndpoint(parts)),
  doors.forTeamAdmin('POST', `${ONE}/enable`, enableTeamEndpoint(parts)),
  doors.forFreshTeamAdmin('POST', `${ONE}/rotate-secret`, rotateEndpointSecret(parts)),
  doors.forFreshTeamAdmin('POST', `${ONE}/activate-secret`, activateEndpointSecret(parts)),
  doors.forTeamAdmin('POST', `${ONE}/delete`, deleteTeamEndpoint(parts)),
];
