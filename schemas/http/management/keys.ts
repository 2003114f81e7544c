import type * as t from 'io-ts';
import { SCOPES } from '../../../domain/access/scopes.ts';
import { MAX_TEAMS_OF_A_KEY } from '../../../domain/catalogue/limits.ts';
import { LIMITS } from '../../../domain/composition/limits.ts';
import { ACCOUNT_ID, TEAM_ID, USER_ID } from '../ids.ts';
import { PAGE_PARAMETERS, query, wordWithDefault } from '../query.ts';
import {
  boolean,
  count,
  definitionsOf,
  integer,
  listOf,
  oneOf,
  optional,
  orNull,
  pageOf,
  resource,
  subsetOf,
  text,
  time,
  timeOrNull,
  uniqueTexts,
  withDescription,
} from '../shapes.ts';
import { contract, exampleBody, examplePage, IDEMPOTENCY_KEY, jsonResponse } from './operation.ts';
import { CREATION_RESPONSES } from './responses.ts';

/** The maximum length of ids in bodies. Ids of the service are far shorter. */
export const MAX_ID_UNITS = 128;

/**
 * The maximum length of names in UTF-16 units, of which a code point has at most two. The catalogue checks the other
 * naming rules.
 */
export const MAX_NAME_UNITS = 2 * LIMITS.name;

const MAX_OVERLAP_S = 90 * 86_400;

export const NAME = text('One line with a visible character and without control characters.', {
  ...{ minLength: 1, maxLength: LIMITS.name, max_units: MAX_NAME_UNITS },
});

const KEY_ID = text('ID of an API key. It is not a secret.', { pattern: '^key_.' });

const KIND = oneOf(
  ['personal', 'service'],
  '`personal`: belongs to the person who creates it and ends with their membership; `service`: belongs to the team.',
);

const SCOPE = oneOf(SCOPES, '`projects:write`: creates, changes and erases projects of its teams.');

const KEY = {
  id: KEY_ID,
  name: text('Its name.'),
  kind: KIND,
  state: oneOf(['active', 'revoked', 'expired'], 'Only an active key is accepted.'),
  user_id: orNull(USER_ID, 'Its owner; null for a service key.'),
  account_id: ACCOUNT_ID,
  team_ids: listOf(TEAM_ID, 'The teams that it can access and that the reader can see.'),
  other_teams: count('The number of other teams that it can access.'),
  prefix: text('The first characters of the secret.'),
  last4: text('The last characters of the secret.'),
  created_at: time('When it was created'),
  expires_at: timeOrNull('When it expires', 'null for never'),
  revoked_at: timeOrNull('When it was revoked', 'null if it was not'),
  replaced_by: orNull(KEY_ID, 'The key that replaced it in a rotation.'),
  scopes: listOf(SCOPE, 'Rights beyond those of every key. A rotation keeps them.'),
  last_used_at: timeOrNull('When it was last used, up to a minute late', 'null for never'),
};

export const CREATED_ONCE = {
  secret: orNull(
    text(''),
    'The secret that programs send. It is shown once and never stored; null in the answer to a repeat.',
  ),
  repeated: boolean('Whether an earlier request with this Idempotency-Key created it.'),
};

export const ApiKey = resource('ApiKey', 'An API key, without its secret.', KEY);
export type ApiKey = t.TypeOf<typeof ApiKey>;

const ApiKeyPage = pageOf('ApiKeyPage', ApiKey, 'One page of the keys of a team.');

export const ApiKeyRequest = resource('ApiKeyRequest', 'A key to create.', {
  name: NAME,
  kind: KIND,
  team_ids: optional(
    uniqueTexts('', { minItems: 1, maxItems: MAX_TEAMS_OF_A_KEY }, MAX_ID_UNITS),
    'The teams that it can access, including this one. By default only this team. Requires an admin of each team.',
  ),
  expires_at: timeOrNull('When it expires', 'null for never. Required'),
  scopes: optional(subsetOf(SCOPE, SCOPES, '', 0), 'Rights beyond those of every key. By default none.'),
});

const CreatedApiKey = resource('CreatedApiKey', 'A key that was created.', { ...KEY, ...CREATED_ONCE });

export const RotateRequest = resource('RotateRequest', 'How to replace a key.', {
  overlap_s: integer('How many seconds the old key still works; 0 ends it immediately.', {
    ...{ minimum: 0, maximum: MAX_OVERLAP_S },
  }),
  expires_at: timeOrNull('When the new key expires', 'null for never. Required'),
});

const RotatedApiKey = resource('RotatedApiKey', 'A key that replaces another one.', {
  ...CreatedApiKey.members,
  replaces: withDescription(ApiKey, 'The old key as it is now.'),
});

export const KEY_SCHEMAS = definitionsOf([
  ...[ApiKey, ApiKeyPage, ApiKeyRequest, CreatedApiKey, RotateRequest, RotatedApiKey],
]);

export const KeyListQuery = query({
  state: wordWithDefault('active', ['active', 'all'], '`active`, or `all`, which includes revoked and expired keys.'),
  ...PAGE_PARAMETERS,
});

const EXAMPLE: ApiKey = {
  ...{ id: 'key_01KAJX0T7B', name: 'shop', kind: 'service', state: 'active', user_id: null },
  ...{ account_id: 'acc_01KAJWXQ4N', team_ids: ['team_01KAJWY8QD'], other_teams: 0, prefix: 'vr_4kTz', last4: 'w0Xb' },
  ...{ created_at: 1_763_740_800_000, expires_at: null, revoked_at: null, replaced_by: null },
  ...{ scopes: [], last_used_at: 1_763_741_000_000 },
};
const CREATED = { ...EXAMPLE, last_used_at: null, secret: 'vr_4kTz…w0Xb', repeated: false };
const REPEATED = { ...CREATED, secret: null, repeated: true };

const tag = 'API keys';

export const KEYS = contract({
  'GET /manage/v1/teams/{team_id}/keys': {
    ...{ guard: 'team_member', id: 'listApiKeys', tag, summary: 'List the keys of a team' },
    description: 'The newest 2,000 keys with access to the team. For members of the team.',
    parameters: KeyListQuery.parameters,
    answers: { 200: jsonResponse('A page.', ApiKeyPage, examplePage(EXAMPLE)) },
  },
  'POST /manage/v1/teams/{team_id}/keys': {
    ...{ guard: 'fresh_team_admin', id: 'createApiKey', tag, summary: 'Create a key' },
    description:
      'Shows the secret once. For admins of every team that the key can access, with a fresh sign-in; a personal key needs a member of each.',
    parameters: [IDEMPOTENCY_KEY],
    body: exampleBody(ApiKeyRequest, { name: 'shop', kind: 'service', expires_at: null }),
    answers: {
      201: jsonResponse('The new key.', CreatedApiKey, CREATED),
      200: jsonResponse('An earlier request created it.', CreatedApiKey, REPEATED),
    },
    refusals: CREATION_RESPONSES,
  },
  'GET /manage/v1/teams/{team_id}/keys/{key_id}': {
    ...{ guard: 'team_member', id: 'getApiKey', tag, summary: 'Read a key' },
    description: 'A key with access to the team. For members of the team.',
    answers: { 200: jsonResponse('The key.', ApiKey, EXAMPLE) },
  },
  'POST /manage/v1/teams/{team_id}/keys/{key_id}/rotate': {
    ...{ guard: 'fresh_team_admin', id: 'rotateApiKey', tag, summary: 'Replace a key' },
    description:
      'Creates a key that replaces this one, and shows its secret once. For admins of every team that it can access, with a fresh sign-in; a personal key only for its owner.',
    parameters: [IDEMPOTENCY_KEY],
    body: exampleBody(RotateRequest, { overlap_s: 86_400, expires_at: null }),
    answers: {
      201: jsonResponse('The new key.', RotatedApiKey, { ...CREATED, replaces: EXAMPLE }),
      200: jsonResponse('An earlier request replaced it.', RotatedApiKey, { ...REPEATED, replaces: EXAMPLE }),
    },
    refusals: CREATION_RESPONSES,
  },
  'POST /manage/v1/teams/{team_id}/keys/{key_id}/revoke': {
    ...{ guard: 'team_member', id: 'revokeApiKey', tag, summary: 'Revoke a key' },
    description:
      'Returns when the key is refused everywhere, after about two seconds. For admins of a team that it can access, and for its owner.',
    answers: {
      200: jsonResponse('The revoked key.', ApiKey, { ...EXAMPLE, state: 'revoked', revoked_at: 1_763_742_000_000 }),
    },
  },
});
