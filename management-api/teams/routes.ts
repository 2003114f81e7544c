import type { Commands } from '../access/commands.ts';
import type { Doors, Route } from '../access/doors.ts';
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

export const teamRoutes = (doors: Doors, parts: Commands): readonly Route[] => [
  doors.forTeamMember('GET', TEAM, getTeam),
  doors.forTeamAdmin('POST', `${TEAM}/rename`, renameOwnTeam(parts)),
  doors.forTeamMember('POST', `${TEAM}/leave`, leaveTeam(parts)),
  doors.forTeamMember('GET', `${TEAM}/members`, listTeamMembers(parts)),
  doors.forTeamAdmin('POST', `${TEAM}/members/add`, addTeamMember(parts)),
  doors.forTeamAdmin('POST', `${TEAM}/members/{user_id}/role`, changeMemberRole(parts)),
  doors.forTeamAdmin('POST', `${TEAM}/members/{user_id}/remove`, removeTeamMember(parts)),
  doors.forTeamAdmin('GET', `${TEAM}/invitations`, listTeamInvitations(parts)),
  doors.forFreshTeamAdmin('POST', `${TEAM}/invitations`, inviteToTeam(parts)),
  doors.forTeamAdmin('POST', `${TEAM}/invitations/{invitation_id}/revoke`, revokeTeamInvitation(parts)),
];
