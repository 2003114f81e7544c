import { ANYWHERE, answerLike, bodyLike, TO_CHANGES } from '../answers.ts';
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

const eraseMe: ManagementOperation = {
  operationId: 'eraseMe',
  tags: ['People'],
  summary: 'Erase oneself',
  description:
    "For good. The user may do nothing and is given nothing from then on; sessions and personal keys are refused within a second. The address, roles, keys and identities go within moments. Ids stay in the log: who made or changed what. Projects and renders stay, as they are their teams'. Refused with 409 for the last owner of an account, and for the last admin of a team whose account nobody owns. Ends the session, so a repeat is answered 401. With a fresh sign-in.",
  requestBody: bodyLike('UserRequest', { user_id: ME.user_id }),
  responses: {
    '200': answerLike('The user is erased, by this request or before.', 'ErasedUser', {
      ...{ user_id: ME.user_id, erased: true },
    }),
    ...ANYWHERE,
    ...TO_CHANGES,
  },
};

export const ME_PATHS = { '/manage/v1/me': { get: getMe }, '/manage/v1/me/erase': { post: eraseMe } } as const;
