import { ACCOUNT_ID, object, shared, sharedOrNull, TEAM_ID, text, time, USER_ID } from './scalars.ts';

const USER_FIELDS = {
  id: USER_ID,
  email: { type: ['string', 'null'], description: 'E-mail address; null where none is kept.' },
  created_at: time('When the user was registered'),
};

export const TEAM = object('Owns projects.', {
  id: TEAM_ID,
  name: text('What it is called.'),
  account_id: { ...ACCOUNT_ID, description: 'The account that it belongs to.' },
  role: sharedOrNull('Role', "The role that the key's user has in it; null where the key is of no user."),
  created_at: time('When it was created'),
});

export const USER = object('A person.', USER_FIELDS);

export const MEMBER = object('A user as a member of a team.', {
  ...USER_FIELDS,
  role: shared('Role', 'The role in the team.'),
  joined_at: time('When the user joined the team'),
});
