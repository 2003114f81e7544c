import type { Commands } from '../access/commands.ts';
import type { Doors, Route } from '../access/doors.ts';
import {
  addAccountOwner,
  createOwnTeam,
  inviteOwner,
  removeAccountOwner,
  renameOwnAccount,
  revokeAccountInvitation,
} from './changes.ts';
import { eraseOwnAccount } from './erase.ts';
import { getAccount, getAccountLimits, listAccountInvitations, listAccountOwners, listAccountTeams } from './reads.ts';

const ACCOUNT = '/manage/v1/accounts/{account_id}';

export const accountRoutes = (doors: Doors, parts: Commands): readonly Route[] => [
  doors.forAccountMember('GET', ACCOUNT, getAccount),
  doors.forAccountOwner('POST', `${ACCOUNT}/rename`, renameOwnAccount(parts)),
  doors.forFreshAccountOwner('POST', `${ACCOUNT}/erase`, eraseOwnAccount(parts)),
  doors.forAccountMember('GET', `${ACCOUNT}/teams`, listAccountTeams(parts)),
  doors.forAccountOwner('POST', `${ACCOUNT}/teams`, createOwnTeam(parts)),
  doors.forAccountMember('GET', `${ACCOUNT}/owners`, listAccountOwners(parts)),
  doors.forAccountOwner('POST', `${ACCOUNT}/owners/add`, addAccountOwner(parts)),
  doors.forAccountOwner('POST', `${ACCOUNT}/owners/{user_id}/remove`, removeAccountOwner(parts)),
  doors.forAccountOwner('GET', `${ACCOUNT}/invitations`, listAccountInvitations(parts)),
  doors.forFreshAccountOwner('POST', `${ACCOUNT}/invitations`, inviteOwner(parts)),
  doors.forAccountOwner('POST', `${ACCOUNT}/invitations/{invitation_id}/revoke`, revokeAccountInvitation(parts)),
  doors.forAccountMember('GET', `${ACCOUNT}/limits`, getAccountLimits(parts)),
];
