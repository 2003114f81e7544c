import type { Schema } from '../openapi/form.ts';
import { ACCOUNT_ID, object, shared, TEAM_ID, time, USER_ID } from '../openapi/schemas/scalars.ts';
import { ROLE } from '../openapi/schemas/words.ts';

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

/** Every schema of the document, under the name that references use. */
export const MANAGEMENT_SCHEMAS: Readonly<Record<string, Schema>> = {
  CurrentSession: CURRENT_SESSION,
  Role: ROLE,
  Error: ERROR,
};
