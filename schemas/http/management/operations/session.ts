import { ANYWHERE, answer, NO_BODY, TO_WRITES } from '../answers.ts';
import type { ManagementOperation } from '../form.ts';

const CURRENT_SESSION = {
  id: 'sess_01KAJX3Z5Q8W9V2T7R4N6M1B0C',
  user_id: 'user_01KAJWYH5M',
  is_operator: false,
  teams: [{ team_id: 'team_01KAJWY8QD', role: 'admin' }],
  owned_account_ids: ['acc_01KAJWXQ4N'],
  created_at: 1_763_740_800_000,
  expires_at: 1_764_345_600_000,
  fresh_until: 1_763_741_700_000,
};

export const getSession: ManagementOperation = {
  operationId: 'getSession',
  tags: ['Sessions'],
  summary: 'Who is signed in',
  description: 'The session of the cookie, the user, and what the user is in teams and accounts at this moment.',
  responses: {
    '200': answer('The session.', 'CurrentSession', { admin: { summary: 'An admin', value: CURRENT_SESSION } }),
    ...ANYWHERE,
  },
};

const SESSION = {
  id: CURRENT_SESSION.id,
  is_current: true,
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  created_at: CURRENT_SESSION.created_at,
  last_used_at: 1_763_741_000_000,
  expires_at: CURRENT_SESSION.expires_at,
};

export const listSessions: ManagementOperation = {
  operationId: 'listSessions',
  tags: ['Sessions'],
  summary: 'Where the person is signed in',
  description: 'All sessions of whoever is signed in, the newest first.',
  responses: {
    '200': answer('The sessions.', 'SessionList', { one: { summary: 'One', value: { data: [SESSION] } } }),
    ...ANYWHERE,
  },
};

const ENDED = answer('It has ended.', 'EndedSession', {
  ended: { summary: 'Ended', value: { id: CURRENT_SESSION.id, ended: true } },
});

export const revokeSession: ManagementOperation = {
  operationId: 'revokeSession',
  tags: ['Sessions'],
  summary: 'End a session of the person',
  description: 'A session of whoever is signed in, in another browser for instance. It opens nothing within a second.',
  parameters: [
    {
      ...{ name: 'id', in: 'path', required: true, schema: { type: 'string' }, example: CURRENT_SESSION.id },
      description: 'Id of the session.',
    },
  ],
  requestBody: NO_BODY,
  responses: { '200': ENDED, ...ANYWHERE, ...TO_WRITES },
};

export const signOut: ManagementOperation = {
  operationId: 'signOut',
  tags: ['Sessions'],
  summary: 'Sign out',
  description: 'Ends the session that asks, and takes its cookie away. The one at the provider goes on.',
  requestBody: NO_BODY,
  responses: { '200': ENDED, ...ANYWHERE, ...TO_WRITES },
};
