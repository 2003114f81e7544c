import type { RouteDependencies } from '../access/commands.ts';
import type { Route, RouteGuards } from '../access/route-guards.ts';
import { createTeamKey } from './create-key.ts';
import { getKey, listTeamKeys } from './read-keys.ts';
import { revokeTeamKey } from './revoke-key.ts';
import { rotateTeamKey } from './rotate-key.ts';

export const keyRoutes = (guards: RouteGuards, parts: RouteDependencies): readonly Route[] => [
  guards.forTeamMember('GET', '/manage/v1/teams/{team_id}/keys', listTeamKeys(parts)),
  guards.forFreshTeamAdmin('POST', '/manage/v1/teams/{team_id}/keys', createTeamKey(parts)),
  guards.forTeamMember('GET', '/manage/v1/teams/{team_id}/keys/{key_id}', getKey(parts)),
  guards.forFreshTeamAdmin('POST', '/manage/v1/teams/{team_id}/keys/{key_id}/rotate', rotateTeamKey(parts)),
  guards.forTeamMember('POST', '/manage/v1/teams/{team_id}/keys/{key_id}/revoke', revokeTeamKey(parts)),
];
