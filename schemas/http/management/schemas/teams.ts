import { Role } from '../../../../domain/catalogue/events.ts';
import { LIMITED_RESOURCES } from '../../../../domain/catalogue/limits.ts';
import type { Schema } from '../../openapi/form.ts';
import { pageOf, wholeList } from '../../openapi/schemas/list.ts';
import { ACCOUNT_ID, object, orNull, shared, TEAM_ID, text, time, USER_ID } from '../../openapi/schemas/scalars.ts';
import { NAME } from '../keys.ts';
import { LONGEST_NAME, NAMED_BY } from '../requests.ts';
import { ACCOUNT_RIGHTS, TEAM_RIGHTS } from '../resources/person-resource.ts';
import { ACCOUNT_ROLE, TEAM_ROLE, words } from './people.ts';

const INVITATION_ID: Schema = {
  type: 'string',
  pattern: '^inv_.',
  description: 'Id of an invitation. It opens nothing.',
};

const TEAM = {
  id: TEAM_ID,
  name: text('What it is called.'),
  account_id: ACCOUNT_ID,
  created_at: time('When it was made'),
};

const ACCOUNT = { id: ACCOUNT_ID, name: text('What it is called.'), created_at: time('When it was made') };

const INVITATION = {
  id: INVITATION_ID,
  account_id: ACCOUNT_ID,
  team_id: orNull(TEAM_ID, 'The team; null for an owner of the account.'),
  role: { type: 'string', enum: ['owner', ...Object.keys(Role.keys)], description: 'The role that it offers.' },
  invited_by: text('Who made it: `user:` or `operator:` and their id.'),
  created_at: time('When it was made'),
  expires_at: time('When it ends'),
  revoked_at: {
    type: ['integer', 'null'],
    minimum: 0,
    description: 'When it was revoked, in milliseconds since the epoch; null while it is not.',
  },
};

const COUNT: Schema = { type: 'integer', minimum: 0, description: 'How many.' };

const erasure = (kind: 'account' | 'project'): Schema =>
  object(
    `What confirms that the ${kind} is to be erased: its name, or its id where nobody can type the name.`,
    {
      name: { type: 'string', minLength: 1, description: `The name of the ${kind}, as it is now.` },
      [`${kind}_id`]: {
        ...{ type: 'string', minLength: 1 },
        description: `Its id, as in the address; only where the name is empty, shows nothing, is longer than ${LONGEST_NAME} UTF-16 units, or has control characters.`,
      },
    },
    ['name', `${kind}_id`],
  );

export const TEAM_SCHEMAS: Readonly<Record<string, Schema>> = {
  Team: object('A team.', TEAM),
  TeamPage: pageOf('Team', 'One page of the teams of an account.'),
  TeamWithRole: object('A team, and what the person is in it.', {
    ...TEAM,
    role: TEAM_ROLE,
    may: words(Object.values(TEAM_RIGHTS).flat(), 'What the person may do in it.'),
  }),
  Account: object('An account.', ACCOUNT),
  AccountPage: pageOf('Account', 'One page of all accounts.'),
  AccountWithRole: object('An account, and what the person is in it.', {
    ...ACCOUNT,
    role: ACCOUNT_ROLE,
    may: words(Object.values(ACCOUNT_RIGHTS).flat(), 'What the person may do in it.'),
  }),
  NameRequest: object('Another name.', { name: NAME.schema }),
  EraseAccountRequest: erasure('account'),
  EraseProjectRequest: erasure('project'),
  ErasedAccount: object('An account that is erased.', {
    id: text('Its id.'),
    erased: { type: 'boolean', const: true, description: 'It is so.' },
  }),
  ErasedUser: object('A user who is erased.', {
    user_id: USER_ID,
    erased: { type: 'boolean', const: true, description: 'It is so.' },
  }),
  RoleRequest: object('A role in a team.', { role: shared('Role', 'The role.') }),
  UserRequest: object('A user.', { user_id: { type: 'string', minLength: 1, description: 'Id of the user.' } }),
  MemberRequest: object('Somebody who is to be a member.', {
    user_id: { type: 'string', minLength: 1, description: 'Id of a user who is of the account already.' },
    role: shared('Role', 'The role.'),
  }),
  TeamMember: object('A member of a team.', {
    user_id: USER_ID,
    role: shared('Role', 'The role in it.'),
    joined_at: time('When they joined'),
  }),
  TeamMemberPage: pageOf('TeamMember', 'One page of the members of a team: who joined last comes first.'),
  Owner: object('An owner of an account.', {
    user_id: USER_ID,
    owner_since: { type: ['integer', 'null'], minimum: 0, description: 'Since when, in milliseconds since the epoch.' },
  }),
  OwnerList: wholeList('Owner', 'The owners of an account, the first one first; 1,000 at most.'),
  RemovedUser: object('Somebody who has no such role any more.', {
    user_id: USER_ID,
    removed: { type: 'boolean', const: true, description: 'It is so.' },
  }),
  Invitation: object('An invitation, without its token.', INVITATION),
  InvitationPage: pageOf('Invitation', 'One page of open invitations.'),
  IssuedInvitation: object('An invitation that was made.', {
    ...INVITATION,
    token: text('What the link holds, which is passed on by hand; shown this once. Whoever has it may accept.'),
  }),
  AccountLimit: object('What an account has of one thing, and may have.', {
    resource: { type: 'string', enum: LIMITED_RESOURCES, description: 'What is counted.' },
    used: COUNT,
    most: COUNT,
    is_default: { type: 'boolean', description: 'Whether no other limit was set.' },
  }),
  Downloads: object('How an account has its downloads named.', {
    named_by: {
      ...{ type: 'string', enum: [...NAMED_BY] },
      description:
        'What files are saved as: the name of the render or project, or its id. Signed URLs have it, and access logs keep those.',
    },
  }),
  AccountLimitList: wholeList('AccountLimit', 'All limits of an account.'),
};
