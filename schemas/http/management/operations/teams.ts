import type { Parameter } from '../../openapi/form.ts';
import { ANYWHERE, answerLike, bodyLike, NO_BODY, TO_CHANGES, TO_CREATIONS } from '../answers.ts';
import type { ManagementOperation } from '../form.ts';
import { IDEMPOTENCY_KEY, IN_PATH, PAGE } from '../parameters.ts';
import { ACCOUNT_RIGHTS, TEAM_RIGHTS } from '../resources/person-resource.ts';

const AT = 1_763_740_800_000;
const TEAM = { id: 'team_01KAJWY8QD', name: 'Trailers', account_id: 'acc_01KAJWXQ4N', created_at: AT };
const ACCOUNT = { id: 'acc_01KAJWXQ4N', name: 'Films', created_at: AT };
const USER = 'user_01KAJWYH5M';
const MEMBER = { user_id: USER, role: 'member', joined_at: AT };
const OWNER = { user_id: USER, owner_since: AT };
const INVITATION = {
  ...{ id: 'inv_01KAJX7C4M2S8T0V5Z9Q3R6W1B', account_id: ACCOUNT.id, team_id: TEAM.id, role: 'member' },
  ...{ invited_by: `user:${USER}`, created_at: AT, expires_at: AT + 604_800_000, revoked_at: null },
};
const ISSUED = { ...INVITATION, token: `${INVITATION.id}.9tqW0mUoVfVq7v2cX1bG4kP8sLhRzJyEwNdTiAxCu5Y` };

const page = (one: unknown) => ({ data: [one], has_more: false, next_cursor: null });

type Naming = { readonly id: string; readonly tag: string; readonly summary: string; readonly description: string };
type Answered = { readonly schema: string; readonly value: unknown };

const named = ({ id: operationId, tag, summary, description }: Naming) => ({
  ...{ operationId, tags: [tag], summary, description },
});

const reads = (naming: Naming, parameters: readonly Parameter[], answer: Answered): ManagementOperation => ({
  ...named(naming),
  ...(parameters.length > 0 && { parameters }),
  responses: { '200': answerLike('As it is now.', answer.schema, answer.value), ...ANYWHERE },
});

/** @param body null where the path says it all */
const changes = (
  naming: Naming,
  parameters: readonly Parameter[],
  body: Answered | null,
  answer: Answered,
): ManagementOperation => ({
  ...{ ...named(naming), parameters, requestBody: body === null ? NO_BODY : bodyLike(body.schema, body.value) },
  responses: { '200': answerLike('As it is now.', answer.schema, answer.value), ...ANYWHERE, ...TO_CHANGES },
});

const { team, account, user, invitation } = IN_PATH;
const named_as = { schema: 'NameRequest', value: { name: 'Films and trailers' } };
const as_team = { schema: 'Team', value: TEAM };
const as_member = { schema: 'TeamMember', value: MEMBER };
const as_owner = { schema: 'Owner', value: OWNER };
const as_removed = { schema: 'RemovedUser', value: { user_id: USER, removed: true } };
const as_role = { schema: 'RoleRequest', value: { role: 'admin' } };
const as_invitation = { schema: 'Invitation', value: INVITATION };
const as_downloads = { schema: 'Downloads', value: { named_by: 'id' } };
const in_team = (id: string, summary: string, description: string): Naming => ({
  id,
  tag: 'Teams',
  summary,
  description,
});
const in_account = (id: string, summary: string, description: string): Naming => ({
  ...in_team(id, summary, description),
  tag: 'Accounts',
});

const invites = (naming: Naming, parameters: readonly Parameter[], body: Answered | null): ManagementOperation => ({
  ...{ ...named(naming), parameters, requestBody: body === null ? NO_BODY : bodyLike(body.schema, body.value) },
  responses: { '201': answerLike('It is made.', 'IssuedInvitation', ISSUED), ...ANYWHERE, ...TO_CHANGES },
});

const ONCE =
  'Shows the token of its link, this once. It works once, within 7 days, while whoever made it still may invite. With a fresh sign-in.';
const FRESH = 'With a fresh sign-in.';
const TWO_SECONDS = 'Answers when it is in force, after two seconds or so.';

const createTeam: ManagementOperation = {
  ...named(in_account('createTeam', 'Make a team', 'For owners of the account, who may do all that an admin may.')),
  parameters: [account, IDEMPOTENCY_KEY],
  requestBody: bodyLike('NameRequest', { name: TEAM.name }),
  responses: {
    '201': answerLike('It is made.', 'Team', TEAM),
    '200': answerLike('It had been made before.', 'Team', TEAM),
    ...ANYWHERE,
    ...TO_CREATIONS,
  },
};

export const TEAM_PATHS = {
  '/manage/v1/teams/{team_id}': {
    get: reads(in_team('getTeam', 'Read a team', 'With the role that the person has in it.'), [team], {
      ...{ schema: 'TeamWithRole', value: { ...TEAM, role: 'admin', may: TEAM_RIGHTS.admin } },
    }),
  },
  '/manage/v1/teams/{team_id}/rename': {
    post: changes(in_team('renameTeam', 'Rename a team', 'For admins.'), [team], named_as, as_team),
  },
  '/manage/v1/teams/{team_id}/leave': {
    post: changes(
      in_team(
        'leaveTeam',
        'Leave a team',
        `With the personal keys in it. The last admin stays. ${FRESH} ${TWO_SECONDS}`,
      ),
      ...([[team], null, as_removed] as const),
    ),
  },
  '/manage/v1/teams/{team_id}/members': {
    get: reads(in_team('listTeamMembers', 'List the members of a team', 'For members of the team.'), [team, ...PAGE], {
      ...{ schema: 'TeamMemberPage', value: page(MEMBER) },
    }),
  },
  '/manage/v1/teams/{team_id}/members/add': {
    post: changes(
      in_team(
        'addTeamMember',
        'Add a member',
        `Somebody who is of the account already; others are invited. For admins. ${FRESH}`,
      ),
      ...([[team], { schema: 'MemberRequest', value: { user_id: USER, role: 'member' } }, as_member] as const),
    ),
  },
  '/manage/v1/teams/{team_id}/members/{user_id}/role': {
    post: changes(
      in_team(
        'changeMemberRole',
        'Change the role of a member',
        `The last admin stays one. For admins. ${FRESH} ${TWO_SECONDS}`,
      ),
      ...([[team, user], as_role, as_member] as const),
    ),
  },
  '/manage/v1/teams/{team_id}/members/{user_id}/remove': {
    post: changes(
      in_team(
        'removeTeamMember',
        'Remove a member',
        `With the personal keys in it. For admins. ${FRESH} ${TWO_SECONDS}`,
      ),
      ...([[team, user], null, as_removed] as const),
    ),
  },
  '/manage/v1/teams/{team_id}/invitations': {
    get: reads(in_team('listTeamInvitations', 'List the open invitations to a team', 'For admins.'), [team, ...PAGE], {
      ...{ schema: 'InvitationPage', value: page(INVITATION) },
    }),
    post: invites(in_team('inviteToTeam', 'Invite to a team', `${ONCE} For admins.`), [team], as_role),
  },
  '/manage/v1/teams/{team_id}/invitations/{invitation_id}/revoke': {
    post: changes(
      in_team('revokeTeamInvitation', 'Revoke an invitation', 'For admins.'),
      ...([[team, invitation], null, as_invitation] as const),
    ),
  },
  '/manage/v1/accounts/{account_id}': {
    get: reads(in_account('getAccount', 'Read an account', 'For owners, and members of its teams.'), [account], {
      ...{ schema: 'AccountWithRole', value: { ...ACCOUNT, role: 'owner', may: ACCOUNT_RIGHTS.owner } },
    }),
  },
  '/manage/v1/accounts/{account_id}/rename': {
    post: changes(in_account('renameAccount', 'Rename an account', 'For owners.'), [account], named_as, {
      ...{ schema: 'Account', value: ACCOUNT },
    }),
  },
  '/manage/v1/accounts/{account_id}/erase': {
    post: changes(
      in_account(
        'eraseAccount',
        'Erase an account and all that it has',
        'For good. Its keys are refused within a second, nothing is made in it or given to it, and it is 404 for everybody, for a repeat, too. Its projects, renders, endpoints and invitations go within moments, renders that have not ended when they have; nobody is of it any more. Users stay, as they may be of other accounts, and so does what it has cost. The body has its name, or its id where nobody can type the name. For owners, with a fresh sign-in.',
      ),
      ...([
        [account],
        { schema: 'EraseAccountRequest', value: { name: ACCOUNT.name } },
        { schema: 'ErasedAccount', value: { id: ACCOUNT.id, erased: true } },
      ] as const),
    ),
  },
  '/manage/v1/accounts/{account_id}/teams': {
    get: reads(
      in_account(
        'listAccountTeams',
        'List the teams of an account',
        'For owners all, for others those that they are in.',
      ),
      ...([[account, ...PAGE], { schema: 'TeamPage', value: page(TEAM) }] as const),
    ),
    post: createTeam,
  },
  '/manage/v1/accounts/{account_id}/owners': {
    get: reads(
      in_account('listOwners', 'List the owners of an account', 'For owners, and members of its teams.'),
      ...([[account], { schema: 'OwnerList', value: { data: [OWNER] } }] as const),
    ),
  },
  '/manage/v1/accounts/{account_id}/owners/add': {
    post: changes(
      in_account(
        'addOwner',
        'Add an owner',
        `Somebody who is of the account already; others are invited. For owners. ${FRESH}`,
      ),
      ...([[account], { schema: 'UserRequest', value: { user_id: USER } }, as_owner] as const),
    ),
  },
  '/manage/v1/accounts/{account_id}/owners/{user_id}/remove': {
    post: changes(
      in_account(
        'removeOwner',
        'Remove an owner',
        `Oneself, too. The last owner stays. For owners. ${FRESH} ${TWO_SECONDS}`,
      ),
      ...([[account, user], null, as_removed] as const),
    ),
  },
  '/manage/v1/accounts/{account_id}/invitations': {
    get: reads(
      in_account(
        'listAccountInvitations',
        'List the open invitations of an account',
        'Those to its teams, too. For owners.',
      ),
      ...([[account, ...PAGE], { schema: 'InvitationPage', value: page(INVITATION) }] as const),
    ),
    post: invites(in_account('inviteOwner', 'Invite an owner', `${ONCE} For owners.`), [account], null),
  },
  '/manage/v1/accounts/{account_id}/invitations/{invitation_id}/revoke': {
    post: changes(
      in_account('revokeAccountInvitation', 'Revoke an invitation', 'Of the account, or to a team of it. For owners.'),
      ...([[account, invitation], null, as_invitation] as const),
    ),
  },
  '/manage/v1/accounts/{account_id}/limits': {
    get: reads(
      in_account('getAccountLimits', 'What an account has, and may have', 'For owners, and members of its teams.'),
      [account],
      {
        schema: 'AccountLimitList',
        value: { data: [{ resource: 'keys', used: 3, most: 500, is_default: true }] },
      },
    ),
  },
  '/manage/v1/accounts/{account_id}/downloads': {
    get: reads(
      in_account('getDownloads', 'What downloads of an account are named by', 'For owners, and members of its teams.'),
      ...([[account], as_downloads] as const),
    ),
    post: changes(
      in_account(
        'nameDownloads',
        'Set what downloads of an account are named by',
        'For URLs that are signed ten seconds later and after; those of before keep their names. For owners.',
      ),
      ...([[account], as_downloads, as_downloads] as const),
    ),
  },
  '/manage/v1/operators/accounts': {
    get: reads(
      { ...in_team('listAccounts', 'List all accounts', 'For operators.'), tag: 'Operators' },
      ...([[...PAGE], { schema: 'AccountPage', value: page(ACCOUNT) }] as const),
    ),
  },
} as const;
