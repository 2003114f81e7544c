import { ANYWHERE, answerLike } from '../answers.ts';
import type { ManagementOperation } from '../form.ts';
import { ACCOUNT_RIGHTS, TEAM_RIGHTS } from '../resources/person-resource.ts';

const ME = {
  user_id: 'user_01KAJWYH5M',
  is_operator: false,
  accounts: [{ id: 'acc_01KAJWXQ4N', name: 'Films', role: 'member', may: ACCOUNT_RIGHTS.member }],
  teams: [
    { id: 'team_01KAJWY8QD', name: 'Trailers', account_id: 'acc_01KAJWXQ4N', role: 'admin', may: TEAM_RIGHTS.admin },
  ],
  has_more: false,
};

const getMe: ManagementOperation = {
  operationId: 'getMe',
  tags: ['People'],
  summary: 'Who is signed in, and what they may do',
  description:
    'The accounts and teams of whoever is signed in, with their role in each and what it allows at this moment. The server asks the role again at every request.',
  responses: { '200': answerLike('The person.', 'Me', ME), ...ANYWHERE },
};

export const ME_PATHS = { '/manage/v1/me': { get: getMe } } as const;
