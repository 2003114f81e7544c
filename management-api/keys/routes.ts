import type { Commands } from '../access/commands.ts';
import type { Doors, Route } from '../access/doors.ts';
import { createTeamKey } from './create-key.ts';
import { getKey, listTeamKeys } from './read-keys.ts';
import { revokeTeamKey } from './revoke-key.ts';
import { rotateTeamKey } from './rotate-key.ts';

export const keyRoutes = (doors: Doors, parts: Commands): readonly Route[] => [
  doors.forTeamMember('GET', '/manage/v1/teams/{team_id}/keys', listTeamKeys(parts)),
  doors.forFreshTeamAdmin('POST', '/manage/v1/teams/{team_id}/keys', createTeamKey(parts)),
  doors.forTeamMember('GET', '/manage/v1/teams/{team_id}/keys/{key_id}', getKey(parts)),
  doors.forFreshTeamAdmin('POST', '/manage/v1/teams/{team_id}/keys/{key_id}/rotate', rotateTeamKey(parts)),
  doors.forTeamMember('POST', '/manage/v1/teams/{team_id}/keys/{key_id}/revoke', revokeTeamKey(parts)),
];
