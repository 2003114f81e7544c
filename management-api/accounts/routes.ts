import type { RouteDependencies } from '../access/commands.ts';
import type { Route, RouteGuards } from '../access/route-guards.ts';
import { type ListPeopleDependencies, listPeople } from '../people/list-people.ts';
import {
  addAccountOwner,
  createOwnTeam,
  inviteOwner,
  nameOwnDownloads,
  removeAccountOwner,
  renameOwnAccount,
  revokeAccountInvitation,
} from './changes.ts';
import { eraseOwnAccount } from './erase.ts';
import {
  getAccount,
  getAccountCredits,
  getAccountLimits,
  getDownloads,
  listAccountInvitations,
  listAccountOwners,
  listAccountTeams,
} from './reads.ts';

const ACCOUNT = '/manage/v1/accounts/{account_id}';

export const accountRoutes = (
  guards: RouteGuards,
  parts: RouteDependencies & ListPeopleDependencies,
): readonly Route[] => [
  guards.forAccountMember('GET', ACCOUNT, getAccount),
  guards.forAccountOwner('POST', `${ACCOUNT}/rename`, renameOwnAccount(parts)),
  guards.forFreshAccountOwner('POST', `${ACCOUNT}/erase`, eraseOwnAccount(parts)),
  guards.forAccountMember('GET', `${ACCOUNT}/teams`, listAccountTeams(parts)),
  guards.forAccountOwner('POST', `${ACCOUNT}/teams`, createOwnTeam(parts)),
  guards.forAccountMember('GET', `${ACCOUNT}/owners`, listAccountOwners(parts)),
  guards.forFreshAccountOwner('POST', `${ACCOUNT}/owners/add`, addAccountOwner(parts)),
  guards.forFreshAccountOwner('POST', `${ACCOUNT}/owners/{user_id}/remove`, removeAccountOwner(parts)),
  guards.forAccountOwner('GET', `${ACCOUNT}/invitations`, listAccountInvitations(parts)),
  guards.forFreshAccountOwner('POST', `${ACCOUNT}/invitations`, inviteOwner(parts)),
  guards.forAccountOwner('POST', `${ACCOUNT}/invitations/{invitation_id}/revoke`, revokeAccountInvitation(parts)),
  guards.forAccountMember('GET', `${ACCOUNT}/people`, listPeople(parts)),
  guards.forAccountMember('GET', `${ACCOUNT}/limits`, getAccountLimits(parts)),
  guards.forAccountMember('GET', `${ACCOUNT}/credits`, getAccountCredits(parts)),
  guards.forAccountMember('GET', `${ACCOUNT}/downloads`, getDownloads(parts)),
  guards.forAccountOwner('POST', `${ACCOUNT}/downloads`, nameOwnDownloads(parts)),
];
