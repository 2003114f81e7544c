import type { Schema } from '../../openapi/form.ts';
import { wholeList } from '../../openapi/schemas/list.ts';
import { ACCOUNT_ID, object, shared, TEAM_ID, time, USER_ID } from '../../openapi/schemas/scalars.ts';
import { ROLE } from '../../openapi/schemas/words.ts';
import { DELIVERY_SCHEMAS } from '../deliveries.ts';
import { ENDPOINT_SCHEMAS } from '../endpoints.ts';
import { KEY_SCHEMAS } from '../keys.ts';
import { OPERATOR_SCHEMAS } from './operators.ts';
import { PEOPLE_SCHEMAS } from './people.ts';
import { RENDER_SCHEMAS } from './renders.ts';
import { REPORT_SCHEMAS } from './reports.ts';
import { TEAM_SCHEMAS } from './teams.ts';

const ERROR: Schema = {
  type: 'object',
  description: 'What every error looks like.',
  required: ['error'],
  properties: {
    error: {
      type: 'string',
      minLength: 1,
      description: 'What is wrong, for a person: it names the field and the fault.',
    },
    code: {
      type: 'string',
      enum: ['signed_out', 'fresh_sign_in_needed'],
      description: 'There where a page does something about it by itself.',
    },
    sign_in: {
      type: 'string',
      pattern: '^/manage/v1/sign-in',
      description: 'Where to sign in: to be opened as a page, with `return_to`.',
    },
  },
};

const SESSION_ID: Schema = {
  type: 'string',
  pattern: '^sess_.',
  description: 'Id of a session: `sess_` and opaque text. It opens nothing.',
};

const CURRENT_SESSION = object('Who is signed in, and as what.', {
  id: SESSION_ID,
  user_id: {
    ...USER_ID,
    type: ['string', 'null'],
    description:
      'The user; null where there is none: of an operator, or of somebody who has yet to accept an invitation.',
  },
  is_operator: { type: 'boolean', description: 'Whether the provider says so.' },
  teams: {
    type: 'array',
    description: 'The teams that the user is a member of.',
    items: object('A team.', { team_id: TEAM_ID, role: shared('Role', 'The role in it.') }),
  },
  owned_account_ids: { type: 'array', description: 'The accounts that the user owns.', items: ACCOUNT_ID },
  created_at: time('When it was begun'),
  expires_at: time('When it ends, whatever it does; it ends sooner where it is not used'),
  fresh_until: {
    ...time(''),
    type: ['integer', 'null'],
    description:
      'Until when keys and secrets may be made or changed without signing in anew, in milliseconds since the epoch; null where the provider does not say when people showed who they are.',
  },
});

const SESSION = object('A browser in which the person is signed in.', {
  id: SESSION_ID,
  is_current: { type: 'boolean', description: 'Whether it is the session that asks.' },
  user_agent: { type: ['string', 'null'], maxLength: 256, description: 'What the browser calls itself.' },
  created_at: time('When it was begun'),
  last_used_at: time('When it was last used, a minute earlier at most'),
  expires_at: time('When it ends, whatever it does'),
});

const ENDED_SESSION = object('A session that has ended.', {
  id: SESSION_ID,
  ended: { type: 'boolean', const: true, description: 'It opens nothing any more.' },
});

const INVITATION_TOKEN = object('An invitation, by what its link holds.', {
  token: { type: 'string', minLength: 1, maxLength: 128, description: 'The token of the link.' },
});

const NOTHING: Schema = { type: 'object', description: 'Nothing is asked for yet.' };

const ACCEPTED_INVITATION = object('What the invitation made of the person.', {
  user_id: USER_ID,
  account_id: ACCOUNT_ID,
  team_id: { ...TEAM_ID, type: ['string', 'null'], description: 'The team; null for an owner of the account.' },
  role: { type: 'string', enum: ['owner', 'admin', 'member'], description: 'The role in it.' },
});

/** Every schema of the document, under the name that references use. */
export const MANAGEMENT_SCHEMAS: Readonly<Record<string, Schema>> = {
  CurrentSession: CURRENT_SESSION,
  SessionList: wholeList(
    'Session',
    'The sessions of a person, the newest first: 20 at most, and as many from before they were a user.',
  ),
  Session: SESSION,
  EndedSession: ENDED_SESSION,
  Nothing: NOTHING,
  InvitationToken: INVITATION_TOKEN,
  AcceptedInvitation: ACCEPTED_INVITATION,
  Role: ROLE,
  Error: ERROR,
  ...PEOPLE_SCHEMAS,
  ...KEY_SCHEMAS,
  ...TEAM_SCHEMAS,
  ...RENDER_SCHEMAS,
  ...REPORT_SCHEMAS,
  ...OPERATOR_SCHEMAS,
  ...ENDPOINT_SCHEMAS,
  ...DELIVERY_SCHEMAS,
};
