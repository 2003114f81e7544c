import type * as t from 'io-ts';
import { ACCOUNT_ID, TEAM_ID, USER_ID } from '../ids.ts';
import {
  alwaysTrue,
  boolean,
  definitionsOf,
  listOf,
  object,
  oneOf,
  orNull,
  resource,
  subsetOf,
  text,
  wholeList,
} from '../shapes.ts';
import { contract, exampleBody, jsonResponse } from './operation.ts';

const ADMIN_RIGHTS = [
  ...(['read', 'request_renders', 'cancel_renders', 'erase_renders', 'erase_projects'] as const),
  ...(['rename', 'manage_keys', 'manage_endpoints', 'manage_members'] as const),
] as const;

/**
 * The rights of each role. Pages show only the actions that these allow. The server checks the role at every request.
 */
export const TEAM_RIGHTS = {
  owner: ADMIN_RIGHTS,
  admin: ADMIN_RIGHTS,
  member: ['read', 'request_renders', 'cancel_renders'],
} as const;

export const ACCOUNT_RIGHTS = {
  owner: ['read', 'rename', 'name_downloads', 'make_teams', 'manage_owners', 'erase'],
  member: ['read'],
} as const;

const rights = <R extends string>(words: readonly R[]) =>
  subsetOf(oneOf(words, ''), words, 'The rights of the person.');

export const TEAM_ROLE_MEMBERS = {
  role: oneOf(['owner', 'admin', 'member'], 'The role of the person in the team; `owner` if they own its account.'),
  may: rights(ADMIN_RIGHTS),
};

export const ACCOUNT_ROLE_MEMBERS = {
  role: oneOf(['owner', 'member'], 'The role of the person in the account; `member` if they are in a team of it.'),
  may: rights(ACCOUNT_RIGHTS.owner),
};

export const MyTeam = object('A team in which the person has a role.', {
  ...{ id: TEAM_ID, name: text('Its name.'), account_id: ACCOUNT_ID },
  ...TEAM_ROLE_MEMBERS,
});

export const MyAccount = object('An account that the person owns, or of which they have a team.', {
  ...{ id: ACCOUNT_ID, name: text('Its name.') },
  ...ACCOUNT_ROLE_MEMBERS,
});

export const MAX_MY_ACCOUNTS_OR_TEAMS = 200;

const Me = resource('Me', 'The person who is signed in, with their rights.', {
  user_id: orNull(USER_ID, 'The user; null for an operator who is no user, and before an invitation is accepted.'),
  email: orNull(text(''), 'The e-mail address of the user; null without one.'),
  name: orNull(text(''), 'The name of the user, from the identity provider; null without one.'),
  is_operator: boolean('Whether the identity provider marks the person as an operator.'),
  accounts: listOf(MyAccount, 'Sorted by name.', { maxItems: MAX_MY_ACCOUNTS_OR_TEAMS }),
  teams: listOf(MyTeam, 'Sorted by name; includes all teams of owned accounts.', {
    maxItems: MAX_MY_ACCOUNTS_OR_TEAMS,
  }),
  has_more: boolean('Whether the person has more accounts or teams than these lists contain.'),
});
export type Me = t.TypeOf<typeof Me>;

export const UserRequest = resource('UserRequest', 'A user.', {
  user_id: text('ID of the user.', { minLength: 1, max_units: 128 }),
});

export const ErasedUser = resource('ErasedUser', 'A user that is erased.', {
  ...{ user_id: USER_ID, erased: alwaysTrue('Always true.') },
});

export const AccountPerson = resource('AccountPerson', 'A person of an account.', {
  user_id: USER_ID,
  email: orNull(text(''), 'The e-mail address; null without one.'),
  name: orNull(text(''), 'The name, from the identity provider; null without one.'),
});

const AccountPersonList = wholeList(
  'AccountPersonList',
  AccountPerson,
  'The people of an account whom the reader can see; 1,000 at most.',
);

export const PEOPLE_SCHEMAS = definitionsOf([Me, AccountPerson, AccountPersonList]);

const EXAMPLE: Me = {
  user_id: 'user_01KAJWYH5M',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  is_operator: false,
  accounts: [{ id: 'acc_01KAJWXQ4N', name: 'Films', role: 'member', may: ACCOUNT_RIGHTS.member }],
  teams: [
    { id: 'team_01KAJWY8QD', name: 'Trailers', account_id: 'acc_01KAJWXQ4N', role: 'admin', may: TEAM_RIGHTS.admin },
  ],
  has_more: false,
};

const tag = 'People';

export const PEOPLE = contract({
  'GET /manage/v1/me': {
    ...{ guard: 'signed_in', id: 'getMe', tag, summary: 'Read who is signed in, and their rights' },
    description:
      'The accounts and teams of the person, with their role in each and the rights that it gives now. The server checks the role at every request.',
    answers: { 200: jsonResponse('The person.', Me, EXAMPLE) },
  },
  'GET /manage/v1/accounts/{account_id}/people': {
    ...{ guard: 'account_member', id: 'listAccountPeople', tag, summary: 'List the people of an account' },
    description:
      'Owners get all owners and members. Others get the owners, and the members of their own teams. For owners, and members of its teams.',
    answers: {
      200: jsonResponse('The people.', AccountPersonList, {
        data: [{ user_id: 'user_01KAJWYH5M', email: 'ada@example.com', name: 'Ada Lovelace' }],
      }),
    },
  },
  'POST /manage/v1/me/erase': {
    ...{ guard: 'fresh_person', id: 'eraseMe', tag, summary: 'Erase your own user' },
    description:
      'You cannot undo this. The user loses all access; sessions and personal keys are refused within a second. The name, address, roles, keys and identities are deleted within moments. IDs stay in the log. Projects and renders stay with their teams. Refused with 409 for the last owner of an account, and for the last admin of a team whose account has no owner. Ends the session, so a repeat gets 401. With a fresh sign-in.',
    body: exampleBody(UserRequest, { user_id: EXAMPLE.user_id }),
    answers: {
      200: jsonResponse('The user is erased, by this request or an earlier one.', ErasedUser, {
        ...{ user_id: 'user_01KAJWYH5M', erased: true },
      }),
    },
  },
});
