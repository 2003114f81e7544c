import { ANYWHERE, answerLike, bodyLike, NO_BODY, TO_CHANGES, TO_CREATIONS } from '../answers.ts';
import type { ManagementOperation } from '../form.ts';
import { IDEMPOTENCY_KEY, IN_PATH, inQuery, PAGE } from '../parameters.ts';

const KEY = {
  ...{ id: 'key_01KAJX0T7B', name: 'shop', kind: 'service', state: 'active', user_id: null },
  ...{ account_id: 'acc_01KAJWXQ4N', team_ids: ['team_01KAJWY8QD'], other_teams: 0, prefix: 'vr_4kTz', last4: 'w0Xb' },
  ...{ created_at: 1_763_740_800_000, expires_at: null, revoked_at: null, replaced_by: null },
  last_used_at: 1_763_741_000_000,
};
const CREATED = { ...KEY, last_used_at: null, secret: 'vr_4kTz…w0Xb', repeated: false };
const REPEATED = { ...CREATED, secret: null, repeated: true };
const tags = ['API keys'];

const listKeys: ManagementOperation = {
  ...{ operationId: 'listApiKeys', tags, summary: 'List the keys of a team' },
  description: 'The keys that open the team; the newest 2,000 are in reach. For members of the team.',
  parameters: [
    IN_PATH.team,
    inQuery('state', '`active` (if left out), or `all`: revoked and expired ones too.', {
      ...{ type: 'string', enum: ['active', 'all'], default: 'active' },
    }),
    ...PAGE,
  ],
  responses: {
    '200': answerLike('A page.', 'ApiKeyPage', { data: [KEY], has_more: false, next_cursor: null }),
    ...ANYWHERE,
  },
};

const createKey: ManagementOperation = {
  ...{ operationId: 'createApiKey', tags, summary: 'Make a key' },
  description:
    'Shows the secret, this once. For admins of every team that it is to open, with a fresh sign-in; a personal key needs a member of each.',
  parameters: [IN_PATH.team, IDEMPOTENCY_KEY],
  requestBody: bodyLike('ApiKeyRequest', { name: 'shop', kind: 'service', expires_at: null }),
  responses: {
    '201': answerLike('It is made.', 'CreatedApiKey', CREATED),
    '200': answerLike('It had been made before.', 'CreatedApiKey', REPEATED),
    ...ANYWHERE,
    ...TO_CREATIONS,
  },
};

const getKey: ManagementOperation = {
  ...{ operationId: 'getApiKey', tags, summary: 'Read a key' },
  description: 'A key that opens the team. For members of the team.',
  parameters: [IN_PATH.team, IN_PATH.key],
  responses: { '200': answerLike('The key.', 'ApiKey', KEY), ...ANYWHERE },
};

const rotateKey: ManagementOperation = {
  ...{ operationId: 'rotateApiKey', tags, summary: 'Replace a key' },
  description:
    'Makes another key in the place of one, and shows its secret, this once. For admins of every team that it opens, with a fresh sign-in; a personal key for whose it is alone.',
  parameters: [IN_PATH.team, IN_PATH.key, IDEMPOTENCY_KEY],
  requestBody: bodyLike('RotateRequest', { overlap_s: 86_400, expires_at: null }),
  responses: {
    '201': answerLike('It is replaced.', 'RotatedApiKey', { ...CREATED, replaces: KEY }),
    '200': answerLike('It had been replaced before.', 'RotatedApiKey', { ...REPEATED, replaces: KEY }),
    ...ANYWHERE,
    ...TO_CREATIONS,
  },
};

const revokeKey: ManagementOperation = {
  ...{ operationId: 'revokeApiKey', tags, summary: 'Revoke a key' },
  description:
    'Answers when it opens nothing any more, after two seconds or so. For admins of a team that it opens, and for whose it is.',
  parameters: [IN_PATH.team, IN_PATH.key],
  requestBody: NO_BODY,
  responses: {
    '200': answerLike('It is revoked.', 'ApiKey', { ...KEY, state: 'revoked', revoked_at: 1_763_742_000_000 }),
    ...ANYWHERE,
    ...TO_CHANGES,
  },
};

export const KEY_PATHS = {
  '/manage/v1/teams/{team_id}/keys': { get: listKeys, post: createKey },
  '/manage/v1/teams/{team_id}/keys/{key_id}': { get: getKey },
  '/manage/v1/teams/{team_id}/keys/{key_id}/rotate': { post: rotateKey },
  '/manage/v1/teams/{team_id}/keys/{key_id}/revoke': { post: revokeKey },
} as const;
