import { object, orNull, PROJECT_ID, TEAM_ID, text, time, USER_ID } from './scalars.ts';

export const PROJECT = object('Compositions, assets and templates, from which videos are rendered.', {
  id: PROJECT_ID,
  name: text('What it is called.'),
  team: object('Whose it is.', { id: TEAM_ID, name: text('What the team is called.') }),
  created_by: orNull(USER_ID, 'The user who created it; null where no user did.'),
  thumbnail_url: {
    type: ['string', 'null'],
    format: 'uri',
    description:
      'A still of the project as it stands, of the newest version that was rendered; signed and good for a limited time. Null until one has been made.',
  },
  created_at: time('When it was created'),
  updated_at: orNull(time(''), 'When it last changed, in milliseconds since the epoch; null until it has.'),
});
