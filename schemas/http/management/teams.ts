import type * as t from 'io-ts';
import { LIMITED_RESOURCES } from '../../../domain/catalogue/limits.ts';
import { ACCOUNT_ID, TEAM_ID, USER_ID } from '../ids.ts';
import { CREDITS } from '../public/account.ts';
import { PageQuery } from '../query.ts';
import {
  alwaysTrue,
  boolean,
  count,
  definitionsOf,
  oneOf,
  optional,
  orNull,
  pageOf,
  resource,
  text,
  time,
  timeOrNull,
  wholeList,
  withDescription,
} from '../shapes.ts';
import { Role } from '../words.ts';
import { MAX_ID_UNITS, MAX_NAME_UNITS, NAME } from './keys.ts';
import { contract, exampleBody, examplePage, IDEMPOTENCY_KEY, jsonResponse } from './operation.ts';
import {
  ACCOUNT_RIGHTS,
  ACCOUNT_ROLE_MEMBERS,
  ErasedUser,
  TEAM_RIGHTS,
  TEAM_ROLE_MEMBERS,
  UserRequest,
} from './people.ts';
import { CREATION_RESPONSES } from './responses.ts';

const TEAM = { id: TEAM_ID, name: text('Its name.'), account_id: ACCOUNT_ID, created_at: time('When it was created') };

const ACCOUNT = { id: ACCOUNT_ID, name: text('Its name.'), created_at: time('When it was created') };

const INVITATION = {
  id: text('ID of an invitation. It is not a secret.', { pattern: '^inv_.' }),
  account_id: ACCOUNT_ID,
  team_id: orNull(TEAM_ID, 'The team; null for an owner of the account.'),
  role: oneOf(['owner', 'admin', 'member'], 'The role that it offers.'),
  invited_by: text('Its sender: `user:` or `operator:` and their ID.'),
  created_at: time('When it was created'),
  expires_at: time('When it expires'),
  revoked_at: timeOrNull('When it was revoked', 'null if it was not'),
};

const COUNT = count('The number of them.');
const ROLE = withDescription(Role, 'The role.');
const TRUE = alwaysTrue('Always true.');

export const Team = resource('Team', 'A team.', TEAM);
const TeamPage = pageOf('TeamPage', Team, 'One page of the teams of an account.');
export const TeamWithRole = resource('TeamWithRole', 'A team and the role of the person in it.', {
  ...{ ...TEAM, ...TEAM_ROLE_MEMBERS },
});
export const Account = resource('Account', 'An account.', ACCOUNT);
const AccountPage = pageOf('AccountPage', Account, 'One page of all accounts.');
export const AccountWithRole = resource('AccountWithRole', 'An account and the role of the person in it.', {
  ...{ ...ACCOUNT, ...ACCOUNT_ROLE_MEMBERS },
});
export const NameRequest = resource('NameRequest', 'A new name.', { name: NAME });

const confirmedName = (kind: string) =>
  optional(text(`The current name of the ${kind}.`, { minLength: 1, max_units: MAX_NAME_UNITS }), null);

const confirmedId = optional(
  text(
    `Its ID, as in the address. It confirms only if the name is empty, invisible, longer than ${MAX_NAME_UNITS} UTF-16 units, or has control characters.`,
    { minLength: 1, max_units: MAX_ID_UNITS },
  ),
  null,
);

export const EraseAccountRequest = resource(
  'EraseAccountRequest',
  'Confirms the erasure of the account: its name, or its ID if the name cannot be typed.',
  { name: confirmedName('account'), account_id: confirmedId },
);
export const EraseProjectRequest = resource(
  'EraseProjectRequest',
  'Confirms the erasure of the project: its name, or its ID if the name cannot be typed.',
  { name: confirmedName('project'), project_id: confirmedId },
);
const ErasedAccount = resource('ErasedAccount', 'An account that is erased.', { id: text('Its ID.'), erased: TRUE });
export const RoleRequest = resource('RoleRequest', 'A role in a team.', { role: ROLE });
export const MemberRequest = resource('MemberRequest', 'A new member.', {
  user_id: text('ID of a user who already belongs to the account.', { minLength: 1, max_units: MAX_ID_UNITS }),
  role: ROLE,
});
export const TeamMember = resource('TeamMember', 'A member of a team.', {
  user_id: USER_ID,
  role: withDescription(Role, 'The role in the team.'),
  joined_at: time('When they joined'),
});
const TeamMemberPage = pageOf('TeamMemberPage', TeamMember, 'One page of the members of a team, newest first.');
export const Owner = resource('Owner', 'An owner of an account.', {
  user_id: USER_ID,
  owner_since: timeOrNull('Since when', 'null if it is not known'),
});
const OwnerList = wholeList('OwnerList', Owner, 'The owners of an account, the first one first; 1,000 at most.');
const RemovedUser = resource('RemovedUser', 'A user who lost the role.', { user_id: USER_ID, removed: TRUE });
export const Invitation = resource('Invitation', 'An invitation, without its token.', INVITATION);
const InvitationPage = pageOf('InvitationPage', Invitation, 'One page of open invitations.');
const IssuedInvitation = resource('IssuedInvitation', 'An invitation that was created.', {
  ...INVITATION,
  token: text('The token of the link, which the sender passes on. It is shown once, and works for anyone who has it.'),
});
const AccountLimit = resource('AccountLimit', 'A limit of an account, and how much of it is used.', {
  resource: oneOf(LIMITED_RESOURCES, 'The resource.'),
  used: COUNT,
  most: COUNT,
  is_default: boolean('Whether the limit is the default.'),
});
export const Downloads = resource('Downloads', 'How an account names its downloads.', {
  named_by: oneOf(
    ['name', 'id'],
    'Files are saved by the name of the render or project, or by its ID. Signed URLs contain it, and access logs keep those.',
  ),
});
const AccountCredits = resource('AccountCredits', 'Credits of an account. They may be some seconds old.', CREDITS);
const AccountLimitList = wholeList('AccountLimitList', AccountLimit, 'All limits of an account.');

export const TEAM_SCHEMAS = definitionsOf([
  ...[Team, TeamPage, TeamWithRole, Account, AccountPage, AccountWithRole, NameRequest],
  ...[EraseAccountRequest, EraseProjectRequest, ErasedAccount, ErasedUser, RoleRequest, UserRequest, MemberRequest],
  ...[TeamMember, TeamMemberPage, Owner, OwnerList, RemovedUser, Invitation, InvitationPage, IssuedInvitation],
  ...[AccountLimit, AccountCredits, Downloads, AccountLimitList],
]);

const AT = 1_763_740_800_000;
const TEAM_EXAMPLE = { id: 'team_01KAJWY8QD', name: 'Trailers', account_id: 'acc_01KAJWXQ4N', created_at: AT };
const ACCOUNT_EXAMPLE = { id: 'acc_01KAJWXQ4N', name: 'Films', created_at: AT };
const user_id = 'user_01KAJWYH5M';
const MEMBER_EXAMPLE: t.TypeOf<typeof TeamMember> = { user_id, role: 'member', joined_at: AT };
const OWNER_EXAMPLE = { user_id, owner_since: AT };
const INVITATION_EXAMPLE: t.TypeOf<typeof Invitation> = {
  ...{ id: 'inv_01KAJX7C4M2S8T0V5Z9Q3R6W1B', account_id: ACCOUNT_EXAMPLE.id, team_id: TEAM_EXAMPLE.id, role: 'member' },
  ...{ invited_by: `user:${user_id}`, created_at: AT, expires_at: AT + 604_800_000, revoked_at: null },
};

const NOW = 'The current state.';
const named = { body: exampleBody(NameRequest, { name: 'Films and trailers' }) };
const asRole = { body: exampleBody(RoleRequest, { role: 'admin' }) };
const removed = { answers: { 200: jsonResponse(NOW, RemovedUser, { user_id, removed: true }) } };
const member = { answers: { 200: jsonResponse(NOW, TeamMember, MEMBER_EXAMPLE) } };
const invitation = { answers: { 200: jsonResponse(NOW, Invitation, INVITATION_EXAMPLE) } };
const invitations = {
  parameters: PageQuery.parameters,
  answers: { 200: jsonResponse(NOW, InvitationPage, examplePage(INVITATION_EXAMPLE)) },
};
const issued = {
  answers: {
    201: jsonResponse('The new invitation.', IssuedInvitation, {
      ...INVITATION_EXAMPLE,
      token: `${INVITATION_EXAMPLE.id}.9tqW0mUoVfVq7v2cX1bG4kP8sLhRzJyEwNdTiAxCu5Y`,
    }),
  },
};
const downloads = { answers: { 200: jsonResponse(NOW, Downloads, { named_by: 'id' }) } };

const ONCE =
  'Shows the token of its link once. It works once, within 7 days, and only while its sender may still invite. With a fresh sign-in.';
const FRESH = 'With a fresh sign-in.';
const TWO_SECONDS = 'Returns when the change is in effect, after about two seconds.';
const PEOPLE_OF_ACCOUNT = 'For owners, and members of its teams.';

const OF_TEAMS = contract({
  'GET /manage/v1/teams/{team_id}': {
    ...{ guard: 'team_member', id: 'getTeam', tag: 'Teams', summary: 'Read a team' },
    description: 'With the role of the person in it.',
    answers: {
      200: jsonResponse(NOW, TeamWithRole, { ...TEAM_EXAMPLE, role: 'admin', may: TEAM_RIGHTS.admin }),
    },
  },
  'POST /manage/v1/teams/{team_id}/rename': {
    ...{ guard: 'team_admin', id: 'renameTeam', tag: 'Teams', summary: 'Rename a team', description: 'For admins.' },
    ...named,
    answers: { 200: jsonResponse(NOW, Team, TEAM_EXAMPLE) },
  },
  'POST /manage/v1/teams/{team_id}/leave': {
    ...{ guard: 'fresh_team_member', id: 'leaveTeam', tag: 'Teams', summary: 'Leave a team' },
    description: `Revokes the personal keys in it. The last admin cannot leave. ${FRESH} ${TWO_SECONDS}`,
    ...removed,
  },
  'GET /manage/v1/teams/{team_id}/members': {
    ...{ guard: 'team_member', id: 'listTeamMembers', tag: 'Teams', summary: 'List the members of a team' },
    description: 'For members of the team.',
    parameters: PageQuery.parameters,
    answers: { 200: jsonResponse(NOW, TeamMemberPage, examplePage(MEMBER_EXAMPLE)) },
  },
  'POST /manage/v1/teams/{team_id}/members/add': {
    ...{ guard: 'fresh_team_admin', id: 'addTeamMember', tag: 'Teams', summary: 'Add a member' },
    description: `A user who already belongs to the account. Invite others. For admins. ${FRESH}`,
    body: exampleBody(MemberRequest, { user_id, role: 'member' }),
    ...member,
  },
  'POST /manage/v1/teams/{team_id}/members/{user_id}/role': {
    ...{ guard: 'fresh_team_admin', id: 'changeMemberRole', tag: 'Teams', summary: 'Change the role of a member' },
    description: `The last admin keeps the role. For admins. ${FRESH} ${TWO_SECONDS}`,
    ...{ ...asRole, ...member },
  },
  'POST /manage/v1/teams/{team_id}/members/{user_id}/remove': {
    ...{ guard: 'fresh_team_admin', id: 'removeTeamMember', tag: 'Teams', summary: 'Remove a member' },
    description: `Revokes their personal keys in the team. For admins. ${FRESH} ${TWO_SECONDS}`,
    ...removed,
  },
  'GET /manage/v1/teams/{team_id}/invitations': {
    ...{ guard: 'team_admin', id: 'listTeamInvitations', tag: 'Teams', summary: 'List the open invitations to a team' },
    description: 'For admins.',
    ...invitations,
  },
  'POST /manage/v1/teams/{team_id}/invitations': {
    ...{ guard: 'fresh_team_admin', id: 'inviteToTeam', tag: 'Teams', summary: 'Invite to a team' },
    description: `${ONCE} For admins.`,
    ...{ ...asRole, ...issued },
  },
  'POST /manage/v1/teams/{team_id}/invitations/{invitation_id}/revoke': {
    ...{ guard: 'team_admin', id: 'revokeTeamInvitation', tag: 'Teams', summary: 'Revoke an invitation' },
    description: 'For admins.',
    ...invitation,
  },
});

const OF_ACCOUNTS = contract({
  'GET /manage/v1/accounts/{account_id}': {
    ...{ guard: 'account_member', id: 'getAccount', tag: 'Accounts', summary: 'Read an account' },
    description: PEOPLE_OF_ACCOUNT,
    answers: {
      200: jsonResponse(NOW, AccountWithRole, { ...ACCOUNT_EXAMPLE, role: 'owner', may: ACCOUNT_RIGHTS.owner }),
    },
  },
  'POST /manage/v1/accounts/{account_id}/rename': {
    ...{ guard: 'account_owner', id: 'renameAccount', tag: 'Accounts', summary: 'Rename an account' },
    description: 'For owners.',
    ...named,
    answers: { 200: jsonResponse(NOW, Account, ACCOUNT_EXAMPLE) },
  },
  'POST /manage/v1/accounts/{account_id}/erase': {
    ...{ guard: 'fresh_account_owner', id: 'eraseAccount', tag: 'Accounts' },
    summary: 'Erase an account and everything in it',
    description:
      'You cannot undo this. Its keys are refused within a second, and it gets 404 from then on, for a repeat too. Its projects, renders, endpoints and invitations are deleted within moments; renders in progress when they end. Everybody leaves the account. Users and charges stay; users can belong to other accounts. The body has its name, or its ID if the name cannot be typed. For owners, with a fresh sign-in.',
    body: exampleBody(EraseAccountRequest, { name: ACCOUNT_EXAMPLE.name }),
    answers: { 200: jsonResponse(NOW, ErasedAccount, { id: ACCOUNT_EXAMPLE.id, erased: true }) },
  },
  'GET /manage/v1/accounts/{account_id}/teams': {
    ...{ guard: 'account_member', id: 'listAccountTeams', tag: 'Accounts', summary: 'List the teams of an account' },
    description: 'Owners get all teams, others their own.',
    parameters: PageQuery.parameters,
    answers: { 200: jsonResponse(NOW, TeamPage, examplePage(TEAM_EXAMPLE)) },
  },
  'POST /manage/v1/accounts/{account_id}/teams': {
    ...{ guard: 'account_owner', id: 'createTeam', tag: 'Accounts', summary: 'Create a team' },
    description: 'For owners of the account, who have all rights of an admin.',
    parameters: [IDEMPOTENCY_KEY],
    body: exampleBody(NameRequest, { name: TEAM_EXAMPLE.name }),
    answers: {
      201: jsonResponse('The new team.', Team, TEAM_EXAMPLE),
      200: jsonResponse('An earlier request created it.', Team, TEAM_EXAMPLE),
    },
    refusals: CREATION_RESPONSES,
  },
  'GET /manage/v1/accounts/{account_id}/owners': {
    ...{ guard: 'account_member', id: 'listOwners', tag: 'Accounts', summary: 'List the owners of an account' },
    description: PEOPLE_OF_ACCOUNT,
    answers: { 200: jsonResponse(NOW, OwnerList, { data: [OWNER_EXAMPLE] }) },
  },
  'POST /manage/v1/accounts/{account_id}/owners/add': {
    ...{ guard: 'fresh_account_owner', id: 'addOwner', tag: 'Accounts', summary: 'Add an owner' },
    description: `A user who already belongs to the account. Invite others. For owners. ${FRESH}`,
    body: exampleBody(UserRequest, { user_id }),
    answers: { 200: jsonResponse(NOW, Owner, OWNER_EXAMPLE) },
  },
  'POST /manage/v1/accounts/{account_id}/owners/{user_id}/remove': {
    ...{ guard: 'fresh_account_owner', id: 'removeOwner', tag: 'Accounts', summary: 'Remove an owner' },
    description: `Owners may remove themselves. The last owner stays. For owners. ${FRESH} ${TWO_SECONDS}`,
    ...removed,
  },
  'GET /manage/v1/accounts/{account_id}/invitations': {
    ...{ guard: 'account_owner', id: 'listAccountInvitations', tag: 'Accounts' },
    summary: 'List the open invitations of an account',
    description: 'Includes the invitations to its teams. For owners.',
    ...invitations,
  },
  'POST /manage/v1/accounts/{account_id}/invitations': {
    ...{ guard: 'fresh_account_owner', id: 'inviteOwner', tag: 'Accounts', summary: 'Invite an owner' },
    description: `${ONCE} For owners.`,
    ...issued,
  },
  'POST /manage/v1/accounts/{account_id}/invitations/{invitation_id}/revoke': {
    ...{ guard: 'account_owner', id: 'revokeAccountInvitation', tag: 'Accounts', summary: 'Revoke an invitation' },
    description: 'An invitation to the account or to a team of it. For owners.',
    ...invitation,
  },
  'GET /manage/v1/accounts/{account_id}/limits': {
    ...{ guard: 'account_member', id: 'getAccountLimits', tag: 'Accounts', summary: 'Read the limits of an account' },
    description: PEOPLE_OF_ACCOUNT,
    answers: {
      200: jsonResponse(NOW, AccountLimitList, {
        data: [{ resource: 'keys', used: 3, most: 500, is_default: true }],
      }),
    },
  },
  'GET /manage/v1/accounts/{account_id}/credits': {
    ...{ guard: 'account_member', id: 'getAccountCredits', tag: 'Accounts', summary: 'Read the credits of an account' },
    description: PEOPLE_OF_ACCOUNT,
    answers: {
      200: jsonResponse(NOW, AccountCredits, {
        ...{ unlimited: false, balance: 388, reserved: 12, charged: 600, granted: 1_000 },
      }),
    },
  },
  'GET /manage/v1/accounts/{account_id}/downloads': {
    ...{ guard: 'account_member', id: 'getDownloads', tag: 'Accounts', summary: 'Read how downloads are named' },
    description: PEOPLE_OF_ACCOUNT,
    ...downloads,
  },
  'POST /manage/v1/accounts/{account_id}/downloads': {
    ...{ guard: 'account_owner', id: 'nameDownloads', tag: 'Accounts', summary: 'Choose how downloads are named' },
    description:
      'Applies to URLs that are signed ten seconds later or after. Earlier URLs keep their names. For owners.',
    body: exampleBody(Downloads, { named_by: 'id' }),
    ...downloads,
  },
  'GET /manage/v1/operators/accounts': {
    ...{ guard: 'operator', id: 'listAccounts', tag: 'Operators', summary: 'List all accounts' },
    description: 'For operators.',
    parameters: PageQuery.parameters,
    answers: { 200: jsonResponse(NOW, AccountPage, examplePage(ACCOUNT_EXAMPLE)) },
  },
});

export const TEAMS = { ...OF_TEAMS, ...OF_ACCOUNTS };
