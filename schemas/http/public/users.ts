import type * as t from 'io-ts';
import type { Membership, User as UserEntity } from '../../../domain/catalogue/entities.ts';
import { USER_ID } from '../ids.ts';
import { query } from '../query.ts';
import { definitionsOf, orNull, resource, text, time, wholeList, withDescription } from '../shapes.ts';
import { Role } from '../words.ts';
import { jsonResponse, type PublicOperation, parameterRefs } from './operation.ts';
import { TEAM_PARAMETER } from './parameters.ts';
import { keyedRefusal, NO_TEAM } from './responses.ts';
import { getSamples } from './samples/code-samples.ts';

const USER = {
  id: USER_ID,
  email: orNull(text(''), 'E-mail address; null if none is stored.'),
  created_at: time('When the user was registered'),
};

const User = resource('User', 'A person.', USER);
type User = t.TypeOf<typeof User>;

const Member = resource('Member', 'A user as a member of a team.', {
  ...USER,
  role: withDescription(Role, 'The role in the team.'),
  joined_at: time('When the user joined the team'),
});
type Member = t.TypeOf<typeof Member>;

const MemberList = wholeList('MemberList', Member, 'The members of a team.');

export const USER_SCHEMAS = definitionsOf([User, Member, MemberList]);

export const MemberQuery = query(TEAM_PARAMETER);

/** @param email null without a payload */
export const userResource = ({ id, created_at }: UserEntity, email: string | null): User => ({ id, email, created_at });

export const memberResource = (user: UserEntity, email: string | null, membership: Membership): Member => ({
  ...userResource(user, email),
  role: membership.role,
  joined_at: membership.joined_at,
});

const EXAMPLE: User = { id: 'user_01KAJWYH5M', email: 'ada@example.com', created_at: 1_763_568_800_000 };
const MEMBER_EXAMPLE: Member = { ...EXAMPLE, role: 'admin', joined_at: 1_763_569_800_000 };

const tag = 'Users';

export const USERS = {
  'GET /v1/users': {
    ...{ id: 'listMembers', tag, summary: 'List the members of a team' },
    description: 'All of them, in the order in which they joined.',
    parameters: MemberQuery.references,
    answers: {
      200: jsonResponse('All of them.', MemberList, { example: ['One member', { data: [MEMBER_EXAMPLE] }] }),
      404: NO_TEAM,
    },
    samples: getSamples('/v1/users?team_id={TEAM_ID}'),
  },
  'GET /v1/users/{id}': {
    ...{ id: 'getUser', tag, summary: 'Read a user' },
    description: 'A user who is a member of a team that the key reaches.',
    parameters: parameterRefs('UserId'),
    answers: {
      200: jsonResponse('The user.', User, { example: ['A user', EXAMPLE] }),
      404: keyedRefusal('The user does not exist, or shares no team with the key.', {
        absent: ['No such user', 'there is no such user', 'not_found', 'id'],
      }),
    },
    samples: getSamples('/v1/users/{USER_ID}'),
  },
} satisfies Readonly<Record<string, PublicOperation>>;
