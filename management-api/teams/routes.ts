import type { RouteDependencies } from '../access/commands.ts';
import type { Route, RouteGuards } from '../access/route-guards.ts';
import {
  addTeamMember,
  changeMemberRole,
  inviteToTeam,
  leaveTeam,
  removeTeamMember,
  renameOwnTeam,
  revokeTeamInvitation,
} from './changes.ts';
import { getTeam, listTeamInvitations, listTeamMembers } from './reads.ts';

const TEAM = '/manage/v1/teams/{team_id}';

export const teamRoutes = (guards: RouteGuards, parts: RouteDependencies): readonly Route[] => [
  guards.forTeamMember('GET', TEAM, getTeam),
  guards.forTeamAdmin('POST', `${TEAM}/rename`, renameOwnTeam(parts)),
  guards.forFreshTeamMember('POST', `${TEAM}/leave`, leaveTeam(parts)),
  guards.forTeamMember('GET', `${TEAM}/members`, listTeamMembers(parts)),
  guards.forFreshTeamAdmin('POST', `${TEAM}/members/add`, addTeamMember(parts)),
  guards.forFreshTeamAdmin('POST', `${TEAM}/members/{user_id}/role`, changeMemberRole(parts)),
  guards.forFreshTeamAdmin('POST', `${TEAM}/members/{user_id}/remove`, removeTeamMember(parts)),
  guards.forTeamAdmin('GET', `${TEAM}/invitations`, listTeamInvitations(parts)),
  guards.forFreshTeamAdmin('POST', `${TEAM}/invitations`, inviteToTeam(parts)),
  guards.forTeamAdmin('POST', `${TEAM}/invitations/{invitation_id}/revoke`, revokeTeamInvitation(parts)),
];
