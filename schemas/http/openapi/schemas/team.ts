import { Role } from '../../../../domain/catalogue/events.ts';
import { ACCOUNT_ID, closed, orNull, TEAM_ID, text, time, USER_ID } from './scalars.ts';

const ROLE = { type: 'string', enum: Object.keys(Role.keys) };

const USER_FIELDS = {
  id: USER_ID,
  email: { type: ['string', 'null'], description: 'E-mail address; null where none is kept.' },
  created_at: time('When the user was registered'),
};

export const TEAM = closed('Owns projects.', {
  id: TEAM_ID,
  name: text('What it is called.'),
  account_id: { ...ACCOUNT_ID, description: 'The account that it belongs to.' },
  role: {
    ...orNull(ROLE, "The role that the key's user has in it; null where the key is of no user."),
    enum: [...ROLE.enum, null],
  },
  created_at: time('When it was created'),
});

export const USER = closed('A person.', USER_FIELDS);

export const MEMBER = closed('A user as a member of a team.', {
  ...USER_FIELDS,
  role: { ...ROLE, description: 'The role in the team.' },
  joined_at: time('When the user joined the team'),
});
