import { schemaRef } from '../../openapi/form.ts';
import { ANYWHERE, answer, refusal, TO_WRITES } from '../answers.ts';
import type { ManagementOperation } from '../form.ts';

const TOKEN = 'inv_01KAJX7C4M2S8T0V5Z9Q3R6W1B.9tqW0mUoVfVq7v2cX1bG4kP8sLhRzJyEwNdTiAxCu5Y';

export const acceptInvitation: ManagementOperation = {
  operationId: 'acceptInvitation',
  tags: ['Invitations'],
  summary: 'Accept an invitation',
  description:
    'Whoever is signed in takes the role that the invitation offers, and is made a user where they are none. Sets the cookie of another session then. A repeat by the same person answers the same.',
  requestBody: {
    required: true,
    description: 'The token of the link.',
    content: {
      'application/json': {
        schema: schemaRef('InvitationToken'),
        examples: { token: { summary: 'The token of the link', value: { token: TOKEN } } },
      },
    },
  },
  responses: {
    '200': answer('It is accepted.', 'AcceptedInvitation', {
      member: {
        summary: 'A member of a team',
        value: {
          user_id: 'user_9c1185a5c5e9fc54612808977ee8f548',
          account_id: 'acc_01KAJWXQ4N',
          team_id: 'team_01KAJWY8QD',
          role: 'member',
        },
      },
    }),
    ...ANYWHERE,
    ...TO_WRITES,
    '409': refusal(
      'The invitation is over, was accepted or revoked, its maker may no longer invite, or the person is there already.',
      'the invitation is over: ask for another one',
    ),
  },
};
