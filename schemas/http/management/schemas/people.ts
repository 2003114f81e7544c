import { Role } from '../../../../domain/catalogue/events.ts';
import type { Schema } from '../../openapi/form.ts';
import { ACCOUNT_ID, object, orNull, TEAM_ID, text, USER_ID } from '../../openapi/schemas/scalars.ts';
import { ACCOUNT_RIGHTS, TEAM_RIGHTS } from '../resources/person-resource.ts';

export const words = (all: readonly string[], description: string): Schema => ({
  ...{ type: 'array', uniqueItems: true, description },
  items: { type: 'string', enum: [...new Set(all)] },
});

export const TEAM_ROLE: Schema = {
  ...{ type: 'string', enum: ['owner', ...Object.keys(Role.keys)] },
  description: 'What the person is in the team; `owner` where they own its account.',
};

export const ACCOUNT_ROLE: Schema = {
  ...{ type: 'string', enum: ['owner', 'member'] },
  description: 'What the person is in the account; `member` where they are in a team of it.',
};

const MY_TEAM = object('A team that the person has a role in.', {
  id: TEAM_ID,
  name: text('What it is called.'),
  account_id: ACCOUNT_ID,
  role: TEAM_ROLE,
  may: words(Object.values(TEAM_RIGHTS).flat(), 'What the person may do in it.'),
});

const MY_ACCOUNT = object('An account that the person owns, or has a team of.', {
  id: ACCOUNT_ID,
  name: text('What it is called.'),
  role: ACCOUNT_ROLE,
  may: words(Object.values(ACCOUNT_RIGHTS).flat(), 'What the person may do in it.'),
});

const ME = object('Who is signed in, and what they may do.', {
  user_id: orNull(USER_ID, 'The user; null for an operator who is none, and for who has yet to accept an invitation.'),
  is_operator: { type: 'boolean', description: 'Whether the provider says so.' },
  accounts: { type: 'array', maxItems: 200, items: MY_ACCOUNT, description: 'By name.' },
  teams: { type: 'array', maxItems: 200, items: MY_TEAM, description: 'By name; of owned accounts all of them.' },
  has_more: { type: 'boolean', description: 'Whether there are more than these: the lists of accounts have them.' },
});

export const PEOPLE_SCHEMAS: Readonly<Record<string, Schema>> = { Me: ME };
