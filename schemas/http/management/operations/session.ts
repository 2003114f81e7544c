import { ANYWHERE, answer } from '../answers.ts';
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
