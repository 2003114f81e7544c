import { MOST_TEAMS_OF_A_KEY } from '../../../../domain/catalogue/limits.ts';
import { LIMITS } from '../../../../domain/composition/limits.ts';
import type { Schema } from '../../openapi/form.ts';
import { pageOf } from '../../openapi/schemas/list.ts';
import { ACCOUNT_ID, object, orNull, shared, TEAM_ID, text, time, USER_ID } from '../../openapi/schemas/scalars.ts';
import { KEY_KINDS, LONGEST_OVERLAP_S } from '../requests.ts';

export const NAME: Schema = {
  ...{ type: 'string', minLength: 1, maxLength: LIMITS.name },
  description: 'One line with a visible character, without control characters.',
};

const KEY_ID: Schema = { type: 'string', pattern: '^key_.', description: 'Id of an API key. It opens nothing.' };

const KIND: Schema = {
  ...{ type: 'string', enum: KEY_KINDS },
  description: '`personal`: of whoever makes it, and ends with their membership; `service`: of nobody, and goes on.',
};

const ends = (what: string): Schema => ({
  ...{ type: ['integer', 'null'], minimum: 0 },
  description: `${what}, in milliseconds since the epoch; null for never.`,
});

const KEY_MEMBERS = {
  id: KEY_ID,
  name: text('What it is called.'),
  kind: KIND,
  state: {
    ...{ type: 'string', enum: ['active', 'revoked', 'expired'] },
    description: 'Whether it opens anything.',
  },
  user_id: orNull(USER_ID, 'Whose it is; null for a service key.'),
  account_id: ACCOUNT_ID,
  team_ids: {
    type: 'array',
    items: TEAM_ID,
    description: 'The teams that it opens, as far as the reader has a part in them.',
  },
  other_teams: { type: 'integer', minimum: 0, description: 'How many others it opens.' },
  prefix: text('How it begins.'),
  last4: text('How it ends.'),
  created_at: time('When it was made'),
  expires_at: ends('When it ends'),
  revoked_at: ends('When it was revoked'),
  replaced_by: orNull(KEY_ID, 'The key that it was rotated to.'),
  last_used_at: ends('When it was last used, about a minute late'),
};

const SECRET: Schema = {
  type: ['string', 'null'],
  description: 'What programs send; shown this once and stored nowhere. Null in the answer to a repeat.',
};

const REPEATED: Schema = {
  type: 'boolean',
  description: 'Whether it had been made before, with this Idempotency-Key.',
};

export const ONCE = { secret: SECRET, repeated: REPEATED };

const KEY_REQUEST = object(
  'A key to be made.',
  {
    name: NAME,
    kind: KIND,
    team_ids: {
      ...{
        type: ['array', 'null'],
        minItems: 1,
        maxItems: MOST_TEAMS_OF_A_KEY,
        items: { type: 'string', minLength: 1 },
      },
      description:
        'The teams that it is to open, this one among them: it needs an admin of each. This one alone if left out.',
    },
    expires_at: ends('When it is to end; has to be said'),
  },
  ['team_ids'],
);

const ROTATE_REQUEST = object('How a key is replaced.', {
  overlap_s: {
    ...{ type: 'integer', minimum: 0, maximum: LONGEST_OVERLAP_S },
    description: 'How many seconds the old key goes on beside the new one; 0 ends it at once.',
  },
  expires_at: ends('When the new key is to end; has to be said'),
});

export const KEY_SCHEMAS: Readonly<Record<string, Schema>> = {
  ApiKey: object('An API key, without its secret.', KEY_MEMBERS),
  ApiKeyPage: pageOf('ApiKey', 'One page of the keys of a team.'),
  ApiKeyRequest: KEY_REQUEST,
  CreatedApiKey: object('A key that was made.', { ...KEY_MEMBERS, ...ONCE }),
  RotateRequest: ROTATE_REQUEST,
  RotatedApiKey: object('A key that was made in the place of another one.', {
    ...KEY_MEMBERS,
    ...ONCE,
    replaces: shared('ApiKey', 'The old key, as it is now.'),
  }),
};
